//! `query`: read many rows, by the key of a table or an index.
//!
//! ```text
//! Order::by_status(s)   stage: a draft, with what is known of the key        draft, stage
//!   .placed_at()        the next part of the sort key                        part
//!   .lt(cutoff)         a query: draft and options                           selection
//!   .limit(20)          the same                                             verbs
//!   .page(&db)          frame of the request, one for each partition         selection, condition, start
//!                       -> answer by answer, partitions merged               fetch, answer, lanes, gather, row_merger, merge_tree
//!                       -> at a pace, with progress told                     `read`: meter, pace, progress
//!                       -> the items behind the rows, if asked for           hydrate
//!                       -> rows and cursors                                  page, position, cursor
//!   .stream(&db)        -> rows, one after the other                         stream
//!   .update_each(..)    -> rows and their places, for a job                  job_rows
//! ```
//!
//! Nothing waits down to the request, and nothing below `fetch` knows the type of a row.

pub(crate) mod all;
mod answer;
mod collection;
mod condition;
mod cursor;
mod draft;
mod dynamic;
pub(crate) mod explain;
mod fetch;
mod gather;
mod hydrate;
mod job_rows;
mod kind;
mod lanes;
mod living;
mod merge_tree;
mod of_entity;
pub(crate) mod page;
mod part;
mod part_tuple;
mod partition;
mod position;
mod reach;
mod resume;
mod row_merger;
mod scan;
pub(crate) mod selection;
mod sort_condition;
mod source;
mod stage;
mod start;
mod stream;
mod type_attribute;
mod verbs;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::entity::{DynamoEntity, DynamoProjection, EntityContract};
use crate::error::Result;
use crate::read::{ReadRow, entities_ahead};

#[doc(hidden)]
pub use collection::in_partition;
pub use cursor::Cursor;
#[doc(hidden)]
pub use draft::{KeyDraft, WriteFront};
pub use dynamic::{DynamicCollection, DynamicEntity, DynamicQuery, DynamicSortPart};
pub(crate) use fetch::Fetch;
pub use hydrate::PartOfItem;
pub(crate) use job_rows::{JobRows, Places, Walk};
#[doc(hidden)]
pub use kind::{
    Bare, BareActor, BareTime, BareTtl, BareVersion, Formatted, PartKind, PlacedKind, TogetherKind,
};
#[doc(hidden)]
pub use of_entity::{OfCollection, OfEntity, StoredRow};
pub use page::Page;
pub use part::SortPart;
#[doc(hidden)]
pub use part::{
    NotNext, ORDERED, OrderedPart, PartFollows, PartForm, PartOrder, UNORDERED, WriteTemplate,
    order_of,
};
pub use part_tuple::{PartTuple, PartValues, SortParts, TuplesBetween};
pub use partition::{Each, KeyArg, each};
#[doc(hidden)]
pub use partition::{One, PartitionArg, Several};
pub(crate) use position::{PositionChange, RowSpot};
pub use reach::{
    Anywhere, Hydrated, InGlobalIndex, InLocalIndex, InOrder, InTable, Reach, StrongReads,
    WholeTable,
};
#[doc(hidden)]
pub use reach::{IndexIsGlobal, ReachOfIndex};
pub use resume::ResumeFrom;
#[doc(hidden)]
pub use source::QuerySource;
pub use stage::{Chosen, QueryStage, RowOfEntity, RowsHold};
#[doc(hidden)]
pub use stage::{KnownUpTo, NextPart, RowOf, RowsOf, SortKeyIn, TakesRange, holds_all};
pub use stream::RowStream;
pub use verbs::QueryVerbs;

use hydrate::Hydration;
use selection::Selection;

/// A read of many rows of one partition; [`QueryVerbs`] are its verbs.
///
/// A function that does not care where the rows come from takes a `Query<PartOrder>`; every chain becomes one by
/// `.into()`.
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct Query<Row, From = Anywhere> {
    selection: Selection,
    read: ReadRow<Row>,
    from: PhantomData<fn() -> From>,
}

