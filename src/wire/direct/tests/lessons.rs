//! The lessons about a client: from which request, and for how long.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use aws_sdk_dynamodb::config::retry::{ClassifyRetry, RetryAction};
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::config::{
    ConfigBag, HttpClient, IdentityCache, Intercept, ResolveCachedIdentity, RuntimeComponents,
    SharedHttpClient,
};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::auth::{
    AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign,
};
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::identity::{Identity, IdentityFuture, SharedIdentityResolver};
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeTransmitInterceptorContextRef, InterceptorContext,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::GetIdentityResolver;
use futures_util::future::join_all;

use super::clients::{Provider, is_unusual, keys};
use super::*;
use crate::connect::testing::Fault;

/// An HTTP client that counts how often it was called for a connector, and notes where requests went and who signed
/// them.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    inner: SharedHttpClient,
    pub(super) asked: Arc<AtomicUsize>,
    pub(super) hosts: Arc<Mutex<Vec<(String, String)>>>,
}

impl Watched {
    pub(super) fn around(inner: impl HttpClient + 'static) -> Self {
        Watched {
            inner: SharedHttpClient::new(inner),
            asked: Arc::default(),
            hosts: Arc::default(),
        }
    }
}

impl HttpClient for Watched {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        self.asked.fetch_add(1, SeqCst);
        SharedHttpConnector::new(WatchedConnector {
            inner: self.inner.http_connector(settings, components),
            hosts: self.hosts.clone(),
        })
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        Some(ConnectorMetadata::new("watched", None))
    }
}

#[derive(Debug)]
struct WatchedConnector {
    inner: SharedHttpConnector,
    hosts: Arc<Mutex<Vec<(String, String)>>>,
}

impl HttpConnector for WatchedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let host = request.uri().split('/').nth(2).unwrap_or_default();
        let signed = request.headers().get("authorization").unwrap_or_default();
        let key = signed.split(['=', '/']).nth(1).unwrap_or_default();
        let seen = (host.to_owned(), key.to_owned());
        self.hosts.lock().unwrap().push(seen);
        self.inner.call(request)
    }
}

/// A client whose credentials name their account, so that its endpoint does too.
pub(super) fn of_an_account(http: &Watched) -> config::Builder {
    let credentials = Credentials::builder()
        .access_key_id("A")
        .secret_access_key("secret")
        .account_id("111111111111")
        .provider_name("test");
    config::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("eu-west-1"))
        .credentials_provider(credentials.build())
        .retry_partition(alone())
        .http_client(http.clone())
}

/// The endpoint of such a table belongs to the other account, so it is not for the tables of this one.
#[tokio::test]
async fn a_table_of_another_account_teaches_nothing() {
    let http = Watched::around(engine_of_tab().await.http_client());
    let wire = Wire::new(Client::from_conf(of_an_account(&http).build()));
    let mut other = get();
    other.table = "arn:aws:dynamodb:eu-west-1:222222222222:table/tab".into();
    let mut paths = Vec::new();
    for request in [&other, &get(), &get(), &other, &get()] {
        paths.push(path(&wire, request).await);
    }
    let hosts = http.hosts.lock().unwrap().clone();
    let accounts: Vec<_> = hosts
        .iter()
        .map(|(host, _)| host.get(..3).unwrap_or_default())
        .collect();
    assert_eq!(accounts, ["222", "111", "111", "222", "111"], "{hosts:?}");
    assert_eq!(
        paths,
        [
            WirePath::Sdk(SdkFallback::TableArn),
            WirePath::Sdk(SdkFallback::Learning),
            WirePath::Direct,
            WirePath::Sdk(SdkFallback::TableArn),
            WirePath::Direct
        ]
    );
}

