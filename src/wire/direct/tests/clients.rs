//! Clients of all kinds: their settings keep their meaning.

use std::fmt;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{SystemTime, UNIX_EPOCH};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::future;
use aws_sdk_dynamodb::config::endpoint::{Endpoint, EndpointFuture, Params, ResolveEndpoint};
use aws_sdk_dynamodb::config::{
    ConfigBag, IdentityCache, Intercept, ProvideCredentials, RuntimeComponents,
};
use aws_sdk_dynamodb::config::{HttpClient, SharedHttpClient};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

use super::*;
use crate::connect::testing::Fault;
use crate::error::ErrorKind;

#[derive(Debug, Clone)]
pub(super) struct Time(pub(super) Arc<AtomicU64>);

impl Time {
    pub(super) fn at(seconds: u64) -> Self {
        Time(Arc::new(AtomicU64::new(seconds)))
    }

    pub(super) fn forward(&self, seconds: u64) {
        self.0.fetch_add(seconds, SeqCst);
    }
}

impl TimeSource for Time {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.0.load(SeqCst))
    }
}

/// Adds a header, as interceptors of users do.
#[derive(Debug)]
struct Marking;

#[aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint]
impl Intercept for Marking {
    fn name(&self) -> &'static str {
        "Marking"
    }

    fn modify_before_transmit(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        context
            .request_mut()
            .headers_mut()
            .insert("x-marked", "yes");
        Ok(())
    }
}

/// Resolves every endpoint to another host.
#[derive(Debug)]
struct Resolving;

impl ResolveEndpoint for Resolving {
    fn resolve_endpoint<'a>(&'a self, _: &'a Params) -> EndpointFuture<'a> {
        EndpointFuture::ready(Ok(Endpoint::builder().url("http://other.test").build()))
    }
}

pub(super) async fn is_unusual(
    change: impl FnOnce(config::Builder) -> config::Builder,
    part: &str,
) -> Faults {
    let (wire, faults) = start(change).await;
    for round in 0..3 {
        let (path, outcome) = call(&wire, &put()).await;
        outcome.unwrap();
        match path {
            WirePath::Sdk(SdkFallback::Learning) if round == 0 => {}
            WirePath::Sdk(SdkFallback::Unusual(what)) if round > 0 => {
                assert!(what.contains(part), "{what}");
            }
            other => panic!("{part}: {other:?}"),
        }
    }
    faults
}

#[tokio::test]
async fn unusual_clients_keep_their_way() {
    let faults = is_unusual(|config| config.interceptor(Marking), "interceptor Marking").await;
    assert!(
        faults
            .seen()
            .iter()
            .all(|seen| seen.header("x-marked") == Some("yes"))
    );
    is_unusual(
        |config| config.endpoint_resolver(Resolving),
        "endpoint resolver",
    )
    .await;
    is_unusual(
        |config| config.retry_config(RetryConfig::adaptive()),
        "retry",
    )
    .await;
}

/// Hands out the credentials of a list, one after the other, and then the last ones forever. Counts how often it was
/// asked.
#[derive(Clone)]
pub(super) struct Provider {
    next: Arc<Mutex<Vec<Option<Credentials>>>>,
    pub(super) asked: Arc<AtomicU64>,
}

impl Provider {
    pub(super) fn new(credentials: impl IntoIterator<Item = Option<Credentials>>) -> Self {
        let mut next: Vec<_> = credentials.into_iter().collect();
        next.reverse();
        Provider {
            next: Arc::new(Mutex::new(next)),
            asked: Arc::default(),
        }
    }

    /// Sets what is handed out from now on.
    pub(super) fn plan(&self, credentials: impl IntoIterator<Item = Option<Credentials>>) {
        let mut next: Vec<_> = credentials.into_iter().collect();
        next.reverse();
        *self.next.lock().unwrap() = next;
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Provider")
    }
}

impl ProvideCredentials for Provider {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        self.asked.fetch_add(1, SeqCst);
        let mut next = self.next.lock().unwrap();
        let credentials = match next.len() {
            1 => next[0].clone(),
            _ => next.pop().unwrap(),
        };
        let missing = || CredentialsError::not_loaded("none today");
        future::ProvideCredentials::ready(credentials.ok_or_else(missing))
    }
}

pub(super) fn keys(
    id: &str,
    token: Option<&str>,
    expires: Option<SystemTime>,
) -> Option<Credentials> {
    let token = token.map(str::to_owned);
    Some(Credentials::new(id, "secret", token, expires, "test"))
}

fn key_ids(faults: &Faults) -> Vec<String> {
    let seen = faults.seen();
    let id = |seen: &crate::connect::testing::RecordedRequest| {
        let authorization = seen.header("authorization").unwrap();
        let id = authorization.split("Credential=").nth(1).unwrap();
        id.split('/').next().unwrap().to_owned()
    };
    seen.iter().map(id).collect()
}

