//! Checks the signature of a request, with the rules and the error types of the service.
//!
//! Only the header form is accepted. A body is read only after [`SignedHead::read_head`] has accepted the headers, so
//! the body of a client that does not even know the ID of the key is never kept.

use std::fmt;
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

use super::date::Date;
use super::key::{Hex, SigningKey};
use super::plain::{DATE, TOKEN};

const ALGORITHM: &str = "AWS4-HMAC-SHA256 ";
const BODY_HASH: &str = "x-amz-content-sha256";
/// The difference between the clocks that the service tolerates.
const TOLERANCE: Duration = Duration::from_secs(15 * 60);
const SHORTEST_SECRET: usize = 16;

/// The key that requests must be signed with.
pub(in crate::wire) struct AcceptedKey {
    id: String,
    secret: String,
}

impl AcceptedKey {
    /// None if the ID or the secret contains characters that environment variables or headers change, or if the secret
    /// is short enough to be guessed.
    pub(in crate::wire) fn new(id: String, secret: String) -> Option<Self> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_valid = !id.is_empty()
            && id.len() <= 128
            && id.bytes().all(is_id)
            && secret.len() >= SHORTEST_SECRET
            && secret.bytes().all(|byte| byte.is_ascii_graphic());
        is_valid.then_some(AcceptedKey { id, secret })
    }

    pub(in crate::wire) fn id(&self) -> &str {
        &self.id
    }

    pub(in crate::wire) fn secret(&self) -> &str {
        &self.secret
    }
}

/// Does not show the secret.
impl fmt::Debug for AcceptedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AcceptedKey").field(&self.id).finish()
    }
}

/// The reason why a request is not accepted: an error type of the service, and a message.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::wire) struct SignatureFault {
    pub(in crate::wire) code: &'static str,
    pub(in crate::wire) message: String,
}

impl SignatureFault {
    fn missing() -> Self {
        SignatureFault {
            code: "MissingAuthenticationTokenException",
            message: "Request is missing Authentication Token".to_owned(),
        }
    }

    pub(in crate::wire) fn incomplete(message: impl Into<String>) -> Self {
        SignatureFault {
            code: "IncompleteSignatureException",
            message: message.into(),
        }
    }

    fn unknown_key(message: &str) -> Self {
        SignatureFault {
            code: "UnrecognizedClientException",
            message: message.to_owned(),
        }
    }

    fn invalid(message: impl Into<String>) -> Self {
        SignatureFault {
            code: "InvalidSignatureException",
            message: message.into(),
        }
    }

    fn mismatch() -> Self {
        SignatureFault::invalid(
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret \
             Access Key and signing method. Consult the service documentation for details.",
        )
    }
}

/// The headers of a request that names the accepted key. Its signature is checked when the hash of the body is known.
pub(in crate::wire) struct SignedHead {
    /// The canonical request without the hash of the body, which is its last line.
    canonical: Vec<u8>,
    date: Date,
    region: String,
    signature: [u8; 32],
    body_hash: Option<HeaderValue>,
}

impl SignedHead {
    /// Reads the headers of a POST to `/` without a query.
    pub(in crate::wire) fn read_head(
        headers: &HeaderMap,
        key: &AcceptedKey,
        now: SystemTime,
    ) -> Result<Self, SignatureFault> {
        let authorization = Authorization::read_header(headers)?;
        let [id, day, region, service, end] = authorization.scope()?;
        if id != key.id {
            return Err(SignatureFault::unknown_key(
                "The security token included in the request is invalid.",
            ));
        }
        if headers.get(TOKEN).is_some_and(|token| !token.is_empty()) {
            return Err(SignatureFault::unknown_key(
                "The security token included in the request is invalid: this server has no session tokens, so unset \
                 AWS_SESSION_TOKEN and AWS_SECURITY_TOKEN",
            ));
        }
        if service != "dynamodb" || end != "aws4_request" {
            return Err(SignatureFault::invalid(
                "Credential should be scoped to correct service: 'dynamodb', and end with 'aws4_request'.",
            ));
        }
        let date = read_date(headers, now)?;
        if day != date.day_text() {
            return Err(SignatureFault::invalid(
                "Date in Credential scope does not match the day of X-Amz-Date.",
            ));
        }
        let names = authorization.signed_names(headers)?;
        Ok(SignedHead {
            canonical: canonical_head(headers, &names)?,
            date,
            region: region.to_owned(),
            signature: read_hex(authorization.signature).ok_or_else(SignatureFault::mismatch)?,
            body_hash: single_value(headers, BODY_HASH)?.cloned(),
        })
    }

