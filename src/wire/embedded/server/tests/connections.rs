//! Many, slow, broken and long connections, and the end of a server.

use std::net::TcpStream;
use std::time::Instant;

use super::*;

#[tokio::test]
async fn bodies_arrive_in_chunks_and_requests_in_a_row() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let request = SignedRequest::new(&server);
    let mut client = RawClient::connect(&server);
    for size in [1, 2] {
        let response = client.send(&request.to_chunks(size)).read_response();
        assert_eq!(response.unwrap().status, 200);
    }
    // three at once, the second of which is rejected
    let mut wrong = request.clone();
    wrong.secret.push('x');
    let bytes = [request.to_bytes(), wrong.to_bytes(), request.to_chunks(1)].concat();
    client.send(&bytes);
    for expected in [200, 400, 200] {
        assert_eq!(client.read_response().unwrap().status, expected);
    }
}

#[tokio::test]
async fn a_large_body_is_rejected() {
    let limits = ServerLimits {
        body_bytes: 10_000,
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let sized = |size: usize| {
        SignedRequest::new(&server)
            .operation("ListTables", &format!("{{}}{}", " ".repeat(size - 2)))
    };
    for (size, expected) in [(10_000, 200), (10_001, 413), (25_000, 413)] {
        let request = sized(size);
        assert_eq!(
            RawClient::connect(&server).call(&request).status,
            expected,
            "{size}"
        );
        let response = RawClient::connect(&server)
            .send(&request.to_chunks(700))
            .read_response();
        assert_eq!(response.unwrap().status, expected, "{size} in chunks");
    }
    // Without the key, the body does not matter.
    let mut foreign = sized(25_000);
    foreign.id = "another".into();
    let response = RawClient::connect(&server).call(&foreign);
    assert_eq!(response.error_type(), "UnrecognizedClientException");
    // Announced, and never sent.
    let huge = format!(
        "{}content-length: 99999999999\r\n\r\n",
        SignedRequest::new(&server).head()
    );
    let began = Instant::now();
    let response = RawClient::connect(&server)
        .send(huge.as_bytes())
        .read_response();
    assert_eq!(response.unwrap().status, 413);
    // A client that waits for a status before it sends its body gets the last one.
    let expecting = huge.replace("content-length", "expect: 100-continue\r\ncontent-length");
    let response = RawClient::connect(&server)
        .send(expecting.as_bytes())
        .read_response();
    assert_eq!(response.unwrap().status, 413);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}

/// A client that sends all of a large request before it reads finds its rejection.
#[tokio::test]
async fn rejections_reach_clients_that_are_still_sending() {
    let (_engine, server) = start_server(ServerLimits::default()).await;
    let large = format!("{{}}{}", " ".repeat(8_000_000));
    let mut foreign = SignedRequest::new(&server).operation("ListTables", &large);
    foreign.id = "another".into();
    let response = RawClient::connect(&server).call(&foreign);
    assert_eq!(response.error_type(), "UnrecognizedClientException");
}

#[tokio::test]
async fn bodies_have_a_limit_together() {
    let limits = ServerLimits {
        all_bytes: 10_000,
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let large =
        SignedRequest::new(&server).operation("ListTables", &format!("{{}}{}", " ".repeat(9_000)));
    let bytes = large.to_bytes();
    let mut halted = RawClient::connect(&server);
    halted.send(&bytes[..bytes.len() - 1]);
    thread::sleep(Duration::from_millis(50));
    let response = RawClient::connect(&server).call(&large);
    assert_eq!(response.error_type(), "ServiceUnavailableException");
    assert_eq!(
        RawClient::connect(&server)
            .call(&SignedRequest::new(&server))
            .status,
        200
    );
    assert_eq!(
        halted
            .send(&bytes[bytes.len() - 1..])
            .read_response()
            .unwrap()
            .status,
        200
    );
    assert_eq!(RawClient::connect(&server).call(&large).status, 200);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    let limits = ServerLimits {
        connections: 1,
        write_time: Duration::from_millis(200),
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let mut deaf = RawClient::connect(&server);
    deaf.stream
        .set_write_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    // Rejections without a signature, until both directions are full.
    let request = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".repeat(1000);
    while std::io::Write::write_all(&mut deaf.stream, &request).is_ok() {}
    let free = || {
        let mut client = RawClient::connect(&server);
        client
            .send(&SignedRequest::new(&server).to_bytes())
            .read_response()
            .is_some_and(|response| response.status == 200)
    };
    assert!((0..200).any(|_| free() || {
        thread::sleep(Duration::from_millis(20));
        false
    }));
}

#[tokio::test]
async fn a_thousand_connections_are_served() {
    let limits = ServerLimits {
        connections: 1000,
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let bytes = SignedRequest::new(&server).to_bytes();
    // Some systems allow a process fewer descriptors than both ends of all connections need.
    let may_fail = (0..1000).map_while(|_| RawClient::try_connect(&server));
    let mut clients: Vec<RawClient> = may_fail.collect();
    assert!(clients.len() >= 50, "{}", clients.len());
    for client in &mut clients {
        client.send(&bytes);
    }
    for client in &mut clients {
        assert_eq!(client.read_response().unwrap().status, 200);
    }
    // All of them are still open.
    let last = clients.last_mut().unwrap();
    assert_eq!(last.send(&bytes).read_response().unwrap().status, 200);
}

#[tokio::test]
async fn there_is_a_limit_of_connections() {
    let limits = ServerLimits {
        connections: 2,
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let request = SignedRequest::new(&server);
    let mut clients = [RawClient::connect(&server), RawClient::connect(&server)];
    for client in &mut clients {
        assert_eq!(client.call(&request).status, 200);
    }
    let large = format!("{{}}{}", " ".repeat(8_000_000));
    let large = SignedRequest::new(&server).operation("ListTables", &large);
    let response = RawClient::connect(&server).call(&large);
    assert_eq!(
        (response.status, &*response.error_type()),
        (503, "ServiceUnavailableException")
    );
    drop(clients);
    // The places are free again as soon as the server has noticed.
    let is_free = || {
        RawClient::connect(&server)
            .send(&request.to_bytes())
            .read_response()
            .is_some_and(|response| response.status == 200)
    };
    assert!((0..100).any(|_| is_free() || {
        thread::sleep(Duration::from_millis(10));
        false
    }));
}

#[tokio::test]
async fn slow_clients_are_disconnected_and_hold_up_nobody() {
    let limits = ServerLimits {
        header_time: Duration::from_secs(1),
        body_time: Duration::from_secs(1),
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let request = SignedRequest::new(&server);
    let bytes = request.to_bytes();
    let head = bytes.len() - request.body.len();
    let mut silent: Vec<RawClient> = (0..20).map(|_| RawClient::connect(&server)).collect();
    let mut in_head: Vec<RawClient> = (0..20).map(|_| RawClient::connect(&server)).collect();
    in_head.iter_mut().for_each(|client| {
        client.send(&bytes[..head - 4]);
    });
    let mut in_body: Vec<RawClient> = (0..20).map(|_| RawClient::connect(&server)).collect();
    in_body.iter_mut().for_each(|client| {
        client.send(&bytes[..head + 1]);
    });
    let began = Instant::now();
    assert_eq!(RawClient::connect(&server).call(&request).status, 200);
    assert!(
        began.elapsed() < Duration::from_millis(900),
        "{:?}",
        began.elapsed()
    );
    for client in silent.iter_mut().chain(&mut in_head) {
        assert!(
            client
                .read_response()
                .is_none_or(|response| response.status == 408)
        );
    }
    for client in &mut in_body {
        assert_eq!(client.read_response().unwrap().status, 408);
        assert!(client.read_response().is_none(), "closed");
    }
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn clients_that_vanish_leave_nothing_behind() {
    let limits = ServerLimits {
        connections: 10,
        ..ServerLimits::default()
    };
    let (engine, server) = start_server(limits).await;
    let request = SignedRequest::new(&server);
    let bytes = request.to_bytes();
    for end in (0..bytes.len()).step_by(7) {
        RawClient::connect(&server).send(&bytes[..end]);
    }
    // Gone while their requests wait for the engine, which is busy with the first.
    let table = r#"{"TableName":"notes","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    assert_eq!(engine.execute("CreateTable", table.as_bytes()).await.0, 200);
    let held = engine.hold();
    for number in 0..5 {
        let item = format!(r#"{{"TableName":"notes","Item":{{"pk":{{"S":"{number}"}}}}}}"#);
        let put = SignedRequest::new(&server).operation("PutItem", &item);
        RawClient::connect(&server).send(&put.to_bytes());
    }
    thread::sleep(Duration::from_millis(200));
    drop(held);
    let answered = || {
        RawClient::connect(&server)
            .send(&bytes)
            .read_response()
            .is_some_and(|response| response.status == 200)
    };
    assert!((0..200).any(|_| answered() || {
        thread::sleep(Duration::from_millis(10));
        false
    }));
    let scan = engine
        .execute("Scan", br#"{"TableName":"notes","Select":"COUNT"}"#)
        .await;
    let scan = String::from_utf8(scan.1).unwrap();
    assert!(
        scan.contains(r#""Count":0"#) || scan.contains(r#""Count":1"#),
        "{scan}"
    );
    // Noise.
    for noise in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        &[b'x'; 200_000],
    ] {
        let mut client = RawClient::connect(&server);
        client.send(noise);
        drop(client.stream.shutdown(std::net::Shutdown::Write));
        let response = client.read_response();
        assert!(response.is_none_or(|response| (400..500).contains(&response.status)));
    }
}

#[tokio::test]
async fn stopping_completes_requests_and_closes_connections() {
    let (engine, server) = start_server(ServerLimits::default()).await;
    let request = SignedRequest::new(&server);
    let port = server.port();
    let mut idle = RawClient::connect(&server);
    assert_eq!(idle.call(&request).status, 200);
    let mut busy = RawClient::connect(&server);
    let held = engine.hold();
    busy.send(&request.to_bytes());
    thread::sleep(Duration::from_millis(50));
    let stopping = tokio::spawn(server.stop());
    tokio::task::yield_now().await;
    assert!(
        idle.read_response().is_none(),
        "an idle connection is closed at once"
    );
    assert!(!stopping.is_finished());
    drop(held);
    assert_eq!(busy.read_response().unwrap().status, 200);
    assert!(busy.read_response().is_none());
    stopping.await.unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    // The port is free for the next one.
    let again = engine.serve().port(port).start().await.unwrap();
    drop(again);
}

#[tokio::test]
async fn stopping_does_not_wait_for_long() {
    let limits = ServerLimits {
        stop_time: Duration::from_millis(100),
        ..ServerLimits::default()
    };
    let (_engine, server) = start_server(limits).await;
    let bytes = SignedRequest::new(&server).to_bytes();
    let mut halted = RawClient::connect(&server);
    halted.send(&bytes[..bytes.len() - 1]);
    thread::sleep(Duration::from_millis(50));
    let began = Instant::now();
    server.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert!(halted.read_response().is_none());
}

#[tokio::test]
async fn a_file_is_free_again_after_its_server_and_its_connections() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let engine = EmbeddedEngine::open(&path).await.unwrap();
    let server = engine.serve().start().await.unwrap();
    let mut client = RawClient::connect(&server);
    assert_eq!(client.call(&SignedRequest::new(&server)).status, 200);
    drop(engine);
    let locked = EmbeddedEngine::open(&path).await.unwrap_err();
    assert_eq!(locked.kind(), ErrorKind::Locked);
    server.stop().await;
    let is_free = async || EmbeddedEngine::open(&path).await.is_ok();
    for attempt in 0..100 {
        if is_free().await {
            return;
        }
        assert!(attempt < 99, "the file is still locked");
        thread::sleep(Duration::from_millis(10));
    }
}
