//! Connections that fail on demand, to test how a program reacts (feature `testing`).
//!
//! Neither the embedded engine nor a local server loses an answer, throttles, breaks a connection or executes a request
//! after its client has given it up, on demand. [`Faults`] do: a plan has a fate for each request in turn, and they record the
//! requests. Retries are requests too.
//!
//! To test a program in another language, or to look at the data of a test with the AWS command line, serve the database of
//! the test with `Dynamo::serve` (feature `serve`).
//!
//! ```
//! use dynamo_entity::prelude::*;
//! use dynamo_entity::testing::{Fault, Faults};
//!
//! #[derive(Debug, DynamoEntity)]
//! #[dynamo(table = "payments", key(pk = id))]
//! struct Payment { id: String }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let db = Dynamo::connect("embedded:memory").await?;
//! db.create_tables([Payment::schema()]).await?;
//! let payment = Payment { id: "p1".into() };
//!
//! // The answer is lost: the payment is there, and nobody was told.
//! let faults = Faults::new([Fault::Lose]);
//! let unlucky = db.with_faults(&faults)?;
//! let error = payment.create().send(&unlucky).await.unwrap_err();
//! assert!(error.is_outcome_unknown());
//! assert!(Payment::key("p1").get().send(&db).await?.is_some());
//!
//! // An unconditional write is sent again, up to the retries of the client.
//! faults.plan([Fault::throttle(), Fault::Lose]);
//! payment.put().send(&unlucky).await?;
//! assert_eq!(faults.calls(), ["PutItem", "PutItem", "PutItem"]);
//! # Ok(()) }
//! ```

mod connector;
pub(crate) mod fake;
mod unprocessed;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::{BehaviorVersion, HttpClient, SharedHttpClient};
use aws_smithy_runtime::client::defaults::default_http_client_plugin_v2;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin as _;

#[cfg(feature = "testing")]
pub use crate::connect::testing::fake::{already_exists, conflict, failure, not_found, not_unique};

use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::json::Writer;
use crate::wire::Client;
use connector::{Connector, LateRequest};

/// The outcome of one request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// Passed on untouched.
    Pass,
    /// Not executed; the client receives this status and body.
    Reply(u16, String),
    /// Not executed; the connection breaks.
    Io,
    /// Not executed; the connection is refused, so it is certain that nothing was done.
    Refused,
    /// Not executed; the client times out at once.
    Timeout,
    /// Not executed; the client never receives a response. Give the client a timeout.
    Hang,
    /// Executed after a while.
    Delay(Duration),
    /// Executed; the response is lost.
    Lose,
    /// The client times out at once, and the request arrives later: it is executed after this many more requests have
    /// been answered, or by [`Faults::deliver`].
    Late(usize),
    /// Executed; the response is truncated to this many bytes.
    Cut(usize),
    /// This many writes or keys of a batch, the first ones, are executed; the others are returned as unprocessed.
    Unprocessed(usize),
}

impl Fault {
    /// DynamoDB rejects the request with this error code, such as `AccessDeniedException`.
    pub fn refuse(code: &str) -> Fault {
        Fault::Reply(400, refusal_body(code, |_| {}))
    }

    /// The service is too busy.
    pub fn throttle() -> Fault {
        Fault::refuse("ThrottlingException")
    }

    /// DynamoDB is too busy, and gives the reason like AWS: a reason such as `IndexWriteKeyRangeThroughputExceeded`,
    /// and the ARN of the table or index.
    pub fn throttle_by(reason: &str, resource: &str) -> Fault {
        let reasons = |body: &mut Writer| {
            body.push_raw(",\"throttlingReasons\":[{\"reason\":");
            body.push_quoted(reason);
            body.push_raw(",\"resource\":");
            body.push_quoted(resource);
            body.push_raw("}]");
        };
        Fault::Reply(400, refusal_body("ThrottlingException", reasons))
    }

    /// The service fails.
    pub fn internal() -> Fault {
        Fault::Reply(500, refusal_body("InternalServerError", |_| {}))
    }
}

