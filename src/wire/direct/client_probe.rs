//! Facts about a client from the SDK's first request, and whether all of it is understood.
//!
//! Nothing is assumed about a client: its interceptors, retries, endpoint and headers are inspected. In the end, the
//! request is written again and compared with the request of the SDK, byte for byte, including the signature.

use std::fmt::{self, Debug, Write};
use std::iter;
use std::sync::{Arc, OnceLock, RwLock};

use aws_credential_types::attributes::AccountId;
use aws_runtime::auth::sigv4::SCHEME_ID;
use aws_runtime::invocation_id::SharedInvocationIdGenerator;
use aws_runtime::service_clock_skew::DisableClockSkewCorrection;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_smithy_runtime::client::retries::TokenBucket;
use aws_smithy_runtime_api::client::auth::AuthScheme;
use aws_smithy_runtime_api::client::http::HttpConnectorSettings;
use aws_smithy_runtime_api::client::identity::{Identity, IdentityCacheLocation, ResolveIdentity};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::RequestAttempts;
use aws_smithy_runtime_api::client::retries::classifiers::ClassifyRetry;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_types::config_bag::Layer;
use aws_smithy_types::retry::{RetryConfig, RetryMode};
use aws_smithy_types::timeout::TimeoutConfig;
use bytes::Bytes;
use http::HeaderValue;

use super::clock::{ClockFollowers, FOLLOWERS, ServiceClock};
use super::credentials::Signing;
use super::head::{ATTEMPT, INVOCATION_ID, RequestHeads, USER_AGENTS};
use super::route::Route;
use super::upload;
use crate::wire::ambiguity::GUARD;
use crate::wire::request::ServiceOperation;
use crate::wire::signing::{DATE, Date};

/// Interceptors whose effect on a first attempt is known and reproduced.
const KNOWN: [&str; 17] = [
    "AccountIdEndpointFeatureTrackerInterceptor",
    "ConnectionPoisoningInterceptor",
    "DynamoEntity",
    "DynamoEntity: is the clock wrong",
    "EndpointOverrideFeatureTrackerInterceptor",
    "EnforceContentLength",
    "InvocationIdInterceptor",
    "MetricsInterceptor",
    "ObservabilityFeatureTrackerInterceptor",
    "RecursionDetectionInterceptor",
    "RequestInfoInterceptor",
    "RetryModeFeatureTrackerInterceptor",
    "ServiceClockSkewInterceptor",
    "StalledStreamProtectionInterceptor",
    "TelemetryBytesInterceptor",
    "TokenBucketProvider",
    "UserAgentInterceptor",
];
/// The endings of interceptors' names. Each operation has its own ones, because they read its input.
const KNOWN_ENDINGS: [&str; 2] = [
    "TelemetryInputCaptureInterceptor",
    "EndpointParamsInterceptor",
];
/// The interceptor of transactions. It adds a token if none exists, and all of our transactions have one.
const TOKENS: &str = "IdempotencyTokenInterceptor";

/// The classifiers that may request another attempt. None of them has anything to say about a success.
const CLASSIFIERS: [&str; 6] = [
    "AWS Error Code",
    "Errors Modeled As Retryable",
    "HTTP Status Code",
    "Retryable Smithy Errors",
    "ServiceClockSkew",
    GUARD,
];

/// How the SDK's own components begin when they are printed, because their types are private.
const USUAL_RETRIES: [&str; 1] = ["SharedRetryStrategy(StandardRetryStrategy {"];
const USUAL_ENDPOINTS: [&str; 1] = ["SharedEndpointResolver(DowncastParams(DefaultResolver {"];
const USUAL_SIGNATURES: [&str; 2] = [
    "SharedAuthSchemeOptionResolver(DowncastParams(DefaultAuthSchemeResolver {",
    // A client that may do without credentials has this resolver.
    "SharedAuthSchemeOptionResolver(NoAuthSchemeOptionResolver { inner: \
     SharedAuthSchemeOptionResolver(DowncastParams(DefaultAuthSchemeResolver {",
];
const USUAL_SIGNERS: [&str; 2] = [
    "SharedAuthScheme(SigV4AuthScheme {",
    // A client that this library has built has our scheme.
    "SharedAuthScheme(DirectFirstScheme(",
];
const USUAL_CACHES: [&str; 2] = [
    "SharedIdentityCache(LazyCache {",
    "SharedIdentityCache(NoCache)",
];

