//! The progress of a read of many items, and the closure that receives it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The progress of a read; see [`QueryExt::on_progress`](crate::query::QueryExt::on_progress).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct ReadProgress {
    /// The completed requests.
    pub requests: u64,
    /// The items that DynamoDB has read, and charged for.
    pub scanned: u64,
    /// The scanned items that are rows of the query.
    pub rows: u64,
    /// The consumed units that DynamoDB reports. If it reports none, this is an estimate by the received bytes.
    pub read_units: f64,
    /// The segments of a scan. For another query, its partitions, each with its shards and with the values of a part
    /// that were given by `any_of(..)`.
    pub segments: usize,
    /// The completed segments.
    pub segments_done: usize,
}

/// A closure that is called after each response. Clones of a query share it.
#[derive(Clone)]
pub(crate) struct ProgressWatch(Arc<Mutex<ProgressListener>>);

type ProgressListener = dyn FnMut(&ReadProgress) + Send;

impl ProgressWatch {
    pub(crate) fn new(tell: impl FnMut(&ReadProgress) + Send + 'static) -> Self {
        ProgressWatch(Arc::new(Mutex::new(tell)))
    }

    pub(crate) fn tell_progress(&self, progress: &ReadProgress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)(progress);
    }
}

impl fmt::Debug for ProgressWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressWatch")
    }
}
