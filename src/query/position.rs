//! How far a read has come, counted by the rows that were delivered and not by those that were fetched.
//!
//! A scan in segments has a place in each of them, and any other read has one place. Rows come in runs: a run is what
//! one answer brings of one segment.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::cursor::{Cursor, CursorMaker};
use super::selection::Selection;
use crate::dynamo::Dynamo;
use crate::json::CodecError;
use crate::read::RawRow;

/// How far a segment was read.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) enum Reached {
    #[default]
    Nothing,
    /// Behind a key: its attributes as entries of a JSON object.
    Behind(Arc<[u8]>),
    End,
}

/// How far each segment was read; a read without segments is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowSpot(pub(super) Vec<Reached>);

/// What a row, or an answer without rows, changes of a spot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PositionChange {
    pub(super) segment: usize,
    pub(super) reached: Reached,
}

impl PositionChange {
    /// Behind a key: its attributes as entries of a JSON object.
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

/// A run of rows: they belong to one segment and come one after the other.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) segment: usize,
    pub(super) rows: usize,
    /// Where the run ends, if that is known to be further than its last row.
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

/// The runs of the rows at hand.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs(VecDeque<Run>);

impl Runs {
    pub(super) fn extend(&mut self, runs: Vec<Run>) {
        self.0.extend(runs);
    }

    /// The next change of position that no row brings, before the next row.
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

    /// The segment of the next row. If it is the last row of its run, also where the run ends.
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

/// The place behind the rows that were delivered.
#[derive(Debug, Clone)]
pub(super) struct ReadPosition {
    maker: CursorMaker,
    spot: RowSpot,
    runs: Runs,
    /// The row that was delivered last, with its segment, if the spot is not yet behind it.
    last: Option<(usize, RawRow)>,
}

impl ReadPosition {
    /// Where a read begins.
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

    /// Adds the runs of rows that have come.
    pub(super) fn expect(&mut self, runs: Vec<Run>) {
        self.runs.extend(runs);
    }

    /// Notes that the next row was delivered.
    #[inline]
    pub(super) fn pass(&mut self, row: RawRow) {
        self.last = self.step().map(|segment| (segment, row));
    }

    /// Steps over the next row. Returns its segment, unless the spot moved behind the row.
    fn step(&mut self) -> Option<usize> {
        self.pass_gaps();
        let (segment, ends) = self.runs.next_row();
        let Some(reached) = ends else {
            return Some(segment);
        };
        self.spot.pass(PositionChange { segment, reached });
        None
    }

    /// Moves over the answers without rows that come before the next row.
    pub(super) fn pass_gaps(&mut self) {
        while let Some(mark) = self.runs.next_gap() {
            self.last.take_if(|(segment, _)| *segment == mark.segment);
            self.spot.pass(mark);
        }
    }

    /// The cursor to go on from; None at the beginning.
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, CodecError> {
        let last = self.last.as_ref();
        self.cursor_at(last.map(|(segment, row)| (*segment, row.json())))
    }

    /// Where to go on once these rows were delivered too.
    pub(super) fn cursor_behind<'r>(
        &self,
        rows: impl Iterator<Item = &'r Bytes>,
    ) -> Result<Option<Cursor>, CodecError> {
        let mut position = self.clone();
        let last = rows.fold(None, |_, row| Some((position.step()?, &**row)));
        position.cursor_at(last)
    }

    /// The cursor at the spot, or behind this row.
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
