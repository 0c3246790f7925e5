//! Failures, answered as `application/problem+json`.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dynamo_entity::{Error, ErrorKind, Version};
use serde_json::json;

use super::Task;
use super::etag::etag;

#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    /// The version that the task has now.
    now: Option<Version>,
}

impl Problem {
    pub fn new(status: StatusCode, detail: &str) -> Self {
        Problem {
            status,
            detail: detail.to_owned(),
            now: None,
        }
    }

    pub fn not_found() -> Self {
        Problem::new(StatusCode::NOT_FOUND, "there is no such task")
    }

    pub fn changed() -> Self {
        let detail = "the task has changed: read it, and try again";
        Problem::new(StatusCode::PRECONDITION_FAILED, detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        use ErrorKind as K;
        let of = Problem::new;
        let mut problem = match error.kind() {
            K::NotFound => Problem::not_found(),
            K::AlreadyExists => of(StatusCode::CONFLICT, "there is a task with this id"),
            K::Conflict => Problem::changed(),
            // Errors hold no stored values, so the text about a request can be shown to its sender.
            K::InvalidCursor | K::InvalidKey | K::InvalidValue => {
                of(StatusCode::BAD_REQUEST, &error.to_string())
            }
            K::TooLarge => of(StatusCode::PAYLOAD_TOO_LARGE, &error.to_string()),
            K::Throttled | K::Unavailable => {
                of(StatusCode::SERVICE_UNAVAILABLE, "try again in a moment")
            }
            K::OutcomeUnknown => {
                let detail = "nobody knows whether this was done: read before trying again";
                of(StatusCode::GATEWAY_TIMEOUT, detail)
            }
            _ => of(StatusCode::INTERNAL_SERVER_ERROR, "this is our fault"),
        };
        if problem.status.is_server_error() {
            tracing::error!(?error, status = problem.status.as_u16(), "failed");
        }
        // The error holds the existing task, so no second read is needed.
        let now = error.current::<Task>().ok().flatten();
        problem.now = now.map(|task| task.version);
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Problem {
            status,
            detail,
            now,
        } = self;
        let title = status.canonical_reason();
        let body = json!({ "title": title, "status": status.as_u16(), "detail": detail });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let tag = now.map(|version| [(header::ETAG, etag(version))]);
        let retry = status == StatusCode::SERVICE_UNAVAILABLE;
        let retry = retry.then_some([(header::RETRY_AFTER, "1")]);
        (status, tag, retry, kind, Json(body)).into_response()
    }
}

macro_rules! rejections {
    ($($rejection:ty)*) => {$(
        impl From<$rejection> for Problem {
            fn from(rejection: $rejection) -> Self {
                Problem::new(rejection.status(), &rejection.body_text())
            }
        }
    )*};
}

rejections! { JsonRejection PathRejection QueryRejection }
