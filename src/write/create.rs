//! `create`: store an entity where there is none.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, HeldEntity, Key, Patterns, Stamp};
use crate::error::Result;
use crate::plan::{
    ConditionFailure, Expect, Operation, Plan, TransactionMember, WriteRequest, check,
};
use crate::write::{Intent, entering, intent_of, plan_entering, put_of};

/// Stores an entity where no live item has its key; see [`EntityVerbs::create`](crate::verbs::EntityVerbs::create).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Create<'e, E: DynamoEntity> {
    entity: HeldEntity<'e, E>,
}

impl<'e, E: DynamoEntity> Create<'e, E> {
    pub(crate) fn new(entity: HeldEntity<'e, E>) -> Self {
        Create { entity }
    }
}

impl<E: DynamoEntity> Create<'_, E> {
    /// The write of the item alone, without its sentinels.
    fn write(&self, db: &Dynamo) -> Result<(WriteRequest, E)> {
        let now = db.now();
        let (condition, _) = check::condition(&E::ENTITY, Expect::Missing, None, now);
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        let condition_failure = ConditionFailure::create(&E::ENTITY);
        put_of(
            Patterns::<E>::CREATE,
            &*self.entity,
            &stamp,
            (condition, condition_failure),
            now,
            db,
        )
    }

    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        entering(self.write(db)?, &Key::of(&*self.entity), db)
    }

    pub(crate) fn item_key(&self) -> Key<E> {
        Key::of(&*self.entity)
    }

    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        intent_of(self.write(db)?.0, &Key::of(&*self.entity), db)
    }
}

impl<E: DynamoEntity> Operation for Create<'_, E> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        plan_entering(self.write(db)?, &*self.entity, db)
    }
}

impl<E: DynamoEntity> fmt::Debug for Create<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Create<{}>", E::ENTITY.type_name)
    }
}
