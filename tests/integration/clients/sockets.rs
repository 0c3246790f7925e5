//! Answers over real sockets that come in pieces, break off, stall, or are not HTTP.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dynamo_entity::Dynamo;
use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use dynamo_entity::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::model::{Note, note};
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;

/// What the server does with a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Answer,
    /// Sends chunks of a few bytes.
    Pieces,
    /// Tells no length: the body ends with the connection.
    UntilClosed,
    Close,
    /// Sends less than the length that it told.
    Cut,
    CutChunks,
    /// Sends the headers, and then nothing.
    Stall,
    NoHttp,
    /// Claims a compressed body, like a proxy that decodes bodies but keeps their header.
    Compressed,
}

impl Act {
    const GOOD: [Act; 3] = [Act::Answer, Act::Pieces, Act::UntilClosed];
    const BAD: [Act; 6] = [
        Act::Close,
        Act::Cut,
        Act::CutChunks,
        Act::Stall,
        Act::NoHttp,
        Act::Compressed,
    ];

    /// The pieces to send, and whether the connection is closed after them.
    fn answer(self, body: &str) -> (Vec<String>, bool) {
        let ok = "HTTP/1.1 200 OK\r\n";
        let length = body.len();
        let pieces = || {
            let bytes = body.as_bytes().chunks(7);
            bytes.map(|piece| {
                format!(
                    "{:x}\r\n{}\r\n",
                    piece.len(),
                    String::from_utf8_lossy(piece)
                )
            })
        };
        let chunked = format!("{ok}transfer-encoding: chunked\r\n\r\n");
        match self {
            Act::Answer => (
                vec![format!("{ok}content-length: {length}\r\n\r\n{body}")],
                false,
            ),
            Act::Pieces => {
                let end = "0\r\n\r\n".to_owned();
                (
                    [chunked].into_iter().chain(pieces()).chain([end]).collect(),
                    false,
                )
            }
            Act::UntilClosed => (vec![format!("HTTP/1.0 200 OK\r\n\r\n{body}")], true),
            Act::Close => (vec![], true),
            Act::Cut => (
                vec![format!("{ok}content-length: {}\r\n\r\n{body}", length + 1)],
                true,
            ),
            Act::CutChunks => ([chunked].into_iter().chain(pieces()).collect(), true),
            Act::Stall => (vec![format!("{ok}content-length: {length}\r\n\r\n")], false),
            Act::NoHttp => (vec!["no such thing\r\n\r\n".into()], true),
            Act::Compressed => {
                let head = format!("{ok}content-encoding: gzip\r\ncontent-length: 4\r\n\r\n");
                (vec![head, "\u{1f}~gz".into()], false)
            }
        }
    }
}

/// A server that follows a plan, and gives normal answers once the plan is over.
#[derive(Clone, Default)]
struct Server(Arc<Mutex<(VecDeque<Act>, usize)>>);

impl Server {
    async fn start(&self) -> std::io::Result<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(server.clone().serve(stream));
            }
        });
        Ok(url)
    }

    fn plan(&self, act: Act) {
        *self.0.lock().unwrap() = ([act].into(), 0);
    }

    fn calls(&self) -> usize {
        self.0.lock().unwrap().1
    }

    fn next(&self) -> Act {
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        state.0.pop_front().unwrap_or(Act::Answer)
    }

    async fn serve(self, mut stream: TcpStream) -> std::io::Result<()> {
        while let Some(request) = read(&mut stream).await? {
            let body = match request.contains("GetItem") {
                true => r#"{"Item":{"id":{"S":"n1"},"text":{"S":"some text"}}}"#,
                false => "{}",
            };
            let (pieces, closes) = self.next().answer(body);
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await?;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            if closes {
                break;
            }
        }
        Ok(())
    }
}

/// Reads a request with its body. Returns its head, or nothing at the end of the connection.
async fn read(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length
            .and_then(|length| length.parse().ok())
            .unwrap_or_default();
        if body.len() >= length {
            return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

/// A connection as the library makes it, but with short timeouts.
async fn connect(db: &Db, url: &str) -> Result<Dynamo> {
    let made = Dynamo::connect(url).await?;
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_millis(300))
        .operation_attempt_timeout(Duration::from_millis(1500));
    let config = made.client().config().to_builder();
    let config = config
        .retry_config(retries)
        .timeout_config(timeouts.build());
    let made = Dynamo::new(Client::from_conf(config.build()));
    Ok(match db.mode() {
        Mode::Hooks => made.with_hooks_alone(),
        _ => made,
    })
}

pub async fn answers_come_over_sockets(db: Db) -> Outcome {
    let server = Server::default();
    let url = server.start().await?;
    let served = connect(&db, &url).await?;
    let key = || Note::key("n1");
    let found = Some(note("n1", "some text"));
    for act in Act::GOOD {
        server.plan(act);
        assert_eq!(key().get().send(&served).await?, found, "{act:?}");
        server.plan(act);
        note("n1", "x").create().send(&served).await?;
        assert_eq!(server.calls(), 1, "{act:?}");
    }
    // The server waits for a request, while the client waits for a TLS handshake.
    let tls = connect(&db, &url.replace("http:", "https:")).await?;
    let unsent = note("n1", "x").create().send(&tls).await.unwrap_err();
    assert!(unsent.to_string().contains("was not sent"), "{unsent}");
    for act in Act::BAD {
        server.plan(act);
        let read = key().get().send(&served).await;
        // The SDK does not retry protocol errors, nor answers that its own deserializer cannot read.
        let is_final = act == Act::NoHttp || (act == Act::Compressed && db.mode() == Mode::Hooks);
        if is_final {
            assert!(read.unwrap_err().is_unavailable(), "{act:?}");
        } else {
            assert_eq!(read?, found, "{act:?}");
        }
        assert_eq!(server.calls(), if is_final { 1 } else { 2 }, "{act:?}");
        server.plan(act);
        let lost = note("n1", "x").create().send(&served).await.unwrap_err();
        assert!(lost.is_outcome_unknown(), "{act:?}: {lost}");
        assert_eq!(server.calls(), 1, "{act:?}");
    }
    Ok(())
}
