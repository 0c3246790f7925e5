//! Rows arrive in runs: a run consists of the rows of one response for one segment.

use std::collections::VecDeque;

use crate::query::cursor::spot::{PositionChange, Reached};

/// A run of rows: they belong to one segment and follow each other.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(crate) segment: usize,
    pub(crate) rows: usize,
    /// The end of the run, if it is known to be further than its last row.
    pub(crate) ends: Option<Reached>,
}

impl Run {
    /// A run of this many rows, in a read without segments.
    pub(crate) fn of_rows(rows: usize) -> Self {
        Run {
            segment: 0,
            rows,
            ends: None,
        }
    }
}

/// The runs of the available rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs(VecDeque<Run>);

impl Runs {
    pub(crate) fn extend(&mut self, runs: Vec<Run>) {
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
