//! The progress of a read, counted by the rows that were delivered and not by those that were fetched.
//!
//! A scan in segments has a position in each of them, and any other read has one position. Rows arrive in runs: a run
//! consists of the rows of one response for one segment.

use bytes::Bytes;

use super::run::{Run, Runs};
use crate::dynamo::Dynamo;
use crate::json::CodecError;
use crate::query::cursor::Cursor;
use crate::query::cursor::spot::{PositionChange, RowSpot};
use crate::query::request::{CursorMaker, Selection};
use crate::read::RawRow;

/// The position after the delivered rows.
#[derive(Debug, Clone)]
pub(crate) struct ReadPosition {
    maker: CursorMaker,
    spot: RowSpot,
    runs: Runs,
    /// The row that was delivered last, with its segment, if the position is not yet after it.
    last: Option<(usize, RawRow)>,
}

impl ReadPosition {
    /// The start of a read.
    pub(crate) fn new(selection: &Selection, db: &Dynamo) -> Self {
        ReadPosition {
            maker: CursorMaker::new(selection, db),
            spot: selection.first_spot(),
            runs: Runs::default(),
            last: None,
        }
    }

    pub(crate) fn cursor_maker(&self) -> &CursorMaker {
        &self.maker
    }

    /// Adds the runs of received rows.
    pub(super) fn expect_runs(&mut self, runs: Vec<Run>) {
        self.runs.extend(runs);
    }

    /// Notes that the next row was delivered.
    #[inline]
    pub(crate) fn pass_row(&mut self, row: RawRow) {
        // Only the last row is kept, and its key is read when a cursor is needed. Writing the
        // position for each row would cost more than the row.
        self.last = self.next_segment().map(|segment| (segment, row));
    }

    /// Steps over the next row. Returns its segment, unless the position moved to after the row.
    fn next_segment(&mut self) -> Option<usize> {
        self.pass_gaps();
        let (segment, ends) = self.runs.next_row();
        let Some(reached) = ends else {
            return Some(segment);
        };
        self.spot.pass_row(PositionChange { segment, reached });
        None
    }

    /// Moves over the responses without rows that come before the next row.
    pub(super) fn pass_gaps(&mut self) {
        while let Some(mark) = self.runs.next_gap() {
            // A gap of the same segment is after the last row, so the row would move the position
            // back.
            self.last.take_if(|(segment, _)| *segment == mark.segment);
            self.spot.pass_row(mark);
        }
    }

    /// The cursor to continue from; None at the start.
    pub(crate) fn resume_cursor(&self) -> Result<Option<Cursor>, CodecError> {
        let last = self.last.as_ref();
        self.cursor_at(last.map(|(segment, row)| (*segment, row.row_json())))
    }

    /// The cursor after these rows, once they are delivered too.
    pub(super) fn cursor_behind<'r>(
        &self,
        rows: impl Iterator<Item = &'r Bytes>,
    ) -> Result<Option<Cursor>, CodecError> {
        let mut position = self.clone();
        let last = rows.fold(None, |_, row| Some((position.next_segment()?, &**row)));
        position.cursor_at(last)
    }

    /// The cursor at the position, or after this row.
    fn cursor_at(&self, last: Option<(usize, &[u8])>) -> Result<Option<Cursor>, CodecError> {
        let mut spot = self.spot.clone();
        if let Some((segment, row)) = last {
            spot.pass_row(PositionChange::after_position(
                segment,
                self.maker.row_position(row)?,
            ));
        }
        Ok(self.maker.at_spot(&spot))
    }
}
