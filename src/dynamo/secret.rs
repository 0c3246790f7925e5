//! The secret that signs the cursors of a connection.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{Error, Result};

/// The first bytes of an HMAC.
pub(crate) type CursorTag = [u8; TAG_SIZE];

pub(crate) const TAG_SIZE: usize = 16;

/// How many bytes a secret has at least.
const LEAST_SECRET: usize = 16;

/// The key for the signature of cursors.
#[derive(Clone)]
pub(crate) struct Secret(Hmac<Sha256>);

impl Secret {
    /// The secret must not be short, because a client that can guess it can forge cursors.
    pub(crate) fn new(secret: &[u8]) -> Result<Self> {
        if secret.len() < LEAST_SECRET {
            return Err(Error::config(format!(
                "a secret that signs cursors has {LEAST_SECRET} random bytes or more, and this one {}",
                secret.len()
            )));
        }
        let hmac = Hmac::new_from_slice(secret);
        hmac.map(Secret)
            .map_err(|_| Error::config("this secret cannot sign cursors"))
    }

    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> CursorTag {
        let full = self.0.clone().chain_update(bytes).finalize().into_bytes();
        let mut tag = [0; TAG_SIZE];
        // Half of the hash keeps cursors short, and 128 bits cannot be guessed.
        for (byte, full) in tag.iter_mut().zip(full) {
            *byte = full;
        }
        tag
    }

    /// Compares in constant time.
    pub(crate) fn verify_tag(&self, bytes: &[u8], tag: &CursorTag) -> bool {
        let mac = self.0.clone().chain_update(bytes);
        // This comparison takes the same time for every tag, so the right one cannot be found byte
        // by byte.
        mac.verify_truncated_left(tag).is_ok()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
