//! Our signer beside the SDK's, inside a client: both sign the same request.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_runtime::auth::HttpSignatureType;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Builder, Credentials, IdentityCache, ProvideCredentials, Region,
};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::DateTime;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::date_time::Format;

use super::*;
use crate::wire::Wire;
use crate::wire::tests::{create, put};

/// 2024-02-29T12:30:05Z
const NOW: u64 = 1_709_209_805;

#[derive(Debug, Clone)]
struct Time(Arc<AtomicU64>);

impl Time {
    fn at(seconds: u64) -> Self {
        Time(Arc::new(AtomicU64::new(seconds)))
    }
}

impl TimeSource for Time {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.0.load(SeqCst))
    }
}

type Headers = Vec<(String, String)>;

/// Answers as planned, then with success. Keeps the headers of the requests.
#[derive(Debug, Clone, Default)]
struct Service {
    plan: Arc<Mutex<VecDeque<HttpResponse>>>,
    seen: Arc<Mutex<Vec<Headers>>>,
}

impl Service {
    fn header(&self, name: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let value = |headers: &Headers| {
            let found = headers.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        seen.iter().map(value).collect()
    }

    fn plan(&self, answers: impl IntoIterator<Item = HttpResponse>) {
        self.seen.lock().unwrap().clear();
        self.plan.lock().unwrap().extend(answers);
    }
}

impl HttpConnector for Service {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let headers = request.headers().iter();
        let headers = headers.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        self.seen.lock().unwrap().push(headers);
        let planned = self.plan.lock().unwrap().pop_front();
        let success = || answer(200, "{}", None);
        HttpConnectorFuture::ready(Ok(planned.unwrap_or_else(success)))
    }
}

impl HttpClient for Service {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

fn answer(status: u16, body: &'static str, date: Option<u64>) -> HttpResponse {
    let mut answer = HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
    if let Some(date) = date {
        let date = DateTime::from_secs(date as i64)
            .fmt(Format::HttpDate)
            .unwrap();
        answer.headers_mut().insert("date", date);
    }
    answer
}

fn skewed(date: u64) -> HttpResponse {
    let body = r#"{"__type":"com.amazon.coral.service#InvalidSignatureException"}"#;
    answer(400, body, Some(date))
}

type Change = Arc<dyn Fn(&mut HttpRequest) + Send + Sync>;

/// Signs each request with our signer and with the SDK's, and compares.
#[derive(Clone)]
struct Both {
    scheme: Arc<DirectFirstScheme>,
    change: Arc<Mutex<Change>>,
    ours: Arc<AtomicUsize>,
    stock: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Both {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Both")
    }
}

impl AuthScheme for Both {
    fn scheme_id(&self) -> AuthSchemeId {
        self.scheme.scheme_id()
    }

    fn identity_resolver(&self, all: &dyn GetIdentityResolver) -> Option<SharedIdentityResolver> {
        self.scheme.identity_resolver(all)
    }

