//! Failures of the SDK, turned into our error by code and status, never by the text of a message.

mod cancel;
mod redact;
mod refusal;
#[cfg(test)]
mod tests;

use std::error::Error as StdError;
use std::fmt;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use bytes::Bytes;

#[cfg(feature = "embedded")]
use super::Request;
use super::retry::{causes, never_sent};
use super::swap::HookExchange;
use super::{Resend, ServiceOperation};
use crate::error::{Error, ErrorKind, Stage};
pub(crate) use cancel::Reason;
use refusal::Refusal;
pub(super) use refusal::{is_in_progress, metadata, request_id};

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// Facts about a condition that the service checked and that did not hold.
    pub(crate) condition: Option<ConditionFailed>,
    /// Whether other transactions, or too many of them, were in the way, so that it may go through a moment later. This
    /// attempt wrote nothing.
    pub(crate) is_contention: bool,
    /// The outcome of each operation of a cancelled transaction.
    pub(crate) reasons: Vec<Reason>,
    /// Whether an attempt had no answer, so that it may still be under way.
    pub(crate) has_stray: bool,
    /// If the outcome is unknown: the error of a later attempt, which does not say what becomes of the earlier one.
    pub(crate) refusal: Option<Box<Failure>>,
}

/// A condition of a write that did not hold.
pub(crate) struct ConditionFailed {
    /// The item that the condition was checked on, `{"name":{"S":"..."},...}`, if the request returns it and there is
    /// one.
    pub(crate) item: Option<Bytes>,
}

impl fmt::Debug for ConditionFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionFailed")
            .field("item", &self.item.is_some())
            .finish()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            error,
            condition: None,
            is_contention: false,
            reasons: Vec::new(),
            has_stray: false,
            refusal: None,
        }
    }
}

/// The subject of the failure, for messages and for law W6.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailureContext<'a> {
    /// The name of the operation.
    pub(super) operation: &'a str,
    /// The request; its values stay out of messages.
    pub(super) body: &'a [u8],
    pub(super) table: &'a str,
    pub(super) stage: Stage,
    /// Whether the service may have heard of an attempt, as far as that is known.
    pub(super) sent: bool,
    /// Whether the request may have been executed and that matters.
    pub(super) unknown: bool,
    /// Whether an earlier attempt was ambiguous. A condition that failed then may have met the effect of that attempt, or
    /// may hold when that attempt arrives.
    pub(super) has_stray: bool,
}

impl<'a> FailureContext<'a> {
    pub(super) fn of(
        operation: ServiceOperation,
        table: &'a str,
        exchange: &'a HookExchange,
    ) -> Self {
        let was_ambiguous = exchange.was_ambiguous();
        // All attempts count, because whoever decides about retries may not have asked our classifier. A token changes
        // nothing: it tells that an earlier attempt was not executed before this one, and not that it never will be.
        let unknown = was_ambiguous && exchange.resend() != Resend::Always;
        FailureContext {
            operation: operation.name(),
            body: exchange.body(),
            table,
            stage: Stage::Service,
            sent: exchange.was_sent(),
            unknown,
            has_stray: was_ambiguous,
        }
    }

    /// The site of a request to an engine in this process. No answer is lost there, but an engine that fails may have
    /// done its work before.
    #[cfg(feature = "embedded")]
    pub(super) fn in_process(request: &'a Request, status: u16) -> Self {
        FailureContext {
            operation: request.operation.name(),
            body: &request.body,
            table: &request.table,
            stage: Stage::Service,
            sent: true,
            unknown: status >= 500 && request.resend != Resend::Always,
            has_stray: false,
        }
    }

    /// The site of a request that can be sent again without harm, as every operation on tables can.
    pub(super) fn harmless(operation: &'a str, table: &'a str) -> Self {
        let stage = Stage::Schema;
        FailureContext {
            operation,
            body: &[],
            table,
            stage,
            sent: true,
            unknown: false,
            has_stray: false,
        }
    }
}

/// The failure of a request that an engine in this process rejected; does the same as [`from_sdk`] without the SDK.
#[cfg(feature = "embedded")]
pub(super) fn from_engine(
    status: u16,
    body: &[u8],
    request_id: String,
    site: FailureContext<'_>,
) -> Failure {
    let (code, message) = (refusal::code(None, body), refusal::said(body));
    let refusal = Refusal {
        status,
        code: code.as_deref(),
        message: message.as_deref(),
        request_id: Some(request_id),
        body,
    };
    refusal::refused(site, refusal)
}

/// The failure of a request that was rejected, where the SDK could not be told of the answer.
pub(super) fn from_answer(answer: &HttpResponse, site: FailureContext<'_>) -> Failure {
    let read = metadata(answer);
    let refusal = Refusal {
        status: answer.status().as_u16(),
        code: read.code(),
        message: read.message(),
        request_id: request_id(answer),
        body: answer.body().bytes().unwrap_or_default(),
    };
    refusal::refused(site, refusal)
}

pub(super) fn from_sdk<E>(error: SdkError<E, HttpResponse>, site: FailureContext<'_>) -> Failure
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
{
    // A success that the SDK cannot read is not a refusal.
    if let SdkError::ServiceError(context) = &error
        && let raw = context.raw()
        && !raw.status().is_success()
    {
        return refusal::refused(
            site,
            Refusal {
                status: raw.status().as_u16(),
                code: context.err().code(),
                message: context.err().message(),
                request_id: request_id(raw),
                body: raw.body().bytes().unwrap_or_default(),
            },
        );
    }
    unread(error, site)
}

/// The failure of a call that brought no rejection.
fn unread<E>(error: SdkError<E, HttpResponse>, site: FailureContext<'_>) -> Failure
where
    E: StdError + Send + Sync + 'static,
{
    let id = error.raw_response().and_then(request_id);
    let prepared = !matches!(error, SdkError::ConstructionFailure(_));
    // The SDK's error itself is not kept: its Debug prints the response, which holds values.
    let source = match error.into_source() {
        Ok(source) => source,
        Err(error) => error.to_string().into(),
    };
    let error = unanswered(site, source, prepared).with_request_id(id.as_deref());
    Failure {
        has_stray: site.has_stray,
        ..error.into()
    }
}

/// The error where there was no answer, or none that can be read.
fn unanswered(
    site: FailureContext<'_>,
    source: Box<dyn StdError + Send + Sync>,
    prepared: bool,
) -> Error {
    let operation = site.operation;
    let root = causes(&*source)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default();
    let is_credentials = causes(&*source).any(|cause| cause.is::<CredentialsError>());
    let is_connection = never_sent(&*source);
    // Operations on tables have nobody who tells what became of each attempt.
    let is_sent = site.sent && !(site.stage == Stage::Schema && is_connection);
    // This comes first: whatever kept the last attempt from being sent, an earlier one may have been executed.
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
            (true, false) => "had no usable answer",
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
