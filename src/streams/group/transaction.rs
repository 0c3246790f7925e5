//! The writes of changes, collected into transactions.

use std::fmt;

use super::rejected::too_many_operations;
use crate::dynamo::Dynamo;
use crate::error::{Error, OperationPlace, Result, Stage};
use crate::plan::{MOST, TransactWrite, TransactionMember};

/// The writes of one change; see [`Consumer::each_in`](super::Consumer::each_in).
pub struct ChangeTransaction<'d> {
    db: &'d Dynamo,
    members: Vec<TransactionMember>,
    operations: usize,
    /// The first operation that could not be added.
    failure: Option<Error>,
}

impl<'d> ChangeTransaction<'d> {
    pub(super) fn new(db: &'d Dynamo) -> Self {
        ChangeTransaction {
            db,
            members: Vec::new(),
            operations: 0,
            failure: None,
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
        self.operations += 1;
        match operation.plan_members(self.db) {
            Ok(planned) => {
                let planned = planned.into_iter();
                self.members
                    .extend(planned.map(|member| member.at_place(place)));
                Ok(())
            }
            Err(error) => {
                self.failure.get_or_insert_with(|| {
                    Error::new(error.kind(), Stage::Request, error.to_string())
                });
                Err(error)
            }
        }
    }

    /// The writes. An operation that could not be added is an error, also if the function has ignored it.
    pub(super) fn into_members(self) -> Result<Vec<TransactionMember>> {
        match self.failure {
            Some(error) => Err(error),
            None if self.members.len() >= MOST => Err(too_many_operations(self.members.len())),
            None => Ok(self.members),
        }
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