    fn signer(&self) -> &dyn Sign {
        self
    }
}

impl Sign for Both {
    fn sign_http_request(
        &self,
        request: &mut HttpRequest,
        identity: &Identity,
        endpoint: AuthSchemeEndpointConfig<'_>,
        components: &RuntimeComponents,
        cfg: &ConfigBag,
    ) -> Result<(), BoxError> {
        let change = self.change.lock().unwrap().clone();
        change(request);
        let signer = &self.scheme.0;
        let date = Date::new(components.time_source().unwrap().now());
        let ours = signing_scope(&endpoint, cfg)
            .zip(date)
            .and_then(|(scope, date)| {
                let plain = |token: Option<&str>| Plain::read_request(request, token, &date);
                signer.plain.sign_plain(plain, identity, scope, &date)
            });
        let count = if ours.is_some() {
            &self.ours
        } else {
            &self.stock
        };
        count.fetch_add(1, SeqCst);

        // A body that cannot be cloned is streamed, so both signers get a streamed one.
        let copy = |request: &HttpRequest| {
            request.try_clone().unwrap_or_else(|| {
                let mut copy = HttpRequest::new(streamed());
                copy.set_method(request.method()).unwrap();
                copy.set_uri(request.uri()).unwrap();
                for (name, value) in request.headers().iter() {
                    copy.headers_mut().append(name.to_owned(), value.to_owned());
                }
                copy
            })
        };
        let (mut first, mut second) = (copy(request), copy(request));
        signer.sign_http_request(&mut first, identity, endpoint.clone(), components, cfg)?;
        let stock = SigV4Signer::new();
        stock.sign_http_request(&mut second, identity, endpoint.clone(), components, cfg)?;
        let (first, second) = (all(first), all(second));
        if first != second {
            return Err(format!("signed differently:\n{first:#?}\n{second:#?}").into());
        }
        stock.sign_http_request(request, identity, endpoint, components, cfg)
    }
}

fn streamed() -> SdkBody {
    SdkBody::from("streamed").map(SdkBody::from_body_1_x)
}

/// Everything that signing may change: the URI, the headers, and which of them must not be logged.
fn all(request: HttpRequest) -> (String, Vec<(String, Vec<u8>, bool)>) {
    let request = request.try_into_http1x().unwrap();
    let headers = request.headers().iter();
    let headers = headers.map(|(k, v)| (k.to_string(), v.as_bytes().to_vec(), v.is_sensitive()));
    (request.uri().to_string(), headers.collect())
}

struct Setup {
    client: Client,
    both: Both,
    service: Service,
    time: Time,
}

fn keys(id: &str, secret: &str, token: Option<&str>) -> Credentials {
    Credentials::new(id, secret, token.map(str::to_owned), None, "test")
}

fn base(region: &str, credentials: impl ProvideCredentials + 'static, time: &Time) -> Builder {
    config::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region.to_owned()))
        .credentials_provider(credentials)
        .identity_cache(IdentityCache::no_cache())
        .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)))
        .time_source(time.clone())
}

fn setup_with(
    region: &str,
    credentials: impl ProvideCredentials + 'static,
    change: impl FnOnce(Builder) -> Builder,
) -> Setup {
    let (service, time) = (Service::default(), Time::at(NOW));
    let both = Both {
        scheme: Arc::new(DirectFirstScheme::new(Arc::default())),
        change: Arc::new(Mutex::new(Arc::new(|_: &mut HttpRequest| {}))),
        ours: Arc::default(),
        stock: Arc::default(),
    };
    let config = base(region, credentials, &time)
        .http_client(service.clone())
        .push_auth_scheme(both.clone());
    Setup {
        client: Client::from_conf(change(config).build()),
        both,
        service,
        time,
    }
}

fn setup() -> Setup {
    setup_with("eu-west-1", keys("AKID", "secret", Some("token")), |c| c)
}

impl Setup {
    async fn get(&self) {
        let key = AttributeValue::S("a".into());
        let call = self.client.get_item().table_name("tab").key("pk", key);
        call.send().await.unwrap();
    }

    /// How many requests we signed and how many the SDK, since the last call.
    fn counts(&self) -> (usize, usize) {
        let Both { ours, stock, .. } = &self.both;
        (ours.swap(0, SeqCst), stock.swap(0, SeqCst))
    }

    fn change(&self, change: impl Fn(&mut HttpRequest) + Send + Sync + 'static) {
        *self.both.change.lock().unwrap() = Arc::new(change);
    }
}

/// Splitmix, so that every run has the same requests.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn text(&mut self, letters: &str, longest: u64) -> String {
        let letters: Vec<char> = letters.chars().collect();
        let length = self.below(longest + 1);
        (0..length)
            .map(|_| letters[self.below(letters.len() as u64) as usize])
            .collect()
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

