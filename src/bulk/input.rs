//! The writes that a job was given, with their places in the input.

use super::put::{PreparedWrite, Writes};
use super::stray::StrayAttempt;
use crate::dynamo::Dynamo;
use crate::key::KeyHash;
use crate::plan::ItemKey;

/// A write with its place in the input.
pub(super) struct Input {
    pub(super) number: u64,
    /// Its identity.
    pub(super) identity: u64,
    pub(super) prepared: Box<PreparedWrite>,
    /// Its name in the checkpoint, if it failed in an earlier run.
    pub(super) failed_as: Option<String>,
    /// The number of a later write of its item that had its turn in an earlier run.
    pub(super) overtaken_by: Option<u64>,
}

impl Input {
    /// The next write of the input.
    pub(super) fn next(writes: &mut dyn Writes, number: u64, db: &Dynamo) -> Option<Self> {
        let prepared = Box::new(writes.next(db)?);
        Some(Input {
            number,
            identity: prepared.identity(number, db),
            prepared,
            failed_as: None,
            overtaken_by: None,
        })
    }

    /// A number that represents its item: writes of the same item have the same number.
    pub(super) fn item(&self, db: &Dynamo) -> Option<u64> {
        let prepared = &self.prepared;
        let key = ItemKey::in_table(prepared.table, prepared.key.as_ref().ok()?).ok()?;
        let table = db.table_name(prepared.table.name);
        Some(KeyHash::of(table.as_bytes(), Some(&key.to_json())).number())
    }

    pub(super) fn is_delete(&self) -> bool {
        self.prepared.verb == "delete"
    }
}

/// A write, and where it is in the ledger.
pub(super) struct Waiting {
    pub(super) entry: u64,
    /// The identity of its item, if that is known.
    pub(super) item: Option<u64>,
    pub(super) write: Input,
    pub(super) is_again: bool,
    /// The number of an earlier write of the item that failed, and that the next run tries again.
    pub(super) held_by: Option<u64>,
    /// The numbers of the writes that were done to the item and are in no checkpoint: its mark has to tell of them too.
    pub(super) done_before: Vec<u64>,
    /// An attempt at an earlier write of the item that may still take effect, if nothing would keep it from doing so once
    /// this write was done.
    pub(super) stray: Option<StrayAttempt>,
}
