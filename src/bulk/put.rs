//! `put_each`: writes that come one after the other, each with its own condition.

use std::iter::Fuse;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, EntityContract, Patterns};
use crate::error::{Error, Result};
use crate::key::KeyHash;
use crate::plan::{Explanation, Outcome, Returned};
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::write::{Intent, ItemWrite, Omissible, ReadUniqueValues, values_as_stored};

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
    /// The unique values that the item must have, even if it is stored already.
    pub(crate) restored: Option<RestoredValues>,
}

/// The unique values of an item that a copy or an import stores. If the target has the same item, its row is correct, but the
/// items of its unique values can be missing or belong to another item.
pub(crate) struct RestoredValues {
    /// The item as it is stored, DynamoDB JSON.
    pub(crate) item: Vec<u8>,
    pub(crate) entity: &'static EntityDef,
    pub(crate) read_values: ReadUniqueValues,
}

impl RestoredValues {
    /// The values of an item; `None` if the entity has no unique values, so that its items cost nothing more.
    pub(crate) fn of_item<E: DynamoEntity>(item: impl FnOnce() -> Vec<u8>) -> Option<Self> {
        if E::ENTITY.uniques.is_empty() {
            return None;
        }
        Some(RestoredValues {
            item: item(),
            entity: &E::ENTITY,
            read_values: values_as_stored::<E>,
        })
    }
}

/// A write that stores a whole item, with its unique values.
pub(crate) struct RestoringWrite<W> {
    pub(crate) write: W,
    pub(crate) restored: Option<RestoredValues>,
}

impl<W: SingleWrite> SingleWrite for RestoringWrite<W> {
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        let RestoringWrite { write, restored } = *self;
        PreparedWrite {
            restored,
            ..Box::new(write).prepared(db)
        }
    }
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
            restored: None,
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
