//! Signing keys, and the values that they are derived from.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use aws_sdk_dynamodb::config::Credentials;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::date::Date;

/// More than one key is needed only if regions differ by call, credentials change, or a day ends.
const KEPT: usize = 4;

/// The keys that were derived last, the latest at the end.
#[derive(Default)]
pub(super) struct SigningKeys(RwLock<Vec<CachedKey>>);

/// Prints nothing, because it holds secrets.
impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKeys").finish_non_exhaustive()
    }
}

struct CachedKey {
    day: Box<str>,
    region: Box<str>,
    name: Box<str>,
    /// The credentials are shared with the SDK, which erases them when they are no longer used.
    credentials: Credentials,
    key: SigningKey,
}

impl SigningKeys {
    /// The key for this scope, which is derived if it is not kept.
    pub(super) fn signing_key(
        &self,
        date: &Date,
        region: &str,
        name: &str,
        credentials: &Credentials,
    ) -> Option<SigningKey> {
        let day = date.day_text();
        let secret = credentials.secret_access_key();
        let fits = |entry: &CachedKey| {
            &*entry.day == day
                && entry.credentials.access_key_id() == credentials.access_key_id()
                // The ID alone does not identify the secret: tests and local servers use the same
                // ID with different secrets.
                && entry.credentials.secret_access_key() == secret
                && &*entry.region == region
                && &*entry.name == name
        };
        let found = {
            let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
            entries
                .iter()
                .find(|entry| fits(entry))
                .map(|entry| entry.key.clone())
        };
        if found.is_some() {
            return found;
        }
        let key = SigningKey::derive(day, region, name, secret)?;
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have derived the same key meanwhile, because the lock is not held during the derivation.
        if !entries.iter().any(fits) {
            if entries.len() >= KEPT {
                // The oldest key goes. Removing the least recently used one would need a write lock
                // for each request.
                entries.remove(0);
            }
            entries.push(CachedKey {
                day: day.into(),
                region: region.into(),
                name: name.into(),
                credentials: credentials.clone(),
                key: key.clone(),
            });
        }
        Some(key)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.read().unwrap().len()
    }
}

/// A signing key, ready for use: both of its HMAC blocks are already hashed.
#[derive(Clone)]
pub(super) struct SigningKey(Hmac<Sha256>);

impl SigningKey {
    pub(super) fn derive(day: &str, region: &str, name: &str, secret: &str) -> Option<SigningKey> {
        let mut key = SigningKey::new(["AWS4", secret].concat().as_bytes())?;
        for part in [day, region, name, "aws4_request"] {
            key = SigningKey::new(&key.sign(&[part]))?;
        }
        Some(key)
    }

    /// HMAC takes keys of any length, although its type does not say so.
    fn new(key: &[u8]) -> Option<SigningKey> {
        Some(SigningKey(Hmac::new_from_slice(key).ok()?))
    }

    pub(super) fn sign(&self, parts: &[&str]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// Whether this is the signature of these parts, in a time that does not depend on the bytes that differ.
    #[cfg(feature = "serve")]
    pub(super) fn verify_signature(&self, parts: &[&str], signature: &[u8; 32]) -> bool {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part.as_bytes());
        }
        mac.verify_slice(signature).is_ok()
    }
}

/// 32 bytes in hexadecimal digits.
pub(super) struct Hex([u8; 64]);

impl Hex {
    pub(super) fn new(bytes: &[u8; 32]) -> Hex {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        Hex(text)
    }

    pub(super) fn as_str(&self) -> &str {
        // The conversion never fails, because all bytes are hexadecimal digits.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}
