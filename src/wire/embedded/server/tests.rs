//! Requests to a server on this machine, byte by byte.

mod client;
mod connections;
mod signatures;

use std::time::Duration;

use super::*;
use client::{RawClient, SignedRequest};

/// A server of an empty database in memory, and its engine.
async fn start_server(limits: ServerLimits) -> (EmbeddedEngine, EmbeddedServer) {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let server = engine.serve().limits(limits).start().await.unwrap();
    (engine, server)
}

#[tokio::test]
async fn responses_are_those_of_dynamodb() {
    let (engine, server) = start_server(ServerLimits::default()).await;
    let mut client = RawClient::connect(&server);
    let response = client.call(&SignedRequest::new(&server));
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(response.body, r#"{"TableNames":[]}"#);
    assert_eq!(
        response.headers["content-type"],
        "application/x-amz-json-1.0"
    );
    assert_eq!(response.headers["x-amz-crc32"], "1315925753");
    assert!(response.headers["x-amzn-requestid"].starts_with("embedded-"));
    assert!(response.headers.contains_key("date"));
    // a rejection of the engine
    let get = SignedRequest::new(&server).operation("GetItem", r#"{"TableName":"none","Key":{}}"#);
    let response = client.call(&get);
    assert_eq!(response.status, 400);
    assert_eq!(response.error_type(), "ResourceNotFoundException");
    drop(engine);
}

#[tokio::test]
async fn only_operations_of_the_protocol_are_executed() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let mut client = RawClient::connect(&server);
    for (target, is_known) in [
        ("DynamoDB_20120810.ListTables", true),
        ("DynamoDBStreams_20120810.ListStreams", true),
        ("DynamoDB_20120810.ListStreams", false),
        ("DynamoDBStreams_20120810.ListTables", false),
        ("DynamoDB_20120810.SweepExpiredItems", false),
        ("DynamoDB_20120810.Panic", false),
        ("DynamoDB_20120810.DescribeLimits", false),
        ("DynamoDB_20111205.ListTables", false),
        ("ListTables", false),
    ] {
        let mut request = SignedRequest::new(&server);
        request.set_header("x-amz-target", target);
        let response = client.call(&request);
        let expected = if is_known {
            ""
        } else {
            "UnknownOperationException"
        };
        assert_eq!(
            response.error_type(),
            expected,
            "{target}: {}",
            response.body
        );
    }
}

#[tokio::test]
async fn a_page_of_a_browser_can_do_nothing() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let port = server.port();
    for (host, is_here) in [
        (format!("localhost:{port}"), true),
        ("LOCALHOST".to_owned(), true),
        ("127.0.0.1:1".to_owned(), true),
        (format!("rebound.example:{port}"), false),
        ("127.0.0.1.example:80".to_owned(), false),
        (format!("[::1]:{port}"), false),
        (String::new(), false),
    ] {
        let mut request = SignedRequest::new(&server);
        request.set_header("host", &host);
        let response = RawClient::connect(&server).call(&request);
        let expected = if is_here { "" } else { "AccessDeniedException" };
        assert_eq!(response.error_type(), expected, "{host}");
    }
    // the question of a browser before a request with headers of its own
    let asked = format!(
        "OPTIONS / HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: https://evil.example\r\n\
         Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n\r\n"
    );
    // a form, which a browser sends without asking
    let form = format!(
        "POST / HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: https://evil.example\r\nContent-Type: text/plain\r\n\
         Content-Length: 2\r\n\r\n{{}}"
    );
    let mut request = SignedRequest::new(&server);
    request.add_header("origin", "https://evil.example");
    for text in [asked.as_bytes(), form.as_bytes(), &request.to_bytes()] {
        let response = RawClient::connect(&server)
            .send(text)
            .read_response()
            .unwrap();
        let mut names = response.headers.keys();
        assert!(!names.any(|name| name.starts_with("access-control-")));
    }
    let absolute = format!(
        "POST http://evil.example/ HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: 0\r\n\r\n"
    );
    let response = RawClient::connect(&server)
        .send(absolute.as_bytes())
        .read_response()
        .unwrap();
    assert_eq!(response.error_type(), "AccessDeniedException");
}

#[tokio::test]
async fn keys_are_drawn_or_given() {
    let (engine, one) = start_server(ServerLimits::default()).await;
    let other = engine.serve().start().await.unwrap();
    assert_ne!(one.access_key_id(), other.access_key_id());
    assert_ne!(one.secret_access_key(), other.secret_access_key());
    assert_eq!(one.secret_access_key().len(), 40);
    assert!(!format!("{one:?}").contains(one.secret_access_key()));
    let secret = "0123456789abcdef";
    assert!(!format!("{:?}", engine.serve().key("id", secret)).contains(secret));
    // the key of one server is not that of the other
    let mut request = SignedRequest::new(&one);
    request.set_header("host", "localhost");
    let response = RawClient::connect(&other).call(&request);
    assert_eq!(response.error_type(), "UnrecognizedClientException");

    let given = engine
        .serve()
        .key("team", "a secret of the team?".replace(' ', "-"));
    let given = given.start().await.unwrap();
    assert_eq!(
        RawClient::connect(&given)
            .call(&SignedRequest::new(&given))
            .status,
        200
    );
    for (id, secret) in [
        ("", "0123456789abcdef"),
        ("a b", "0123456789abcdef"),
        ("id", "short"),
        ("id", "0123456789 abcdef"),
    ] {
        let refused = engine.serve().key(id, secret).start().await;
        assert_eq!(
            refused.unwrap_err().kind(),
            ErrorKind::Config,
            "{id} {secret}"
        );
    }
    let taken = engine.serve().port(one.port()).start().await.unwrap_err();
    assert!(
        taken
            .to_string()
            .contains(&format!("127.0.0.1:{}", one.port())),
        "{taken}"
    );
}

/// Short times, so that tests of them are quick.
fn quick() -> ServerLimits {
    ServerLimits {
        header_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        ..ServerLimits::default()
    }
}

#[tokio::test]
async fn a_command_finds_the_server_and_no_other() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let mut command = Command::new("aws");
    let command = server.configure_command(command.env("AWS_PROFILE", "work"));
    let set: std::collections::HashMap<_, _> = command.get_envs().collect();
    let value = |name: &str| set.get(std::ffi::OsStr::new(name)).copied();
    assert_eq!(value("DYNAMO_URL"), Some(Some(server.url().as_ref())));
    assert_eq!(
        value("AWS_SECRET_ACCESS_KEY"),
        Some(Some(server.secret_access_key().as_ref()))
    );
    for other in OTHER_KEYS {
        assert_eq!(value(other), Some(None), "{other} is removed");
    }
}