/// The body of a rejection, with what the service tells besides.
fn refusal_body(code: &str, tell: impl FnOnce(&mut Writer)) -> String {
    let mut body = Writer::default();
    body.push_raw("{\"__type\":");
    body.push_quoted(code);
    body.push_raw(",\"message\":\"scripted\"");
    tell(&mut body);
    body.push_raw("}");
    String::from_utf8_lossy(body.as_bytes()).into_owned()
}

/// A request as it was sent.
#[derive(Clone)]
pub struct RecordedRequest {
    /// The operation, such as `PutItem`.
    pub operation: String,
    /// The body: DynamoDB JSON.
    pub body: Vec<u8>,
    headers: Vec<(String, String)>,
}

/// The former name of [`RecordedRequest`].
#[doc(hidden)]
#[deprecated(note = "renamed to `RecordedRequest`")]
pub type Seen = RecordedRequest;

impl RecordedRequest {
    /// A header of the request.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    #[cfg(test)]
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        self.headers.clone()
    }
}

/// Shows the operation and the length; the body holds values.
impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.operation, self.body.len())
    }
}

/// A plan with the outcome of each request, and a record of the requests that were sent. Clones share both.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<FaultState>>);

#[derive(Default)]
struct FaultState {
    plan: VecDeque<Fault>,
    seen: Vec<RecordedRequest>,
    late: Vec<LateRequest>,
}

impl Faults {
    /// Makes a plan of one fault for each request. After its end, requests are passed on.
    pub fn new(plan: impl IntoIterator<Item = Fault>) -> Self {
        let faults = Faults::default();
        faults.plan(plan);
        faults
    }

    /// Replaces the rest of the plan, and clears the record of requests.
    pub fn plan(&self, plan: impl IntoIterator<Item = Fault>) {
        // The plan is collected before locking, because its iterator may run any code.
        let plan = plan.into_iter().collect();
        let mut state = self.state();
        state.plan = plan;
        state.seen.clear();
    }

    /// The requests that were sent.
    pub fn seen(&self) -> Vec<RecordedRequest> {
        self.state().seen.clone()
    }

    /// The operations of the requests that were sent.
    pub fn calls(&self) -> Vec<String> {
        let state = self.state();
        let calls = state.seen.iter();
        calls.map(|seen| seen.operation.clone()).collect()
    }

    /// Wraps a working HTTP client in one that follows the plan, for an SDK client of your own.
    pub fn around(&self, client: impl HttpClient + 'static) -> SharedHttpClient {
        SharedHttpClient::new(Connector {
            inner: SharedHttpClient::new(client),
            faults: self.clone(),
        })
    }

    /// The same client with these faults, and almost without pauses between its retries.
    pub(crate) fn client(&self, client: &Client) -> Result<Client> {
        let config = client.config();
        // A client without an HTTP client of its own uses that of the SDK, which its settings do not contain.
        let Some(http) = config.http_client().or_else(default_http_client) else {
            return Err(Error::config(
                "this connection has no HTTP client around which faults can be put: take `embedded:memory`, or an SDK \
                 client of your own with `.http_client(faults.around(..))`",
            ));
        };
        let retries = config.retry_config().cloned();
        let retries = retries.unwrap_or_else(RetryConfig::standard);
        let config = config
            .to_builder()
            .http_client(self.around(http))
            // The SDK has one quota of retries for the process. Many faults would exhaust it for all other tests.
            .retry_partition(RetryPartition::custom("faults").build())
            .retry_config(retries.with_initial_backoff(Duration::from_millis(1)));
        Ok(Client::from_conf(config.build()))
    }

