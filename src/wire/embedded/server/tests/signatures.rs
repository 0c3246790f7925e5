//! Requests whose signature is wrong, late or missing.

use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::client::date_text;
use super::*;
use crate::hex::hex_digits;

/// The error type of a request that was changed.
fn rejected(server: &EmbeddedServer, change: impl FnOnce(&mut SignedRequest)) -> String {
    let mut request = SignedRequest::new(server);
    change(&mut request);
    RawClient::connect(server).call(&request).error_type()
}

#[tokio::test]
async fn faults_have_the_types_of_the_service() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    assert_eq!(rejected(&server, |_| {}), "");
    let with_authorization = |value: &str| {
        rejected(&server, |request| {
            request.add_header("authorization", value)
        })
    };
    let valid = SignedRequest::new(&server).authorization();
    let missing = "MissingAuthenticationTokenException";
    let incomplete = "IncompleteSignatureException";
    let unknown = "UnrecognizedClientException";
    let invalid = "InvalidSignatureException";

    let mut unsigned = SignedRequest::new(&server);
    unsigned.add_header("authorization", "");
    let text = String::from_utf8(unsigned.to_bytes())
        .unwrap()
        .replace("authorization: \r\n", "");
    let response = RawClient::connect(&server)
        .send(text.as_bytes())
        .read_response()
        .unwrap();
    assert_eq!((response.status, &*response.error_type()), (400, missing));
    let presigned = text.replace(
        "POST / ",
        "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00 ",
    );
    let response = RawClient::connect(&server)
        .send(presigned.as_bytes())
        .read_response()
        .unwrap();
    assert_eq!(response.error_type(), incomplete);
    assert!(response.body.contains("Presigned"), "{}", response.body);

    for wrong in [
        "",
        "Bearer token",
        "AWS4-HMAC-SHA256 ",
        "AWS4-HMAC-SHA256 Credential=a/b/c/d/e",
        "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host",
        "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00",
        "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=00, Signature=00",
        "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=00, More=1",
        "AWS4-ECDSA-P256-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=00",
    ] {
        assert_eq!(with_authorization(wrong), incomplete, "{wrong}");
    }
    let without = |name: &'static str| {
        rejected(&server, move |request| {
            request.headers.retain(|(known, _)| known != name)
        })
    };
    assert_eq!(without("x-amz-date"), incomplete);
    assert_eq!(
        rejected(&server, |request| request
            .set_header("x-amz-date", "yesterday")),
        incomplete
    );
    assert_eq!(
        rejected(&server, |request| request
            .add_header("x-amz-date", "20260101T000000Z")),
        incomplete
    );
    assert_eq!(
        rejected(&server, |request| request.id = "another".into()),
        unknown
    );
    assert_eq!(
        rejected(&server, |request| request
            .set_header("x-amz-security-token", "a token")),
        unknown
    );

    assert_eq!(
        rejected(&server, |request| request.secret.push('x')),
        invalid
    );
    assert_eq!(
        rejected(&server, |request| request.service = "s3".into()),
        invalid
    );
    assert_eq!(
        rejected(&server, |request| request.day = Some("20200101".into())),
        invalid
    );
    assert_eq!(
        rejected(&server, |request| request
            .add_header("x-amz-more", "not signed")),
        invalid
    );
    assert_eq!(
        rejected(&server, |request| request.headers.reverse()),
        invalid
    );
    assert_eq!(
        with_authorization(&valid.replace("Signature=", "Signature=0")),
        invalid
    );
    // Another spelling of a header is the same header again.
    let mut spelled = SignedRequest::new(&server);
    let again = (
        "Content-Type".to_owned(),
        "application/x-amz-json-1.0".to_owned(),
    );
    spelled.headers.insert(0, again);
    spelled.add_header("authorization", &spelled.authorization());
    spelled.headers.remove(0);
    assert_eq!(
        RawClient::connect(&server).call(&spelled).error_type(),
        invalid
    );
    // Spaces around and inside of values, as the service reads them.
    let mut spaced = SignedRequest::new(&server);
    spaced.set_header("accept", "a b");
    let bytes = String::from_utf8(spaced.to_bytes())
        .unwrap()
        .replace("accept: a b", "accept:   a   b  ");
    assert_eq!(
        RawClient::connect(&server)
            .send(bytes.as_bytes())
            .read_response()
            .unwrap()
            .status,
        200
    );
    // A header that determines the operation, taken from the signed ones.
    let moved = rejected(&server, |request| {
        request.headers.retain(|(name, _)| name != "x-amz-target");
        request.add_header("x-amz-target", "DynamoDB_20120810.ListTables");
    });
    assert_eq!(moved, invalid);
    let mut hostless = SignedRequest::new(&server);
    hostless.headers.retain(|(name, _)| name != "host");
    hostless.add_header("host", "localhost");
    assert_eq!(
        RawClient::connect(&server).call(&hostless).error_type(),
        invalid
    );
}

