//! The progress of a read, counted by the rows that were delivered and not by those that were fetched.
//!
//! A scan in segments has a position in each of them, and any other read has one position. Rows arrive in runs: a run
//! consists of the rows of one response for one segment.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::cursor::{Cursor, CursorMaker};
use super::selection::Selection;
use crate::dynamo::Dynamo;
use crate::json::CodecError;
use crate::read::RawRow;

/// The progress of a segment.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) enum Reached {
    #[default]
    Nothing,
    /// After a key: its attributes as entries of a JSON object.
    Behind(Arc<[u8]>),
    End,
}

/// The progress of each segment; a read without segments is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowSpot(pub(super) Vec<Reached>);

/// The change of a position by a row, or by a response without rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PositionChange {
    pub(super) segment: usize,
    pub(super) reached: Reached,
}

impl PositionChange {
    /// After a key: its attributes as entries of a JSON object.
    pub(crate) fn behind(segment: usize, position: Vec<u8>) -> Self {
        PositionChange {
            segment,
            reached: Reached::Behind(position.into()),
        }
    }
}

impl RowSpot {
    pub(crate) fn pass(&mut self, mark: PositionChange) {
        if self.0.len() <= mark.segment {
            self.0.resize(mark.segment + 1, Reached::Nothing);
        }
        if let Some(reached) = self.0.get_mut(mark.segment) {
            *reached = mark.reached;
        }
    }
}

/// A run of rows: they belong to one segment and follow each other.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) segment: usize,
    pub(super) rows: usize,
    /// The end of the run, if it is known to be further than its last row.
    pub(super) ends: Option<Reached>,
}

impl Run {
    /// A run of this many rows, in a read without segments.
    pub(super) fn of(rows: usize) -> Self {
        Run {
            segment: 0,
            rows,
            ends: None,
        }
    }
}

/// The runs of the available rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs(VecDeque<Run>);

impl Runs {
    pub(super) fn extend(&mut self, runs: Vec<Run>) {
        self.0.extend(runs);
    }

    /// The next change of position without a row, before the next row.
    pub(super) fn next_gap(&mut self) -> Option<PositionChange> {
        while let Some(Run { rows: 0, .. }) = self.0.front() {
            let run = self.0.pop_front()?;
            if let Some(reached) = run.ends {
                return Some(PositionChange {
                    segment: run.segment,
                    reached,
                });
            }
        }
        None
    }

    /// The segment of the next row. If it is the last row of its run, also the end of the run.
    pub(super) fn next_row(&mut self) -> (usize, Option<Reached>) {
        let Some(run) = self.0.front_mut() else {
            return (0, None);
        };
        run.rows = run.rows.saturating_sub(1);
        let (segment, is_last) = (run.segment, run.rows == 0);
        let last = if is_last { self.0.pop_front() } else { None };
        (segment, last.and_then(|run| run.ends))
    }
}

/// The position after the delivered rows.
#[derive(Debug, Clone)]
pub(super) struct ReadPosition {
    maker: CursorMaker,
    spot: RowSpot,
    runs: Runs,
    /// The row that was delivered last, with its segment, if the position is not yet after it.
    last: Option<(usize, RawRow)>,
}

impl ReadPosition {
    /// The start of a read.
    pub(super) fn new(selection: &Selection, db: &Dynamo) -> Self {
        ReadPosition {
            maker: CursorMaker::new(selection, db),
            spot: selection.begin(),
            runs: Runs::default(),
            last: None,
        }
    }

    pub(super) fn maker(&self) -> &CursorMaker {
        &self.maker
    }

    /// Adds the runs of received rows.
    pub(super) fn expect(&mut self, runs: Vec<Run>) {
        self.runs.extend(runs);
    }

    /// Notes that the next row was delivered.
    #[inline]
    pub(super) fn pass(&mut self, row: RawRow) {
        self.last = self.step().map(|segment| (segment, row));
    }

    /// Steps over the next row. Returns its segment, unless the position moved to after the row.
    fn step(&mut self) -> Option<usize> {
        self.pass_gaps();
        let (segment, ends) = self.runs.next_row();
        let Some(reached) = ends else {
            return Some(segment);
        };
        self.spot.pass(PositionChange { segment, reached });
        None
    }

    /// Moves over the responses without rows that come before the next row.
    pub(super) fn pass_gaps(&mut self) {
        while let Some(mark) = self.runs.next_gap() {
            self.last.take_if(|(segment, _)| *segment == mark.segment);
            self.spot.pass(mark);
        }
    }

    /// The cursor to continue from; None at the start.
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, CodecError> {
        let last = self.last.as_ref();
        self.cursor_at(last.map(|(segment, row)| (*segment, row.json())))
    }

    /// The cursor after these rows, once they are delivered too.
    pub(super) fn cursor_behind<'r>(
        &self,
        rows: impl Iterator<Item = &'r Bytes>,
    ) -> Result<Option<Cursor>, CodecError> {
        let mut position = self.clone();
        let last = rows.fold(None, |_, row| Some((position.step()?, &**row)));
        position.cursor_at(last)
    }

    /// The cursor at the position, or after this row.
    fn cursor_at(&self, last: Option<(usize, &[u8])>) -> Result<Option<Cursor>, CodecError> {
        let mut spot = self.spot.clone();
        if let Some((segment, row)) = last {
            spot.pass(PositionChange::behind(segment, self.maker.position(row)?));
        }
        Ok(self.maker.at_spot(&spot))
    }
}

/// Leaves keys out.
impl fmt::Debug for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reached::Nothing => "Nothing",
            Reached::Behind(_) => "Behind",
            Reached::End => "End",
        })
    }
}
