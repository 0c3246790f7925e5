//! An UpdateItem, planned.

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::plan::{ConditionFailure, TransactionMember, WriteRequest, WriteVerb, size};
use crate::schema::Pattern;
use crate::wire::Resend;
use crate::write::{PlannedWrite, UniqueExchange};

/// What is written and what is asked of the stored item.
pub(crate) struct Edit<E: DynamoEntity> {
    pub(crate) pattern: &'static Pattern,
    pub(crate) key: Key<E>,
    pub(crate) update: UpdateActions,
    /// The condition, and what it means if that does not hold.
    pub(crate) asked: (Node, ConditionFailure),
    /// What becomes of unique values.
    pub(crate) exchange: UniqueExchange,
    pub(crate) resend: Resend,
}

impl<E: DynamoEntity> Edit<E> {
    /// The UpdateItem alone.
    pub(crate) fn write(self, db: &Dynamo, now: Timestamp) -> Result<WriteRequest> {
        let mut write = update_of(self.pattern, &self.key, self.update, self.asked, now, db)?;
        write.resend = self.resend;
        Ok(write)
    }

    /// The update in a transaction, and the operations that keep its unique values.
    pub(crate) fn members(self, db: &Dynamo, now: Timestamp) -> Result<Vec<TransactionMember>> {
        let beside = self.exchange.members(&self.key, now, db)?;
        let write = update_of(self.pattern, &self.key, self.update, self.asked, now, db)?;
        let main = TransactionMember::of_key(write, &self.key)?;
        Ok([main].into_iter().chain(beside).collect())
    }

    /// The write for callers who send it themselves and take no answer.
    pub(crate) fn planned_write(self, db: &Dynamo, now: Timestamp) -> Result<PlannedWrite> {
        let beside = self.exchange.members(&self.key, now, db)?;
        let mut write = update_of(self.pattern, &self.key, self.update, self.asked, now, db)?;
        write.resend = self.resend;
        PlannedWrite::of(write, &self.key, beside)
    }

    /// Sends the write with what keeps its unique values.
    pub(crate) async fn commit(self, db: &Dynamo, now: Timestamp) -> Result<()> {
        match self.planned_write(db, now)?.send(db).await? {
            None => Ok(()),
            Some((_, error)) => Err(error),
        }
    }
}

/// An update by key.
pub(crate) fn update_of<E: DynamoEntity>(
    pattern: &'static Pattern,
    key: &Key<E>,
    update: UpdateActions,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> Result<WriteRequest> {
    size::check_update(E::ENTITY.type_name, &update)?;
    let mut write = WriteRequest::of_entity::<E>(WriteVerb::Update, pattern, 512, asked, now, db);
    key.write_object(write.writer())?;
    write.update = update;
    Ok(write)
}
