//! `scan`: reads the whole table.

use super::query::Query;
use super::reach::WholeTable;
use crate::entity::{DynamoEntity, Patterns};
use crate::query::keys::{KeyDraft, QuerySource};
use crate::query::request::Selection;
use crate::read::{ReadRow, entities_ahead};

impl<E: DynamoEntity> Query<E, WholeTable> {
    pub(crate) fn whole_table() -> Self {
        let mut selection = Selection::new(KeyDraft::whole_table(
            QuerySource::table::<E>().scanned_as(Patterns::<E>::SCAN),
        ));
        selection.options.ahead = Some(entities_ahead::<E>);
        Query::of_selection(selection, ReadRow::of_entity())
    }
}

impl<Row> Query<Row, WholeTable> {
    /// Scans the table in this number of parallel segments, up to 1000, of which up to eight are read at once. Their
    /// rows are returned after all of these have responded, so a crash may lose up to eight responses of work;
    /// `page_size` makes the responses smaller.
    ///
    /// Pages, streams and jobs can resume from a cursor, as with any query. It contains the position in each segment,
    /// so it grows by the size of a key for each, and it is valid only for a scan with the same number of segments.
    pub fn segments(self, segments: usize) -> Self {
        let segments = u32::try_from(segments).unwrap_or(u32::MAX);
        self.with_options(|options| options.segments = Some(segments.max(1)))
    }
}
