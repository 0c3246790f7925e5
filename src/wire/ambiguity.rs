//! Law W6: a write whose response was lost is not sent again, unless that is known to be harmless.
//!
//! An attempt is ambiguous if it was sent and ended in an I/O error, a timeout or a 5xx.

use aws_smithy_runtime_api::client::interceptors::context::FinalizerInterceptorContextRef;
use aws_smithy_runtime_api::http::StatusCode;

use super::failure::{is_in_progress, never_sent};

/// The name of the classifier that forbids retries.
pub(super) const GUARD: &str = "DynamoEntity: which writes are sent again";

/// Whether an attempt that was transmitted may have been executed, although its response was lost.
pub(super) fn is_ambiguous(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    let Some(Err(_)) = attempt.output_or_error() else {
        // A response that was read counts too: if the call fails after that, for example in a user's interceptor, the
        // caller never receives the response.
        return true;
    };
    match attempt.response().map(|response| response.status()) {
        Some(status) => may_have_worked(status),
        None => was_sent(attempt),
    }
}

/// Whether the service may have received an attempt that was handed to a connection.
pub(super) fn was_sent(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    match attempt.output_or_error() {
        // The SDK reports a failed connection like any other error. Only an error of connecting
        // proves that no byte left this process, so every other one counts as sent.
        Some(Err(error)) => attempt.response().is_some() || !never_sent(error),
        _ => true,
    }
}

/// Whether the request may have been executed, if the response contains nothing more. A 2xx whose body was lost was
/// executed, but its result is not known.
pub(super) fn may_have_worked(status: StatusCode) -> bool {
    // A 4xx is final, because DynamoDB rejects such a request instead of executing it. A 5xx may
    // come after the write has taken effect.
    status.is_server_error() || status.is_success()
}

/// Whether DynamoDB is still working on an earlier attempt with the same token, whose result is not known.
pub(super) fn is_going_on(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    attempt.response().is_some_and(is_in_progress)
}