const NAMES: &str = "abcXYZ019_-.";
const VALUES: &str = "ab Z0/+=,;:'\"()[]{}<>@!?~%&$#*-_.\\|^`";
const TEXTS: &str = "aZ09 \"\\\n\t\u{0}äß漢🦀{}[]:,";

async fn send(client: &Client, random: &mut Random) {
    let longest = random.of(&[0, 3, 40, 400, 20_000]);
    let (table, text) = (random.text(NAMES, 60), random.text(TEXTS, longest));
    let table = format!("t{table}");
    let (name, value) = (random.text(TEXTS, 20), AttributeValue::S(text));
    match random.below(6) {
        0 => drop(
            client
                .get_item()
                .table_name(table)
                .key(name, value)
                .send()
                .await
                .unwrap(),
        ),
        1 => drop(
            client
                .put_item()
                .table_name(table)
                .item(name, value)
                .send()
                .await
                .unwrap(),
        ),
        2 => drop(
            client
                .delete_item()
                .table_name(table)
                .key(name, value)
                .send()
                .await
                .unwrap(),
        ),
        3 => drop(
            client
                .scan()
                .table_name(table)
                .filter_expression(name)
                .send()
                .await
                .unwrap(),
        ),
        4 => drop(client.list_tables().send().await.unwrap()),
        _ => drop(
            client
                .describe_table()
                .table_name(table)
                .send()
                .await
                .unwrap(),
        ),
    }
}

#[tokio::test]
async fn requests_are_signed_as_the_sdk_signs_them() {
    const EACH: usize = 80;
    let mut random = Random(1);
    let mut ours = 0;
    for round in 0..30 {
        let region = random.of(&[
            "eu-west-1",
            "us-east-1",
            "cn-north-1",
            "us-gov-west-1",
            "a-b-9",
        ]);
        let url = random.of(&[
            None,
            Some("http://localhost:8000"),
            Some("http://localhost:80/"),
            Some("http://localhost:443"),
            Some("http://[::1]:8000"),
            Some("https://[::1]:443/"),
            Some("http://user@localhost:8000"),
            Some("http://user:word@localhost:80"),
            Some("http://localhost:8000/some/path"),
            Some("https://localhost/some.path/v1_2/"),
            Some("https://Dynamo.Example:443"),
            Some("https://127.0.0.1:80/"),
            Some("https://under_score.example"),
        ]);
        let longest = random.of(&[1, 30, 900]);
        let token = random.text(VALUES, longest);
        let token = (round % 3 > 0).then_some(token.as_str());
        let id = format!("A{}", random.text("KZ09", 20));
        let secret = format!("s{}", random.text(VALUES, 120));
        let setup = setup_with(region, keys(&id, &secret, token), |mut config| {
            config.set_endpoint_url(url.map(Into::into));
            config
        });
        for _ in 0..EACH {
            // Times from 1970 to 9999, mostly the present.
            let time = [NOW, random.below(253_402_300_800), 1_735_689_599][round % 3];
            setup.time.0.store(time, SeqCst);
            let (name, value) = (random.text("abcxyz019-", 12), random.text(VALUES, 60));
            let longest = random.of(&[1, 30, 100, 300, 1_000, 3_000, 10_000, 100_000]);
            let body = random.of(&[None, None, Some(0), Some(longest)]);
            let body = body.map(|length| random.text(TEXTS, length));
            setup.change(move |request| {
                request
                    .headers_mut()
                    .insert(format!("x-amz-{name}z"), value.trim().replace("  ", " "));
                if let Some(body) = &body {
                    *request.body_mut() = SdkBody::from(body.clone());
                }
            });
            send(&setup.client, &mut random).await;
        }
        ours += setup.counts().0;
    }
    assert!(ours >= 2_000, "{ours} of {}", 30 * EACH);
}

#[tokio::test]
async fn the_usual_request_is_ours() {
    let setup = setup();
    setup.get().await;
    assert_eq!(setup.counts(), (1, 0));
    let authorization = setup.service.header("authorization").remove(0);
    assert!(authorization.starts_with(
        "AWS4-HMAC-SHA256 Credential=AKID/20240229/eu-west-1/dynamodb/aws4_request, SignedHeaders="
    ));
}

