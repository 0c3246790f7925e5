//! Failed attempts, as events in the span of their request.

use aws_smithy_runtime_api::client::interceptors::context::FinalizerInterceptorContextRef;

use crate::json::{Reader, find_member};

/// Reports a failed attempt with its number and the code of the failure, never its message.
pub(super) fn trace_attempt(number: u64, context: &FinalizerInterceptorContextRef<'_>) {
    let is_answered = context
        .output_or_error()
        .is_some_and(|outcome| outcome.is_ok());
    if is_answered {
        return;
    }
    let response = context.response();
    let status = response.map(|response| response.status().as_u16());
    let body = response.and_then(|response| response.body().bytes());
    let code = body.and_then(code_in);
    let code = match status {
        Some(_) => code.as_deref(),
        None => Some("no answer"),
    };
    tracing::info!(
        target: "dynamo_entity",
        attempt = number,
        http.response.status_code = status,
        error.r#type = code,
        "an attempt failed"
    );
}

/// The error name in a failure response, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`.
fn code_in(body: &[u8]) -> Option<String> {
    let name = find_member(body, "__type").ok()??;
    let name = Reader::new(name).string().ok()?;
    let name = name.rsplit('#').next()?;
    // A proxy may answer with any text. Only something that looks like an error code is shown,
    // because the text could contain values.
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then(|| name.to_owned())
}