/// A request of the SDK, and the route that it shows.
pub(crate) struct ClientProbe {
    operation: ServiceOperation,
    body: Bytes,
    sent: HttpRequest,
    pub(super) route: Arc<Route>,
}

impl Debug for ClientProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientProbe").finish_non_exhaustive()
    }
}

impl ClientProbe {
    /// None for a later attempt, because it differs from a first one. The error names what is not understood.
    pub(super) fn probe_client(
        operation: ServiceOperation,
        body: &Bytes,
        request: &HttpRequest,
        components: &RuntimeComponents,
        settings: &ConfigBag,
        clock: Arc<ServiceClock>,
    ) -> Option<Result<ClientProbe, String>> {
        let attempts = settings.load::<RequestAttempts>()?;
        (attempts.attempts() == 1).then(|| {
            let route = probe_route(operation, request, components, settings, clock)?;
            Ok(ClientProbe {
                operation,
                body: body.clone(),
                sent: request.try_clone().ok_or("its body is not in memory")?,
                route: Arc::new(route),
            })
        })
    }

    /// Compares the request that the route would write with the one that the SDK has written. The credentials are those
    /// of a later request, because the SDK shows those of its own to no one.
    pub(super) fn confirm_probe(&self, identity: Option<&Identity>) -> Result<(), String> {
        let date = self.sent.headers().get(DATE).and_then(Date::parse_text);
        let ours = self
            .route
            .write_request(self.operation, &self.body, identity, date);
        let ours = ours.map_err(|detour| format!("a request cannot be written: {detour}"))?;
        if let Some(difference) = header_difference(&ours.request, &self.sent) {
            return Err(difference);
        }
        if let Some(signing) = &self.route.signing {
            let account = identity.and_then(|identity| identity.property::<AccountId>());
            // Requests that begin together have the same credentials, or those of the other one did not match and were
            // not stored.
            let _ = signing.account.set(account.cloned());
        }
        Ok(())
    }
}

fn probe_route(
    operation: ServiceOperation,
    request: &HttpRequest,
    components: &RuntimeComponents,
    settings: &ConfigBag,
    clock: Arc<ServiceClock>,
) -> Result<Route, String> {
    know_interceptors(operation, components)?;
    know_classifiers(components)?;
    require_usual(
        &components.retry_strategy(),
        &USUAL_RETRIES,
        "retry strategy",
    )?;
    require_usual(
        &components.endpoint_resolver(),
        &USUAL_ENDPOINTS,
        "endpoint resolver",
    )?;
    require_usual(
        &components.auth_scheme_option_resolver(),
        &USUAL_SIGNATURES,
        "choice of signatures",
    )?;
    // A generator of the user may have an order or a meaning that ids of ours would break.
    if settings.load::<SharedInvocationIdGenerator>().is_some() {
        return Err("its generator of invocation ids".into());
    }
    let retries = settings.load::<RetryConfig>();
    // The adaptive mode delays first attempts too, by a rate limiter that is private to the SDK.
    if retries.map(RetryConfig::mode) != Some(RetryMode::Standard) {
        return Err("its retry mode".into());
    }
    let timeouts = settings.load::<TimeoutConfig>().ok_or("no timeouts")?;
    let stalled = settings.load::<StalledStreamProtectionConfig>();
    let guards_uploads = stalled.is_some_and(StalledStreamProtectionConfig::upload_enabled);
    let mut connecting = HttpConnectorSettings::builder();
    connecting.set_connect_timeout(timeouts.connect_timeout());
    connecting.set_read_timeout(timeouts.read_timeout());
    Ok(Route {
        http: components.http_client().ok_or("no HTTP client")?,
        connecting: connecting.build(),
        components: lasting_components(components)?,
        time: components.time_source().ok_or("no clock")?,
        sleep: components.sleep_impl(),
        // The URI is taken from the request and not computed, because endpoint rules, account ids
        // and overrides have already been applied to it.
        uri: request.uri().to_owned(),
        user_agents: [
            header_value(request, USER_AGENTS[0])?,
            header_value(request, USER_AGENTS[1])?,
        ],
        // The header also names the greatest number of attempts, which is the client's setting.
        attempt: header_value(request, ATTEMPT)?,
        signing: probe_signing(request, components, settings)?.map(Arc::new),
        heads: RequestHeads::default(),
        clock,
        followers: clock_followers(components, settings),
        quota: settings
            .load::<TokenBucket>()
            .ok_or("no quota of retries")?
            .clone(),
        timeouts: timeouts.clone(),
        stalled: stalled.filter(|guard| guard.download_enabled()).cloned(),
        guards_uploads,
        upload_begins_within: stalled
            .filter(|_| guards_uploads)
            // If the timeout for connecting is shorter, it ends the wait first, and a watch would
            // be wasted.
            .map(|guard| upload::WINDOW + guard.grace_period())
            .filter(|limit| {
                timeouts
                    .connect_timeout()
                    .is_none_or(|other| other > *limit)
            }),
        in_lambda: std::env::var_os("AWS_LAMBDA_FUNCTION_NAME").is_some(),
    })
}

