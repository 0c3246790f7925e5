//! An HTTP client that fails on demand, around one that does not.
//!
//! A plan says what happens to each attempt in turn; past its end, everything is passed on.
//!
//! ```ignore
//! let faulty = Faulty::new(engine.http_client(), [Fault::Lose, Fault::Throttle]);
//! let client = Client::from_conf(engine.sdk_config().http_client(faulty.clone()).build());
//! assert_eq!(faulty.calls(), ["PutItem", "PutItem", "PutItem"]);
//! ```
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::{Value, json};

/// What happens to one attempt.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Passed on untouched.
    Pass,
    /// Not executed; this status and body come back.
    Reply(u16, String),
    /// Not executed; the connection breaks.
    Io,
    /// Not executed; the connection is refused.
    Refused,
    /// Not executed; a timeout.
    Timeout,
    /// Not executed; nothing ever comes back.
    Hang,
    /// Executed after a while.
    Delay(Duration),
    /// Executed; the answer is lost.
    Lose,
    /// Executed; the answer is cut to this many bytes.
    Cut(usize),
    /// The first n of a batch are executed, the rest come back as unprocessed.
    Unprocessed(usize),
}

impl Fault {
    /// The service refuses with this error code.
    pub fn refuse(code: &str) -> Fault {
        Fault::Reply(
            400,
            json!({ "__type": code, "message": "scripted" }).to_string(),
        )
    }

    /// The service is too busy.
    pub fn throttle() -> Fault {
        Fault::refuse("ThrottlingException")
    }

    /// The service fails.
    pub fn internal() -> Fault {
        Fault::Reply(500, json!({ "__type": "InternalServerError" }).to_string())
    }
}

/// A request as it went out.
#[derive(Debug, Clone)]
pub struct Seen {
    /// `PutItem`
    pub operation: String,
    pub body: Vec<u8>,
    pub content_type: Option<String>,
    pub content_length: Option<String>,
}

/// An HTTP client with a plan.
#[derive(Debug, Clone)]
pub struct Faulty<C> {
    inner: C,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    plan: VecDeque<Fault>,
    seen: Vec<Seen>,
}

impl<C> Faulty<C> {
    pub fn new(inner: C, plan: impl IntoIterator<Item = Fault>) -> Self {
        let state = State {
            plan: plan.into_iter().collect(),
            seen: Vec::new(),
        };
        Faulty {
            inner,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Replaces what is left of the plan and forgets what was seen.
    pub fn plan(&self, plan: impl IntoIterator<Item = Fault>) {
        let mut state = self.state.lock().unwrap();
        state.plan = plan.into_iter().collect();
        state.seen.clear();
    }

    /// The requests so far, each attempt of its own.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().seen.clone()
    }

    /// The operations so far.
    pub fn calls(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.operation).collect()
    }

    fn next(&self, seen: Seen) -> Fault {
        let mut state = self.state.lock().unwrap();
        state.seen.push(seen);
        state.plan.pop_front().unwrap_or(Fault::Pass)
    }
}

/// The client's own connector, so that it may be any client: the embedded engine or one with sockets.
impl<C: HttpClient + Clone + 'static> HttpClient for Faulty<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Faulty {
            inner: self.inner.http_connector(settings, components),
            state: self.state.clone(),
        })
    }
}

impl HttpConnector for Faulty<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let header = |name| request.headers().get(name).map(str::to_owned);
        let target = header("x-amz-target").unwrap_or_default();
        let fault = self.next(Seen {
            operation: target.rsplit('.').next().unwrap_or_default().to_owned(),
            body: request.body().bytes().unwrap_or_default().to_vec(),
            content_type: header("content-type"),
            content_length: header("content-length"),
        });
        let inner = self.inner.clone();
        HttpConnectorFuture::new(async move { run(fault, inner, request).await })
    }
}

async fn run<C: HttpConnector>(
    fault: Fault,
    inner: C,
    mut request: HttpRequest,
) -> Result<HttpResponse, ConnectorError> {
    let broken = |kind, text: &str| ConnectorError::io(io::Error::new(kind, text).into());
    match fault {
        Fault::Pass => inner.call(request).await,
        Fault::Reply(status, body) => Ok(response(status, body.into_bytes())),
        Fault::Io => Err(broken(io::ErrorKind::ConnectionReset, "connection reset")),
        Fault::Refused => Err(broken(
            io::ErrorKind::ConnectionRefused,
            "connection refused",
        )),
        Fault::Timeout => Err(ConnectorError::timeout("read timed out".into())),
        Fault::Hang => std::future::pending().await,
        Fault::Delay(time) => {
            tokio::time::sleep(time).await;
            inner.call(request).await
        }
        Fault::Lose => {
            inner.call(request).await?;
            Err(broken(io::ErrorKind::ConnectionReset, "connection reset"))
        }
        Fault::Cut(length) => {
            let answer = inner.call(request).await?;
            let status = answer.status().as_u16();
            let mut body = whole(answer).await?;
            body.truncate(length);
            Ok(response(status, body))
        }
        Fault::Unprocessed(count) => {
            let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap_or(b"{}"))
                .expect("the request is JSON");
            let left = split_off(&mut body["RequestItems"], count);
            let member = match left.as_object().and_then(|left| left.values().next()) {
                Some(Value::Object(_)) => "UnprocessedKeys",
                _ => "UnprocessedItems",
            };
            let forwarded = body.to_string();
            let length = forwarded.len().to_string();
            *request.body_mut() = SdkBody::from(forwarded);
            request.headers_mut().insert("content-length", length);
            let answer = match count {
                0 => json!({ "Responses": {} }),
                _ => {
                    let answer = whole(inner.call(request).await?).await?;
                    serde_json::from_slice(&answer).expect("the answer is JSON")
                }
            };
            let mut answer = answer;
            answer[member] = left;
            Ok(response(200, answer.to_string().into_bytes()))
        }
    }
}

/// The body, which a client with sockets still has to read.
async fn whole(answer: HttpResponse) -> Result<Vec<u8>, ConnectorError> {
    let body = ByteStream::new(answer.into_body()).collect().await;
    let body = body.map_err(|error| ConnectorError::io(error.into()))?;
    Ok(body.to_vec())
}

/// Keeps the first `count` requests or keys over all tables, returns the others.
fn split_off(items: &mut Value, mut count: usize) -> Value {
    let mut left = serde_json::Map::new();
    let Some(tables) = items.as_object_mut() else {
        return Value::Null;
    };
    for (table, requests) in tables.iter_mut() {
        let mut rest = requests.clone();
        let (kept, rest_list) = match (requests, &mut rest) {
            (Value::Object(kept), Value::Object(rest)) => (&mut kept["Keys"], &mut rest["Keys"]),
            (kept, rest) => (kept, rest),
        };
        let (Some(kept), Some(rest_list)) = (kept.as_array_mut(), rest_list.as_array_mut()) else {
            continue;
        };
        let keep = count.min(kept.len());
        count -= keep;
        kept.truncate(keep);
        rest_list.drain(..keep);
        if !rest_list.is_empty() {
            left.insert(table.clone(), rest);
        }
    }
    tables.retain(|_, requests| {
        let list = requests.get("Keys").unwrap_or(requests);
        list.as_array().is_some_and(|list| !list.is_empty())
    });
    Value::Object(left)
}

fn response(status: u16, body: Vec<u8>) -> HttpResponse {
    let status = status.try_into().expect("a status");
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response
        .headers_mut()
        .insert("x-amzn-requestid", "scripted");
    response
}
