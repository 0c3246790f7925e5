//! `create`: stores an entity if no item has its key.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::{
    Created, DynamoEntity, HeldEntity, Key, ManagedValues, Patterns, UntypedEntity,
};
use crate::error::Result;
use crate::json::CodecError;
use crate::plan::{ConditionFailure, Outcome, Precondition, TransactionMember, check};
use crate::schema::Pattern;
use crate::write::item_write::sealed::Sealed;
use crate::write::{
    Conditional, ItemWrite, PreparedPut, ReturningNew, WriteOutcome, WritePlan,
    members_with_stored, with_stored,
};

/// Stores an entity if no live item has its key; see [`EntityExt::create`](crate::verbs::EntityExt::create).
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
    fn write(&self, db: &Dynamo) -> (Result<WritePlan>, Option<E>) {
        let entity = &*self.entity;
        with_stored(entity, Ok(prepared(Patterns::<E>::CREATE, entity, db)), db)
    }
}

impl<E: DynamoEntity> Sealed for Create<'_, E> {}

impl<E: DynamoEntity> ItemWrite for Create<'_, E> {
    type Entity = E;
    type Guard = Conditional;
    type Returns = ReturningNew;
    type Out = E;

    const VERB: &'static str = "create";

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        Key::of(&*self.entity).to_json()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<E>) {
        let (plan, stored) = self.write(db);
        (plan, WriteOutcome(Outcome::Known(stored)))
    }

    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        members_with_stored(&*self.entity, self.write(db))
    }
}

fn prepared<'e>(
    pattern: &'static Pattern,
    entity: &'e dyn UntypedEntity,
    db: &Dynamo,
) -> PreparedPut<'e> {
    let (def, now) = (entity.declaration().def, db.now());
    let (condition, _) = check::build_condition(def, Precondition::Missing, None, now);
    PreparedPut {
        pattern,
        entity,
        stamp: ManagedValues::write(1, now, Created::Now).by(db.current_actor()),
        // The condition is that of a missing item, but its failure has a kind of its own:
        // `AlreadyExists`.
        asked: (condition, ConditionFailure::of_create(def)),
        // No item exists before, so its unique values are known without a read.
        is_entering: true,
        now,
    }
}

impl<E: DynamoEntity> fmt::Debug for Create<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Create<{}>", E::ENTITY.type_name)
    }
}

crate::awaited::unsent!([E: DynamoEntity] Create<'_, E> => E);