/// Rejects unknown interceptors, and a second one of the same name: it is someone else's.
fn know_interceptors(
    operation: ServiceOperation,
    components: &RuntimeComponents,
) -> Result<(), String> {
    let mut seen = Vec::with_capacity(KNOWN.len() + 3);
    for interceptor in components.interceptors() {
        let name = interceptor.name();
        let is_of_operation = || {
            let rest = name.strip_prefix(operation.operation_name());
            rest.is_some_and(|rest| KNOWN_ENDINGS.contains(&rest))
                || (name == TOKENS && operation == ServiceOperation::TransactWriteItems)
        };
        let is_known = KNOWN.contains(&name) || is_of_operation();
        // Names are no identity: a user's interceptor may have the name of a known one, and then
        // there are two of that name.
        if !is_known || seen.contains(&name) {
            return Err(format!("its interceptor {name}"));
        }
        seen.push(name);
    }
    Ok(())
}

/// Rejects unknown classifiers, because a user's own classifier also judges responses, and may request another attempt
/// of any request.
fn know_classifiers(components: &RuntimeComponents) -> Result<(), String> {
    let mut seen = Vec::with_capacity(CLASSIFIERS.len());
    for classifier in components.retry_classifiers() {
        let name = classifier.name();
        if !CLASSIFIERS.contains(&name) || seen.contains(&name) {
            return Err(format!("its retry classifier {name}"));
        }
        seen.push(name);
    }
    Ok(())
}

/// The components that all requests share. The hooks of this request are omitted: they own its body and the facts about
/// the client, so neither would ever be dropped.
fn lasting_components(components: &RuntimeComponents) -> Result<RuntimeComponents, String> {
    let mut lasting = components.to_builder();
    lasting
        .set_interceptors(iter::empty())
        .set_retry_classifiers(iter::empty());
    lasting.build().map_err(|error| error.to_string())
}

/// The interceptors that correct the clock, unless the client forbids that.
fn clock_followers(components: &RuntimeComponents, settings: &ConfigBag) -> ClockFollowers {
    let correction = settings.load::<DisableClockSkewCorrection>();
    if correction.is_some_and(DisableClockSkewCorrection::is_disabled) {
        return ClockFollowers::default();
    }
    let all = components.interceptors();
    ClockFollowers(all.filter(|it| FOLLOWERS.contains(&it.name())).collect())
}

