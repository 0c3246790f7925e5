//! Settings of clients, compared with what the SDK makes of them, and requests that are given up or race each other.

use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Waker};

use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, IdentityCache, ProvideCredentials, Region, retry::ReconnectMode,
};
use futures_util::future::join_all;

use super::clients::{Provider, Time, keys};
use super::lessons::{Watched, of_an_account};
use super::*;
use crate::connect::testing::Fault;
use crate::error::ErrorKind;

/// The hosts that requests go to, by the direct path and through the SDK.
async fn hosts(change: impl Fn(config::Builder) -> config::Builder) -> [Vec<(String, String)>; 2] {
    let mut all = Vec::new();
    for through_sdk in [false, true] {
        let http = Watched::around(engine_of_tab().await.http_client());
        let wire = Wire::new(Client::from_conf(change(of_an_account(&http)).build()));
        let wire = if through_sdk {
            wire.through_sdk()
        } else {
            wire
        };
        for _ in 0..6 {
            call(&wire, &put()).await.1.unwrap();
        }
        assert!(through_sdk || path(&wire, &put()).await == WirePath::Direct);
        let mut hosts = http.hosts.lock().unwrap().clone();
        hosts.truncate(6);
        all.push(hosts);
    }
    [all.remove(0), all.remove(0)]
}

#[tokio::test]
async fn endpoints_of_all_kinds() {
    let changes: [fn(config::Builder) -> config::Builder; 13] = [
        |config| config,
        |config| config.use_fips(true),
        |config| config.use_dual_stack(true),
        |config| {
            config.account_id_endpoint_mode(
                aws_types::endpoint_config::AccountIdEndpointMode::Disabled,
            )
        },
        |config| config.endpoint_url("http://some.test"),
        |config| config.endpoint_url("http://some.test/"),
        |config| config.endpoint_url("http://some.test:8000/some/path"),
        |config| config.endpoint_url("http://[::1]:8000"),
        |config| config.endpoint_url("http://user@some.test:8000"),
        |config| config.endpoint_url("http://user:word@some.test:80"),
        |config| config.endpoint_url("https://some.test:443"),
        |config| config.region(Region::new("local")),
        |config| config.region(Region::new("cn-north-1")),
    ];
    for change in changes {
        let [plain, sdk] = hosts(change).await;
        assert_eq!(plain, sdk);
        assert_eq!(plain.len(), 6);
    }
}

/// Both ways send as many requests and end alike.
#[tokio::test]
async fn retries_as_they_are_set() {
    let once =
        |config: config::Builder| config.retry_config(RetryConfig::standard().with_max_attempts(1));
    let disabled = |config: config::Builder| {
        config
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::disabled())
    };
    let reusing = |config: config::Builder| {
        config.retry_config(
            RetryConfig::standard()
                .with_initial_backoff(Duration::from_millis(1))
                .with_reconnect_mode(ReconnectMode::ReuseAllConnections)
                .with_max_attempts(5),
        )
    };
    for (settings, attempts) in [
        (Box::new(once) as Box<dyn Fn(_) -> _>, 1),
        (Box::new(disabled), 1),
        (Box::new(reusing), 5),
    ] {
        let (wire, faults) = learned(settings).await;
        for fault in [Fault::throttle(), Fault::internal(), Fault::Io] {
            faults.plan(vec![fault; 9]);
            assert_eq!(path(&wire, &get()).await, WirePath::Replayed);
            assert_eq!(faults.calls().len(), attempts);
            // The stock is filled up again for the next round.
            faults.plan([]);
            while path(&wire, &get()).await != WirePath::Direct {}
        }
    }
}

/// No one sends a token that is already too old.
#[tokio::test]
async fn old_tokens_stay_here() {
    let clock = Time::at(1_709_209_805);
    let (wire, faults) = learned(|config| config.time_source(clock.clone())).await;
    let transaction = Request {
        resend: Resend::ByToken,
        ..all().remove(8)
    };
    let token = Arc::default();
    let mut way = WireTrace::default();
    let first = wire.attempt_by(&transaction, Some(&token), &mut way).await;
    first.unwrap();
    assert_eq!(way.path, WirePath::Direct);
    clock.forward(540);
    faults.plan([]);
    let second = wire.attempt_by(&transaction, Some(&token), &mut way).await;
    let error = second.unwrap_err().error;
    assert_eq!(way.path, WirePath::Sdk(SdkFallback::OldToken));
    assert!(error.to_string().contains("eight minutes"), "{error}");
    assert!(faults.calls().is_empty());
}

