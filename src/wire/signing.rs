//! Signature version 4 with the signing key kept, byte for byte what the SDK's own signer makes.
//!
//! The SDK derives the key from the secret for every request, which costs more than the signature itself. The key
//! changes once a day, so it is cached. Only the plain request is signed here: a POST to `/` with a body in memory,
//! at its first attempt. Everything else goes to the SDK's signer.
//!
//! ```text
//! plain   is this the request we know? its canonical form
//! date    the time as signatures write it
//! key     the keys that were derived, by date, region, service and credentials
//! skew    is our clock wrong? the SDK corrects it in private, so its signer has to sign
//! scheme  our signer in the place of the SDK's, in clients that the library builds
//! ```

mod date;
mod key;
mod plain;
#[cfg(feature = "aws")]
mod scheme;
#[cfg(feature = "aws")]
mod skew;

use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use http::HeaderValue;

pub(super) use date::Date;
use key::SigningKeys;
pub(super) use plain::DATE;
use plain::{Plain, TOKEN};
#[cfg(feature = "aws")]
pub(crate) use scheme::install;

/// Signs plain requests, and keeps the keys for it.
#[derive(Debug, Default)]
pub(super) struct PlainSigner(SigningKeys);

impl PlainSigner {
    /// The headers to add; None if this is not a plain request.
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

/// The scope that a key is derived for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) region: &'a str,
    pub(super) name: &'a str,
}
