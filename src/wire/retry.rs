//! Law W6: a write whose response was lost is not sent again, unless that is known to be harmless.
//!
//! An attempt is ambiguous if it was sent and ended in an I/O error, a timeout or a 5xx. The SDK would send it again.
//! Its public retry classifiers can forbid that, even on clients that the user built.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use aws_sdk_dynamodb::config;
use aws_smithy_runtime_api::client::dns::ResolveDnsError;
use aws_smithy_runtime_api::client::interceptors::context::{
    FinalizerInterceptorContextRef, InterceptorContext,
};
use aws_smithy_runtime_api::client::retries::classifiers::{
    ClassifyRetry, RetryAction, RetryClassifierPriority, SharedRetryClassifier,
};
use aws_smithy_runtime_api::http::StatusCode;

use super::failure::is_in_progress;
use super::swap::HookExchange;

/// The name of the classifier that forbids retries.
pub(super) const GUARD: &str = "DynamoEntity: which writes are sent again";

/// Settings for the call of a guarded write: it keeps the SDK's retries, except after an ambiguous attempt that must
/// not be repeated.
pub(super) fn guard(settings: &mut config::Builder, exchange: &Arc<HookExchange>) {
    let guard = SharedRetryClassifier::new(RetryGuard(exchange.clone()));
    settings.push_retry_classifier(guard);
}

#[derive(Debug)]
struct RetryGuard(Arc<HookExchange>);

impl ClassifyRetry for RetryGuard {
    fn classify_retry(&self, _: &InterceptorContext) -> RetryAction {
        if self.0.ambiguous() {
            return RetryAction::RetryForbidden;
        }
        RetryAction::NoActionIndicated
    }

    fn name(&self) -> &'static str {
        GUARD
    }

    fn priority(&self) -> RetryClassifierPriority {
        RetryClassifierPriority::run_after(RetryClassifierPriority::transient_error_classifier())
    }
}

/// Whether an attempt that was transmitted may have been executed without saying so.
pub(super) fn is_ambiguous(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    let Some(Err(_)) = attempt.output_or_error() else {
        // An answer that was read counts too. If the call fails all the same, for example by a user's interceptor, the
        // caller has no answer.
        return true;
    };
    match attempt.response().map(|response| response.status()) {
        Some(status) => may_have_worked(status),
        None => was_sent(attempt),
    }
}

/// Whether the service may have heard of an attempt that was handed to a connection.
pub(super) fn was_sent(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    match attempt.output_or_error() {
        Some(Err(error)) => attempt.response().is_some() || !never_sent(error),
        _ => true,
    }
}

/// Whether the request may have been executed, if the response contains nothing more. A 2xx whose body was lost was
/// executed, but its result is not known.
pub(super) fn may_have_worked(status: StatusCode) -> bool {
    status.is_server_error() || status.is_success()
}

/// Whether DynamoDB is still working on an earlier attempt with the same token, whose result is not known.
pub(super) fn is_going_on(attempt: &FinalizerInterceptorContextRef<'_>) -> bool {
    attempt.response().is_some_and(is_in_progress)
}

/// Whether no connection was made. Only certain cases count: a connection that broke may have carried the request.
///
/// This is for errors of the attempt that was handed to a connection. Earlier failures, such as credentials whose source
/// refuses connections, fail in the same words and tell nothing about an earlier attempt.
pub(super) fn never_sent(error: &(dyn StdError + 'static)) -> bool {
    causes(error).any(|cause| {
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
pub(super) fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