#[tokio::test]
async fn the_hash_of_the_body_is_that_of_the_body() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let hash = hex_digits(&<sha2::Sha256 as sha2::Digest>::digest("{}"));
    for (value, is_right) in [
        (hash.as_str(), true),
        (&hash.replace('0', "1"), false),
        ("UNSIGNED-PAYLOAD", false),
        ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", false),
    ] {
        let found = rejected(&server, |request| {
            request.set_header("x-amz-content-sha256", value)
        });
        assert_eq!(found.is_empty(), is_right, "{value}: {found}");
    }
    // The body of another request, under the same signature.
    let mut request = SignedRequest::new(&server);
    request.add_header("authorization", &request.authorization());
    request.body = br#"{"Limit":1}"#.to_vec();
    let response = RawClient::connect(&server).call(&request);
    assert_eq!(response.error_type(), "InvalidSignatureException");
}

#[tokio::test]
async fn a_request_is_accepted_for_a_quarter_of_an_hour() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let now = SystemTime::now();
    let near = Duration::from_secs(15 * 60 - 20);
    let far = Duration::from_secs(15 * 60 + 20);
    let at = |time: SystemTime| {
        rejected(&server, |request| {
            request.set_header("x-amz-date", &date_text(time))
        })
    };
    assert_eq!(at(now - near), "");
    assert_eq!(at(now + near), "");
    assert_eq!(at(now - far), "InvalidSignatureException");
    assert_eq!(at(now + far), "InvalidSignatureException");
    assert_eq!(at(SystemTime::UNIX_EPOCH), "InvalidSignatureException");
    // The same bytes again, as a replay: the service accepts them within this time too.
    let bytes = SignedRequest::new(&server).to_bytes();
    for _ in 0..2 {
        let response = RawClient::connect(&server)
            .send(&bytes)
            .read_response()
            .unwrap();
        assert_eq!(response.status, 200);
    }
}

/// No request in which one byte was changed is executed, whatever the byte is.
#[tokio::test]
async fn every_byte_of_a_signed_request_counts() {
    let (engine, server) = start_server(quick()).await;
    let table = r#"{"TableName":"notes","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    assert_eq!(engine.execute("CreateTable", table.as_bytes()).await.0, 200);
    let put = SignedRequest::new(&server).operation(
        "PutItem",
        r#"{"TableName":"notes","Item":{"pk":{"S":"a"}}}"#,
    );
    let bytes = put.to_bytes();
    // The version of HTTP is not signed.
    let version = bytes
        .windows(8)
        .position(|text| text == b"HTTP/1.1")
        .unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for at in (0..bytes.len()).filter(|at| !(version..version + 8).contains(at)) {
        let other = any::<u8>().new_tree(&mut runner).unwrap().current();
        // The names of headers have no case, and spaces around values mean nothing.
        if other.eq_ignore_ascii_case(&bytes[at])
            || (other.is_ascii_whitespace() && bytes[at].is_ascii_whitespace())
        {
            continue;
        }
        let mut changed = bytes.clone();
        changed[at] = other;
        let mut client = RawClient::connect(&server);
        client.send(&changed);
        // If the announced length is larger now, the server waits for more.
        client.stream.shutdown(std::net::Shutdown::Write).unwrap();
        let status = client.read_response().map_or(0, |response| response.status);
        let shown = String::from_utf8_lossy(&changed).into_owned();
        assert!(
            status == 0 || (400..500).contains(&status),
            "{status} at {at}: {shown}"
        );
    }
    let scan = engine.execute("Scan", br#"{"TableName":"notes"}"#).await;
    assert!(String::from_utf8(scan.1).unwrap().contains(r#""Count":0"#));
    assert_eq!(
        RawClient::connect(&server)
            .send(&bytes)
            .read_response()
            .unwrap()
            .status,
        200
    );
}
