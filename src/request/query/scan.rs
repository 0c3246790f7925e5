//! `scan`: read the whole table.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Query;
use super::draft::Draft;
use super::reach::WholeTable;
use super::selection::Selection;
use super::source::Source;
use crate::entity::{self, DynamoEntity};
use crate::request::raw_row::entity_ahead;

impl<E: DynamoEntity> Query<E, WholeTable> {
    pub(crate) fn scan() -> Self {
        let mut selection = Selection::new(Draft::scan(Source::table::<E>()));
        selection.options.ahead = Some(entity_ahead::<E>);
        Query {
            selection,
            read: Arc::new(|row| row.into(entity::read)),
            from: PhantomData,
        }
    }
}

impl<Row> Query<Row, WholeTable> {
    /// In so many parts, which are read side by side. There is no cursor to go on from then.
    pub fn segments(self, segments: u32) -> Self {
        self.with(|options| options.segments = Some(segments))
    }
}