/// A client's connections go with it, and so does everything that its first request had.
#[tokio::test]
async fn a_client_that_is_dropped_is_gone() {
    #[derive(Debug)]
    struct Kept(SharedHttpClient, #[allow(dead_code)] Arc<()>);
    impl HttpClient for Kept {
        fn http_connector(
            &self,
            settings: &HttpConnectorSettings,
            components: &RuntimeComponents,
        ) -> SharedHttpConnector {
            self.0.http_connector(settings, components)
        }
    }
    let kept = Arc::new(());
    let there = Arc::downgrade(&kept);
    let (wire, _) = start(|config| {
        let inner = config.clone().build().http_client().unwrap();
        config.http_client(Kept(inner, kept))
    })
    .await;
    let token = Arc::default();
    let transaction = Request {
        resend: Resend::ByToken,
        ..all().remove(8)
    };
    wire.attempt(&transaction, Some(&token)).await.unwrap();
    assert_eq!(path(&wire, &put()).await, WirePath::Direct);
    assert_eq!(path(&wire, &create()).await, WirePath::Replayed);
    assert_eq!(Arc::strong_count(&token), 1);
    drop(wire);
    assert!(there.upgrade().is_none());
}

/// The SDK requests a connector for each attempt, because a client may hand out more than one.
#[tokio::test]
async fn each_attempt_has_a_connector_of_its_own() {
    let faults = Faults::default();
    let http = Watched::around(faults.around(engine_of_tab().await.http_client()));
    let (wire, _) = start(|config| config.http_client(http.clone())).await;
    assert_eq!(
        path(&wire, &get()).await,
        WirePath::Sdk(SdkFallback::Learning)
    );
    for wire in [wire.clone(), wire.through_sdk()] {
        http.asked.store(0, SeqCst);
        for _ in 0..5 {
            call(&wire, &get()).await.1.unwrap();
        }
        assert_eq!(http.asked.load(SeqCst), 5);
    }
}

#[tokio::test]
async fn retries_are_those_of_the_sdk() {
    let mut all = Vec::new();
    for through_sdk in [false, true] {
        let faults = Faults::default();
        let http = Watched::around(faults.around(engine_of_tab().await.http_client()));
        let (wire, _) = learned(|config| config.http_client(http.clone())).await;
        let wire = if through_sdk {
            wire.through_sdk()
        } else {
            wire
        };
        http.asked.store(0, SeqCst);
        faults.plan([Fault::throttle(), Fault::Io]);
        call(&wire, &get()).await.1.unwrap();
        let seen = faults.seen();
        let told = |name: &str| -> Vec<_> {
            let seen = seen.iter();
            seen.map(|seen| seen.header(name).map(str::to_owned))
                .collect()
        };
        let told = ["user-agent", "x-amz-user-agent", "amz-sdk-request"].map(told);
        assert!(told[0][2].as_ref().unwrap().contains("watched"), "{told:?}");
        all.push((told, http.asked.load(SeqCst)));
    }
    assert_eq!(all[0].1, 3);
    assert_eq!(all[0], all[1]);
}

/// An interceptor with the name of one of the SDK's.
#[derive(Debug, Clone)]
struct Impostor(&'static str, Arc<AtomicUsize>);

#[aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint]
impl Intercept for Impostor {
    fn name(&self) -> &'static str {
        self.0
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.1.fetch_add(1, SeqCst);
        Ok(())
    }
}

/// A name proves nothing: a second interceptor of a known name is a user's own.
#[tokio::test]
async fn names_are_not_taken_on_trust() {
    for name in [
        "MetricsInterceptor",
        "UserAgentInterceptor",
        "IdempotencyTokenInterceptor",
        "PutItemEndpointParamsInterceptor",
        "MyEndpointParamsInterceptor",
        "DynamoEntity",
    ] {
        let impostor = Impostor(name, Arc::default());
        is_unusual(|config| config.interceptor(impostor.clone()), name).await;
        assert_eq!(impostor.1.load(SeqCst), 3, "{name}");
    }
}

/// A user's classifier may judge any answer, and is called for each.
#[tokio::test]
async fn classifiers_of_users_hear_of_each_attempt() {
    #[derive(Debug, Clone)]
    struct Asked(&'static str, Arc<AtomicUsize>);
    impl ClassifyRetry for Asked {
        fn classify_retry(&self, _: &InterceptorContext) -> RetryAction {
            self.1.fetch_add(1, SeqCst);
            RetryAction::NoActionIndicated
        }

        fn name(&self) -> &'static str {
            self.0
        }
    }
    for name in ["Asked", "AWS Error Code"] {
        let asked = Asked(name, Arc::default());
        is_unusual(
            |config| config.retry_classifier(asked.clone()),
            "retry classifier",
        )
        .await;
        assert!(asked.1.load(SeqCst) >= 3);
    }
}

/// A user's cache may look at what it is asked, which only the SDK can tell it.
#[tokio::test]
async fn caches_of_users_are_asked_by_the_sdk() {
    #[derive(Debug)]
    struct Asked;
    impl ResolveCachedIdentity for Asked {
        fn resolve_cached_identity<'a>(
            &'a self,
            resolver: SharedIdentityResolver,
            components: &'a RuntimeComponents,
            settings: &'a ConfigBag,
        ) -> IdentityFuture<'a> {
            IdentityFuture::new(async move {
                use aws_smithy_runtime_api::client::identity::ResolveIdentity;
                let region = settings.load::<Region>();
                region.ok_or("no region")?;
                resolver.resolve_identity(components, settings).await
            })
        }
    }
    is_unusual(
        |config| config.identity_cache(Asked),
        "cache of credentials",
    )
    .await;
}

