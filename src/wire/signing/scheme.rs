//! Our signer instead of the SDK's, for requests that go through the whole SDK.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4Signer};
use aws_runtime::auth::{
    PayloadSigningOverride, SigV4OperationSigningConfig, SigV4SessionTokenNameOverride,
    SigningOptions,
};
use aws_sdk_dynamodb::config::{self, ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::auth::{
    AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign,
};
use aws_smithy_runtime_api::client::identity::{Identity, SharedIdentityResolver};
use aws_smithy_runtime_api::client::interceptors::context::BeforeDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::RequestAttempts;
use aws_smithy_runtime_api::client::runtime_components::GetIdentityResolver;
use aws_types::SigningName;
use aws_types::region::SigningRegion;

use super::date::Date;
use super::plain::{DATE, Plain};
use super::signer::{PlainSigner, Scope};
use super::skew::{ClockSkew, TOLERATED};

/// Replaces the SDK's signer by ours. Credentials are found and cached as before.
pub(crate) fn install_scheme(config: config::Builder) -> config::Builder {
    let skew = Arc::new(ClockSkew::default());
    config
        .interceptor(SkewWatch(skew.clone()))
        .push_auth_scheme(DirectFirstScheme::new(skew))
}

/// Replaces the SDK's scheme with the same ID.
#[derive(Debug)]
pub(super) struct DirectFirstScheme(pub(super) Signer);

impl DirectFirstScheme {
    pub(super) fn new(skew: Arc<ClockSkew>) -> Self {
        DirectFirstScheme(Signer {
            stock: SigV4Signer::new(),
            plain: PlainSigner::default(),
            skew,
        })
    }
}

impl AuthScheme for DirectFirstScheme {
    fn scheme_id(&self) -> AuthSchemeId {
        SCHEME_ID
    }

    fn identity_resolver(
        &self,
        resolvers: &dyn GetIdentityResolver,
    ) -> Option<SharedIdentityResolver> {
        resolvers.identity_resolver(SCHEME_ID)
    }

    fn signer(&self) -> &dyn Sign {
        &self.0
    }
}

#[derive(Debug)]
pub(super) struct Signer {
    stock: SigV4Signer,
    pub(super) plain: PlainSigner,
    skew: Arc<ClockSkew>,
}

impl Sign for Signer {
    fn sign_http_request(
        &self,
        request: &mut HttpRequest,
        identity: &Identity,
        endpoint: AuthSchemeEndpointConfig<'_>,
        components: &RuntimeComponents,
        cfg: &ConfigBag,
    ) -> Result<(), BoxError> {
        let now = components.time_source().unwrap_or_default().now();
        // The SDK's correction is private. While it is not zero, only the SDK's signer writes the
        // right date.
        if !self.skew.is_known() {
            let signed =
                signing_scope(&endpoint, cfg)
                    .zip(Date::new(now))
                    .and_then(|(scope, date)| {
                        let plain =
                            |token: Option<&str>| Plain::read_request(request, token, &date);
                        self.plain.sign_plain(plain, identity, scope, &date)
                    });
            if let Some(headers) = signed {
                return Ok(headers.apply_to(request)?);
            }
        }
        self.stock
            .sign_http_request(request, identity, endpoint, components, cfg)?;
        // The difference between this date and our clock is the correction that the SDK has
        // applied.
        if let Some(signed) = request.headers().get(DATE) {
            self.skew.learn_from_signature(signed, now);
        }
        Ok(())
    }
}

/// None if anything in the call requires a signature other than the plain one.
pub(super) fn signing_scope<'a>(
    endpoint: &AuthSchemeEndpointConfig<'_>,
    cfg: &'a ConfigBag,
) -> Option<Scope<'a>> {
    // Later attempts may have a clock correction that only the SDK can read.
    let first = cfg.load::<RequestAttempts>()?.attempts() == 1;
    // Presigned requests, and payloads that are unsigned or signed elsewhere, are unusual.
    let options = cfg.load::<SigV4OperationSigningConfig>()?;
    let usual = options.signing_options == SigningOptions::default()
        && options.region.is_none()
        && options.name.is_none()
        && options.region_set.is_none()
        && cfg.load::<PayloadSigningOverride>().is_none()
        && cfg.load::<SigV4SessionTokenNameOverride>().is_none();
    if !first || !usual || has_overrides(endpoint) {
        return None;
    }
    Some(Scope {
        region: cfg.load::<SigningRegion>()?.as_ref(),
        name: cfg.load::<SigningName>()?.as_ref(),
    })
}

/// Whether the endpoint determines the signature.
fn has_overrides(endpoint: &AuthSchemeEndpointConfig<'_>) -> bool {
    endpoint.as_document().is_some()
        || [
            "signingName",
            "signingRegion",
            "signingRegionSet",
            "disableDoubleEncoding",
            "disableNormalizePath",
        ]
        .iter()
        .any(|field| endpoint.get(field).is_some())
}

/// The report of the SDK's signer about the clocks.
impl ClockSkew {
    /// `date` is the date that the SDK's signer wrote at `now`.
    pub(super) fn learn_from_signature(&self, date: &str, now: SystemTime) {
        let early = now.checked_sub(TOLERATED).and_then(Date::new);
        let late = now.checked_add(TOLERATED).and_then(Date::new);
        if let Some((early, late)) = early.zip(late) {
            // The format has a fixed width, so texts sort like their times.
            let known = date < early.date_time() || date > late.date_time();
            self.0.store(known, Ordering::Relaxed);
        }
    }
}

/// Inspects every response. Otherwise a clock that drifts would show only in a rejection, and a client without retries
/// would fail.
#[derive(Debug)]
struct SkewWatch(Arc<ClockSkew>);

#[dyn_dispatch_hint]
impl Intercept for SkewWatch {
    fn name(&self) -> &'static str {
        "DynamoEntity: is the clock wrong"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response();
        if let Some(date) = response.headers().get("date")
            && let Some(time) = components.time_source()
        {
            self.0.follow_answer(date, time.now());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
