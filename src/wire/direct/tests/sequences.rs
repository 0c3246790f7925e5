//! Many requests of one client, one after the other and at once: clocks that drift, credentials that are renewed, and
//! each request beside that of a plain SDK client.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::SystemTime;

use aws_credential_types::provider::future;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, ConfigBag, HttpClient, IdentityCache, ProvideCredentials, RuntimeComponents,
    SharedHttpClient, StalledStreamProtectionConfig,
};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::DateTime;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::date_time::Format;
use aws_smithy_types::retry::RetrySpec;
use futures_util::future::join_all;

use super::clients::{Dating, Time};
use super::faults::RecordedPauses;
use super::lessons::{Watched, of_an_account};
use super::*;
use crate::connect::testing::Fault;
use crate::error::ErrorKind;

const NOW: u64 = 1_709_209_805;

/// A connector that may answer by itself, and may change what others answer.
#[derive(Clone)]
struct Acting<C> {
    inner: C,
    act: Arc<dyn Fn(&HttpRequest) -> Act + Send + Sync>,
}

enum Act {
    Pass,
    Answer(u16, &'static str),
    /// Adds a header to the answer.
    Head(&'static str, &'static str),
    Hang,
}

impl<C> fmt::Debug for Acting<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Acting")
    }
}

impl HttpClient for Acting<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Acting {
            inner: self.inner.http_connector(settings, components),
            act: self.act.clone(),
        })
    }
}

impl HttpConnector for Acting<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        match (self.act)(&request) {
            Act::Pass => self.inner.call(request),
            Act::Hang => HttpConnectorFuture::new(std::future::pending()),
            Act::Answer(status, body) => {
                let status = status.try_into().unwrap();
                HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body))))
            }
            Act::Head(name, value) => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    let mut answer = answer.await?;
                    answer.headers_mut().insert(name, value);
                    Ok(answer)
                })
            }
        }
    }
}

/// Puts such a connector around that of a client.
fn acting(
    config: config::Builder,
    act: impl Fn(&HttpRequest) -> Act + Send + Sync + 'static,
) -> config::Builder {
    let inner = config.clone().build().http_client().unwrap();
    let act = Arc::new(act);
    config.http_client(Acting { inner, act })
}

/// Each request of a long sequence equals that of a client that knows nothing of this library, with failures, throttles
/// and a wrong clock in between. An interceptor of a next SDK that counts requests would be seen here.
#[tokio::test]
async fn sequences_are_those_of_a_plain_client() {
    let mut all = Vec::new();
    for is_plain_client in [false, true] {
        let (time, service) = (Time::at(NOW), Time::at(NOW));
        let (client, faults) = client(|config| {
            let inner = config.clone().build().http_client().unwrap();
            let clock = service.clone();
            config
                .http_client(Dating { inner, clock })
                .time_source(time.clone())
        })
        .await;
        let wire = Wire::new(client.clone());
        let (mut seen, mut direct) = (Vec::new(), 0);
        for step in 0..60 {
            let mut plan = Vec::new();
            match step {
                12 => plan = vec![Fault::internal()],
                14 => plan = vec![Fault::throttle(), Fault::throttle()],
                40 => {
                    service.0.store(NOW + 3600, SeqCst);
                    plan = vec![Fault::refuse("InvalidSignatureException")];
                }
                50 => plan = vec![Fault::refuse("ValidationException")],
                _ => time.forward(1),
            }
            service.forward(1);
            faults.plan(plan);
            if is_plain_client {
                let key = AttributeValue::S("a".into());
                let put = client.put_item().table_name("tab").item("pk", key.clone());
                let get = client.get_item().table_name("tab").key("pk", key);
                match step % 3 {
                    0 => drop(put.send().await),
                    _ => drop(get.send().await),
                }
            } else {
                let (operation, part) = match step % 3 {
                    0 => (ServiceOperation::PutItem, "Item"),
                    _ => (ServiceOperation::GetItem, "Key"),
                };
                let body = format!(r#"{{"TableName":"tab","{part}":{{"pk":{{"S":"a"}}}}}}"#);
                let request = request(operation, Resend::Always, &body);
                let way = path(&wire, &request).await;
                direct += usize::from(matches!(way, WirePath::Direct | WirePath::Replayed));
            }
            for sent in faults.seen() {
                let mut headers = sent.headers();
                headers.retain(|(name, _)| name != "amz-sdk-invocation-id");
                headers.sort();
                seen.push((step, sent.operation.clone(), sent.body.clone(), headers));
            }
        }
        assert!(is_plain_client || direct > 30, "{direct}");
        all.push(seen);
    }
    assert_eq!(all[0].len(), 64);
    for (ours, theirs) in all[0].iter().zip(&all[1]) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(all[0].len(), all[1].len());
}

/// A source that takes its time. It counts the loads that began and those that ended.
#[derive(Debug, Clone)]
struct Slow {
    clock: Time,
    began: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

impl ProvideCredentials for Slow {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        self.began.fetch_add(1, SeqCst);
        future::ProvideCredentials::new(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.ended.fetch_add(1, SeqCst);
            let expires = self.clock.now() + Duration::from_secs(600);
            Ok(Credentials::new("A", "secret", None, Some(expires), "test"))
        })
    }
}