    /// Checks the signature. The hash is that of the body as it arrived.
    pub(in crate::wire) fn check_body(
        mut self,
        hash: &[u8; 32],
        key: &AcceptedKey,
    ) -> Result<(), SignatureFault> {
        let hash = Hex::new(hash);
        match &self.body_hash {
            Some(given)
                if given == "UNSIGNED-PAYLOAD" || given.as_bytes().starts_with(b"STREAM") =>
            {
                return Err(SignatureFault::invalid(
                    "The body must be signed: unsigned payloads and payloads signed in chunks are not accepted.",
                ));
            }
            Some(given) if given != hash.as_str() => {
                return Err(SignatureFault::invalid(
                    "The provided 'x-amz-content-sha256' header does not match what was computed.",
                ));
            }
            _ => {}
        }
        self.canonical.extend_from_slice(hash.as_str().as_bytes());
        let (day, time) = (self.date.day_text(), self.date.date_time());
        let signing_key = SigningKey::derive(day, &self.region, "dynamodb", &key.secret)
            .ok_or_else(SignatureFault::mismatch)?;
        let canonical_hash = Hex::new(&Sha256::digest(&self.canonical).into());
        let parts = [
            "AWS4-HMAC-SHA256\n",
            time,
            "\n",
            day,
            "/",
            &self.region,
            "/dynamodb/aws4_request\n",
            canonical_hash.as_str(),
        ];
        match signing_key.verify_signature(&parts, &self.signature) {
            true => Ok(()),
            false => Err(SignatureFault::mismatch()),
        }
    }
}

/// The parts of the header `Authorization`.
struct Authorization<'h> {
    credential: &'h str,
    signed_headers: &'h str,
    signature: &'h str,
}

impl<'h> Authorization<'h> {
    fn read_header(headers: &'h HeaderMap) -> Result<Self, SignatureFault> {
        let name = AUTHORIZATION.as_str();
        let given = single_value(headers, name)?.ok_or_else(SignatureFault::missing)?;
        let text = given.to_str().ok();
        let fields = text.and_then(|text| text.strip_prefix(ALGORITHM));
        let fields = fields.ok_or_else(|| {
            SignatureFault::incomplete(
                "The Authorization header must begin with 'AWS4-HMAC-SHA256'.",
            )
        })?;
        let mut found = [None; 3];
        const NAMES: [&str; 3] = ["Credential", "SignedHeaders", "Signature"];
        for field in fields.split(',') {
            let pair = field.trim_matches(' ').split_once('=');
            let place = pair.and_then(|(name, value)| {
                let at = NAMES.iter().position(|known| *known == name)?;
                Some((found.get_mut(at)?, value))
            });
            match place {
                Some((place @ None, value)) => *place = Some(value),
                _ => {
                    return Err(SignatureFault::incomplete(
                        "The Authorization header must have 'Credential', 'SignedHeaders' and 'Signature', each once.",
                    ));
                }
            }
        }
        let field = |at: usize| {
            found[at].ok_or_else(|| {
                let message = format!("Authorization header requires '{}' parameter.", NAMES[at]);
                SignatureFault::incomplete(message)
            })
        };
        Ok(Authorization {
            credential: field(0)?,
            signed_headers: field(1)?,
            signature: field(2)?,
        })
    }

    /// The ID of the key, the day, the region, the service and the end of the scope.
    fn scope(&self) -> Result<[&'h str; 5], SignatureFault> {
        let parts: Vec<&str> = self.credential.split('/').collect();
        parts.try_into().map_err(|_| {
            SignatureFault::incomplete("'Credential' must have 5 slash-delimited elements.")
        })
    }