/// Region and name of the service as the SDK has signed them: the endpoint may have others than the client.
fn signing_scope(authorization: &str) -> Option<(&str, &str)> {
    let credential = authorization.strip_prefix("AWS4-HMAC-SHA256 Credential=")?;
    let (credential, _) = credential.split_once(", SignedHeaders=")?;
    // The credential is read from its end, because only there is the number of parts known: local
    // servers accept any text as the access key.
    let mut parts = credential.rsplit('/');
    let end = parts.next()?;
    let (name, region) = (parts.next()?, parts.next()?);
    (end == "aws4_request").then_some((region, name))
}

/// None for a client that signs nothing.
fn probe_signing(
    request: &HttpRequest,
    components: &RuntimeComponents,
    settings: &ConfigBag,
) -> Result<Option<Signing>, String> {
    let Some(authorization) = request.headers().get("authorization") else {
        return Ok(None);
    };
    let (region, name) = signing_scope(authorization).ok_or("its signature")?;
    let scheme = components
        .auth_scheme(SCHEME_ID)
        .ok_or("another signature")?;
    require_usual(&scheme, &USUAL_SIGNERS, "signer")?;
    let cache = components.identity_cache();
    require_usual(&cache, &USUAL_CACHES, "cache of credentials")?;
    let resolver = scheme
        .identity_resolver(components)
        .ok_or("no credentials")?;
    // A resolver with a cache of its own is called by other rules than the client's cache, and
    // those rules are not known here.
    if resolver.cache_location() != IdentityCacheLocation::RuntimeComponents {
        return Err("credentials with a cache of their own".into());
    }
    // The settings of this request belong to it and cannot be kept. Loading credentials needs only
    // these two of them.
    let mut layer = Layer::new("DynamoEntity");
    if let Some(retries) = settings.load::<RetryConfig>() {
        layer.store_put(retries.clone());
    }
    if let Some(timeouts) = settings.load::<TimeoutConfig>() {
        layer.store_put(timeouts.clone());
    }
    Ok(Some(Signing {
        region: region.into(),
        name: name.into(),
        signer: Default::default(),
        resolver,
        components: lasting_components(components)?,
        settings: ConfigBag::of_layers(vec![layer]),
        last: RwLock::new(None),
        account: OnceLock::new(),
    }))
}

fn header_value(request: &HttpRequest, name: &str) -> Result<HeaderValue, String> {
    let value = request.headers().get(name);
    let value = value.and_then(|value| HeaderValue::from_str(value).ok());
    value.ok_or_else(|| format!("no header {name}"))
}

/// The first difference that matters between the request that was written here and the SDK's.
fn header_difference(ours: &HttpRequest, sent: &HttpRequest) -> Option<String> {
    // The URI was copied from this request, so only the rest can differ.
    if ours.method() != sent.method() {
        return Some("the method".into());
    }
    if ours.body().bytes() != sent.body().bytes() {
        return Some("the body".into());
    }
    let names = ours.headers().iter().chain(sent.headers().iter());
    names.map(|(name, _)| name).find_map(|name| {
        let all = |request: &HttpRequest| -> Vec<String> {
            let values = request.headers().get_all(name);
            // Each request has an ID of its own, so only the form of the IDs can be compared.
            let form = |value: &str| match name {
                INVOCATION_ID => value.replace(|sign: char| sign.is_ascii_hexdigit(), "0"),
                _ => value.to_owned(),
            };
            values.map(form).collect()
        };
        (all(ours) != all(sent)).then(|| format!("the header {name}"))
    })
}

fn require_usual(component: &impl Debug, usual: &[&str], what: &str) -> Result<(), String> {
    let mut start = Start::default();
    // `Start` ends a long text with an error, which only means that the rest is not needed.
    let _ = write!(start, "{component:?}");
    match usual.iter().any(|usual| start.0.starts_with(usual)) {
        true => Ok(()),
        false => Err(format!("its {what}")),
    }
}

/// The first letters of what is written. The rest is cut off, because some components print everything they know.
#[derive(Default)]
struct Start(String);

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(text);
        match self.0.len() < 200 {
            true => Ok(()),
            false => Err(fmt::Error),
        }
    }
}
