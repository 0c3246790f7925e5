//! Versions as entity tags: version 3 is `"3"`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use dynamo_entity::expr::Condition;
use dynamo_entity::{DynamoEntity, Version, all};

use super::Task;
use super::problem::Problem;

pub fn etag(version: Version) -> String {
    format!("\"{version}\"")
}

/// The versions that a header names.
#[derive(Debug, PartialEq)]
enum Tags {
    Any,
    /// Tags that this service never gave are left out.
    These(Vec<u64>),
}

impl Tags {
    fn of(headers: &HeaderMap, name: HeaderName, is_weak: bool) -> Option<Tags> {
        let mut versions = None;
        for value in headers.get_all(name) {
            let versions = versions.get_or_insert_with(Vec::new);
            for tag in value.to_str().unwrap_or_default().split(',').map(str::trim) {
                if tag == "*" {
                    return Some(Tags::Any);
                }
                let tag = tag.strip_prefix("W/").filter(|_| is_weak).unwrap_or(tag);
                versions.extend(version_of(tag));
            }
        }
        versions.map(Tags::These)
    }
}

/// Accepts only what `etag` writes: `"03"` is another tag.
fn version_of(tag: &str) -> Option<u64> {
    let version = tag.trim_matches('"').parse().ok()?;
    (etag(Version::from(version)) == tag).then_some(version)
}

/// Whether `If-None-Match` says that the client has this version.
pub fn is_known(headers: &HeaderMap, version: Version) -> bool {
    match Tags::of(headers, header::IF_NONE_MATCH, true) {
        Some(Tags::Any) => true,
        Some(Tags::These(tags)) => tags.into_iter().any(|tag| Version::from(tag) == version),
        None => false,
    }
}

/// The versions that the sender of a write has seen. A write without this header is refused.
#[derive(Debug)]
pub struct IfMatch(Tags);

impl IfMatch {
    pub fn condition(self, task: <Task as DynamoEntity>::Paths) -> Condition<Task> {
        match self.0 {
            Tags::Any => all([]),
            Tags::These(versions) => task.version().is_in(versions),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Tags::of(&parts.headers, header::IF_MATCH, false) {
            // None of the tags is a version of this service, so the task must have changed.
            Some(Tags::These(versions)) if versions.is_empty() => Err(Problem::changed()),
            Some(tags) => Ok(IfMatch(tags)),
            None => Err(Problem::new(
                StatusCode::PRECONDITION_REQUIRED,
                "send the `ETag` that was seen as `If-Match`, or `If-Match: *`",
            )),
        }
    }
}
