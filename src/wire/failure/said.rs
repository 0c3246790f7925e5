//! The parts of a rejection: its code, its message and its ID.

use aws_sdk_dynamodb::error::ErrorMetadata;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use crate::json::{Reader, find_member};

/// A write with the same token is still being executed.
pub(super) const IN_PROGRESS: &str = "TransactionInProgressException";

pub(in crate::wire) fn request_id(response: &HttpResponse) -> Option<String> {
    response
        .headers()
        .get("x-amzn-requestid")
        .map(str::to_owned)
}

/// Whether a write with the same token is still being executed.
pub(in crate::wire) fn is_in_progress(response: &HttpResponse) -> bool {
    response_metadata(response).code() == Some(IN_PROGRESS)
}

/// The code and message of a rejection that the SDK's own parser does not see.
pub(in crate::wire) fn response_metadata(response: &HttpResponse) -> ErrorMetadata {
    let body = response.body().bytes().unwrap_or_default();
    let mut metadata = ErrorMetadata::builder();
    if let Some(code) = error_code(response.headers().get("x-amzn-errortype"), body) {
        metadata = metadata.code(code);
    }
    if let Some(message) = error_message(body) {
        metadata = metadata.message(message);
    }
    metadata.build()
}

/// The error code, from a header or the body: `com.amazonaws.dynamodb.v20120810#Name`, and a URL may follow after a
/// colon.
pub(super) fn error_code(header: Option<&str>, body: &[u8]) -> Option<String> {
    let code = header
        .map(str::to_owned)
        .or_else(|| text_member(body, "__type"))?;
    let code = code.split(':').next().unwrap_or_default();
    code.rsplit('#').next().map(str::to_owned)
}

/// The message of the service.
pub(super) fn error_message(body: &[u8]) -> Option<String> {
    text_member(body, "message").or_else(|| text_member(body, "Message"))
}

pub(super) fn text_member(body: &[u8], name: &str) -> Option<String> {
    let value = find_member(body, name).ok().flatten()?;
    let text = Reader::new(value).string().ok();
    text.map(|text| text.into_owned())
}