/// Law W6 where the SDK cannot even begin with what it is given: an answer that was lost stays lost, and nothing is
/// sent again.
#[tokio::test]
async fn credentials_that_end_before_the_sdk_hears_of_the_attempt() {
    for (fault, resend, kind) in [
        (
            Fault::Lose,
            Resend::UnlessAmbiguous,
            ErrorKind::OutcomeUnknown,
        ),
        (Fault::Lose, Resend::RetrySafe, ErrorKind::OutcomeUnknown),
        (Fault::Lose, Resend::ByToken, ErrorKind::OutcomeUnknown),
        (Fault::Lose, Resend::Always, ErrorKind::AccessDenied),
        (
            Fault::Refused,
            Resend::UnlessAmbiguous,
            ErrorKind::AccessDenied,
        ),
    ] {
        let provider = Provider::new([keys("A", None, None)]);
        let (wire, faults) = learned(|config| {
            config
                .identity_cache(IdentityCache::no_cache())
                .credentials_provider(provider.clone())
        })
        .await;
        // There are credentials for the attempt, and none for the SDK.
        provider.plan([keys("A", None, None), None]);
        faults.plan([fault.clone()]);
        let write = Request { resend, ..create() };
        let (path, outcome) = call(&wire, &write).await;
        assert_eq!(path, WirePath::Replayed);
        let error = outcome.unwrap_err().error;
        assert_eq!(error.kind(), kind, "{fault:?} {resend:?}: {error}");
        assert_eq!(faults.calls().len(), 1, "{fault:?} {resend:?}");
    }
}

/// Wherever a request is given up, the next one works.
#[tokio::test]
async fn requests_may_be_dropped_anywhere() {
    for fault in [Fault::Pass, Fault::throttle(), Fault::Io] {
        for polls in 0..12 {
            let (wire, faults) = start(|config| config).await;
            for round in 0..3 {
                faults.plan([fault.clone()]);
                let request = put();
                let mut under_way = pin!(call(&wire, &request));
                let mut context = Context::from_waker(Waker::noop());
                for _ in 0..polls {
                    if under_way.as_mut().poll(&mut context).is_ready() {
                        break;
                    }
                    tokio::time::sleep(Duration::from_micros(200)).await;
                }
                faults.plan([]);
                call(&wire, &put()).await.1.unwrap();
                let way = path(&wire, &put()).await;
                let is_known = matches!(way, WirePath::Direct | WirePath::Sdk(SdkFallback::Quota));
                assert!(is_known, "{fault:?} {polls} {round}: {way:?}");
            }
        }
    }
}

/// Changes to another account each time that it has been called a few times.
#[derive(Debug, Clone, Default)]
struct Moving(Arc<AtomicUsize>);

impl ProvideCredentials for Moving {
    fn provide_credentials<'a>(
        &'a self,
    ) -> aws_credential_types::provider::future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let account = 100 + self.0.fetch_add(1, SeqCst) / 97;
        let credentials = Credentials::builder()
            .access_key_id(account.to_string())
            .secret_access_key("secret")
            .account_id(account.to_string())
            .provider_name("test");
        aws_credential_types::provider::future::ProvideCredentials::ready(Ok(credentials.build()))
    }
}

/// No request is signed by one account and sent to another, however tasks learn and forget meanwhile.
#[test]
fn accounts_that_change_under_many_tasks() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let http = Watched::around(engine_of_tab().await.http_client());
        let config = config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("eu-west-1"))
            .identity_cache(IdentityCache::no_cache())
            .credentials_provider(Moving::default())
            .retry_partition(alone())
            .http_client(http.clone());
        let wire = Wire::new(Client::from_conf(config.build()));
        let tasks = (0..64).map(|_| {
            let wire = wire.clone();
            tokio::spawn(async move {
                let mut plain = 0;
                for _ in 0..20 {
                    let (path, outcome) = call(&wire, &put()).await;
                    outcome.unwrap();
                    plain += usize::from(path == WirePath::Direct);
                }
                plain
            })
        });
        let plain: usize = join_all(tasks).await.into_iter().map(Result::unwrap).sum();
        assert!(plain > 0);
        let seen = http.hosts.lock().unwrap().clone();
        assert_eq!(seen.len(), 64 * 20);
        for (host, key) in seen {
            assert!(host.starts_with(&key), "{host} {key}");
        }
    });
}

/// The direct path works under a bare executor, as long as the connector is not tokio's.
#[test]
fn no_executor_of_its_own() {
    fn block_on<F: Future>(future: F) -> F::Output {
        struct Parked(std::thread::Thread);
        impl std::task::Wake for Parked {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Parked(std::thread::current())));
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return output,
                Poll::Pending => std::thread::park(),
            }
        }
    }
    block_on(async {
        let (wire, faults) = learned(|config| config.sleep_impl(crate::wire::AnySleep)).await;
        assert_eq!(path(&wire, &put()).await, WirePath::Direct);
        faults.plan([Fault::throttle()]);
        let (path, outcome) = call(&wire, &put()).await;
        outcome.unwrap();
        assert_eq!(path, WirePath::Replayed);
    });
}
