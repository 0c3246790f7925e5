//! `query`: read many rows, by the key of a table or an index.
//!
//! ```text
//! Order::by_status(s)   stage: a draft, with what is known of the key        draft, stage
//!   .placed_at()        the next part of the sort key                        part
//!   .lt(cutoff)         a query: draft and options                           selection
//!   .limit(20)          the same                                             verbs
//!   .page(&db)          frame of the request, one for each partition         selection, condition, start
//!                       -> answer by answer, partitions merged               fetch, answer, gather, race
//!                       -> at a pace, with progress told                     meter, pace, progress
//!                       -> the items behind the rows, if asked for           hydrate
//!                       -> rows and cursors                                  page, trail, cursor
//!   .stream(&db)        -> rows, one after the other                         stream
//!   .update_each(..)    -> rows and their places, for a job                  walk
//! ```
//!
//! Down to the request nothing waits, and below `fetch` nothing knows the type of a row.

mod all;
mod answer;
mod asked;
mod collection;
mod condition;
mod cursor;
mod draft;
mod explain;
mod fetch;
mod gather;
mod hydrate;
mod kind;
mod living;
mod meter;
mod of_entity;
mod pace;
mod page;
mod part;
mod partition;
mod progress;
mod race;
mod reach;
mod reading;
mod resume;
mod scan;
mod selection;
mod source;
mod stage;
mod start;
mod stream;
mod trail;
mod types;
mod verbs;
mod walk;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::entity::{self, DynamoEntity, DynamoProjection};
use crate::error::Result;
use crate::request::raw_row::{RawRow, entities_ahead};

pub use collection::in_partition;
pub use cursor::Cursor;
pub(crate) use cursor::Secret;
pub use draft::{Draft, WriteFront};
pub(super) use fetch::Fetch;
pub use hydrate::PartOfItem;
pub use kind::{Bare, BareActor, BareTime, BareTtl, BareVersion, Formatted, PartKind};
pub(crate) use meter::units;
pub(super) use meter::{Meter, Took};
pub use of_entity::{OfCollection, OfEntity, StoredRow};
pub use page::Page;
pub use part::{ORDERED, Order, Ordered, SortPart, UNORDERED, Way, WriteTemplate, order_of};
pub use partition::{Each, Given, KeyArg, One, PartitionArg, Several, each, wrong_parts};
pub use progress::ReadProgress;
pub use reach::{
    Anywhere, Hydrated, InGlobalIndex, InLocalIndex, InOrder, InTable, Reach, StrongReads,
    WholeTable,
};
pub use reading::Reading;
pub use resume::ResumeFrom;
pub use selection::Filter;
pub(crate) use selection::RETURN_CONSUMED;
pub use source::Source;
pub use stage::{
    Chosen, KnownUpTo, NextPart, RowOf, RowOfEntity, Rows, RowsOf, SortKeyIn, Stage, TakesRange,
    holds_all,
};
pub use stream::RowStream;
pub(super) use trail::{Mark, Spot};
pub use verbs::QueryVerbs;
pub(super) use walk::{Places, Target, Walk};

use hydrate::Hydration;
use selection::Selection;

/// A read of many rows of one partition; [`QueryVerbs`] are its verbs.
///
/// `Query<Order>` is what a function takes that does not care where the rows come from; every chain is
/// `.into()` one.
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct Query<Row, From = Anywhere> {
    selection: Selection,
    read: ReadRow<Row>,
    from: PhantomData<fn() -> From>,
}

/// How a row is read.
pub(super) type ReadRow<Row> = Arc<dyn Fn(&RawRow) -> Result<Row> + Send + Sync>;

impl<Row, From> Query<Row, From> {
    /// The query that a stage of a chain amounts to.
    pub(crate) fn new<S>(draft: Draft) -> Self
    where
        Row: 'static,
        S: Stage<Reach = From>,
        S::Rows: RowsOf<S::Entity, Row = Row>,
    {
        let mut selection = Selection::new(draft);
        selection.options.projection = <S::Rows as RowsOf<S::Entity>>::KEYS_ONLY.then(Vec::new);
        selection.options.ahead = Some(<S::Rows as RowsOf<S::Entity>>::ahead);
        Query {
            selection,
            read: Arc::new(|row| row.value(<S::Rows as RowsOf<S::Entity>>::read)),
            from: PhantomData,
        }
    }

    /// The same rows, and of each as much as the projection holds.
    fn projected<P: DynamoProjection>(mut self) -> Query<P, From> {
        let source = *self.selection.source();
        let needed = P::attributes().into_iter();
        let options = &mut self.selection.options;
        options.ahead = None;
        if let Some(items) = &mut options.hydration {
            items.attributes = Some(needed.map(|attribute| attribute.name).collect());
        } else {
            let needed =
                needed.filter(|attribute| !attribute.in_key || source.holds(attribute.name));
            options.projection = Some(needed.map(|attribute| attribute.name).collect());
        }
        Query {
            selection: self.selection,
            read: Arc::new(|row| row.value(entity::read_projection)),
            from: PhantomData,
        }
    }

    /// The items behind the rows, of which the index gives the keys.
    fn hydrated<E: DynamoEntity>(mut self) -> Query<E, Hydrated<From>> {
        self.selection.options.projection = Some(Vec::new());
        self.selection.options.hydration = Some(Hydration::default());
        self.selection.options.ahead = Some(entities_ahead::<E>);
        Query {
            selection: self.selection,
            read: Arc::new(|row| row.value(entity::read)),
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
        let read = self.read;
        Query {
            selection: self.selection,
            read: Arc::new(move |row| Ok(read(row))),
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

/// Words of a part, on a query that has its range.
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

/// Leads to the names of the parts, which say why none of them can follow.
#[doc(hidden)]
impl<Row: RowOfEntity, From> Deref for Query<Row, From> {
    type Target = <Row::Entity as DynamoEntity>::SortParts;

    fn deref(&self) -> &Self::Target {
        Row::Entity::SORT_PARTS
    }
}

impl<S: Stage> From<S> for Query<RowOf<S>> {
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

/// Without the values of its keys.
impl<Row, From> fmt::Debug for Query<Row, From> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("keys", &self.selection.draft)
            .field("options", &self.selection.options)
            .finish()
    }
}
