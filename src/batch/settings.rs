//! How a batch is sent, and its progress.

use crate::retry::{CONCURRENCY, RetryBudget};

/// The progress of a batch so far; see [`Batch::on_progress`](super::Batch::on_progress).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BatchCounts {
    /// The number of writes in the input.
    pub total: u64,
    /// The number of writes that DynamoDB has acknowledged.
    pub done: u64,
    /// The number of writes that were not sent because a later write of the input has the same key.
    pub superseded: u64,
    /// The number of writes that failed and are not worth a retry.
    pub failed: u64,
}

impl BatchCounts {
    /// The number of remaining writes.
    pub fn left(&self) -> u64 {
        self.total - self.settled()
    }

    /// The number of writes that are done, superseded or failed.
    pub fn settled(&self) -> u64 {
        self.done + self.superseded + self.failed
    }
}

pub(super) type OnProgress = Box<dyn FnMut(BatchCounts) + Send>;

/// The settings of a batch, whether its writes are in memory or come from an iterator.
pub(super) struct BatchSettings {
    pub(super) concurrency: usize,
    pub(super) budget: RetryBudget,
    pub(super) on_progress: Option<OnProgress>,
}

impl Default for BatchSettings {
    fn default() -> Self {
        BatchSettings {
            concurrency: CONCURRENCY,
            budget: RetryBudget::default(),
            on_progress: None,
        }
    }
}
