//! The database, which answers one request at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, TryLockError};

use dynoxide::Database;

use super::dispatch::{EngineAnswer, dispatch, internal_error};

/// An operation that panics.
#[cfg(test)]
pub(super) const PANIC: &str = "Panic";

/// The database of an engine: for its thread, and for callers that find it free.
pub(super) struct SharedDatabase(Mutex<Database>);

impl SharedDatabase {
    pub(super) fn new(database: Database) -> Self {
        SharedDatabase(Mutex::new(database))
    }

    /// Answers as soon as no other request is being answered.
    pub(super) fn answer(&self, operation: &str, body: &[u8]) -> EngineAnswer {
        let database = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answer(&database, operation, body)
    }

    /// Answers at once, or not at all if another request is being answered.
    pub(super) fn answer_if_free(&self, operation: &str, body: &[u8]) -> Option<EngineAnswer> {
        let database = match self.0.try_lock() {
            Ok(database) => database,
            Err(TryLockError::Poisoned(database)) => database.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(answer(&database, operation, body))
    }
}

#[cfg(test)]
impl SharedDatabase {
    pub(super) fn hold(&self) -> impl Sized + '_ {
        self.0.lock().unwrap()
    }
}

/// After a panic inside the engine, its caller is told, and others go on.
fn answer(database: &Database, operation: &str, body: &[u8]) -> EngineAnswer {
    let answer = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        assert_ne!(operation, PANIC, "asked for by a test");
        dispatch(database, operation, body)
    }));
    answer.unwrap_or_else(|_| internal_error())
}
