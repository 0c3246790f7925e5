//! The SDK's retries, kept from sending an ambiguous write again: law W6.
//!
//! The SDK would send it again. Its public retry classifiers can forbid that, even on clients that the user built.

use std::sync::Arc;

use aws_sdk_dynamodb::config;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{
    ClassifyRetry, RetryAction, RetryClassifierPriority, SharedRetryClassifier,
};

use super::exchange::HookExchange;
use crate::wire::ambiguity::GUARD;

/// Settings for the call of a guarded write: it keeps the SDK's retries, except after an ambiguous attempt that must
/// not be repeated.
pub(super) fn guard_retries(settings: &mut config::Builder, exchange: &Arc<HookExchange>) {
    let guard = SharedRetryClassifier::new(RetryGuard(exchange.clone()));
    settings.push_retry_classifier(guard);
}

#[derive(Debug)]
struct RetryGuard(Arc<HookExchange>);

impl ClassifyRetry for RetryGuard {
    fn classify_retry(&self, _: &InterceptorContext) -> RetryAction {
        if self.0.is_ambiguous() {
            // This ends the classification, whatever other classifiers of the client say.
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
