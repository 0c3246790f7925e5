//! The database, which answers one request at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use super::answer::{EngineAnswer, internal_error};
use super::dispatch::dispatch_operation;
use super::store::EngineStore;

/// An operation that panics.
#[cfg(test)]
pub(super) const PANIC: &str = "Panic";

/// The database of an engine: for its thread, and for callers that find it free.
pub(super) struct SharedDatabase {
    database: Mutex<EngineStore>,
    /// The number of requests that wait for the thread. They come first; otherwise busy callers would starve the
    /// thread.
    queued: AtomicUsize,
}

/// A request that waits for the thread.
pub(super) struct QueuedRequest<'d>(&'d SharedDatabase);

impl SharedDatabase {
    pub(super) fn new(database: EngineStore) -> Self {
        SharedDatabase {
            database: Mutex::new(database),
            queued: AtomicUsize::new(0),
        }
    }

    /// Answers as soon as no other request is being answered.
    pub(super) fn answer(&self, operation: &str, body: &[u8]) -> EngineAnswer {
        let database = self.database.lock();
        let mut database = database.unwrap_or_else(PoisonError::into_inner);
        answer(&mut database, operation, body)
    }

    /// Counts a request that waits for the thread, until the guard is dropped.
    pub(super) fn queued(&self) -> QueuedRequest<'_> {
        self.queued.fetch_add(1, Ordering::Relaxed);
        QueuedRequest(self)
    }

    /// Answers at once, or not at all if another request is being answered or waits.
    pub(super) fn answer_if_free(&self, operation: &str, body: &[u8]) -> Option<EngineAnswer> {
        if self.queued.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let mut database = match self.database.try_lock() {
            Ok(database) => database,
            // A panic inside the engine is caught while the lock is held, and its transaction is
            // rolled back, so the state behind a poisoned lock is valid.
            Err(TryLockError::Poisoned(database)) => database.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(answer(&mut database, operation, body))
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
impl SharedDatabase {
    pub(super) fn hold(&self) -> impl Sized + '_ {
        self.database.lock().unwrap()
    }
}

/// After a panic inside the engine, its caller gets an error, and other requests continue.
fn answer(database: &mut EngineStore, operation: &str, body: &[u8]) -> EngineAnswer {
    let answer = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        assert_ne!(operation, PANIC, "asked for by a test");
        dispatch_operation(database, operation, body)
    }));
    answer.unwrap_or_else(|_| {
        // The panic may have left a transaction open on the one connection that all requests share.
        database.rollback_open();
        internal_error()
    })
}
