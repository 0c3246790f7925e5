//! `put_each`: writes that come one after the other, each with its own condition.

use std::iter::Fuse;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, EntityContract, Patterns};
use crate::error::{Error, Result};
use crate::key::KeyHash;
use crate::plan::{Explanation, Outcome, Returned};
use crate::schema::{Pattern, TableDef};
use crate::write::{Intent, ItemWrite, Omissible};

/// A write that is planned as far as it can be, with its key, verb and table.
pub struct PreparedWrite {
    pub(crate) intent: Result<Intent>,
    /// The key attributes, as an object of DynamoDB JSON. A write that cannot be planned has them too.
    pub(crate) key: Result<Vec<u8>>,
    /// The operation on the item.
    pub(crate) verb: &'static str,
    pub(crate) entity: &'static str,
    pub(crate) pattern: &'static Pattern,
    pub(crate) table: &'static TableDef,
}

impl PreparedWrite {
    /// A number that identifies the write at this position in the input. It is 0 without a key, because such a write
    /// is never done.
    pub(super) fn identity(&self, number: u64, db: &Dynamo) -> u64 {
        let Ok(key) = &self.key else { return 0 };
        let place = format!("{number} {} {}", self.verb, db.table_name(self.table.name));
        KeyHash::of(place.as_bytes(), Some(key)).number()
    }

    /// The request that would be sent if nothing was stored.
    pub(super) fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let mut planned_write = match self.intent? {
            Intent::Ready(planned_write) => planned_write,
            Intent::Reading(write) => write.plan_on(None, db)?,
        };
        planned_write.main().pattern = self.pattern;
        let plan = planned_write
            .returning(Returned::Nothing)?
            .with_outcome(Outcome::Known(Some(())));
        Ok(Explanation::of_plan(&plan))
    }
}

/// A write of one item: a create, put, update, upsert or delete, with any condition.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the write of one item",
    label = "`put_each` takes `create()`, `put()`, `update()`, `upsert()` and `delete()`",
    note = "a job returns no items: remove `.returning_old()` or `.returning_changed()`",
    note = "one job takes writes of different types as `Box<dyn SingleWrite>`"
)]
pub trait SingleWrite: Send {
    /// Plans the write.
    #[doc(hidden)]
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite;
}

#[diagnostic::do_not_recommend]
impl<W: ItemWrite<Returns: Omissible> + Send> SingleWrite for W {
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        let entity = W::Entity::ENTITY.type_name;
        let key = self.item_key();
        PreparedWrite {
            key: key.map_err(|fault| Error::encode(entity, fault)),
            intent: self.prepare(db).0.map(|plan| plan.intent),
            verb: W::VERB,
            entity,
            pattern: &Patterns::<W::Entity>::JOINT.put_each,
            table: &<<W::Entity as DynamoEntity>::Table as DynamoTable>::TABLE,
        }
    }
}

#[diagnostic::do_not_recommend]
impl SingleWrite for Box<dyn SingleWrite + '_> {
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        (*self).prepared(db)
    }
}

/// Writes that are planned when their turn has come.
pub(super) trait Writes: Send {
    /// The next write.
    fn next(&mut self, db: &Dynamo) -> Option<PreparedWrite>;
}

impl<W: SingleWrite, I: Iterator<Item = W> + Send> Writes for Fuse<I> {
    fn next(&mut self, db: &Dynamo) -> Option<PreparedWrite> {
        let write = Iterator::next(self)?;
        Some(Box::new(write).prepared(db))
    }
}
