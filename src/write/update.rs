//! `update`: changes some attributes of an existing item.

use std::fmt;
use std::marker::PhantomData;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Changes, Condition, Node};
use crate::json::CodecError;
use crate::plan::{AnswerItem, Outcome, Returned};
use crate::write::draft::builder::draft_builder;
use crate::write::evaluated::shape_functions;
use crate::write::item_write::sealed::Sealed;
use crate::write::{
    Conditional, ItemWrite, PlannedWrite, Returning, ReturningChanged, ReturningNew,
    ReturningNothing, ReturningOld, UpdateDraft, UpdateKind, WriteOutcome, WritePlan,
};

/// Changes some attributes of an item; see [`Key::update`] and [`EntityExt::update`](crate::verbs::EntityExt::update).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Update<E: DynamoEntity, R = ReturningNew> {
    draft: UpdateDraft,
    kind: PhantomData<fn() -> (E, R)>,
}

impl<E: DynamoEntity> Update<E> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Update::of(UpdateDraft::of_key(
            &key,
            UpdateKind::Update,
            shape_functions::<E>(),
        ))
    }

    pub(crate) fn of_entity(entity: &E) -> Self {
        Update::of(UpdateDraft::of_entity(entity, shape_functions::<E>()))
    }

    pub(crate) fn of_difference(seen: &E, next: &E) -> Self {
        Update::of(UpdateDraft::of_difference(
            seen,
            next,
            shape_functions::<E>(),
        ))
    }

    pub(crate) fn touch(key: Key<E>) -> Self {
        Update::of(UpdateDraft::of_key(
            &key,
            UpdateKind::Touch,
            shape_functions::<E>(),
        ))
    }
}

draft_builder!(Update);

impl<E: DynamoEntity, R> Update<E, R> {
    /// Adds changes: the closure gets the paths of the entity and returns one change, a tuple, an array, a `Vec` or
    /// an `Option` of changes. If you call it again, it adds more.
    pub fn apply<C: Changes<E>>(mut self, changes: impl FnOnce(E::Paths) -> C) -> Self {
        self.draft.apply(changes(E::Paths::default()));
        self
    }

    /// Whether it changes nothing: no change was given, or the two values of a
    /// [`changes_to`](crate::verbs::EntityExt::changes_to) are the same.
    pub fn is_empty(&self) -> bool {
        self.draft.is_look()
    }

    /// Updates only if this holds for the stored item. If you call this again, both conditions must hold.
    ///
    /// An equality at its top level also makes a part of an index key known:
    /// `.when(|o| o.placed_at().eq(at))`.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.draft
            .asking(condition(E::Paths::default()).into_node());
        self
    }

    /// Updates any stored version. The loaded entity's values for parts of index keys are still checked if they are
    /// used.
    pub fn unchecked(mut self) -> Self {
        self.draft.leave_version();
        self
    }
}

impl<E: DynamoEntity> Update<E, ReturningNothing> {
    /// The update of the row with this key, on the condition that this holds for it. None if nothing has to be
    /// written.
    pub(crate) fn plan_of_row(
        mut self,
        db: &Dynamo,
        row: &Key<E>,
        claim: Node,
    ) -> Result<Option<PlannedWrite>> {
        // The job marks and counts its own row. With another row, that would be the wrong one.
        if self.draft.key_json() != row.to_json().ok().as_deref() {
            let message =
                "the closure returned the update of another row: change the one that it was given";
            let error = Error::new(ErrorKind::InvalidKey, Stage::Request, message);
            return Err(error.of(E::ENTITY.type_name));
        }
        if self.draft.is_look() {
            return Ok(None);
        }
        self.draft.asking(claim);
        let plan = self.draft.prepare(db, Returned::Nothing)?;
        plan.intent.ready().map(Some)
    }
}

impl<E: DynamoEntity, R: Returning<E>> Sealed for Update<E, R> {}

impl<E: DynamoEntity, R: Returning<E>> ItemWrite for Update<E, R> {
    type Entity = E;
    type Guard = Conditional;
    type Returns = R;
    type Out = R::Out;

    const VERB: &'static str = "update";

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        self.draft.item_key()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<R::Out>) {
        let outcome = Outcome::Item(AnswerItem::Returned(R::RETURNED), R::read);
        (self.draft.prepare(db, R::RETURNED), WriteOutcome(outcome))
    }
}

crate::awaited::unsent!([E: DynamoEntity, R] Update<E, R>);