/// A provider that the SDK calls each time is still called each time, and requests are signed with its result.
#[tokio::test]
async fn credentials_rotate() {
    let rotating = ["A", "A", "A", "A", "B", "C", "D"].map(|id| keys(id, Some(id), None));
    let provider = Provider::new(rotating);
    let (wire, faults) = start(|config| {
        config
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(provider.clone())
    })
    .await;
    for _ in 0..6 {
        call(&wire, &put()).await.1.unwrap();
    }
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
    let ids = key_ids(&faults);
    assert_eq!(ids, ["A", "A", "A", "A", "B", "C", "D"]);
    assert_eq!(provider.asked.load(SeqCst), 7);
    let tokens: Vec<_> = faults
        .seen()
        .iter()
        .map(|seen| seen.header("x-amz-security-token").unwrap().to_owned())
        .collect();
    assert_eq!(tokens, ids);
}

/// The SDK's cache decides how long credentials are used.
#[tokio::test]
async fn credentials_expire() {
    const START: u64 = 1_709_209_805;
    let time = Time::at(START);
    let expires = |seconds: u64| Some(UNIX_EPOCH + Duration::from_secs(START + seconds));
    let provider = Provider::new([
        keys("A", None, expires(3600)),
        keys("B", Some("token"), expires(7200)),
        None,
    ]);
    let (wire, faults) = learned(|config| {
        config
            .time_source(time.clone())
            .credentials_provider(provider.clone())
    })
    .await;
    assert_eq!(provider.asked.load(SeqCst), 1);
    time.0.store(START + 3595, SeqCst);
    call(&wire, &put()).await.1.unwrap();
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
    assert_eq!(key_ids(&faults), ["B", "B"]);
    assert_eq!(provider.asked.load(SeqCst), 2);
    // There are no more credentials, and the SDK reports that as ever.
    time.0.store(START + 7300, SeqCst);
    let (path, outcome) = call(&wire, &create()).await;
    assert_eq!(path, WirePath::Sdk(SdkFallback::Credentials));
    let error = outcome.unwrap_err().error;
    assert_eq!(error.kind(), ErrorKind::AccessDenied);
    assert!(error.to_string().contains("was not sent"), "{error}");
    assert_eq!(key_ids(&faults).len(), 2);
}

/// Only the SDK waits for credentials that have to be loaded.
#[tokio::test]
async fn slow_credentials_are_the_sdks_to_wait_for() {
    #[derive(Debug)]
    struct Slow;
    impl ProvideCredentials for Slow {
        fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            future::ProvideCredentials::new(async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok(Credentials::for_tests())
            })
        }
    }
    let (wire, _) = start(|config| config.credentials_provider(Slow)).await;
    assert_eq!(
        path(&wire, &put()).await,
        WirePath::Sdk(SdkFallback::Learning)
    );
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
    let (wire, faults) = start(|config| {
        config
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(Slow)
    })
    .await;
    for _ in 0..6 {
        let (path, outcome) = call(&wire, &put()).await;
        outcome.unwrap();
        assert_ne!(path, WirePath::Direct);
    }
    assert_eq!(faults.calls().len(), 6);
}

/// An endpoint may belong to an account, so it is learned anew with other credentials.
#[tokio::test]
async fn another_account_is_another_client() {
    let of = |account: &str| {
        let credentials = Credentials::builder()
            .access_key_id("A")
            .secret_access_key("secret")
            .account_id(account)
            .provider_name("test");
        Some(credentials.build())
    };
    let accounts = ["111", "111", "222"].map(of);
    let provider = Provider::new(accounts);
    let (wire, _) = start(|config| {
        config
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(provider.clone())
    })
    .await;
    let mut paths = Vec::new();
    for _ in 0..6 {
        paths.push(path(&wire, &put()).await);
    }
    let account = WirePath::Sdk(SdkFallback::Account);
    let learning = WirePath::Sdk(SdkFallback::Learning);
    let (plain, again) = (WirePath::Direct, learning.clone());
    let expected = [
        learning,
        plain.clone(),
        account,
        again,
        plain.clone(),
        plain,
    ];
    assert_eq!(paths, expected);
    assert_eq!(provider.asked.load(SeqCst), 6);
}

/// Writes the service's time into each answer.
#[derive(Debug, Clone)]
pub(super) struct Dating<C> {
    pub(super) inner: C,
    pub(super) clock: Time,
}

impl HttpClient for Dating<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Dating {
            inner: self.inner.http_connector(settings, components),
            clock: self.clock.clone(),
        })
    }
}

impl HttpConnector for Dating<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (answer, clock) = (self.inner.call(request), self.clock.clone());
        HttpConnectorFuture::new(async move {
            let mut answer = answer.await?;
            let date = DateTime::from(clock.now()).fmt(Format::HttpDate).unwrap();
            answer.headers_mut().insert("date", date);
            Ok(answer)
        })
    }
}

