//! `put_each`: writes that come one after the other, each with its own condition.

use std::iter::Fuse;

use crate::dynamo::Dynamo;
use crate::entity::guard::Guard;
use crate::entity::{DynamoEntity, DynamoTable, Patterns};
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::key::KeyHash;
use crate::plan::{Explanation, Outcome};
use crate::schema::{Pattern, TableDef};
use crate::write::{
    Create, Delete, Intent, Put, Repeatable, ReturningNothing, ReturningOld, Update, Upsert,
};

/// A write that is planned as far as it can be, with its key, verb and table.
pub struct PreparedWrite {
    pub(super) intent: Result<Intent>,
    /// The key attributes, as an object of DynamoDB JSON. A write that cannot be planned has them too.
    pub(super) key: Result<Vec<u8>>,
    /// The operation on the item.
    pub(super) verb: &'static str,
    pub(super) entity: &'static str,
    pub(super) pattern: &'static Pattern,
    pub(super) table: &'static TableDef,
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
            Intent::Ready(planned_write) => *planned_write,
            Intent::Reading(write) => write.plan_on(None, db)?,
        };
        planned_write.main().pattern = self.pattern;
        let plan = planned_write.planned()?.reading(Outcome::Known(Some(())));
        Ok(Explanation::of(&plan))
    }
}

/// A write of one item: a create, put, update, upsert or delete, with any condition.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the write of one item",
    label = "`put_each` takes `create()`, `put()`, `update()`, `upsert()` and `delete()`",
    note = "a job returns no items: leave out `.returning_old()`",
    note = "writes of different types stand in one job as `Box<dyn SingleWrite>`"
)]
pub trait SingleWrite: Send {
    /// Plans the write.
    #[doc(hidden)]
    fn prepare(self: Box<Self>, db: &Dynamo) -> PreparedWrite;
}

#[diagnostic::do_not_recommend]
impl<W: SingleWrite + ?Sized> SingleWrite for Box<W> {
    fn prepare(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        (*self).prepare(db)
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
        Some(Box::new(write).prepare(db))
    }
}

/// A planned write of an entity.
fn prepared<E: DynamoEntity>(
    verb: &'static str,
    key: Result<Vec<u8>, CodecError>,
    intent: Result<Intent>,
) -> PreparedWrite {
    PreparedWrite {
        key: key.map_err(|fault| Error::encode(E::ENTITY.type_name, fault)),
        intent,
        verb,
        entity: E::ENTITY.type_name,
        pattern: &Patterns::<E>::JOINT.put_each,
        table: &<E::Table as DynamoTable>::TABLE,
    }
}

macro_rules! single_writes {
    ($([$($generics:tt)*] $verb:literal $write:ty: $intent:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> SingleWrite for $write {
            fn prepare(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
                let intent: fn(Self, &Dynamo) -> Result<Intent> = $intent;
                let key = self.item_key();
                prepared::<E>($verb, key, intent(*self, db))
            }
        }
    )*};
}

single_writes! {
    [E: DynamoEntity] "create" Create<'_, E>: Create::intent;
    [E: DynamoEntity, G: Guard] "put" Put<'_, E, G>: Put::intent;
    [E: DynamoEntity, R: Send] "update" Update<E, R>: Update::intent;
    [E: DynamoEntity, R: Send] "upsert" Upsert<E, R>: Upsert::intent;
    [E: DynamoEntity, G: Guard] "delete" Delete<E, G, ReturningNothing>: Delete::intent;
    [E: DynamoEntity] "create" Repeatable<Create<'_, E>>: |write, db| repeatable(write.into_inner().intent(db));
    [E: DynamoEntity, G: Guard] "put" Repeatable<Put<'_, E, G>>: |write, db| repeatable(write.into_inner().intent(db));
    [E: DynamoEntity, G: Guard] "delete" Repeatable<Delete<E, G, ReturningNothing>>: |write, db| repeatable(write.into_inner().intent(db));
    [E: DynamoEntity, G: Guard] "delete" Repeatable<Delete<E, G, ReturningOld>>: |write, db| repeatable(write.into_inner().intent(db));
}

fn repeatable(intent: Result<Intent>) -> Result<Intent> {
    Ok(match intent? {
        // A transaction has a token, so it is repeatable anyway.
        Intent::Ready(mut planned_write) => {
            planned_write.main().repeatable();
            Intent::Ready(planned_write)
        }
        reading @ Intent::Reading(_) => reading,
    })
}
