//! The engine's storage, with its state between requests.
//!
//! The engine's own `Database` gives no access to its connection. The settings of SQLite, and an index that the engine
//! does not create itself, need that connection.

use dynoxide::DynoxideError;
use dynoxide::actions::vector_lifecycle::VectorIndexLifecycle;
use dynoxide::storage::Storage;
use futures_util::FutureExt;

use super::page_sizes::PageSizes;
use super::tokens::RememberedTokens;

/// A commit does not wait for the disk; a checkpoint does, before the log is overwritten from its beginning. Together
/// with the log, which the engine enables, nothing is lost if a process is killed, and the file is never damaged. If
/// the machine loses power, the last commits may be missing.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL";

/// An index of the records of streams. Without it, the engine reads all records of a stream for the number of the next one, so
/// each write to a table with a stream takes longer than the one before.
const STREAM_INDEX: &str = "CREATE INDEX IF NOT EXISTS \"_stream_records::sequence\" ON _stream_records \
                            (table_name, CAST(sequence_number AS INTEGER))";

/// The part of the engine's table names that takes the place of a region.
pub(in crate::wire) const REGION: &str = "dynoxide";

/// The database of an engine. One request has it at a time.
pub(super) struct EngineStore {
    pub(super) storage: Storage,
    pub(super) vectors: VectorIndexLifecycle,
    pub(super) tokens: RememberedTokens,
    pub(super) pages: PageSizes,
}

impl EngineStore {
    pub(super) fn in_memory() -> Result<Self, DynoxideError> {
        Storage::memory().map(Self::new)
    }

    /// Opens a file by its path, or by a URL of SQLite.
    pub(super) fn open_file(url: &str) -> Result<Self, DynoxideError> {
        let storage = Storage::new(url)?;
        storage.conn().execute_batch(SETTINGS)?;
        Ok(Self::new(storage))
    }

    fn new(storage: Storage) -> Self {
        // A failure is ignored: without the index, streams are slower and otherwise the same.
        drop(storage.conn().execute_batch(STREAM_INDEX));
        EngineStore {
            storage,
            vectors: VectorIndexLifecycle::new(),
            tokens: RememberedTokens::default(),
            pages: PageSizes::default(),
        }
    }

    /// Ends a transaction that a panic has left open, so that later requests neither see nor commit half of it.
    pub(super) fn rollback_open(&self) {
        if !self.storage.conn().is_autocommit() {
            // If even this fails, the next request on the connection reports it.
            drop(self.storage.rollback());
        }
    }
}

/// The result of an action of the engine, whose futures wait for nothing.
pub(super) fn finish_action<T>(
    action: impl Future<Output = Result<T, DynoxideError>>,
) -> Result<T, DynoxideError> {
    // The actions are `async` only for another storage of the engine. SQLite is synchronous, so the
    // first poll completes them.
    let result = action.now_or_never();
    result.unwrap_or_else(|| {
        Err(DynoxideError::InternalServerError(
            "the engine did not finish".to_owned(),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_records_of_streams_are_found_by_an_index() {
        let store = EngineStore::in_memory().unwrap();
        // as the engine does it
        for query in [
            "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 't'",
            "SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, user_identity, event_id
             FROM _stream_records
             WHERE table_name = 't' AND shard_id = 's' AND CAST(sequence_number AS INTEGER) > 7
             ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT 9",
        ] {
            let explained = format!("EXPLAIN QUERY PLAN {query}");
            let plan = store
                .storage
                .conn()
                .query_row(&explained, [], |row| row.get::<_, String>(3))
                .unwrap();
            assert!(plan.contains("INDEX _stream_records::sequence"), "{plan}");
        }
    }

    #[test]
    fn a_transaction_that_a_panic_left_open_is_undone() {
        let store = EngineStore::in_memory().unwrap();
        store.storage.begin_transaction().unwrap();
        store.rollback_open();
        assert!(store.storage.conn().is_autocommit());
        store.rollback_open();
        store.storage.begin_transaction().unwrap();
    }
}
