//! The bodies that the engine reads, and its responses: DynamoDB JSON and a status.

use dynoxide::DynoxideError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A status and a body.
pub(super) type EngineAnswer = (u16, Vec<u8>);

/// The request in a body, or the error for an invalid body.
pub(super) fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, DynoxideError> {
    serde_json::from_slice(body).map_err(|error| classify_error(&error))
}

/// The engine's `Deserialize` impls mark the class of an error with a prefix of its text, which must not be shown. No
/// other code reads the text of an error, and this code reads only that prefix.
fn classify_error(error: &serde_json::Error) -> DynoxideError {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    // serde_json appends the position to custom errors. DynamoDB's messages have none, and tests
    // compare the two.
    let text = text.strip_suffix(&position).unwrap_or(&text);
    for prefix in ["SERIALIZATION_AS_READ:", "SERIALIZATION:"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return DynoxideError::SerializationException(rest.to_owned());
        }
    }
    for prefix in ["VALIDATION_AS_READ:", "VALIDATION_REQUEST:", "VALIDATION:"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return DynoxideError::ValidationException(rest.to_owned());
        }
    }
    match error.classify() {
        serde_json::error::Category::Data => DynoxideError::ValidationException(text.to_owned()),
        _ => DynoxideError::SerializationException(text.to_owned()),
    }
}

/// The answer to a request that succeeded.
pub(super) fn write_reply<T: Serialize>(reply: &T) -> EngineAnswer {
    match serde_json::to_vec(reply) {
        Ok(body) => (200, body),
        Err(_) => internal_error(),
    }
}

/// The response if the engine itself failed. It contains no details.
pub(super) fn internal_error() -> EngineAnswer {
    refusal_answer(500, "InternalServerError", "the embedded engine failed")
}

/// A rejection with this code, as DynamoDB writes it.
pub(super) fn refusal_answer(status: u16, code: &str, message: &str) -> EngineAnswer {
    let body = serde_json::json!({ "__type": code, "message": message });
    (status, body.to_string().into_bytes())
}
