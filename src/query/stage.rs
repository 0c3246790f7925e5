//! The stages of a chain, and the type of their rows.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::Query;
use super::draft::KeyDraft;
use super::reach::Reach;
use crate::entity::{self, DynamoEntity, Key};
use crate::error::Result;
use crate::read::{ReadValues, entities_ahead, keys_ahead};
use crate::schema::{IndexDef, Projection};

/// A stage of a chain: some parts of the sort key are known. The derive generates a type for each:
/// `Order::by_status(..)` returns a `ByStatusOfOrder`, which is defined beside `Order`. A stage is a query too and
/// has all methods of [`QueryVerbs`].
///
/// [`QueryVerbs`]: crate::query::QueryVerbs
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

/// Whether the rows contain all attributes: then they are entities, otherwise keys.
#[derive(Debug)]
pub struct RowsHold<const WHOLE: bool>(());

/// The type that the rows are decoded into, depending on that.
pub trait RowsOf<E: DynamoEntity>: 'static {
    /// The entity if the row contains all of it, otherwise its key.
    type Row: Send + 'static;

    /// Whether only keys are read.
    const KEYS_ONLY: bool;

    /// Decodes one row.
    fn read(json: &[u8]) -> Result<Self::Row>;

    /// Decodes the rows of a response as they arrive.
    fn ahead() -> Box<dyn ReadValues>;
}

impl<E: DynamoEntity> RowsOf<E> for RowsHold<true> {
    type Row = E;
    const KEYS_ONLY: bool = false;

    fn read(json: &[u8]) -> Result<E> {
        entity::read(json)
    }

    fn ahead() -> Box<dyn ReadValues> {
        entities_ahead::<E>()
    }
}

impl<E: DynamoEntity> RowsOf<E> for RowsHold<false> {
    type Row = Key<E>;
    const KEYS_ONLY: bool = true;

    fn read(json: &[u8]) -> Result<Key<E>> {
        entity::read_key(json)
    }

    fn ahead() -> Box<dyn ReadValues> {
        keys_ahead::<E>()
    }
}

/// A row whose entity is known, so that its attributes have paths.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no row of an entity",
    label = "its attributes are not known",
    note = "rows of a collection are of several entities: filter those of one, by a query of that entity"
)]
pub trait RowOfEntity {
    /// The entity.
    type Entity: DynamoEntity;
}

impl<E: DynamoEntity> RowOfEntity for E {
    type Entity = E;
}

impl<E: DynamoEntity> RowOfEntity for Key<E> {
    type Entity = E;
}

impl<R: RowOfEntity> RowOfEntity for Result<R> {
    type Entity = R::Entity;
}

/// Whether the rows of an index contain all attributes.
pub const fn holds_all(index: &IndexDef) -> bool {
    matches!(index.project, Projection::All)
}

/// An entity whose partitions contain several items.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sort key, so each of its partitions holds one item",
    label = "no query is needed",
    note = "read it by its key: `{Self}::key(..).get()`"
)]
pub trait SortKeyIn<'x>: Sized {
    /// Never called: no type implements this.
    fn never() -> Query<Self>;
}

type StageMarker<E, R, A> = fn() -> (E, R, A);

/// A stage that knows all parts before one. No type implements it: the method of a part that is used too early has
/// this bound.
#[diagnostic::on_unimplemented(
    message = "a part of the sort key is skipped",
    label = "an earlier part is not known here",
    note = "ask for the parts of a sort key from left to right, as its template names them: `.eq(..)` goes on to the next one"
)]
pub trait KnownUpTo<'x> {}

/// A query that takes another range. No type implements it.
#[diagnostic::on_unimplemented(
    message = "this query has its range already",
    label = "a range ends the chain",
    note = "DynamoDB reads one range of keys: ask for both ends by `between(a..b)`, and leave rows out by `filter(..)`"
)]
pub trait TakesRange<'x> {}

/// A part that can follow a range, or a part without a value. No type implements it.
#[diagnostic::on_unimplemented(
    message = "no part of the sort key can be asked for here",
    label = "behind a range or another verb, or behind a part that was not given",
    note = "DynamoDB reads one range of keys: give the parts from left to right, all but the last one by `eq(..)`, then filter, limit and the like",
    note = "for both ends of a range write `between(a..b)`; other rows are left out by `filter(..)`"
)]
pub trait NextPart<'x> {
    /// Never called: no type implements this.
    fn never<T>() -> T;
}

/// The end of a chain: every part that it supports is known. `E` is the entity, `R` a [`RowsHold`], `A` the source,
/// such as [`InGlobalIndex`](super::InGlobalIndex).
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