/// Signs as the SDK does, and counts that.
#[derive(Debug, Clone)]
struct Auditing(Arc<aws_runtime::auth::sigv4::SigV4Signer>, Arc<AtomicUsize>);

impl AuthScheme for Auditing {
    fn scheme_id(&self) -> AuthSchemeId {
        aws_runtime::auth::sigv4::SCHEME_ID
    }

    fn identity_resolver(
        &self,
        resolvers: &dyn GetIdentityResolver,
    ) -> Option<SharedIdentityResolver> {
        resolvers.identity_resolver(self.scheme_id())
    }

    fn signer(&self) -> &dyn Sign {
        self
    }
}

impl Sign for Auditing {
    fn sign_http_request(
        &self,
        request: &mut HttpRequest,
        identity: &Identity,
        endpoint: AuthSchemeEndpointConfig<'_>,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) -> Result<(), BoxError> {
        self.1.fetch_add(1, SeqCst);
        self.0
            .sign_http_request(request, identity, endpoint, components, settings)
    }
}

#[tokio::test]
async fn signers_of_users_sign_each_request() {
    let auditing = Auditing(Arc::default(), Arc::default());
    is_unusual(|config| config.push_auth_scheme(auditing.clone()), "signer").await;
    assert_eq!(auditing.1.load(SeqCst), 3);
}

/// With many first requests, the first lesson counts, and credentials that change after it spoil it once.
#[tokio::test]
async fn lessons_side_by_side_are_one() {
    let mut changing: Vec<_> = (0..20)
        .map(|number| keys(&format!("K{number}"), None, None))
        .collect();
    changing.push(keys("A", None, None));
    let (wire, faults) = start(|config| {
        config
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(Provider::new(changing))
    })
    .await;
    let slow = Fault::Delay(Duration::from_millis(30));
    faults.plan(std::iter::repeat_n(slow, 20));
    let learning = WirePath::Sdk(SdkFallback::Learning);
    let first = join_all((0..20).map(|_| async { path(&wire, &get()).await })).await;
    assert_eq!(first, vec![learning.clone(); 20]);
    // This one finds that the lesson was signed with other credentials, and the next one is a lesson again.
    assert_eq!(path(&wire, &get()).await, learning);
    assert_eq!(path(&wire, &get()).await, learning);
    assert_eq!(path(&wire, &get()).await, WirePath::Direct);
}

/// A lesson that fails to be confirmed now and then in a long life is no reason to give up.
#[tokio::test]
async fn a_lesson_that_was_learned_makes_up_for_those_that_were_not() {
    let of = |key: u32, account: u32| {
        let credentials = Credentials::builder()
            .access_key_id(format!("K{key}"))
            .secret_access_key("secret")
            .account_id(account.to_string())
            .provider_name("test");
        Some(credentials.build())
    };
    // Each round has a request that finds another account, the lesson, one that spoils it, the next lesson, and two more.
    let rounds = 0..8;
    let changing = rounds.clone().flat_map(|round| {
        let [one, other] = [of(round, round), of(100 + round, round)];
        [
            one.clone(),
            one,
            other.clone(),
            other.clone(),
            other.clone(),
            other,
        ]
    });
    let provider = Provider::new(changing.skip(1));
    let (wire, _) = start(|config| {
        config
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(provider.clone())
    })
    .await;
    for round in rounds {
        let mut paths = Vec::new();
        for _ in 0..if round == 0 { 5 } else { 6 } {
            paths.push(path(&wire, &get()).await);
        }
        let learning = WirePath::Sdk(SdkFallback::Learning);
        let mut expected = vec![learning; 3];
        expected.extend([WirePath::Direct, WirePath::Direct]);
        if round > 0 {
            expected.insert(0, WirePath::Sdk(SdkFallback::Account));
        }
        assert_eq!(paths, expected, "{round}");
    }
    // Nobody was asked in vain.
    assert_eq!(provider.asked.load(SeqCst), 47);
}
