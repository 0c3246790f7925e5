//! An UpdateItem, planned.

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::UntypedKey;
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::plan::{ConditionFailure, TransactionMember, WriteRequest};
use crate::schema::Pattern;
use crate::write::{PlannedWrite, UniqueChanges, refuse_alone, update_of};

/// The changes, and the conditions on the stored item.
pub(crate) struct Edit {
    pub(crate) pattern: &'static Pattern,
    pub(crate) key: UntypedKey,
    pub(crate) update: UpdateActions,
    /// The condition, and what it means if that does not hold.
    pub(crate) asked: (Node, ConditionFailure),
    /// The changes of unique values.
    pub(crate) unique_changes: UniqueChanges,
}

impl Edit {
    /// The UpdateItem alone.
    pub(crate) fn write(self, db: &Dynamo, now: Timestamp) -> Result<WriteRequest> {
        update_of(self.pattern, &self.key, self.update, self.asked, now, db)
    }

    /// The update in a transaction, and the operations that keep its unique values.
    pub(crate) fn members(self, db: &Dynamo, now: Timestamp) -> Result<Vec<TransactionMember>> {
        refuse_doubled(&self)?;
        let (planned_write, _) = self.planned_write(db, now)?;
        let (main, beside) = planned_write.into_members(None)?;
        Ok([main].into_iter().chain(beside).collect())
    }

    /// The write with what keeps its unique values, and the key.
    pub(crate) fn planned_write(
        self,
        db: &Dynamo,
        now: Timestamp,
    ) -> Result<(PlannedWrite, UntypedKey)> {
        let beside = self.unique_changes.members(&self.key, now, db)?;
        let write = update_of(self.pattern, &self.key, self.update, self.asked, now, db)?;
        Ok((PlannedWrite::of(write, self.key.json(), beside)?, self.key))
    }
}

/// Returns an error for changes in a transaction of the caller, if the item has another row.
fn refuse_doubled(edit: &Edit) -> Result<()> {
    match edit.update.is_empty() {
        true => Ok(()),
        false => refuse_alone(edit.key.declared, false),
    }
}