#[tokio::test]
async fn unusual_requests_are_the_sdk_s() {
    fn header(name: &'static str, value: &'static str) -> Change {
        Arc::new(move |request| {
            request.headers_mut().append(name, value);
        })
    }
    fn uri(uri: &'static str) -> Change {
        Arc::new(move |request| request.set_uri(uri).unwrap())
    }
    let changes: Vec<(&str, Change)> = vec![
        ("GET", Arc::new(|r| r.set_method("GET").unwrap())),
        ("query", uri("https://host.example/?a=b")),
        ("empty query", uri("https://host.example/?")),
        ("path", uri("https://host.example/a/../b")),
        ("slashes", uri("https://host.example//")),
        ("two slashes", uri("https://host.example//a")),
        ("a path to encode", uri("https://host.example/a%20b")),
        ("no port", uri("http://host.example:/")),
        ("two spaces", header("x-amz-a", "a  b")),
        ("leading space", header("x-amz-a", " a")),
        ("trailing space", header("x-amz-a", "a ")),
        ("one space", header("x-amz-a", " ")),
        ("tab", header("x-amz-a", "a\tb")),
        ("twice", header("content-type", "text/plain")),
        ("host", header("host", "another.example")),
        ("encoded", header("content-encoding", "gzip")),
        ("date", header("x-amz-date", "20200101T000000Z")),
        ("hash", header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")),
        ("authorization", header("authorization", "mine")),
        ("streamed", Arc::new(|r| *r.body_mut() = streamed())),
    ];
    let setup = setup();
    for (what, change) in changes {
        *setup.both.change.lock().unwrap() = change;
        let call = setup.client.list_tables().send().await;
        assert!(call.is_ok(), "{what}: {call:?}");
        assert_eq!(setup.counts(), (0, 1), "{what}");
    }
    for plain in ["user-agent", "x-amzn-trace-id", "transfer-encoding"] {
        setup.change(move |request| {
            request.headers_mut().insert(plain, "never  signed ");
        });
        setup.client.list_tables().send().await.unwrap();
        assert_eq!(setup.counts(), (1, 0), "{plain}");
    }
}

type Put = fn(&mut ConfigBag);

#[derive(Debug)]
struct Settings(Put);

impl Intercept for Settings {
    fn name(&self) -> &'static str {
        "Settings"
    }

    fn modify_before_signing(
        &self,
        _: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        (self.0)(cfg);
        Ok(())
    }
}

fn options(cfg: &mut ConfigBag, change: impl FnOnce(&mut SigV4OperationSigningConfig)) {
    let mut options = cfg.load::<SigV4OperationSigningConfig>().unwrap().clone();
    change(&mut options);
    cfg.interceptor_state().store_put(options);
}

#[tokio::test]
async fn unusual_settings_are_the_sdk_s() {
    let cases: [(&str, Put); 10] = [
        ("unsigned", |cfg| {
            let state = cfg.interceptor_state();
            state.store_put(PayloadSigningOverride::unsigned_payload());
        }),
        ("precomputed", |cfg| {
            let state = cfg.interceptor_state();
            state.store_put(PayloadSigningOverride::Precomputed("0".repeat(64)));
        }),
        ("token's name", |cfg| {
            let name = SigV4SessionTokenNameOverride::new(|_, _| Ok(Some("x-amz-other-token")));
            cfg.interceptor_state().store_put(name);
        }),
        ("presigned", |cfg| {
            options(cfg, |options| {
                let options = &mut options.signing_options;
                options.signature_type = HttpSignatureType::HttpRequestQueryParams;
                options.expires_in = Some(Duration::from_secs(60));
            });
        }),
        ("hash as header", |cfg| {
            options(cfg, |o| o.signing_options.content_sha256_header = true);
        }),
        ("single encoding", |cfg| {
            options(cfg, |o| o.signing_options.double_uri_encode = false);
        }),
        ("no token", |cfg| {
            options(cfg, |o| o.signing_options.omit_session_token = true);
        }),
        ("region", |cfg| {
            options(cfg, |o| o.region = Some(Region::new("other").into()));
        }),
        ("name", |cfg| {
            options(cfg, |o| o.name = Some(SigningName::from_static("other")));
        }),
        ("attempt", |cfg| {
            cfg.interceptor_state().store_put(RequestAttempts::new(2));
        }),
    ];
    for (what, put) in cases {
        let credentials = keys("AKID", "secret", Some("token"));
        let setup = setup_with("eu-west-1", credentials, |c| c.interceptor(Settings(put)));
        let call = setup.client.list_tables().send().await;
        assert!(call.is_ok(), "{what}: {call:?}");
        assert_eq!(setup.counts(), (0, 1), "{what}");
    }
}