/// Six renewals are six loads, and none is begun in vain, also if many requests wait for one.
#[tokio::test]
async fn slow_credentials_are_loaded_once() {
    for (has_cache, at_once) in [(true, 1), (true, 20), (false, 1), (false, 3)] {
        let mut all = Vec::new();
        for through_sdk in [false, true] {
            let clock = Time::at(NOW);
            let slow = Slow {
                clock: clock.clone(),
                began: Arc::default(),
                ended: Arc::default(),
            };
            let (wire, _) = start(|config| {
                let config = config
                    .time_source(clock.clone())
                    .credentials_provider(slow.clone());
                match has_cache {
                    true => config,
                    false => config.identity_cache(IdentityCache::no_cache()),
                }
            })
            .await;
            let wire = if through_sdk {
                wire.through_sdk()
            } else {
                wire
            };
            for _ in 0..6 {
                let calls = (0..at_once).map(|_| async { call(&wire, &get()).await });
                for outcome in join_all(calls).await {
                    outcome.1.unwrap();
                }
                clock.forward(700);
            }
            all.push((slow.began.load(SeqCst), slow.ended.load(SeqCst)));
        }
        let loads = if has_cache { 6 } else { 6 * at_once };
        assert_eq!(
            all,
            [(loads, loads); 2],
            "cache {has_cache}, {at_once} at once"
        );
    }
}

/// A task that polls often is made to rest by tokio, which says nothing about credentials.
#[tokio::test]
async fn five_hundred_at_once_go_the_plain_way() {
    let (wire, _) = learned(|config| config).await;
    for _ in 0..2 {
        let paths = join_all((0..500).map(|_| async { path(&wire, &get()).await })).await;
        let plain = paths.iter().filter(|path| **path == WirePath::Direct);
        assert_eq!(plain.count(), 500, "{:?}", paths.last());
    }
}

/// The time as signatures write it.
fn signed(time: SystemTime) -> String {
    let text = DateTime::from(time).fmt(Format::DateTime).unwrap();
    text.replace(['-', ':'], "")
}

