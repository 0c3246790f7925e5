//! `scan`: read the whole table.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Query;
use super::draft::Draft;
use super::reach::WholeTable;
use super::selection::Selection;
use super::source::Source;
use crate::entity::{self, DynamoEntity};

impl<E: DynamoEntity> Query<E, WholeTable> {
    pub(crate) fn scan() -> Self {
        Query {
            selection: Selection::new(Draft::scan(Source::table::<E>())),
            read: Arc::new(entity::read),
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
