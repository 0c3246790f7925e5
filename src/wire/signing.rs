//! Signature version 4 with the signing key kept, byte for byte what the SDK's own signer makes.
//!
//! The SDK derives the key from the secret for every request, which costs more than the signature
//! itself. The key changes once a day, so it is kept. Only the plain request is signed here: a POST to
//! `/` with a body in memory, at its first attempt. Everything else goes to the SDK's signer.
//!
//! ```text
//! plain   is this the request we know? its canonical form
//! date    the time as signatures write it
//! key     the keys that were derived, by date, region, service and credentials
//! skew    is our clock wrong? the SDK corrects it in private, so its signer has to sign
//! ```

mod date;
mod key;
mod plain;
mod skew;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4Signer};
use aws_runtime::auth::{
    PayloadSigningOverride, SigV4OperationSigningConfig, SigV4SessionTokenNameOverride,
    SigningOptions,
};
use aws_sdk_dynamodb::config::{self, ConfigBag, Credentials, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::auth::{
    AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign,
};
use aws_smithy_runtime_api::client::identity::{Identity, SharedIdentityResolver};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::RequestAttempts;
use aws_smithy_runtime_api::client::runtime_components::GetIdentityResolver;
use aws_types::SigningName;
use aws_types::region::SigningRegion;
use http::HeaderValue;

pub(super) use date::Date;
use key::SigningKeys;
use plain::Plain;
pub(super) use skew::Skew;

/// Puts our signer in the place of the SDK's. Credentials are found and cached as before.
pub(crate) fn install(config: config::Builder) -> config::Builder {
    let skew = Arc::new(Skew::default());
    config
        .interceptor(skew::SkewWatch(skew.clone()))
        .push_auth_scheme(Scheme::new(skew))
}

/// Takes the place of the SDK's scheme of the same id.
#[derive(Debug)]
struct Scheme(Signer);

impl Scheme {
    fn new(skew: Arc<Skew>) -> Self {
        Scheme(Signer {
            stock: SigV4Signer::new(),
            plain: PlainSigner::default(),
            skew,
        })
    }
}

impl AuthScheme for Scheme {
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
struct Signer {
    stock: SigV4Signer,
    plain: PlainSigner,
    skew: Arc<Skew>,
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
        if !self.skew.is_known() {
            let signed = scope(&endpoint, cfg)
                .zip(Date::new(now))
                .and_then(|(scope, date)| self.plain.sign(request, identity, scope, &date));
            if let Some(headers) = signed {
                return headers.apply(request);
            }
        }
        self.stock
            .sign_http_request(request, identity, endpoint, components, cfg)?;
        if let Some(signed) = request.headers().get(DATE) {
            self.skew.learn_from_signature(signed, now);
        }
        Ok(())
    }
}

/// Signs plain requests, and keeps the keys for it.
#[derive(Debug, Default)]
pub(super) struct PlainSigner(SigningKeys);

impl PlainSigner {
    /// The headers to add, or none if this is not a plain request.
    pub(super) fn sign(
        &self,
        request: &HttpRequest,
        identity: &Identity,
        scope: Scope<'_>,
        date: &Date,
    ) -> Option<Signed> {
        let credentials = identity.data::<Credentials>()?;
        let id = credentials.access_key_id();
        if id.is_empty() || credentials.secret_access_key().is_empty() {
            return None;
        }
        let token = credentials.session_token();
        let plain = Plain::read(request, token, date)?;
        let Scope { region, name } = scope;
        let key = self.0.get(date, region, name, credentials)?;

        let (day, time) = (date.day(), date.text());
        let digest = plain.digest();
        let signature = key.sign(&[
            "AWS4-HMAC-SHA256\n",
            time,
            "\n",
            day,
            "/",
            region,
            "/",
            name,
            "/aws4_request\n",
            key::Hex::new(&digest).as_str(),
        ]);
        let authorization = [
            "AWS4-HMAC-SHA256 Credential=",
            id,
            "/",
            day,
            "/",
            region,
            "/",
            name,
            "/aws4_request, SignedHeaders=",
            plain.names(),
            ", Signature=",
            key::Hex::new(&signature).as_str(),
        ]
        .concat();
        let token = match token {
            Some(token) => {
                let mut token = HeaderValue::from_str(token).ok()?;
                token.set_sensitive(true);
                Some(token)
            }
            None => None,
        };
        Some(Signed {
            date: HeaderValue::from_str(time).ok()?,
            authorization: HeaderValue::try_from(authorization).ok()?,
            token,
        })
    }
}

pub(super) const DATE: &str = "x-amz-date";
const TOKEN: &str = "x-amz-security-token";

pub(super) struct Signed {
    date: HeaderValue,
    authorization: HeaderValue,
    token: Option<HeaderValue>,
}

impl Signed {
    pub(super) fn apply(self, request: &mut HttpRequest) -> Result<(), BoxError> {
        let headers = request.headers_mut();
        headers.try_insert(DATE, self.date)?;
        headers.try_insert("authorization", self.authorization)?;
        if let Some(token) = self.token {
            headers.try_insert(TOKEN, token)?;
        }
        Ok(())
    }
}

/// What a key is good for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) region: &'a str,
    pub(super) name: &'a str,
}

/// None if anything about the call asks for another signature than the plain one.
fn scope<'a>(endpoint: &AuthSchemeEndpointConfig<'_>, cfg: &'a ConfigBag) -> Option<Scope<'a>> {
    // Later attempts may have a correction of the clock that only the SDK can read.
    let first = cfg.load::<RequestAttempts>()?.attempts() == 1;
    // Presigning, payloads unsigned or signed elsewhere.
    let options = cfg.load::<SigV4OperationSigningConfig>()?;
    let usual = options.signing_options == SigningOptions::default()
        && options.region.is_none()
        && options.name.is_none()
        && options.region_set.is_none()
        && cfg.load::<PayloadSigningOverride>().is_none()
        && cfg.load::<SigV4SessionTokenNameOverride>().is_none();
    if !first || !usual || overrides(endpoint) {
        return None;
    }
    Some(Scope {
        region: cfg.load::<SigningRegion>()?.as_ref(),
        name: cfg.load::<SigningName>()?.as_ref(),
    })
}

/// The endpoint has an opinion on how to sign.
fn overrides(endpoint: &AuthSchemeEndpointConfig<'_>) -> bool {
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