/// A service that allows five minutes never rejects a request of a day, although the clock of this machine loses 24
/// minutes: neither on the direct path, nor when a request goes through the SDK after all. There are no retries.
#[tokio::test]
async fn a_clock_may_drift_for_a_day() {
    let guard = StalledStreamProtectionConfig::enabled().build();
    let text = "x".repeat(70_000);
    let large =
        format!(r#"{{"TableName":"tab","Item":{{"pk":{{"S":"l"}},"x":{{"S":"{text}"}}}}}}"#);
    let large = request(ServiceOperation::PutItem, Resend::Always, &large);
    for direction in [-5_i64, 5] {
        let (time, service) = (Time::at(NOW), Time::at(NOW));
        let (wire, _) = learned(|config| {
            let inner = config.clone().build().http_client().unwrap();
            let strict = service.clone();
            let dating = Dating {
                inner,
                clock: service.clone(),
            };
            let config = config
                .retry_config(RetryConfig::disabled())
                .stalled_stream_protection(guard.clone())
                .time_source(time.clone())
                .http_client(dating);
            acting(config, move |request| {
                let now = strict.now();
                let allowed = Duration::from_secs(300);
                let date = request.headers().get("x-amz-date").unwrap().to_owned();
                match signed(now - allowed) <= date && date <= signed(now + allowed) {
                    true => Act::Pass,
                    false => Act::Answer(403, r#"{"__type":"InvalidSignatureException"}"#),
                }
            })
        })
        .await;
        for step in 0..288 {
            service.forward(300);
            time.forward(300_u64.checked_add_signed(direction).unwrap());
            let (path, outcome) = call(&wire, &put()).await;
            outcome.unwrap();
            assert_eq!(path, WirePath::Direct, "{step}");
        }
        let (path, outcome) = call(&wire, &large).await;
        assert_eq!(path, WirePath::Sdk(SdkFallback::LargeBody));
        outcome.unwrap();
    }
}

/// Clients of all versions of the SDK's behaviour go the direct path, and those without any timeout.
#[tokio::test]
#[expect(deprecated, reason = "programs pin these versions")]
async fn older_behaviour_goes_the_plain_way() {
    let versions = [
        BehaviorVersion::v2023_11_09(),
        BehaviorVersion::v2024_03_28(),
        BehaviorVersion::v2025_01_17(),
        BehaviorVersion::v2025_08_07(),
        BehaviorVersion::v2026_01_12(),
    ];
    let settings = versions
        .into_iter()
        .flat_map(|version| [(version, false), (version, true)]);
    for (version, has_no_timeouts) in settings {
        let http = Watched::around(engine_of_tab().await.http_client());
        let config = of_an_account(&http).behavior_version(version);
        let config = match has_no_timeouts {
            true => config.timeout_config(TimeoutConfig::disabled()),
            false => config,
        };
        let wire = Wire::new(Client::from_conf(config.build()));
        assert_eq!(
            path(&wire, &put()).await,
            WirePath::Sdk(SdkFallback::Learning)
        );
        for _ in 0..3 {
            assert_eq!(path(&wire, &put()).await, WirePath::Direct, "{version:?}");
        }
    }
}

/// A client without a timeout for connecting gives a connection up by the protection against stalled streams, at the same
/// time on each way.
#[tokio::test]
async fn connections_that_never_come_are_given_up() {
    let mut times = Vec::new();
    for through_sdk in [false, true] {
        let hangs = Arc::new(AtomicBool::new(false));
        let guard =
            StalledStreamProtectionConfig::enabled().grace_period(Duration::from_millis(300));
        let (wire, _) = learned(|config| {
            let hangs = hangs.clone();
            let config = config
                .timeout_config(TimeoutConfig::disabled())
                .stalled_stream_protection(guard.build());
            acting(config, move |_| match hangs.swap(false, SeqCst) {
                true => Act::Hang,
                false => Act::Pass,
            })
        })
        .await;
        let wire = if through_sdk {
            wire.through_sdk()
        } else {
            wire
        };
        hangs.store(true, SeqCst);
        let began = std::time::Instant::now();
        let failure = soon(&wire, &create()).await.1.unwrap_err();
        assert_eq!(failure.error.kind(), ErrorKind::OutcomeUnknown);
        times.push(began.elapsed().as_secs_f64());
        assert!(!hangs.load(SeqCst));
    }
    assert!((times[0] - times[1]).abs() < 0.7, "{times:?}");
}

/// The service's own wish for a pause reaches the SDK, which minds it by the rules of the client.
#[tokio::test]
async fn pauses_that_the_service_asks_for() {
    for spec in [RetrySpec::v2_0(), RetrySpec::v2_1()] {
        for fault in [Fault::throttle(), Fault::internal()] {
            let mut all = Vec::new();
            for through_sdk in [false, true] {
                let pauses = RecordedPauses::default();
                let retries = RetryConfig::standard()
                    .with_initial_backoff(Duration::from_millis(1))
                    .with_use_static_exponential_base(true)
                    .with_retry_spec(
                        spec.clone()
                            .with_non_throttling_initial_backoff(Duration::from_millis(2)),
                    );
                let (wire, faults) = learned(|config| {
                    let config = config.retry_config(retries).sleep_impl(pauses.clone());
                    acting(config, |_| Act::Head("x-amz-retry-after", "37"))
                })
                .await;
                let wire = if through_sdk {
                    wire.through_sdk()
                } else {
                    wire
                };
                faults.plan([fault.clone()]);
                pauses.take();
                call(&wire, &get()).await.1.unwrap();
                all.push((faults.calls().len(), pauses.take()));
            }
            let expected = (2, vec![Duration::from_millis(37)]);
            assert_eq!(all, [expected.clone(), expected], "{spec:?} {fault:?}");
        }
    }
}

/// A client that cannot be used any more, from its first attempt on.
#[derive(Debug, Clone)]
struct Expiring {
    inner: SharedHttpClient,
    is_over: Arc<AtomicBool>,
    arms: Arc<Mutex<bool>>,
}

impl HttpClient for Expiring {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        if *self.arms.lock().unwrap() {
            self.is_over.store(true, SeqCst);
        }
        self.inner.http_connector(settings, components)
    }

    fn validate_final_config(&self, _: &RuntimeComponents, _: &ConfigBag) -> Result<(), BoxError> {
        match self.is_over.load(SeqCst) {
            true => Err("this client is over".into()),
            false => Ok(()),
        }
    }
}

/// If the SDK cannot even begin, a rejection is told all the same, and a lost answer stays lost.
#[tokio::test]
async fn the_sdk_may_be_unable_to_hear_of_an_attempt() {
    for (fault, resend, kind) in [
        (
            Fault::refuse("ConditionalCheckFailedException"),
            Resend::UnlessAmbiguous,
            ErrorKind::Conflict,
        ),
        (
            Fault::refuse("ValidationException"),
            Resend::Always,
            ErrorKind::Rejected,
        ),
        (
            Fault::internal(),
            Resend::UnlessAmbiguous,
            ErrorKind::OutcomeUnknown,
        ),
        (
            Fault::Lose,
            Resend::UnlessAmbiguous,
            ErrorKind::OutcomeUnknown,
        ),
        (Fault::Lose, Resend::ByToken, ErrorKind::OutcomeUnknown),
        (Fault::Lose, Resend::Always, ErrorKind::Unavailable),
        (Fault::Refused, Resend::UnlessAmbiguous, ErrorKind::Config),
    ] {
        let arms = Arc::new(Mutex::new(false));
        let (wire, faults) = learned(|config| {
            let inner = config.clone().build().http_client().unwrap();
            config.http_client(Expiring {
                inner,
                is_over: Arc::default(),
                arms: arms.clone(),
            })
        })
        .await;
        *arms.lock().unwrap() = true;
        faults.plan([fault.clone()]);
        let write = Request { resend, ..create() };
        let mut trace = WireTrace::default();
        let outcome = wire.attempt_by(&write, None, &mut trace).await;
        assert_eq!(trace.path, WirePath::Replayed);
        let error = outcome.unwrap_err().error;
        assert_eq!(error.kind(), kind, "{fault:?} {resend:?}: {error}");
        assert_eq!(trace.attempt_count(), 1);
        let is_sent = !matches!(fault, Fault::Refused);
        let says_unsent = error.to_string().contains("nothing was sent");
        assert_eq!(says_unsent, !is_sent, "{error}");
    }
}
