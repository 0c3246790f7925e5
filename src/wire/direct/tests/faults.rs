//! For every fault of the attempts of a request, both paths end alike.

use std::sync::Mutex;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    AsyncSleep, HttpClient, RuntimeComponents, SharedHttpClient, Sleep,
};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use proptest::prelude::*;

use super::*;
use crate::connect::testing::Fault;
use crate::error::ErrorKind;
use crate::wire::AnySleep;

/// Everything that a program can tell about an outcome.
pub(super) fn told(outcome: &Result<Reply, Failure>) -> String {
    match outcome {
        Ok(reply) => {
            // The engine keeps no order of attributes.
            let body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
            format!("{body} {}", reply.request_id.is_some())
        }
        Err(failure) => {
            let item = failure.condition.as_ref().map(|condition| {
                let item = condition.item.as_ref();
                item.map(|item| serde_json::from_slice::<serde_json::Value>(item).unwrap())
            });
            let error = &failure.error;
            format!(
                "{error} {:?} {:?} {:?} {item:?} {} {:?}",
                error.kind(),
                error.code(),
                error.request_id().is_some(),
                failure.is_contention,
                failure.reasons
            )
        }
    }
}

fn fault() -> impl Strategy<Value = Fault> {
    let refusals = [
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "TransactionInProgressException",
        "TransactionConflictException",
        "ConditionalCheckFailedException",
        "ValidationException",
        "ExpiredTokenException",
        "AccessDeniedException",
        "ItemCollectionSizeLimitExceededException",
        "NobodyKnowsThisException",
    ];
    let texts = [
        "",
        "{",
        "{}",
        "[]",
        "<html>busy</html>",
        "{\"Item\":",
        "}",
        "null",
    ];
    prop_oneof![
        4 => Just(Fault::Pass),
        2 => Just(Fault::Io),
        2 => Just(Fault::Refused),
        2 => Just(Fault::Timeout),
        1 => Just(Fault::Hang),
        3 => Just(Fault::Lose),
        2 => (0..3_usize).prop_map(Fault::Cut),
        4 => proptest::sample::select(refusals.to_vec()).prop_map(Fault::refuse),
        3 => (
            proptest::sample::select(&[200_u16, 204, 301, 302, 307, 400, 403, 404, 408, 413, 429, 500, 502, 503, 504][..]),
            proptest::sample::select(texts.to_vec()),
        ).prop_map(|(status, text)| Fault::Reply(status, text.into())),
    ]
}

fn asked() -> impl Strategy<Value = Request> {
    let all = all();
    let resends = [
        Resend::Always,
        Resend::UnlessAmbiguous,
        Resend::RetrySafe,
        Resend::ByToken,
    ];
    let any = (0..all.len(), proptest::sample::select(resends.to_vec()));
    let any = any.prop_map(move |(which, resend)| Request {
        resend,
        ..all[which].clone()
    });
    prop_oneof![2 => any, 1 => Just(create())]
}

/// Keeps how long the pauses between attempts were to be. Time limits sleep as well, but for longer.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedPauses(Arc<Mutex<Vec<Duration>>>);

impl RecordedPauses {
    /// The longest pause of the retries in these tests is much shorter, and each time limit is longer.
    const LONGEST: Duration = Duration::from_millis(50);

