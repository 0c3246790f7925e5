//! Signature version 4 with a cached signing key. The result equals that of the SDK's own signer, byte for byte.
//!
//! The SDK derives the key from the secret for every request, which costs more than the signature itself. The key
//! changes once a day, so it is cached. Only the plain request is signed here: a POST to `/` with a body in memory,
//! at its first attempt. Everything else goes to the SDK's signer.
//!
//! ```text
//! date    the time as signatures write it
//! key     the keys that were derived, by date, region, service and credentials
//! plain   is this the request we know? its canonical form
//! signer  signs plain requests
//! skew    is our clock wrong? the SDK corrects it in private, so its signer has to sign
//! scheme  our signer in the place of the SDK's, in clients that the library builds
//! verify  the other side: does a request have a valid signature?
//! ```

mod date;
mod key;
mod plain;
#[cfg(feature = "aws")]
mod scheme;
mod signer;
#[cfg(feature = "aws")]
mod skew;
#[cfg(feature = "serve")]
mod verify;

pub(super) use date::Date;
pub(super) use plain::{DATE, Plain, PlainHead};
#[cfg(feature = "aws")]
pub(crate) use scheme::install_scheme;
pub(super) use signer::{PlainSigner, Scope, Signed};
#[cfg(feature = "serve")]
pub(super) use verify::{AcceptedKey, SignatureFault, SignedHead};
