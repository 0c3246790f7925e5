//! The time limit of an attempt, or of all of them.

use std::fmt;
use std::time::{Duration, Instant};

/// The time limit of an attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimit {
    pub(super) time: Duration,
    /// Whether the limit is for all attempts together.
    pub(super) of_all: bool,
}

impl TimeLimit {
    pub(crate) fn is_over_since(&self, began: Instant) -> bool {
        began.elapsed() >= self.time
    }
}

/// In the SDK's words.
impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.of_all {
            true => "operation timeout (all attempts including retries)",
            false => "operation attempt timeout (single attempt)",
        };
        write!(f, "{kind} occurred after {:?}", self.time)
    }
}

/// An attempt, or all of them, took longer than this limit.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TimeOver(pub(crate) TimeLimit);

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn the_time_that_is_over_is_told() {
        let over = TimeOver(TimeLimit {
            time: Duration::from_millis(1500),
            of_all: false,
        });
        let text = "operation attempt timeout (single attempt) occurred after 1.5s";
        assert_eq!(over.to_string(), text);
        assert!(over.source().is_none());
    }
}