    /// The names of the signed headers, if everything is signed that determines the effect of the request.
    fn signed_names(&self, headers: &HeaderMap) -> Result<Vec<&'h str>, SignatureFault> {
        let names: Vec<&str> = self.signed_headers.split(';').collect();
        if !names.is_sorted_by(|one, next| one < next) {
            return Err(SignatureFault::invalid(
                "'SignedHeaders' must be sorted, without repetitions.",
            ));
        }
        // Another spelling would be the same header again, and make the canonical request many times as long.
        if names
            .iter()
            .any(|name| HeaderName::from_lowercase(name.as_bytes()).is_err())
        {
            return Err(SignatureFault::invalid(
                "'SignedHeaders' must be names of headers in lower case.",
            ));
        }
        let is_signed = |name: &str| names.binary_search(&name).is_ok();
        if !is_signed("host") {
            return Err(SignatureFault::invalid(
                "'Host' must be a 'SignedHeader' in the AWS Authorization.",
            ));
        }
        let determines = |name: &&HeaderName| name.as_str().starts_with("x-amz-");
        match headers
            .keys()
            .filter(determines)
            .find(|name| !is_signed(name.as_str()))
        {
            None => Ok(names),
            Some(name) => Err(SignatureFault::invalid(format!(
                "The header '{name}' is not among the 'SignedHeaders'."
            ))),
        }
    }
}

/// The only value of a header, because a signature does not say which of several is meant.
fn single_value<'h>(
    headers: &'h HeaderMap,
    name: &str,
) -> Result<Option<&'h HeaderValue>, SignatureFault> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    match values.next() {
        None => Ok(value),
        Some(_) => {
            let message = format!("The header '{name}' occurs more than once.");
            Err(SignatureFault::incomplete(message))
        }
    }
}

fn read_date(headers: &HeaderMap, now: SystemTime) -> Result<Date, SignatureFault> {
    let given = single_value(headers, DATE)?;
    let date = given.and_then(|given| Date::parse_text(given.to_str().ok()?));
    let date = date.ok_or_else(|| {
        SignatureFault::incomplete(
            "Authorization header requires existence of a valid 'X-Amz-Date' header.",
        )
    })?;
    // The format has a fixed width, so texts sort like their times.
    let earliest = now.checked_sub(TOLERANCE).and_then(Date::new);
    let latest = now.checked_add(TOLERANCE).and_then(Date::new);
    let text = date.date_time();
    if let Some(earliest) = earliest.filter(|earliest| date < *earliest) {
        return Err(SignatureFault::invalid(format!(
            "Signature expired: {text} is now earlier than {} (15 min. ago)",
            earliest.date_time()
        )));
    }
    if let Some(latest) = latest.filter(|latest| date > *latest) {
        return Err(SignatureFault::invalid(format!(
            "Signature not yet current: {text} is still later than {} (in 15 min.)",
            latest.date_time()
        )));
    }
    Ok(date)
}

/// The canonical request up to the hash of the body.
fn canonical_head(headers: &HeaderMap, names: &[&str]) -> Result<Vec<u8>, SignatureFault> {
    let mut text = b"POST\n/\n\n".to_vec();
    for name in names {
        let mut values = headers.get_all(*name).iter().peekable();
        if values.peek().is_none() {
            return Err(SignatureFault::mismatch());
        }
        text.extend_from_slice(name.as_bytes());
        for (at, value) in values.enumerate() {
            text.push(if at == 0 { b':' } else { b',' });
            push_trimmed(&mut text, value.as_bytes());
        }
        text.push(b'\n');
    }
    text.push(b'\n');
    text.extend_from_slice(names.join(";").as_bytes());
    text.push(b'\n');
    Ok(text)
}

/// Adds a value without spaces at its ends, and with single spaces inside.
fn push_trimmed(text: &mut Vec<u8>, value: &[u8]) {
    let words = value
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    for (at, word) in words.enumerate() {
        if at > 0 {
            text.push(b' ');
        }
        text.extend_from_slice(word);
    }
}

/// Reads 64 lower-case hexadecimal digits.
fn read_hex(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let text: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