/// A wrong clock is corrected by the SDK's own measure, on each way.
#[tokio::test]
async fn a_wrong_clock_is_corrected() {
    const NOW: u64 = 1_709_209_805;
    let (time, service) = (Time::at(NOW), Time::at(NOW));
    let dating = |config: config::Builder| {
        let inner = config.clone().build().http_client().unwrap();
        let clock = service.clone();
        config
            .http_client(Dating { inner, clock })
            .time_source(time.clone())
    };
    let (wire, faults) = learned(dating).await;
    call(&wire, &put()).await.1.unwrap();

    service.0.store(NOW + 3600, SeqCst);
    faults.plan([Fault::refuse(
        "com.amazon.coral.service#InvalidSignatureException",
    )]);
    let (path, outcome) = call(&wire, &create()).await;
    assert_eq!(path, WirePath::Replayed);
    assert_eq!(outcome.unwrap_err().error.kind(), ErrorKind::Conflict);
    assert_eq!(
        faults.seen()[0].header("x-amz-date"),
        Some("20240229T123005Z")
    );
    assert_eq!(
        faults.seen()[1].header("x-amz-date"),
        Some("20240229T133005Z")
    );
    for _ in 0..40 {
        faults.plan([]);
        let path = super::path(&wire, &put()).await;
        assert!(
            matches!(path, WirePath::Direct | WirePath::Sdk(SdkFallback::Quota)),
            "{path:?}"
        );
        assert_eq!(
            faults.seen()[0].header("x-amz-date"),
            Some("20240229T133005Z")
        );
    }
    // The clock is put right, as the next answer tells.
    time.0.store(NOW + 3600, SeqCst);
    for expected in ["20240229T143005Z", "20240229T133005Z"] {
        faults.plan([]);
        assert_eq!(super::path(&wire, &put()).await, WirePath::Direct);
        assert_eq!(faults.seen()[0].header("x-amz-date"), Some(expected));
    }
}

/// While the stock of retries is not full, requests go through the SDK, which counts successes to fill it up.
#[tokio::test]
async fn the_quota_is_the_sdks_to_keep() {
    let (wire, faults) = learned(|config| config).await;
    faults.plan(std::iter::repeat_n(Fault::throttle(), 3));
    let (_, outcome) = call(&wire, &put()).await;
    assert_eq!(outcome.unwrap_err().error.kind(), ErrorKind::Throttled);
    let mut quota = 0;
    while path(&wire, &put()).await == WirePath::Sdk(SdkFallback::Quota) {
        quota += 1;
        assert!(quota < 1000);
    }
    assert!(quota > 0);
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
}

/// Runs a test in a process of its own, because the environment belongs to the process.
fn alone_with(name: &str, variables: &[(&str, &str)]) -> bool {
    let here = std::env::var_os("ALONE").is_some();
    if !here {
        let test = format!("wire::direct::tests::clients::{name}");
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program)
            .args(["--exact", &test, "--nocapture"])
            .env("ALONE", "1")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{failed}");
        assert!(said.contains("1 passed"), "{said}");
    }
    here
}

#[tokio::test]
async fn lambda_is_told_who_asked() {
    let variables = [
        ("AWS_LAMBDA_FUNCTION_NAME", "f"),
        ("_X_AMZN_TRACE_ID", "Root=1-a;Parent=ü"),
    ];
    if !alone_with("lambda_is_told_who_asked", &variables) {
        return;
    }
    let (wire, faults) = learned(|config| config).await;
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
    let sdk = wire.clone().through_sdk();
    call(&sdk, &put()).await.1.unwrap();
    let traces: Vec<_> = faults
        .seen()
        .iter()
        .map(|seen| seen.header("x-amzn-trace-id").map(str::to_owned))
        .collect();
    assert_eq!(traces, vec![Some("Root=1-a;Parent=%C3%BC".to_owned()); 2]);
}

#[tokio::test]
async fn whoever_listens_to_the_sdk_hears_it() {
    if !alone_with("whoever_listens_to_the_sdk_hears_it", &[]) {
        return;
    }
    let (wire, _) = learned(|config| config).await;
    let listening = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(std::io::sink);
    let guard = tracing::subscriber::set_default(listening.finish());
    assert_eq!(
        path(&wire, &put()).await,
        WirePath::Sdk(SdkFallback::Traced)
    );
    drop(guard);
}

#[derive(Debug)]
struct Counting;

impl aws_smithy_observability::meter::ProvideMeter for Counting {
    fn get_meter(
        &self,
        scope: &'static str,
        attributes: Option<&aws_smithy_observability::Attributes>,
    ) -> aws_smithy_observability::meter::Meter {
        let none = aws_smithy_observability::TelemetryProvider::noop();
        none.meter_provider().get_meter(scope, attributes)
    }
}

#[tokio::test]
async fn whoever_measures_the_sdk_counts_it() {
    if !alone_with("whoever_measures_the_sdk_counts_it", &[]) {
        return;
    }
    let (wire, _) = learned(|config| config).await;
    let provider =
        aws_smithy_observability::TelemetryProvider::builder().meter_provider(Arc::new(Counting));
    aws_smithy_observability::global::set_telemetry_provider(provider.build()).unwrap();
    assert_eq!(
        path(&wire, &put()).await,
        WirePath::Sdk(SdkFallback::Metered)
    );
}
