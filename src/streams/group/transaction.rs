//! The writes of changes, collected into transactions.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::error::{OperationPlace, Result};
use crate::plan::{MOST, TransactWrite, TransactionMember};

/// The writes of one change; see [`Consumer::each_in`](super::Consumer::each_in).
pub struct ChangeTransaction<'d> {
    db: &'d Dynamo,
    members: Vec<TransactionMember>,
    operations: usize,
}

impl<'d> ChangeTransaction<'d> {
    pub(super) fn new(db: &'d Dynamo) -> Self {
        ChangeTransaction {
            db,
            members: Vec::new(),
            operations: 0,
        }
    }

    /// Adds a write or a check. It takes effect in one transaction with the other operations and with the progress of the
    /// shard.
    pub fn with(&mut self, operation: impl TransactWrite) -> Result<()> {
        let name = operation.operation_name();
        let place = OperationPlace {
            index: self.operations,
            name,
        };
        let planned = operation.plan_members(self.db)?;
        self.operations += 1;
        self.members
            .extend(planned.into_iter().map(|member| member.at_place(place)));
        Ok(())
    }

    pub(super) fn into_members(self) -> Vec<TransactionMember> {
        self.members
    }
}

/// Shows the number of operations, but not their values.
impl fmt::Debug for ChangeTransaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChangeTransaction({} operations)", self.operations)
    }
}

/// Whether the writes of another change fit into a transaction: with the write of the place, it stays within the limit,
/// and no two operations are on the same item.
pub(super) fn fits_in(batch: &[TransactionMember], more: &[TransactionMember]) -> bool {
    let is_same = |one: &TransactionMember, other: &TransactionMember| {
        one.write.table == other.write.table && one.key == other.key
    };
    let is_apart = |member: &TransactionMember| batch.iter().all(|other| !is_same(member, other));
    batch.len() + more.len() < MOST && more.iter().all(is_apart)
}
