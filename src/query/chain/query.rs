//! A query: what every chain ends in.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::misuse::TakesRange;
use super::reach::{Anywhere, Hydrated, InGlobalIndex, InLocalIndex, InTable, Reach, WholeTable};
use super::stage::{QueryStage, RowOf};
use crate::entity::{DynamoEntity, DynamoProjection, EntityContract};
use crate::error::Result;
use crate::query::engine::{RowOfEntity, RowsOf};
use crate::query::keys::KeyDraft;
use crate::query::request::{Hydration, Options, Selection};
use crate::read::{ReadRow, entities_ahead};

/// A read of many rows of one partition; [`QueryExt`](crate::query::QueryExt) are its verbs.
///
/// A function that does not care where the rows come from takes a `Query<PartOrder>`; every chain becomes one by
/// `.into()`.
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct Query<Row, From = Anywhere> {
    pub(crate) selection: Selection,
    pub(crate) read: ReadRow<Row>,
    from: PhantomData<fn() -> From>,
}

impl<Row, From> Query<Row, From> {
    pub(crate) fn of_selection(selection: Selection, read: ReadRow<Row>) -> Self {
        Query {
            selection,
            read,
            from: PhantomData,
        }
    }

    /// The read itself, without the type of its rows.
    pub(crate) fn into_selection(self) -> Selection {
        self.selection
    }

    /// The query that a stage of a chain amounts to.
    pub(crate) fn new<S>(draft: KeyDraft) -> Self
    where
        Row: 'static,
        S: QueryStage<Reach = From>,
        S::Rows: RowsOf<S::Entity, Row = Row>,
    {
        let keys_only = <S::Rows as RowsOf<S::Entity>>::KEYS_ONLY;
        Query {
            selection: Selection::of_draft(
                draft,
                keys_only,
                <S::Rows as RowsOf<S::Entity>>::rows_ahead,
            ),
            read: ReadRow::with_reader(
                |row, _| row.read_value(<S::Rows as RowsOf<S::Entity>>::read_row),
                None,
            ),
            from: PhantomData,
        }
    }

    /// The same rows, each with only what the projection holds.
    pub(super) fn with_projection<P: DynamoProjection>(mut self) -> Query<P, From> {
        let source = *self.selection.query_source();
        let needed = crate::entity::projected::<P>().into_iter();
        let options = &mut self.selection.options;
        options.ahead = None;
        // With `hydrate`, the projection applies to the items and not to the rows of the index,
        // which must keep their keys.
        if let Some(items) = &mut options.hydration {
            items.attributes = Some(needed.map(|attribute| attribute.name).collect());
        } else {
            let needed = needed.filter(|attribute| {
                !attribute.may_be_missing || source.holds_attribute(attribute.name)
            });
            options.projection = Some(needed.map(|attribute| attribute.name).collect());
        }
        Query {
            selection: self.selection,
            read: ReadRow::of_projection(),
            from: PhantomData,
        }
    }

    /// The items behind the rows; the index gives their keys.
    pub(crate) fn with_hydration<E: DynamoEntity>(mut self) -> Query<E, Hydrated<From>> {
        // An empty projection reads only the keys, which is all that is needed to fetch the items.
        self.selection.options.projection = Some(Vec::new());
        self.selection.options.hydration = Some(Hydration::default());
        self.selection.options.ahead = Some(entities_ahead::<E>);
        Query {
            selection: self.selection,
            read: ReadRow::of_entity(),
            from: PhantomData,
        }
    }

    pub(crate) fn with_options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.selection.options);
        self
    }

    pub(super) fn into_lenient(self) -> Query<Result<Row>, From>
    where
        Row: 'static,
    {
        Query {
            selection: self.selection,
            read: self.read.into_lenient(),
            from: PhantomData,
        }
    }

    pub(super) fn erase_reach(self) -> Query<Row> {
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
        Query::<_, S::Reach>::new::<S>(stage.draft()).erase_reach()
    }
}

macro_rules! erase {
    ($($from:ty)*) => {$(
        impl<Row> From<Query<Row, $from>> for Query<Row> {
            fn from(query: Query<Row, $from>) -> Self {
                query.erase_reach()
            }
        }
    )*};
}

erase!(InTable InLocalIndex InGlobalIndex WholeTable);

impl<Row, From: Reach> std::convert::From<Query<Row, Hydrated<From>>> for Query<Row> {
    fn from(query: Query<Row, Hydrated<From>>) -> Self {
        query.erase_reach()
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

crate::awaited::unsent!(SentOperation: [Row, From] Query<Row, From> => Vec<Row>,);