impl<Row, From> Query<Row, From> {
    /// The query that a stage of a chain amounts to.
    pub(crate) fn new<S>(draft: KeyDraft) -> Self
    where
        Row: 'static,
        S: QueryStage<Reach = From>,
        S::Rows: RowsOf<S::Entity, Row = Row>,
    {
        let keys_only = <S::Rows as RowsOf<S::Entity>>::KEYS_ONLY;
        Query {
            selection: Selection::reading(draft, keys_only, <S::Rows as RowsOf<S::Entity>>::ahead),
            read: ReadRow::of(
                |row, _| row.value(<S::Rows as RowsOf<S::Entity>>::read),
                None,
            ),
            from: PhantomData,
        }
    }

    /// The same rows, each with only what the projection holds.
    fn projected<P: DynamoProjection>(mut self) -> Query<P, From> {
        let source = *self.selection.source();
        let needed = P::attributes().into_iter();
        let options = &mut self.selection.options;
        options.ahead = None;
        if let Some(items) = &mut options.hydration {
            items.attributes = Some(needed.map(|attribute| attribute.name).collect());
        } else {
            let needed = needed
                .filter(|attribute| !attribute.may_be_missing || source.holds(attribute.name));
            options.projection = Some(needed.map(|attribute| attribute.name).collect());
        }
        Query {
            selection: self.selection,
            read: ReadRow::projection(),
            from: PhantomData,
        }
    }

    /// The items behind the rows; the index gives their keys.
    fn hydrated<E: DynamoEntity>(mut self) -> Query<E, Hydrated<From>> {
        self.selection.options.projection = Some(Vec::new());
        self.selection.options.hydration = Some(Hydration::default());
        self.selection.options.ahead = Some(entities_ahead::<E>);
        Query {
            selection: self.selection,
            read: ReadRow::entity(),
            from: PhantomData,
        }
    }

    fn with(mut self, change: impl FnOnce(&mut selection::Options)) -> Self {
        change(&mut self.selection.options);
        self
    }

    fn into_lenient(self) -> Query<Result<Row>, From>
    where
        Row: 'static,
    {
        Query {
            selection: self.selection,
            read: self.read.lenient(),
            from: PhantomData,
        }
    }

    fn erased(self) -> Query<Row> {
        Query {
            selection: self.selection,
            read: self.read,
            from: PhantomData,
        }
    }
}

/// The methods of a part, on a query that already has its range.
macro_rules! no_second_range {
    ($($word:ident)*) => {
        impl<Row, From> Query<Row, From> {
            $(
                #[doc(hidden)]
                pub fn $word(self, _: impl Sized) -> Self
                where
                    for<'x> Self: TakesRange<'x>,
                {
                    self
                }
            )*
        }
    };
}

no_second_range!(eq lt le gt ge between starts_with);

/// Makes the names of the parts known, so that the compiler says why none of them can follow.
#[doc(hidden)]
impl<Row: RowOfEntity, From> Deref for Query<Row, From> {
    type Target = <Row::Entity as EntityContract>::SortParts;

    fn deref(&self) -> &Self::Target {
        Row::Entity::SORT_PARTS
    }
}

impl<S: QueryStage> From<S> for Query<RowOf<S>> {
    fn from(stage: S) -> Self {
        Query::<_, S::Reach>::new::<S>(stage.draft()).erased()
    }
}

macro_rules! erase {
    ($($from:ty)*) => {$(
        impl<Row> From<Query<Row, $from>> for Query<Row> {
            fn from(query: Query<Row, $from>) -> Self {
                query.erased()
            }
        }
    )*};
}

erase!(InTable InLocalIndex InGlobalIndex WholeTable);

impl<Row, From: Reach> std::convert::From<Query<Row, Hydrated<From>>> for Query<Row> {
    fn from(query: Query<Row, Hydrated<From>>) -> Self {
        query.erased()
    }
}

impl<Row, From> Clone for Query<Row, From> {
    fn clone(&self) -> Self {
        Query {
            selection: self.selection.clone(),
            read: self.read.clone(),
            from: PhantomData,
        }
    }
}

/// Leaves the values of the keys out.
impl<Row, From> fmt::Debug for Query<Row, From> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("keys", &self.selection.draft)
            .field("options", &self.selection.options)
            .finish()
    }
}
