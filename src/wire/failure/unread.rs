//! The failure of a call without a response, or without one that can be read.

use std::error::Error as StdError;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::error::SdkError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::causes::{error_causes, never_sent};
use super::failed::Failure;
use super::failure_context::FailureContext;
use super::said::request_id;
use crate::error::{Error, ErrorKind, Stage};

/// The failure of a call without a rejection.
pub(super) fn unread_failure<E>(
    error: SdkError<E, HttpResponse>,
    site: FailureContext<'_>,
) -> Failure
where
    E: StdError + Send + Sync + 'static,
{
    let id = error.raw_response().and_then(request_id);
    let prepared = !matches!(error, SdkError::ConstructionFailure(_));
    // The SDK's error itself is not kept, because its `Debug` prints the response, which contains values.
    let source = match error.into_source() {
        Ok(source) => source,
        Err(error) => error.to_string().into(),
    };
    let error = unanswered_error(site, source, prepared).with_request_id(id.as_deref());
    Failure {
        has_stray: site.has_stray,
        ..error.into()
    }
}

/// The error of a call without a response, or without one that can be read.
fn unanswered_error(
    site: FailureContext<'_>,
    source: Box<dyn StdError + Send + Sync>,
    prepared: bool,
) -> Error {
    let operation = site.operation;
    // The outer errors of the SDK say only "dispatch failure". The innermost one names the cause.
    let root = error_causes(&*source)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default();
    let is_credentials = error_causes(&*source).any(|cause| cause.is::<CredentialsError>());
    let is_connection = never_sent(&*source);
    // No hooks watch the attempts of operations on tables, so the error itself must show whether it was sent.
    let is_sent = site.sent && !(site.stage == Stage::Schema && is_connection);
    // This check comes first: whatever prevented the last attempt from being sent, an earlier one may have been
    // executed.
    let (kind, message) = if site.unknown {
        let message = format!(
            "{operation} was sent and its answer is lost, so it may have taken effect: read before \
             deciding ({root})"
        );
        (ErrorKind::OutcomeUnknown, message)
    } else if !prepared && !is_sent {
        let message = format!("{operation} could not be prepared, nothing was sent: {root}");
        (ErrorKind::Config, message)
    } else if is_credentials {
        let what = match is_sent {
            true => "was sent, and no credentials could be loaded to send it again",
            false => "was not sent, no credentials could be loaded",
        };
        let message = format!(
            "{operation} {what}: {root}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a \
             profile, or give the machine a role"
        );
        (ErrorKind::AccessDenied, message)
    } else {
        let what = match (is_sent, is_connection) {
            (false, false) => "was not sent",
            (false, true) => "was not sent, no connection",
            (true, false) => "got no usable response",
            (true, true) => "was sent, and there was no connection to send it again",
        };
        (
            ErrorKind::Unavailable,
            format!("{operation} {what}: {root}"),
        )
    };
    let stage = if site.stage == Stage::Schema {
        Stage::Schema
    } else {
        Stage::Wire
    };
    Error::new(kind, stage, message).with_source(source)
}
