//! The stages of a chain, and the type of their rows.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::reach::Reach;
use crate::entity::DynamoEntity;
use crate::query::engine::RowsOf;
use crate::query::keys::KeyDraft;

/// A stage of a chain: some parts of the sort key are known. The derive generates a type for each:
/// `Order::by_status(..)` returns a `ByStatusOfOrder`, which is defined beside `Order`. A stage is a query too and
/// has all methods of [`QueryExt`]. Its own methods are the next parts of the sort key, each a
/// [`SortPart`](crate::query::SortPart).
///
/// [`QueryExt`]: crate::query::QueryExt
pub trait QueryStage: Sized {
    /// The entity whose rows are queried.
    type Entity: DynamoEntity;
    /// The type of a row.
    type Rows: RowsOf<Self::Entity>;
    /// The source of the query.
    type Reach: Reach;

    /// The stage of this draft.
    #[doc(hidden)]
    fn of(draft: KeyDraft) -> Self;

    /// The draft of the stage.
    #[doc(hidden)]
    fn draft(self) -> KeyDraft;
}

/// The type of a row of a stage.
pub type RowOf<S> = <<S as QueryStage>::Rows as RowsOf<<S as QueryStage>::Entity>>::Row;

type StageMarker<E, R, A> = fn() -> (E, R, A);

/// A query whose key parts are all known. It has the operations of [`QueryExt`](crate::query::QueryExt), such as `page`
/// and `all`, and the jobs of [`BulkExt`](crate::bulk::BulkExt), such as `update_each`.
///
/// `E` is the entity. `R` is a [`RowsHold`](crate::query::RowsHold): with `true` each row is an `E`, with `false` its
/// [`Key`](crate::Key). For an index of a shared table, rustdoc shows `{ _ }` instead, and the page of the
/// index has the answer. `A` is the source, such as [`InGlobalIndex`](super::InGlobalIndex).
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct Chosen<E, R, A> {
    draft: KeyDraft,
    kind: PhantomData<StageMarker<E, R, A>>,
}

impl<E: DynamoEntity, R: RowsOf<E>, A: Reach> QueryStage for Chosen<E, R, A> {
    type Entity = E;
    type Rows = R;
    type Reach = A;

    fn of(draft: KeyDraft) -> Self {
        Chosen {
            draft,
            kind: PhantomData,
        }
    }

    fn draft(self) -> KeyDraft {
        self.draft
    }
}

/// Makes the names of the parts known, so that the compiler message explains why none of them can follow.
#[doc(hidden)]
impl<E: DynamoEntity, R, A> Deref for Chosen<E, R, A> {
    type Target = E::SortParts;

    fn deref(&self) -> &E::SortParts {
        E::SORT_PARTS
    }
}

impl<E, R, A> Clone for Chosen<E, R, A> {
    fn clone(&self) -> Self {
        Chosen {
            draft: self.draft.clone(),
            kind: PhantomData,
        }
    }
}

impl<E, R, A> fmt::Debug for Chosen<E, R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}