    pub(super) fn take(&self) -> Vec<Duration> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl AsyncSleep for RecordedPauses {
    fn sleep(&self, duration: Duration) -> Sleep {
        if duration < Self::LONGEST {
            self.0.lock().unwrap().push(duration);
        }
        AnySleep.sleep(duration)
    }
}

/// The outcome of a request whose attempts have so much time, the requests that there were, and the pauses between
/// them.
async fn outcome(
    script: &[Fault],
    request: &Request,
    time: Duration,
    through_sdk: bool,
) -> (String, Vec<String>, Vec<Duration>) {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(time)
        .build();
    // Without the random factor of pauses, both ways have to make the very same ones.
    let retries = RetryConfig::standard()
        .with_initial_backoff(Duration::from_millis(1))
        .with_use_static_exponential_base(true);
    let pauses = RecordedPauses::default();
    let (wire, faults) = learned(|config| {
        config
            .timeout_config(timeouts)
            .retry_config(retries)
            .sleep_impl(pauses.clone())
    })
    .await;
    let wire = if through_sdk {
        wire.through_sdk()
    } else {
        wire
    };
    faults.plan(script.to_vec());
    pauses.take();
    let (path, outcome) = soon(&wire, request).await;
    match path {
        WirePath::Sdk(detour) => assert_eq!((detour, through_sdk), (SdkFallback::Asked, true)),
        _ => assert!(!through_sdk),
    }
    (told(&outcome), faults.calls(), pauses.take())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Both ways have the same result after as many requests with the same pauses between them.
    #[test]
    fn both_ways_end_alike(
        script in proptest::collection::vec(fault(), 0..5),
        request in asked(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let both = async |time| (
            outcome(&script, &request, time, false).await,
            outcome(&script, &request, time, true).await,
        );
        let (mut plain, mut sdk) = runtime.block_on(both(Duration::from_millis(60)));
        if plain != sdk {
            // A machine that is busy may have taken longer by one way than by the other.
            (plain, sdk) = runtime.block_on(both(Duration::from_secs(3)));
        }
        prop_assert_eq!(plain, sdk);
    }
}

/// The SDK's pauses grow from attempt to attempt, and the attempt that it has not made counts as one.
#[tokio::test]
async fn pauses_grow_by_both_ways() {
    let script = [Fault::throttle(), Fault::throttle()];
    for through_sdk in [false, true] {
        let (told, calls, pauses) =
            outcome(&script, &get(), Duration::from_secs(3), through_sdk).await;
        assert_eq!(
            (calls.len(), pauses),
            (3, vec![Duration::from_millis(1), Duration::from_millis(2)]),
            "{told}"
        );
    }
}

/// Law W6 for a first attempt that the SDK has not made.
#[tokio::test]
async fn an_answer_that_is_lost_is_lost_once() {
    for fault in [
        Fault::Lose,
        Fault::Io,
        Fault::Timeout,
        Fault::internal(),
        Fault::Cut(1),
    ] {
        let (wire, faults) = learned(|config| config).await;
        faults.plan([fault.clone()]);
        let fresh = String::from_utf8_lossy(&create().body).replace(r#"{"S":"a"}"#, r#"{"S":"b"}"#);
        let fresh = request(ServiceOperation::PutItem, Resend::UnlessAmbiguous, &fresh);
        let (path, outcome) = soon(&wire, &fresh).await;
        assert_eq!(path, WirePath::Replayed, "{fault:?}");
        let failure = outcome.unwrap_err();
        assert_eq!(failure.error.kind(), ErrorKind::OutcomeUnknown, "{fault:?}");
        assert_eq!(faults.calls(), ["PutItem"], "{fault:?}");
    }
}

/// The time limit of the whole operation covers both ways together.
#[tokio::test]
async fn the_operation_has_one_time() {
    let timeouts = TimeoutConfig::builder()
        .operation_timeout(Duration::from_millis(300))
        .build();
    let (wire, faults) = learned(|config| config.timeout_config(timeouts)).await;
    faults.plan([Fault::Hang]);
    let (path, outcome) = soon(&wire, &create()).await;
    assert_eq!(path, WirePath::Replayed);
    let error = outcome.unwrap_err().error;
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert_eq!(faults.calls(), ["PutItem"]);

    faults.plan([Fault::Hang]);
    let error = soon(&wire, &get()).await.1.unwrap_err().error;
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().ends_with("after 300ms"), "{error}");

    // The time that the first attempt took is missing for the second.
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(400))
        .operation_timeout(Duration::from_millis(600))
        .build();
    let (wire, faults) = learned(|config| config.timeout_config(timeouts)).await;
    // A busy machine delays some of the tries. Two full attempts would take 800 ms in each of them.
    let mut least = Duration::MAX;
    for _ in 0..5 {
        faults.plan([Fault::Hang, Fault::Hang]);
        let began = std::time::Instant::now();
        let error = soon(&wire, &get()).await.1.unwrap_err().error;
        least = least.min(began.elapsed());
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        // The message names the limit, and not what the first attempt left of it.
        assert!(error.to_string().ends_with("after 600ms"), "{error}");
        assert_eq!(faults.calls().len(), 2);
        if least < Duration::from_millis(780) {
            break;
        }
    }
    assert!(least < Duration::from_millis(780), "{least:?}");
}

#[tokio::test]
async fn a_refusal_before_the_time_is_over_is_told() {
    let timeouts = TimeoutConfig::builder()
        .operation_timeout(Duration::from_secs(5))
        .operation_attempt_timeout(Duration::from_millis(50))
        .build();
    let (wire, faults) = learned(|config| config.timeout_config(timeouts)).await;
    faults.plan([Fault::Hang]);
    soon(&wire, &put()).await.1.unwrap();
    assert_eq!(faults.calls(), ["PutItem", "PutItem"]);
    soon(&wire, &create()).await.1.unwrap_err();
}

/// Lets the client's clock jump while a request is under way, as when a machine was asleep.
#[derive(Debug, Clone)]
struct Sleeping<C> {
    inner: C,
    clock: clients::Time,
}

impl HttpClient for Sleeping<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Sleeping {
            inner: self.inner.http_connector(settings, components),
            clock: self.clock.clone(),
        })
    }
}

impl HttpConnector for Sleeping<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.clock.forward(540);
        self.inner.call(request)
    }
}

/// A token that has become too old is not sent again, but both ways report what came of its attempt.
#[tokio::test]
async fn tokens_get_old_on_the_way() {
    let refused = Fault::refuse("ValidationException");
    for (plan, requests) in [
        (vec![refused], 1),
        (vec![Fault::throttle()], 1),
        (vec![Fault::Lose], 1),
        (vec![Fault::Refused], 1),
        (vec![Fault::refuse("TransactionInProgressException")], 1),
    ] {
        let mut all = Vec::new();
        for through_sdk in [false, true] {
            let clock = clients::Time::at(1_709_209_805);
            let (wire, faults) = learned(|config| {
                let inner = config.clone().build().http_client().unwrap();
                let http = Sleeping {
                    inner,
                    clock: clock.clone(),
                };
                config.http_client(http).time_source(clock.clone())
            })
            .await;
            let wire = if through_sdk {
                wire.through_sdk()
            } else {
                wire
            };
            faults.plan(plan.clone());
            let transaction = Request {
                resend: Resend::ByToken,
                ..super::all().remove(8)
            };
            let (_, outcome) = soon(&wire, &transaction).await;
            assert_eq!(faults.calls().len(), requests, "{plan:?}");
            let error = outcome.as_ref().unwrap_err().error.to_string();
            all.push((told(&outcome), error));
        }
        assert_eq!(all[0], all[1], "{plan:?}");
    }
}
