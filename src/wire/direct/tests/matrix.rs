//! Law W6 as a table: an attempt that was sent stays sent, whatever keeps the next one from being sent.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::future;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    HttpClient, IdentityCache, ProvideCredentials, RuntimeComponents, SharedHttpClient,
};
use aws_sdk_dynamodb::error::ConnectorError;
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime::client::retries::TokenBucket;
use aws_smithy_runtime_api::client::dns::ResolveDnsError;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

use super::clients::Time;
use super::faults::told;
use super::*;
use crate::connect::testing::Fault;
use crate::error::ErrorKind;

const START: u64 = 1_709_209_805;
/// How long the credentials of these tests live.
const LIFE: u64 = 120;
/// How far the clock jumps while the first attempt is under way, so that cached credentials are too old for the next
/// one. A client token is still remembered.
const JUMP: u64 = 150;

/// Why a second attempt cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Obstacle {
    NoConnection,
    NoAddress,
    CredentialsRefused,
    CredentialsLate,
    NoQuota,
}

const OBSTACLES: [Obstacle; 5] = [
    Obstacle::NoConnection,
    Obstacle::NoAddress,
    Obstacle::CredentialsRefused,
    Obstacle::CredentialsLate,
    Obstacle::NoQuota,
];

impl Obstacle {
    fn is_of_credentials(self) -> bool {
        matches!(
            self,
            Obstacle::CredentialsRefused | Obstacle::CredentialsLate
        )
    }
}

/// The behaviour of a source of credentials when it is called.
#[derive(Debug, Clone, Copy)]
enum Load {
    Fine,
    Refused,
    Late,
}

/// A source of credentials that follows a plan, and then does the last thing forever. It counts the loads that began
/// and those that ended.
#[derive(Debug, Clone)]
struct Source {
    clock: Time,
    plan: Arc<Mutex<VecDeque<Load>>>,
    began: Arc<AtomicUsize>,
}

impl Source {
    fn new(clock: &Time) -> Self {
        Source {
            clock: clock.clone(),
            plan: Arc::new(Mutex::new([Load::Fine].into())),
            began: Arc::default(),
        }
    }

    fn plan(&self, loads: impl IntoIterator<Item = Load>) {
        self.began.store(0, SeqCst);
        *self.plan.lock().unwrap() = loads.into_iter().collect();
    }
}

impl ProvideCredentials for Source {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        self.began.fetch_add(1, SeqCst);
        let mut plan = self.plan.lock().unwrap();
        let load = match plan.len() {
            1 => plan[0],
            _ => plan.pop_front().unwrap(),
        };
        match load {
            Load::Fine => {
                let expires = self.clock.now() + Duration::from_secs(LIFE);
                let credentials = Credentials::new("A", "secret", None, Some(expires), "test");
                future::ProvideCredentials::ready(Ok(credentials))
            }
            Load::Refused => {
                let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
                let refused = ConnectorError::io(refused.into());
                future::ProvideCredentials::ready(Err(CredentialsError::provider_error(refused)))
            }
            Load::Late => future::ProvideCredentials::new(std::future::pending()),
        }
    }
}

/// Lets the clock jump while a first attempt is under way, and keeps the second one from being sent.
#[derive(Debug, Clone)]
struct Blocking<C> {
    inner: C,
    clock: Time,
    obstacle: Obstacle,
    calls: Arc<AtomicUsize>,
}

impl HttpClient for Blocking<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Blocking {
            inner: self.inner.http_connector(settings, components),
            clock: self.clock.clone(),
            obstacle: self.obstacle,
            calls: self.calls.clone(),
        })
    }
}

/// The count of calls of a client that has not had its first attempt yet.
const BEFORE: usize = 1000;

impl HttpConnector for Blocking<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let call = self.calls.fetch_add(1, SeqCst);
        if call == 0 {
            self.clock.forward(JUMP);
        }
        let error = match (call, self.obstacle) {
            (0 | BEFORE.., _) => None,
            (_, Obstacle::NoConnection) => {
                Some(io::Error::from(io::ErrorKind::ConnectionRefused).into())
            }
            (_, Obstacle::NoAddress) => {
                let unknown: BoxError = "no such host".into();
                Some(ResolveDnsError::new(unknown).into())
            }
            _ => None,
        };
        match error {
            Some(error) => HttpConnectorFuture::ready(Err(ConnectorError::io(error))),
            None => self.inner.call(request),
        }
    }
}

type BoxError = aws_sdk_dynamodb::error::BoxError;

/// A client that has had its lesson, and whose second attempt will not be sent.
struct Scene {
    wire: Wire,
    faults: Faults,
    source: Source,
    calls: Arc<AtomicUsize>,
}

async fn scene(obstacle: Obstacle, has_cache: bool) -> Scene {
    let clock = Time::at(START);
    let source = Source::new(&clock);
    let calls = Arc::new(AtomicUsize::new(BEFORE));
    let (wire, faults) = learned(|config| {
        let http = Blocking {
            inner: config.clone().build().http_client().unwrap(),
            clock: clock.clone(),
            obstacle,
            calls: calls.clone(),
        };
        let config = config
            .http_client(http)
            .time_source(clock.clone())
            .credentials_provider(source.clone());
        let config = match has_cache {
            true => config.identity_cache(
                IdentityCache::lazy()
                    .load_timeout(Duration::from_millis(50))
                    .build(),
            ),
            false => config
                .identity_cache(IdentityCache::no_cache())
                // Nothing else ends a load that never ends.
                .timeout_config(
                    TimeoutConfig::builder()
                        .operation_timeout(Duration::from_millis(match obstacle {
                            Obstacle::CredentialsLate => 300,
                            _ => 20_000,
                        }))
                        .build(),
                ),
        };
        match obstacle {
            Obstacle::NoQuota => config.retry_partition(
                RetryPartition::custom("empty")
                    .token_bucket(TokenBucket::new(0))
                    .build(),
            ),
            _ => config,
        }
    })
    .await;
    let failing = match obstacle {
        Obstacle::CredentialsRefused => Load::Refused,
        Obstacle::CredentialsLate => Load::Late,
        _ => Load::Fine,
    };
    match has_cache {
        true => source.plan([failing]),
        false => source.plan([Load::Fine, failing]),
    }
    Scene {
        wire,
        faults,
        source,
        calls,
    }
}

