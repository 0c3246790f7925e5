//! The causes of an error of the SDK.

use std::error::Error as StdError;
use std::io;

use aws_smithy_runtime_api::client::dns::ResolveDnsError;

/// Whether no connection was made. Only certain cases count, because a connection that broke may have transmitted the
/// request.
///
/// This is for errors of the attempt that was handed to a connection. Other failures, for example a source of
/// credentials that refuses connections, look the same and say nothing about an earlier attempt.
pub(in crate::wire) fn never_sent(error: &(dyn StdError + 'static)) -> bool {
    error_causes(error).any(|cause| {
        let refused = cause
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::ConnectionRefused);
        refused || cause.is::<ResolveDnsError>() || is_connect(cause)
    })
}

#[cfg(feature = "aws")]
fn is_connect(cause: &(dyn StdError + 'static)) -> bool {
    cause
        .downcast_ref::<hyper_util::client::legacy::Error>()
        .is_some_and(hyper_util::client::legacy::Error::is_connect)
}

#[cfg(not(feature = "aws"))]
fn is_connect(_: &(dyn StdError + 'static)) -> bool {
    false
}

/// An error and what caused it, outermost first.
pub(in crate::wire) fn error_causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
