//! Requests over real connections to a server that misbehaves.

use std::sync::Mutex;
use std::sync::atomic::AtomicU8;

use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region, StalledStreamProtectionConfig};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::error::ErrorKind;

/// The treatment of a request by a server.
#[derive(Debug, Clone)]
enum Deed {
    /// Writes these bytes.
    Say(&'static str),
    /// Writes these bytes and closes the connection.
    SayAndClose(&'static str),
    /// Writes these bytes and then nothing more.
    SayAndHang(&'static str),
    Close,
}

const FINE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-amzn-requestid: i\r\n\r\n{}";

/// A server that does one deed after the other and then answers well. It counts its connections.
struct Server {
    url: String,
    /// The certificate as PEM, where there is TLS.
    certificate: Option<String>,
    conduct: Conduct,
}

/// The state that all connections of a server share.
#[derive(Debug, Clone, Default)]
struct Conduct {
    deeds: Arc<Mutex<std::collections::VecDeque<Deed>>>,
    connections: Arc<AtomicU8>,
    requests: Arc<AtomicU8>,
}

async fn serve() -> Server {
    serve_by(None).await
}

/// Serves TLS with a certificate that only its own clients trust.
async fn serve_tls() -> Server {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Server {
        certificate: Some(made.cert.pem()),
        ..serve_by(Some(acceptor)).await
    }
}

async fn serve_by(acceptor: Option<TlsAcceptor>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let scheme = if acceptor.is_some() { "https" } else { "http" };
    let server = Server {
        url: format!("{scheme}://{}", listener.local_addr().unwrap()),
        certificate: None,
        conduct: Conduct::default(),
    };
    let conduct = server.conduct.clone();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            conduct.connections.fetch_add(1, Ordering::SeqCst);
            let (conduct, acceptor) = (conduct.clone(), acceptor.clone());
            tokio::spawn(async move {
                match acceptor {
                    Some(acceptor) => conduct.follow(acceptor.accept(socket).await.unwrap()).await,
                    None => conduct.follow(socket).await,
                }
            });
        }
    });
    server
}

impl Conduct {
    async fn follow(self, mut socket: impl AsyncRead + AsyncWrite + Unpin) {
        while read(&mut socket).await {
            self.requests.fetch_add(1, Ordering::SeqCst);
            let deed = self.deeds.lock().unwrap().pop_front();
            let (text, hangs, closes) = match deed.unwrap_or(Deed::Say(FINE)) {
                Deed::Say(text) => (text, false, false),
                Deed::SayAndClose(text) => (text, false, true),
                Deed::SayAndHang(text) => (text, true, false),
                Deed::Close => ("", false, true),
            };
            socket.write_all(text.as_bytes()).await.unwrap();
            socket.flush().await.unwrap();
            if hangs {
                std::future::pending::<()>().await;
            }
            if closes {
                return;
            }
        }
    }
}

/// A whole request, or false at the end of the connection.
async fn read(socket: &mut (impl AsyncRead + Unpin)) -> bool {
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match socket.read(&mut piece).await {
            Ok(0) | Err(_) => return false,
            Ok(length) => all.extend_from_slice(&piece[..length]),
        }
        let text = String::from_utf8_lossy(&all).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or_default() {
            return true;
        }
    }
}

impl Server {
    fn client(&self, change: impl FnOnce(config::Builder) -> config::Builder) -> Client {
        let config = config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("eu-west-1"))
            .endpoint_url(&self.url)
            .credentials_provider(Credentials::for_tests())
            .retry_partition(alone())
            .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)));
        let config = match &self.certificate {
            Some(certificate) => config.http_client(trusting(certificate)),
            None => config,
        };
        Client::from_conf(change(config).build())
    }

    async fn learned(&self, change: impl FnOnce(config::Builder) -> config::Builder) -> Wire {
        let wire = Wire::new(self.client(change));
        assert_eq!(
            path(&wire, &put()).await,
            WirePath::Sdk(SdkFallback::Learning)
        );
        assert_eq!(path(&wire, &put()).await, WirePath::Direct);
        self.plan([]);
        wire
    }

    fn plan(&self, deeds: impl IntoIterator<Item = Deed>) {
        self.conduct.requests.store(0, Ordering::SeqCst);
        self.conduct.connections.store(0, Ordering::SeqCst);
        *self.conduct.deeds.lock().unwrap() = deeds.into_iter().collect();
    }

    /// How many requests there were, and how many new connections.
    fn counts(&self) -> (u8, u8) {
        (
            self.conduct.requests.load(Ordering::SeqCst),
            self.conduct.connections.load(Ordering::SeqCst),
        )
    }
}

