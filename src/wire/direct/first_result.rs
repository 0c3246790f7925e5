//! The result of a first attempt without a readable response, and the conclusions from it.

use aws_sdk_dynamodb::error::ConnectorError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::time_limit::{TimeLimit, TimeOver};
use crate::wire::ambiguity;
use crate::wire::failure::{is_in_progress, never_sent};

/// The result of an attempt without a readable response.
pub(crate) enum FirstResult {
    /// A rejection, or a response that cannot be read.
    Answer(HttpResponse),
    Broken(ConnectorError),
    /// The time limit for all attempts was over.
    TimeOver(TimeOver),
}

impl FirstResult {
    pub(super) fn timed_out(limit: TimeLimit) -> Self {
        let over = TimeOver(limit);
        match limit.of_all {
            true => FirstResult::TimeOver(over),
            // The end of one attempt is a timeout of the connector for the SDK, which it may retry.
            // The end of the whole operation leaves no time for that.
            false => FirstResult::Broken(ConnectorError::timeout(over.into())),
        }
    }

    /// Whether the service is still working on an earlier attempt with the same token.
    pub(crate) fn is_going_on(&self) -> bool {
        matches!(self, FirstResult::Answer(response) if is_in_progress(response))
    }

    /// Whether the service may have received the request at all.
    pub(crate) fn was_sent(&self) -> bool {
        match self {
            FirstResult::Broken(error) => !never_sent(error),
            FirstResult::Answer(_) | FirstResult::TimeOver(_) => true,
        }
    }

    /// Whether the service may have executed the request, although no response shows it.
    pub(crate) fn is_ambiguous(&self) -> bool {
        match self {
            FirstResult::Answer(response) => ambiguity::may_have_worked(response.status()),
            FirstResult::Broken(_) => self.was_sent(),
            // The limit may have ended while the request was on its way.
            FirstResult::TimeOver(_) => true,
        }
    }
}
