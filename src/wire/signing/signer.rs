//! The signer of plain requests, with the keys that it keeps.

use aws_sdk_dynamodb::config::Credentials;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::http::HttpError;
use http::HeaderName;
use http::header::AUTHORIZATION;

use super::date::Date;
use super::key::{Hex, SigningKeys};
use super::plain::{DATE, Plain, TOKEN};

/// Signs plain requests, and keeps the keys for it.
#[derive(Debug, Default)]
pub(in crate::wire) struct PlainSigner(pub(super) SigningKeys);

impl PlainSigner {
    /// The headers to add, given the canonical form with a token; None if this is not a plain request.
    pub(in crate::wire) fn sign_plain(
        &self,
        plain: impl FnOnce(Option<&str>) -> Option<Plain>,
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
        let plain = plain(token)?;
        let Scope { region, name } = scope;
        // The key depends on the day of the date that is signed, not on today: a corrected clock
        // may already be in another day.
        let key = self.0.signing_key(date, region, name, credentials)?;

        let (day, time) = (date.day_text(), date.date_time());
        let digest = plain.canonical_hash();
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
            plain.header_names(),
            ", Signature=",
            Hex::new(&signature).as_str(),
        ]
        .concat();
        Some(Signed {
            date: time.to_owned(),
            authorization,
            token: token.map(str::to_owned),
        })
    }
}

pub(in crate::wire) struct Signed {
    date: String,
    authorization: String,
    token: Option<String>,
}

static DATE_NAME: HeaderName = HeaderName::from_static(DATE);
static TOKEN_NAME: HeaderName = HeaderName::from_static(TOKEN);

impl Signed {
    /// Adds empty headers, which the signature fills later.
    pub(in crate::wire) fn reserve_headers(request: &mut HttpRequest) -> Result<(), HttpError> {
        let headers = request.headers_mut();
        for name in [&DATE_NAME, &AUTHORIZATION, &TOKEN_NAME] {
            headers.try_insert(name.clone(), "")?;
        }
        Ok(())
    }

    pub(in crate::wire) fn apply_to(self, request: &mut HttpRequest) -> Result<(), HttpError> {
        let headers = request.headers_mut();
        headers.try_insert(DATE_NAME.clone(), self.date)?;
        headers.try_insert(AUTHORIZATION, self.authorization)?;
        match self.token {
            Some(token) => drop(headers.try_insert(TOKEN_NAME.clone(), token)?),
            // The head has reserved an empty token. An empty header would be sent, and it is not
            // signed.
            None => drop(headers.remove(TOKEN)),
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
