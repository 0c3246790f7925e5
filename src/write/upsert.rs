//! `upsert`: change some attributes of an item, or make it out of them.

use std::fmt;
use std::marker::PhantomData;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::expr::{Changes, Condition};
use crate::plan::{Call, Explanation, Operation, Plan, TransactionMember};
use crate::write::{
    Intent, Returning, ReturningChanged, ReturningNew, ReturningNothing, ReturningOld, UpdateDraft,
    UpdateKind,
};

/// Changes an item or makes it; see [`Key::upsert`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Upsert<E: DynamoEntity, R = ReturningNew> {
    draft: UpdateDraft<E>,
    returning: PhantomData<R>,
}

impl<E: DynamoEntity> Upsert<E> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Upsert::of(UpdateDraft::of_key(key, UpdateKind::Upsert))
    }
}

impl<E: DynamoEntity, R> Upsert<E, R> {
    fn of(draft: UpdateDraft<E>) -> Self {
        Upsert {
            draft,
            returning: PhantomData,
        }
    }

    /// The changes; see [`Update::apply`](crate::write::Update::apply). Every field that the entity cannot be
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
    /// [`Create::repeatable`](crate::write::Create::repeatable).
    pub fn repeatable(mut self) -> Self {
        self.draft.repeatable();
        self
    }

    /// Returns the item as it was before, if there was one.
    pub fn returning_old(self) -> Upsert<E, ReturningOld> {
        Upsert::of(self.draft)
    }

    /// Returns the attributes that changed, as they are now.
    pub fn returning_changed(self) -> Upsert<E, ReturningChanged> {
        Upsert::of(self.draft)
    }

    /// Returns nothing, and spares the answer.
    pub fn returning_nothing(self) -> Upsert<E, ReturningNothing> {
        Upsert::of(self.draft)
    }
}

impl<E: DynamoEntity, R> Upsert<E, R> {
    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.draft.members(db)
    }

    pub(crate) fn item_key(&self) -> &Key<E> {
        self.draft.key()
    }

    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        self.draft.intent(db)
    }
}

impl<E: DynamoEntity, R: Returning<E>> Operation for Upsert<E, R> {
    type Out = R::IfAny;

    fn plan(self, db: &Dynamo) -> Result<Plan<R::IfAny>> {
        self.draft.plan(db, R::RETURNED, R::read_if_any)
    }

    fn send(self, db: &Dynamo) -> Call<'_, R::IfAny> {
        self.draft.send(db, R::RETURNED, R::read_if_any)
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.draft.explain(db, R::RETURNED)
    }
}

impl<E: DynamoEntity, R> fmt::Debug for Upsert<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upsert({:?})", self.draft)
    }
}
