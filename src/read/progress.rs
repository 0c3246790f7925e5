//! How far a read of many items has come, and the closure that is told.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How far a read has come; see [`QueryVerbs::on_progress`](crate::query::QueryVerbs::on_progress).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct ReadProgress {
    /// Requests that were answered.
    pub requests: u64,
    /// Items that the service has looked at, and charged.
    pub scanned: u64,
    /// The scanned items that are rows of the query.
    pub rows: u64,
    /// The units that the service says it took. If the service says nothing, this is an estimate by the bytes that
    /// came.
    pub read_units: f64,
    /// The segments of a scan. For another query, its partitions, each with its shards and with the values of a part
    /// that were given by `each(..)`.
    pub segments: usize,
    /// The segments that are read to their end.
    pub segments_done: usize,
}

/// A closure that is called after each answer. Clones of a query share it.
#[derive(Clone)]
pub(crate) struct ProgressWatch(Arc<Mutex<Tell>>);

type Tell = dyn FnMut(&ReadProgress) + Send;

impl ProgressWatch {
    pub(crate) fn new(tell: impl FnMut(&ReadProgress) + Send + 'static) -> Self {
        ProgressWatch(Arc::new(Mutex::new(tell)))
    }

    pub(crate) fn tell(&self, progress: &ReadProgress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)(progress);
    }
}

impl fmt::Debug for ProgressWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressWatch")
    }
}
