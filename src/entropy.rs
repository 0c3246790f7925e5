//! Randomness of the operating system, for values that must differ between all processes: a generator of our own
//! would continue identically on both sides of a `fork`, and in two copies of one machine.

use crate::error::{Error, ErrorKind, Result, Stage};

/// 128 random bits.
pub(crate) fn random_bits() -> Result<u128> {
    let mut bytes = [0; 16];
    fill_random(&mut bytes).map(|()| u128::from_ne_bytes(bytes))
}

/// 64 of them.
pub(crate) fn random_half() -> Result<u64> {
    let mut bytes = [0; 8];
    fill_random(&mut bytes).map(|()| u64::from_ne_bytes(bytes))
}

fn fill_random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| {
        let message = "the operating system has no random bytes, so nothing was sent";
        let source = std::io::Error::other(error.to_string());
        Error::new(ErrorKind::Unavailable, Stage::Request, message).with_source(source)
    })
}
