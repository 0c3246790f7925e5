//! The result of a first attempt that brought no readable answer, and what it tells of the request.

use aws_sdk_dynamodb::error::ConnectorError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::time_limit::{TimeLimit, TimeOver};
use crate::wire::ambiguity;
use crate::wire::failure::{is_in_progress, never_sent};

/// The result of an attempt that brought no readable answer.
pub(crate) enum FirstResult {
    /// A rejection, or something that no one can read.
    Answer(HttpResponse),
    Broken(ConnectorError),
    /// The time limit for all attempts was over.
    TimeOver(TimeOver),
}

impl FirstResult {
    pub(super) fn late(limit: TimeLimit) -> Self {
        let over = TimeOver(limit);
        match limit.of_all {
            true => FirstResult::TimeOver(over),
            false => FirstResult::Broken(ConnectorError::timeout(over.into())),
        }
    }

    /// Whether the service is still working on an earlier attempt with the same token.
    pub(crate) fn is_going_on(&self) -> bool {
        matches!(self, FirstResult::Answer(response) if is_in_progress(response))
    }

    /// Whether the service may have heard of the request at all.
    pub(crate) fn was_sent(&self) -> bool {
        match self {
            FirstResult::Broken(error) => !never_sent(error),
            FirstResult::Answer(_) | FirstResult::TimeOver(_) => true,
        }
    }

    /// Whether the service may have executed the request without saying so.
    pub(crate) fn is_ambiguous(&self) -> bool {
        match self {
            FirstResult::Answer(response) => ambiguity::may_have_worked(response.status()),
            FirstResult::Broken(_) => self.was_sent(),
            FirstResult::TimeOver(_) => true,
        }
    }
}