    /// Executes the requests that have not arrived yet, in the order in which they were sent, and returns their number.
    /// Their clients no longer wait for them.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::testing::{Fault, Faults};
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "payments", key(pk = id))]
    /// # struct Payment { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Payment::schema()]).await?;
    /// let faults = Faults::new([Fault::Late(100)]);
    /// let slow = db.with_faults(&faults)?;
    /// let payment = Payment { id: "p1".into() };
    /// assert!(payment.create().send(&slow).await.unwrap_err().is_outcome_unknown());
    /// assert!(Payment::key("p1").get().send(&db).await?.is_none());
    ///
    /// assert_eq!(faults.deliver().await, 1);
    /// assert!(Payment::key("p1").get().send(&db).await?.is_some());
    /// # Ok(()) }
    /// ```
    pub async fn deliver(&self) -> usize {
        let late = std::mem::take(&mut self.state().late);
        let count = late.len();
        for request in late {
            request.deliver_late().await;
        }
        count
    }

    /// The number of requests that have not arrived yet.
    pub fn late(&self) -> usize {
        self.state().late.len()
    }

    fn hold(&self, late: LateRequest) {
        self.state().late.push(late);
    }

    /// Counts a request that was answered, and takes the requests that arrive after it.
    fn due(&self) -> Vec<LateRequest> {
        let mut state = self.state();
        let late = state.late.iter_mut();
        late.for_each(|late| late.after = late.after.saturating_sub(1));
        state.late.extract_if(.., |late| late.after == 0).collect()
    }

    fn next(&self, seen: RecordedRequest) -> Fault {
        let mut state = self.state();
        state.seen.push(seen);
        state.plan.pop_front().unwrap_or(Fault::Pass)
    }

    fn state(&self) -> MutexGuard<'_, FaultState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The HTTP client that the SDK makes for clients that were given none, with its pool and its TLS.
fn default_http_client() -> Option<SharedHttpClient> {
    let plugin = default_http_client_plugin_v2(BehaviorVersion::latest())?;
    let none = RuntimeComponentsBuilder::new("faults");
    plugin.runtime_components(&none).http_client()
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Faults")
            .field("left", &state.plan.len())
            .field("seen", &state.seen)
            .field("late", &state.late.len())
            .finish()
    }
}

impl Dynamo {
    /// The same connection with faults between it and the engine; see [`testing`](crate::testing).
    ///
    /// It works for connections by a URL, and for your own SDK clients. If the SDK created the HTTP client, the
    /// connection gets a new one, and opens its connections again.
    #[cfg(feature = "testing")]
    pub fn with_faults(&self, faults: &Faults) -> Result<Dynamo> {
        let client = faults.client(self.client())?;
        Ok(self.clone().through_client(client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_not_shown() {
        let faults = Faults::new([Fault::Lose]);
        faults.next(RecordedRequest {
            operation: "PutItem".into(),
            body: b"secret".to_vec(),
            headers: vec![("Authorization".into(), "secret".into())],
        });
        let shown = format!("{faults:?}");
        assert_eq!(
            shown,
            "Faults { left: 0, seen: [PutItem (6 bytes)], late: 0 }"
        );
        assert_eq!(faults.seen()[0].header("authorization"), Some("secret"));
        faults.plan([Fault::Io, Fault::Io]);
        assert_eq!(
            format!("{faults:?}"),
            "Faults { left: 2, seen: [], late: 0 }"
        );
    }

    /// A server that answers each request with this body, and counts them.
    #[cfg(all(feature = "aws", feature = "testing"))]
    async fn server(body: &'static str) -> (String, Arc<Mutex<u32>>) {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&served);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                *counted.lock().unwrap() += 1;
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        (url, served)
    }

    /// The promise of docs/testing.md: the same suite on any server.
    #[cfg(all(feature = "aws", feature = "testing"))]
    #[tokio::test]
    async fn a_connection_by_url_takes_faults() {
        use crate::codec::Item;
        use crate::plan::Operation as _;

        let (url, served) = server("{}").await;
        let db = Dynamo::connect(&url).await.unwrap();
        let faults = Faults::new([Fault::refuse("AccessDeniedException"), Fault::Lose]);
        let unlucky = db.with_faults(&faults).unwrap();
        let item = || Item::in_table("notes").get([("id", "n1")].into_iter().collect::<Item>());
        let refused = item().send(&unlucky).await.unwrap_err();
        assert_eq!(refused.kind(), crate::error::ErrorKind::AccessDenied);
        assert_eq!(*served.lock().unwrap(), 0);
        for _ in 0..3 {
            assert!(item().send(&unlucky).await.unwrap().is_none());
        }
        assert_eq!(faults.calls(), ["GetItem"; 5]);
        assert_eq!(*served.lock().unwrap(), 4);
    }
}
