//! `upsert`: changes some attributes of an item, or creates it from them.

use std::fmt;
use std::marker::PhantomData;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::expr::{Changes, Condition};
use crate::json::CodecError;
use crate::plan::{AnswerItem, Outcome};
use crate::write::draft::builder::draft_builder;
use crate::write::evaluated::shape_functions;
use crate::write::item_write::sealed::Sealed;
use crate::write::{
    Conditional, ItemWrite, Returning, ReturningChanged, ReturningNew, ReturningNothing,
    ReturningOld, UpdateDraft, WriteOutcome, WritePlan,
};

/// Changes an item or creates it; see [`Key::upsert`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Upsert<E: DynamoEntity, R = ReturningNew> {
    draft: UpdateDraft,
    kind: PhantomData<fn() -> (E, R)>,
}

impl<E: DynamoEntity> Upsert<E> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Upsert::of(UpdateDraft::of_upsert(&key, shape_functions::<E>()))
    }
}

draft_builder!(Upsert);

impl<E: DynamoEntity, R> Upsert<E, R> {
    /// Adds changes; see [`Update::apply`](crate::write::Update::apply). They must include every field without which
    /// the entity cannot be read.
    pub fn apply<C: Changes<E>>(mut self, changes: impl FnOnce(E::Paths) -> C) -> Self {
        self.draft.apply(changes(E::Paths::default()));
        self
    }

    /// Writes only if this holds for the stored item, or for a missing item.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.draft
            .asking(condition(E::Paths::default()).into_node());
        self
    }
}

impl<E: DynamoEntity, R: Returning<E>> Sealed for Upsert<E, R> {}

impl<E: DynamoEntity, R: Returning<E>> ItemWrite for Upsert<E, R> {
    type Entity = E;
    type Guard = Conditional;
    type Returns = R;
    type Out = R::IfAny;

    const VERB: &'static str = "upsert";

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        self.draft.item_key()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<R::IfAny>) {
        let outcome = Outcome::Item(AnswerItem::Returned(R::RETURNED), R::read_if_any);
        (self.draft.prepare(db, R::RETURNED), WriteOutcome(outcome))
    }
}

crate::awaited::unsent!([E: DynamoEntity, R] Upsert<E, R>);
