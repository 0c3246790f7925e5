//! The signer of plain requests, with the keys that it keeps.

use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use http::HeaderValue;

use super::date::Date;
use super::key::{Hex, SigningKeys};
use super::plain::{DATE, Plain, TOKEN};

/// Signs plain requests, and keeps the keys for it.
#[derive(Debug, Default)]
pub(in crate::wire) struct PlainSigner(pub(super) SigningKeys);

impl PlainSigner {
    /// The headers to add; None if this is not a plain request.
    pub(in crate::wire) fn sign(
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
            Hex::new(&digest).as_str(),
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
            Hex::new(&signature).as_str(),
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

pub(in crate::wire) struct Signed {
    date: HeaderValue,
    authorization: HeaderValue,
    token: Option<HeaderValue>,
}

impl Signed {
    pub(in crate::wire) fn apply(self, request: &mut HttpRequest) -> Result<(), BoxError> {
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
pub(in crate::wire) struct Scope<'a> {
    pub(in crate::wire) region: &'a str,
    pub(in crate::wire) name: &'a str,
}
