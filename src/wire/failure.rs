//! Failures of the SDK, turned into our error by code and status, never by the text of a message.

mod cancel;
mod causes;
mod failed;
mod failure_context;
mod redact;
mod refusal;
mod said;
#[cfg(test)]
mod tests;
mod unread;

use std::error::Error as StdError;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

pub(crate) use cancel::Reason;
pub(super) use causes::never_sent;
pub(crate) use failed::{ConditionFailed, Failure};
pub(super) use failure_context::FailureContext;
use refusal::{Refusal, refused_failure};
pub(super) use said::{is_in_progress, request_id, response_metadata};
use unread::unread_failure;

/// The failure of a request that an engine in this process rejected; does the same as [`from_sdk`] without the SDK.
#[cfg(feature = "embedded")]
pub(super) fn from_engine(
    status: u16,
    body: &[u8],
    request_id: String,
    site: FailureContext<'_>,
) -> Failure {
    // The engine has no header `x-amzn-errortype`, so the code can only be in the body.
    let (code, message) = (said::error_code(None, body), said::error_message(body));
    let refusal = Refusal {
        status,
        code: code.as_deref(),
        message: message.as_deref(),
        request_id: Some(request_id),
        body,
    };
    refused_failure(site, refusal)
}

/// The failure of a request that was rejected, if the SDK could not be given the response.
pub(super) fn from_answer(answer: &HttpResponse, site: FailureContext<'_>) -> Failure {
    let read = response_metadata(answer);
    let refusal = Refusal {
        status: answer.status().as_u16(),
        code: read.code(),
        message: read.message(),
        request_id: request_id(answer),
        body: answer.body().bytes().unwrap_or_default(),
    };
    refused_failure(site, refusal)
}

pub(super) fn from_sdk<E>(error: SdkError<E, HttpResponse>, site: FailureContext<'_>) -> Failure
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
{
    // A success that the SDK cannot read is not a rejection: the write has been executed.
    if let SdkError::ServiceError(context) = &error
        && let raw = context.raw()
        && !raw.status().is_success()
    {
        return refused_failure(
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
    unread_failure(error, site)
}