#[tokio::test]
async fn the_endpoint_may_say_how_to_sign() {
    // The rules of the endpoint sign the region `local` as another one.
    let setup = setup_with("local", keys("AKID", "secret", None), |c| c);
    setup.get().await;
    assert_eq!(setup.counts(), (0, 1));
    assert!(setup.service.header("authorization")[0].contains("/us-east-1/"));
}

#[tokio::test]
async fn credentials_without_a_key_are_the_sdk_s() {
    for (id, secret) in [("", "secret"), ("AKID", ""), ("", "")] {
        let setup = setup_with("eu-west-1", keys(id, secret, None), |c| c);
        setup.get().await;
        assert_eq!(setup.counts(), (0, 1));
    }
}

/// Gives new credentials with each call; the first ones change only their secret or their token.
#[derive(Debug, Clone, Default)]
struct Rotating(Arc<AtomicUsize>);

impl Rotating {
    fn at(call: usize) -> Credentials {
        let id = format!("AKID{}", call / 4);
        let secret = format!("secret{}", call / 2 % 5);
        keys(&id, &secret, Some(&format!("token{}", call % 3)))
    }
}

impl ProvideCredentials for Rotating {
    fn provide_credentials<'a>(
        &'a self,
    ) -> aws_credential_types::provider::future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let call = self.0.fetch_add(1, SeqCst);
        aws_credential_types::provider::future::ProvideCredentials::ready(Ok(Self::at(call)))
    }
}

#[tokio::test]
async fn new_credentials_are_used_at_once() {
    let setup = setup_with("eu-west-1", Rotating::default(), |c| c);
    for call in 0..100 {
        setup.get().await;
        let used = setup.service.header("authorization").remove(call);
        assert!(used.contains(Rotating::at(call).access_key_id()), "{used}");
    }
    assert_eq!(setup.counts(), (100, 0));
    assert_eq!(setup.both.scheme.0.plain.0.len(), 4);
}

