//! The tables that are known to be strongly consistent global tables.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Facts about tables, by their full names. A table that has items does not change in this respect.
#[derive(Debug, Default)]
pub(crate) struct StrongTables {
    known: Mutex<BTreeMap<String, bool>>,
    /// Whether any is strongly consistent, so that most programs need not look.
    is_any: AtomicBool,
}

impl StrongTables {
    pub(crate) fn is_none_known(&self) -> bool {
        !self.is_any.load(Ordering::Relaxed)
    }

    /// None if that is not known.
    pub(crate) fn is_strong(&self, table: &str) -> Option<bool> {
        self.lock_known().get(table).copied()
    }

    pub(crate) fn learn_table(&self, table: &str, is_strong: bool) {
        self.lock_known().insert(table.to_owned(), is_strong);
        if is_strong {
            self.is_any.store(true, Ordering::Relaxed);
        }
    }

    fn lock_known(&self) -> MutexGuard<'_, BTreeMap<String, bool>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