fn trusting(certificate: &str) -> SharedHttpClient {
    let trusted = TrustStore::empty().with_pem_certificate(certificate);
    let context = TlsContext::builder().with_trust_store(trusted).build();
    aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .tls_context(context.unwrap())
        .build_https()
}

#[tokio::test]
async fn connections_are_kept() {
    for server in [serve().await, serve_tls().await] {
        let wire = server.learned(|config| config).await;
        for _ in 0..20 {
            assert_eq!(path(&wire, &get()).await, WirePath::Direct);
        }
        assert_eq!(server.counts(), (20, 0), "{}", server.url);
    }
}

#[tokio::test]
async fn a_server_that_does_as_it_likes() {
    server_does_as_it_likes(false).await;
}

/// Connections end without the closing message of TLS, so an answer that is cut looks different.
#[tokio::test]
async fn a_server_that_does_as_it_likes_over_tls() {
    server_does_as_it_likes(true).await;
}

/// Compares the outcome, the requests and the new connections of both ways.
async fn server_does_as_it_likes(has_tls: bool) {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\nx-amzn-requestid: i\r\n\r\n{\"Item\":";
    let refused = "HTTP/1.1 400 Bad\r\ncontent-length: 60\r\n\r\n{\"__type\":";
    for deeds in [
        vec![Deed::Close],
        vec![Deed::SayAndClose(cut)],
        vec![Deed::SayAndClose(refused)],
        vec![Deed::SayAndClose(
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        )],
        vec![Deed::SayAndClose("HTTP/1.1 200 OK\r\n\r\n{}")],
        vec![Deed::Say(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        )],
        vec![Deed::Say(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
        )],
        vec![Deed::Say(
            "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n<html></html",
        )],
        vec![Deed::Say("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")],
        vec![Deed::Say("HTTP/1.1 204 No\r\n\r\n")],
        vec![Deed::Say(
            "HTTP/1.1 307 Away\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        )],
        vec![
            Deed::Say("HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n{}"),
            Deed::Say(FINE),
        ],
        vec![Deed::Say("HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n{}"); 3],
        vec![Deed::SayAndClose("rubbish\r\n\r\n")],
        vec![Deed::Close, Deed::Close, Deed::Close],
    ] {
        for request in [get(), create()] {
            let mut all = Vec::new();
            for through_sdk in [true, false] {
                let server = match has_tls {
                    true => serve_tls().await,
                    false => serve().await,
                };
                let wire = server.learned(|config| config).await;
                let wire = if through_sdk {
                    wire.through_sdk()
                } else {
                    wire
                };
                server.plan(deeds.clone());
                let (path, outcome) = soon(&wire, &request).await;
                assert_eq!(through_sdk, path == WirePath::Sdk(SdkFallback::Asked));
                let outcome = match outcome {
                    Ok(reply) => format!("{:?} {:?}", reply.body, reply.request_id),
                    Err(failure) => {
                        let error = &failure.error;
                        let (kind, code, id) = (error.kind(), error.code(), error.request_id());
                        format!("{kind:?} {code:?} {id:?} {error}")
                    }
                };
                // Another request shows what became of the connection.
                server.conduct.deeds.lock().unwrap().clear();
                soon(&wire, &put()).await.1.unwrap();
                all.push((outcome, server.counts()));
            }
            assert_eq!(all[0], all[1], "{deeds:?} {:?}", request.operation);
        }
    }
}

/// Tests the client's own time limits, and the guard over bodies that make no progress.
#[tokio::test]
async fn a_server_that_says_no_more() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{\"Item\":";
    let attempt = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(100))
        .build();
    let read = TimeoutConfig::builder()
        .read_timeout(Duration::from_millis(100))
        .build();
    let guard = StalledStreamProtectionConfig::enabled()
        .grace_period(Duration::from_millis(200))
        .build();
    for (settings, deed) in [
        (0, Deed::SayAndHang("")),
        (0, Deed::SayAndHang(half)),
        (1, Deed::SayAndHang("")),
        (2, Deed::SayAndHang(half)),
    ] {
        let server = serve().await;
        let wire = server
            .learned(|config| match settings {
                0 => config.timeout_config(attempt.clone()),
                1 => config.timeout_config(read.clone()),
                _ => config.stalled_stream_protection(guard.clone()),
            })
            .await;
        server.plan([deed.clone()]);
        let began = std::time::Instant::now();
        let (path, outcome) = soon(&wire, &create()).await;
        assert_eq!(path, WirePath::Replayed, "{deed:?}");
        assert_eq!(
            outcome.unwrap_err().error.kind(),
            ErrorKind::OutcomeUnknown,
            "{settings} {deed:?}"
        );
        assert_eq!(server.counts().0, 1);
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "{settings} {deed:?}"
        );

        server.plan([deed.clone()]);
        soon(&wire, &get()).await.1.unwrap();
        assert_eq!(server.counts().0, 2, "{settings} {deed:?}");
    }
}

/// Compares the outcome and the requests of both ways where a rejection begins and does not end.
#[tokio::test]
async fn refusals_that_stop_in_the_middle() {
    let half = "HTTP/1.1 400 Bad\r\ncontent-length: 60\r\n\r\n{\"__type\":";
    let failed = "HTTP/1.1 500 Bad\r\ncontent-length: 60\r\n\r\n{\"__type\":";
    let moved = "HTTP/1.1 301 Away\r\ncontent-length: 60\r\n\r\n<html>";
    let attempt = TimeoutConfig::builder().operation_attempt_timeout(Duration::from_millis(150));
    let all = TimeoutConfig::builder().operation_timeout(Duration::from_millis(300));
    for timeouts in [attempt.build(), all.build()] {
        for text in [half, failed, moved] {
            for request in [get(), create()] {
                let mut ends = Vec::new();
                for through_sdk in [true, false] {
                    let server = serve().await;
                    let wire = server
                        .learned(|config| config.timeout_config(timeouts.clone()))
                        .await;
                    let wire = if through_sdk {
                        wire.through_sdk()
                    } else {
                        wire
                    };
                    server.plan([Deed::SayAndHang(text)]);
                    let began = std::time::Instant::now();
                    let outcome = soon(&wire, &request).await.1;
                    assert!(began.elapsed() < Duration::from_secs(2));
                    let kind = outcome.map(|_| ()).map_err(|failure| failure.error.kind());
                    ends.push((kind, server.counts().0));
                }
                assert_eq!(ends[0], ends[1], "{text} {:?}", request.operation);
            }
        }
    }
}

/// Large answers come whole, whatever their size, and however they arrive.
#[tokio::test]
async fn large_answers_come_whole() {
    let text = "x".repeat(5_000_000);
    let body = format!("{{\"x\":\"{text}\"}}");
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\n";
    let whole = format!("{head}content-length: {length}\r\n\r\n{body}");
    let mut chunked = format!("{head}transfer-encoding: chunked\r\n\r\n");
    for piece in body.as_bytes().chunks(9_999) {
        let piece = str::from_utf8(piece).unwrap();
        chunked.push_str(&format!("{:x}\r\n{piece}\r\n", piece.len()));
    }
    chunked.push_str("0\r\n\r\n");
    let server = serve().await;
    let wire = server.learned(|config| config).await;
    for text in [whole, chunked] {
        server.plan([Deed::Say(text.leak())]);
        let (path, outcome) = soon(&wire, &get()).await;
        assert_eq!(path, WirePath::Direct);
        assert!(outcome.unwrap().body == body.as_bytes());
    }
}