/// The visible parts of an outcome, the requests that reached the server's side, and the loads of credentials.
async fn play(
    fault: &Fault,
    obstacle: Obstacle,
    has_cache: bool,
    request: &Request,
    through_sdk: bool,
) -> (Result<Reply, Failure>, usize, usize) {
    let scene = scene(obstacle, has_cache).await;
    let wire = match through_sdk {
        true => scene.wire.through_sdk(),
        false => scene.wire,
    };
    scene.faults.plan([fault.clone()]);
    scene.calls.store(0, SeqCst);
    let (path, outcome) = soon(&wire, request).await;
    match through_sdk {
        true => assert_eq!(path, WirePath::Sdk(SdkFallback::Asked)),
        false => assert_eq!(path, WirePath::Replayed, "{fault:?} {obstacle:?}"),
    }
    let (sent, loads) = (scene.faults.calls().len(), scene.source.began.load(SeqCst));
    (outcome, sent, loads)
}

fn writes() -> Vec<Request> {
    let fresh = String::from_utf8_lossy(&create().body).replace(r#"{"S":"a"}"#, r#"{"S":"b"}"#);
    let guarded = request(ServiceOperation::PutItem, Resend::UnlessAmbiguous, &fresh);
    let repeatable = Request {
        resend: Resend::RetrySafe,
        ..guarded.clone()
    };
    let transaction = Request {
        resend: Resend::ByToken,
        ..all().remove(8)
    };
    vec![guarded, repeatable, transaction, put()]
}

/// Each row of the table ends as it does through the SDK, word for word, with as many loads of credentials.
#[tokio::test]
async fn an_attempt_that_was_sent_stays_sent() {
    let mut rows = 0;
    let mut wrong = Vec::new();
    for fault in [
        Fault::Lose,
        Fault::Io,
        Fault::Cut(1),
        Fault::internal(),
        Fault::Reply(503, String::new()),
        Fault::Reply(200, "<html>".into()),
        Fault::Timeout,
    ] {
        for obstacle in OBSTACLES {
            for has_cache in [true, false] {
                for request in writes() {
                    let row = format!(
                        "{fault:?} {obstacle:?} cache {has_cache} {:?}",
                        request.resend
                    );
                    let (plain, sent, loads) =
                        play(&fault, obstacle, has_cache, &request, false).await;
                    let (sdk, sent_by_sdk, loads_by_sdk) =
                        play(&fault, obstacle, has_cache, &request, true).await;
                    rows += 1;
                    let text = plain.as_ref().unwrap_err().error.to_string();
                    let kind = plain.as_ref().unwrap_err().error.kind();
                    let is_right = match request.resend {
                        Resend::Always => !text.contains("was not sent"),
                        _ => kind == ErrorKind::OutcomeUnknown,
                    };
                    let (plain, sdk) = (told(&plain), told(&sdk));
                    let is_equal = (&plain, sent, loads) == (&sdk, sent_by_sdk, loads_by_sdk);
                    if !is_right || !is_equal {
                        wrong.push(format!(
                            "{row}\n  plain {sent} sent, {loads} loads: {plain}\n  SDK   {sent_by_sdk} \
                             sent, {loads_by_sdk} loads: {sdk}"
                        ));
                    }
                }
            }
        }
    }
    assert_eq!(rows, 7 * 5 * 2 * 4);
    assert!(
        wrong.is_empty(),
        "{} of {rows}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A rejection that arrived is told, although there are no credentials for anything that follows.
#[tokio::test]
async fn a_refusal_that_arrived_is_told() {
    let mut wrong = Vec::new();
    for (code, kind) in [
        ("ConditionalCheckFailedException", ErrorKind::Conflict),
        ("ValidationException", ErrorKind::Rejected),
        ("ResourceNotFoundException", ErrorKind::TableNotFound),
        ("AccessDeniedException", ErrorKind::AccessDenied),
        ("TransactionConflictException", ErrorKind::Unavailable),
    ] {
        let fault = Fault::refuse(code);
        for obstacle in OBSTACLES.into_iter().filter(|it| it.is_of_credentials()) {
            for has_cache in [true, false] {
                for request in writes() {
                    let (plain, _, loads) =
                        play(&fault, obstacle, has_cache, &request, false).await;
                    let (sdk, _, loads_by_sdk) =
                        play(&fault, obstacle, has_cache, &request, true).await;
                    let told_kind = plain.as_ref().unwrap_err().error.kind();
                    let (plain, sdk) = (told(&plain), told(&sdk));
                    if told_kind != kind || (&plain, loads) != (&sdk, loads_by_sdk) {
                        wrong.push(format!(
                            "{code} {obstacle:?} cache {has_cache} {:?}: {loads} {plain}, SDK \
                             {loads_by_sdk} {sdk}",
                            request.resend
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
