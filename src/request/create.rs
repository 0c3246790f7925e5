//! `create`: store an entity where none is.

use std::fmt;

use super::call::{Operation, Plan};
use super::check::{self, Expect, Lost};
use super::put::{entering, intent_of, plan_entering, plan_put};
use super::transact::Member;
use super::unique::Intent;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, Stamp};
use crate::error::Result;

/// Stores an entity where no live item has its key; see [`DynamoEntity::create`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Create<'e, E: DynamoEntity> {
    entity: &'e E,
}

impl<'e, E: DynamoEntity> Create<'e, E> {
    pub(crate) fn new(entity: &'e E) -> Self {
        Create { entity }
    }
}

impl<E: DynamoEntity> Create<'_, E> {
    /// The item, without what keeps its unique values.
    fn plan_item(&self, db: &Dynamo) -> Result<Plan<E>> {
        let now = db.now();
        let (condition, _) = check::condition(&E::ENTITY, Expect::Missing, None, now);
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        let lost = Lost::create(&E::ENTITY);
        plan_put(self.entity, db, now, &stamp, &condition, lost)
    }

    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        entering(self.plan_item(db)?, &self.entity.key(), db)
    }

    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        intent_of(self.plan_item(db)?, &self.entity.key(), db)
    }
}

impl<E: DynamoEntity> Operation for Create<'_, E> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        let plan = self.plan_item(db)?;
        plan_entering(plan, self.entity, db)
    }
}

impl<E: DynamoEntity> fmt::Debug for Create<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Create<{}>", E::ENTITY.type_name)
    }
}
