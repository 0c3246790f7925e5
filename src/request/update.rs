//! `update`: change some attributes of an item that is there.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::call::{Call, Operation, Outcome, Plan, returned_item};
use super::draft::{Draft, Way};
use super::explain::Explanation;
use super::transact::Member;
use super::unique::{Intent, Joint};
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, Key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Changes, Condition, Node};
use crate::wire::Reply;

/// Changes some attributes of an item; see [`Key::update`] and [`DynamoEntity::update`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Update<E: DynamoEntity, R = ReturningNew> {
    draft: Draft<E>,
    returning: PhantomData<R>,
}

/// The update returns the item as it is after it.
#[derive(Debug)]
pub struct ReturningNew(());

/// The update returns the attributes that it changed, as they are after it.
#[derive(Debug)]
pub struct ReturningChanged(());

impl<E: DynamoEntity> Update<E> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Update::of(Draft::of_key(key, Way::Update))
    }

    pub(crate) fn of_entity(entity: &E) -> Self {
        Update::of(Draft::of_entity(entity))
    }

    pub(crate) fn touch(key: Key<E>) -> Self {
        Update::of(Draft::of_key(key, Way::Touch))
    }
}

impl<E: DynamoEntity, R> Update<E, R> {
    fn of(draft: Draft<E>) -> Self {
        Update {
            draft,
            returning: PhantomData,
        }
    }

    /// The changes: the closure gets the paths of the entity and returns one change, a tuple, an array,
    /// a `Vec` or an `Option` of changes. Called again, it adds to them.
    pub fn apply<C: Changes<E>>(mut self, changes: impl FnOnce(E::Paths) -> C) -> Self {
        self.draft.apply(changes(E::Paths::default()));
        self
    }

    /// Only if this holds of the stored item. Called again, both have to hold.
    ///
    /// An equality at its top level also makes a part of an index key known:
    /// `.when(|o| o.placed_at().eq(at))`.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.draft.when(condition(E::Paths::default()));
        self
    }

    /// Whatever the stored version. What the loaded entity says of the parts of index keys is checked
    /// all the same, where it is used.
    pub fn unchecked(mut self) -> Self {
        self.draft.leave_version();
        self
    }

    /// Says that doing it twice is harmless here, and lets it be sent again after a lost answer; see
    /// [`Create::repeatable`](super::Create::repeatable).
    pub fn repeatable(mut self) -> Self {
        self.draft.repeatable();
        self
    }

    /// Returns the item as it was before.
    pub fn returning_old(self) -> Update<E, super::ReturningOld> {
        Update::of(self.draft)
    }

    /// Returns the attributes that changed, as they are now.
    pub fn returning_changed(self) -> Update<E, ReturningChanged> {
        Update::of(self.draft)
    }

    /// Returns nothing, and spares the answer.
    pub fn returning_nothing(self) -> Update<E, super::ReturningNothing> {
        Update::of(self.draft)
    }
}

impl<E: DynamoEntity> Update<E, super::ReturningNothing> {
    /// Of the row with this key, and only while this holds of it. None if there is nothing to write.
    pub(super) fn plan_of_row(
        mut self,
        db: &Dynamo,
        row: &Key<E>,
        claim: Node,
    ) -> Result<Option<Joint>> {
        if self.draft.key() != row {
            let message =
                "the closure returned the update of another row: change the one that it was given";
            let error = Error::new(ErrorKind::InvalidKey, Stage::Request, message);
            return Err(error.of(E::ENTITY.type_name));
        }
        if self.draft.is_look() {
            return Ok(None);
        }
        self.draft.asking(claim);
        self.draft.joint(db).map(Some)
    }
}

impl<E: DynamoEntity, R> Update<E, R> {
    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        self.draft.members(db)
    }

    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        self.draft.intent(db)
    }
}

impl<E: DynamoEntity> Operation for Update<E, ReturningNew> {
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

impl<E: DynamoEntity> Operation for Update<E, super::ReturningOld> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        self.draft.plan(db, "ALL_OLD", Outcome::Read(read_entity))
    }

    fn send(self, db: &Dynamo) -> Call<'_, E> {
        self.draft.send(db, "ALL_OLD", Outcome::Read(read_entity))
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, "ALL_OLD")
    }
}

impl<E: DynamoEntity> Operation for Update<E, ReturningChanged> {
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

impl<E: DynamoEntity> Operation for Update<E, super::ReturningNothing> {
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

/// The entity in the answer. If it cannot be read, the write has happened all the same, so the error
/// brings the item.
pub(super) fn read_entity<E: DynamoEntity>(reply: &Reply, now: Timestamp) -> Result<E> {
    let item = returned_item(&reply.body)?.ok_or_else(|| {
        let message = "the answer of an update holds no item";
        Error::new(ErrorKind::Service, Stage::Service, message).of(E::ENTITY.type_name)
    })?;
    entity::read(item).map_err(|error: Error| {
        let error = error.with_current(Bytes::copy_from_slice(item), now);
        error.declared_as(Some(E::ENTITY.id))
    })
}

/// The attributes in the answer; none if nothing changed.
pub(super) fn read_item(reply: &Reply, _: Timestamp) -> Result<Item> {
    let json = returned_item(&reply.body)?.unwrap_or(b"{}");
    Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault))
}

impl<E: DynamoEntity, R> fmt::Debug for Update<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Update({:?})", self.draft)
    }
}