#[tokio::test]
async fn a_new_day_has_a_new_key() {
    let setup = setup();
    // 2024-02-29T23:59:58Z and the times after it.
    for second in [0, 1, 2, 3, 86_400, 1, 2] {
        setup.time.0.store(1_709_251_198 + second, SeqCst);
        setup.get().await;
    }
    assert_eq!(setup.counts(), (7, 0));
    let days: Vec<String> = setup
        .service
        .header("authorization")
        .iter()
        .map(|value| value.split('/').nth(1).unwrap()[6..].to_owned())
        .collect();
    assert_eq!(days, ["29", "29", "01", "01", "01", "29", "01"]);
    assert_eq!(setup.both.scheme.0.plain.0.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_sign_at_once() {
    let setup = Arc::new(setup_with("eu-west-1", Rotating::default(), |c| c));
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let setup = setup.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    let call = setup.client.list_tables().customize();
                    let region = Region::new(format!("region-{}", task % 3));
                    let region = Builder::new().region(region);
                    call.config_override(region).send().await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(setup.counts(), (400, 0));
    assert!(setup.both.scheme.0.plain.0.len() <= 4);
}

/// A client as the library builds it, with a service whose clock differs.
fn installed(attempts: u32) -> (Client, Service, Time) {
    let (service, time) = (Service::default(), Time::at(NOW));
    let retries = RetryConfig::standard()
        .with_initial_backoff(Duration::from_millis(1))
        .with_max_attempts(attempts);
    let config = base("eu-west-1", keys("AKID", "secret", None), &time)
        .http_client(service.clone())
        .retry_config(retries);
    let client = Client::from_conf(install_scheme(config).build());
    (client, service, time)
}

const HERE: &str = "20240229T123005Z";
const THERE: &str = "20240229T125005Z";

#[tokio::test]
async fn a_wrong_clock_is_corrected_as_by_the_sdk() {
    let (client, service, _) = installed(3);
    let there = NOW + 20 * 60;
    service.plan([skewed(there), answer(200, "{}", Some(there))]);
    client.list_tables().send().await.unwrap();
    assert_eq!(service.header(DATE), [HERE, THERE]);
    // The difference is known now, so the first attempt is right.
    service.plan([answer(200, "{}", Some(there))]);
    client.list_tables().send().await.unwrap();
    assert_eq!(service.header(DATE), [THERE]);
    // The clock is put right: one more answer tells the SDK, and its signer tells us.
    service.plan([answer(200, "{}", Some(NOW)), answer(200, "{}", Some(NOW))]);
    for _ in 0..3 {
        client.list_tables().send().await.unwrap();
    }
    assert_eq!(service.header(DATE), [THERE, HERE, HERE]);
}

/// Our serializer and a guarded write do not keep the clock from being corrected.
#[tokio::test]
async fn a_wrong_clock_is_corrected_for_our_own_bytes() {
    let (client, service, _) = installed(3);
    let wire = Wire::ours(client);
    let there = NOW + 20 * 60;
    service.plan([skewed(there), answer(200, "{}", Some(there))]);
    wire.call(&create()).await.unwrap();
    assert_eq!(service.header(DATE), [HERE, THERE]);
    wire.call(&put()).await.unwrap();
    assert_eq!(service.header(DATE), [HERE, THERE, THERE]);
}

#[tokio::test]
async fn without_retries_the_next_call_is_corrected() {
    let (client, service, _) = installed(1);
    service.plan([skewed(NOW - 20 * 60)]);
    assert!(client.list_tables().send().await.is_err());
    client.list_tables().send().await.unwrap();
    assert_eq!(service.header(DATE), [HERE, "20240229T121005Z"]);
}

#[test]
fn the_skew_is_known_until_a_date_denies_it() {
    let now = UNIX_EPOCH + Duration::from_secs(NOW);
    let skew = ClockSkew::default();
    for (date, known) in [(THERE, true), ("20240229T123104Z", false), (THERE, true)] {
        skew.learn_from_signature(date, now);
        assert_eq!(skew.is_known(), known, "{date}");
    }
    skew.learn_from_signature(HERE, now);
    assert!(!skew.is_known());
}

#[tokio::test]
async fn nothing_secret_is_printed() {
    let credentials = keys("AKIDEXAMPLE", "a-secret-key", Some("a-session-token"));
    let setup = setup_with("eu-west-1", credentials, |c| c);
    setup.get().await;
    let printed = format!("{:?}", setup.both.scheme);
    for secret in ["AKIDEXAMPLE", "a-secret-key", "a-session-token"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn it_takes_the_place_of_the_sdk_s_scheme() {
    let (client, ..) = installed(1);
    let config = client.config();
    let schemes: BTreeSet<String> = config.auth_schemes().map(|s| format!("{s:?}")).collect();
    assert!(
        schemes
            .iter()
            .any(|s| s.contains("DirectFirstScheme(Signer"))
    );
}
