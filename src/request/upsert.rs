//! `upsert`: change some attributes of an item, or make it out of them.

use std::fmt;
use std::marker::PhantomData;

use super::call::{Call, Operation, Outcome, Plan, returned_item};
use super::draft::{Draft, Way};
use super::explain::Explanation;
use super::transact::Member;
use super::unique::Intent;
use super::update::{ReturningChanged, ReturningNew, read_entity, read_item};
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::expr::{Changes, Condition};
use crate::wire::Reply;

/// Changes an item or makes it; see [`Key::upsert`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Upsert<E: DynamoEntity, R = ReturningNew> {
    draft: Draft<E>,
    returning: PhantomData<R>,
}

impl<E: DynamoEntity> Upsert<E> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Upsert::of(Draft::of_key(key, Way::Upsert))
    }
}

impl<E: DynamoEntity, R> Upsert<E, R> {
    fn of(draft: Draft<E>) -> Self {
        Upsert {
            draft,
            returning: PhantomData,
        }
    }

    /// The changes; see [`Update::apply`](super::Update::apply). Every field that the entity cannot be
    /// read without has to be among them.
    pub fn apply<C: Changes<E>>(mut self, changes: impl FnOnce(E::Paths) -> C) -> Self {
        self.draft.apply(changes(E::Paths::default()));
        self
    }

    /// Only if this holds: of the stored item, or of none.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.draft.when(condition(E::Paths::default()));
        self
    }

    /// Says that doing it twice is harmless here, and lets it be sent again after a lost answer; see
    /// [`Create::repeatable`](super::Create::repeatable).
    pub fn repeatable(mut self) -> Self {
        self.draft.repeatable();
        self
    }

    /// Returns the item as it was before, if there was one.
    pub fn returning_old(self) -> Upsert<E, super::ReturningOld> {
        Upsert::of(self.draft)
    }

    /// Returns the attributes that changed, as they are now.
    pub fn returning_changed(self) -> Upsert<E, ReturningChanged> {
        Upsert::of(self.draft)
    }

    /// Returns nothing, and spares the answer.
    pub fn returning_nothing(self) -> Upsert<E, super::ReturningNothing> {
        Upsert::of(self.draft)
    }
}

impl<E: DynamoEntity, R> Upsert<E, R> {
    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        self.draft.members(db)
    }

    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        self.draft.intent(db)
    }
}

impl<E: DynamoEntity> Operation for Upsert<E, ReturningNew> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        self.draft.plan(db, "ALL_NEW", Outcome::Read(read_entity))
    }

    fn send(self, db: &Dynamo) -> Call<'_, E> {
        self.draft.send(db, "ALL_NEW", Outcome::Read(read_entity))
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, "ALL_NEW")
    }
}

impl<E: DynamoEntity> Operation for Upsert<E, super::ReturningOld> {
    type Out = Option<E>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<E>>> {
        self.draft.plan(db, "ALL_OLD", Outcome::Read(read_if_any))
    }

    fn send(self, db: &Dynamo) -> Call<'_, Option<E>> {
        self.draft.send(db, "ALL_OLD", Outcome::Read(read_if_any))
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, "ALL_OLD")
    }
}

fn read_if_any<E: DynamoEntity>(reply: &Reply, now: Timestamp) -> Result<Option<E>> {
    match returned_item(&reply.body)? {
        Some(_) => read_entity(reply, now).map(Some),
        None => Ok(None),
    }
}

impl<E: DynamoEntity> Operation for Upsert<E, ReturningChanged> {
    type Out = Item;

    fn plan(self, db: &Dynamo) -> Result<Plan<Item>> {
        self.draft.plan(db, "UPDATED_NEW", Outcome::Read(read_item))
    }

    fn send(self, db: &Dynamo) -> Call<'_, Item> {
        self.draft.send(db, "UPDATED_NEW", Outcome::Read(read_item))
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, "UPDATED_NEW")
    }
}

impl<E: DynamoEntity> Operation for Upsert<E, super::ReturningNothing> {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        self.draft.plan(db, "NONE", Outcome::Known(Some(())))
    }

    fn send(self, db: &Dynamo) -> Call<'_, ()> {
        self.draft.send(db, "NONE", Outcome::Known(Some(())))
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, "NONE")
    }
}

impl<E: DynamoEntity, R> fmt::Debug for Upsert<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upsert({:?})", self.draft)
    }
}
