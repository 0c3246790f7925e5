//! The report of a copy.

use std::ops::Deref;

use crate::bulk::FailedRow;
use crate::error::{Error, ErrorKind, Result, Stage};

/// The counts of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CopyCounts {
    /// The processed rows: the sum of `written`, `unchanged`, `existing` and `failed`.
    pub read: u64,
    /// Rows that were stored, or whose missing unique values were stored.
    pub written: u64,
    /// Rows whose items already existed in the target, with the same attributes.
    pub unchanged: u64,
    /// Rows whose items were not stored, because another item has their key.
    pub existing: u64,
    /// Rows that were not copied for another reason.
    pub failed: u64,
    /// Items that were read and are not copied: items that are not rows of the query, and in a masked copy of a table also
    /// items of no entity and those that store unique values. After a crash, some of them can be counted twice.
    pub left_out: u64,
}

/// The result of a copy. Its counts are fields: `report.written`.
#[derive(Debug)]
#[must_use = "rows may have failed: look at it, or write `.complete()?`"]
pub struct CopyReport {
    pub(super) counts: CopyCounts,
    pub(super) errors: Vec<FailedRow>,
    pub(super) stopped: Option<Error>,
    pub(super) was_finished: bool,
}

impl CopyReport {
    /// The counts, which are fields of the report too. A copy with a checkpoint counts over all of its runs.
    pub fn counts(&self) -> CopyCounts {
        self.counts
    }

    /// The rows that were not copied in this run, with their keys in the source. The rows of `existing` have the kind
    /// [`AlreadyExists`](ErrorKind::AlreadyExists).
    pub fn errors(&self) -> &[FailedRow] {
        &self.errors
    }

    /// The reason why the copy ended early, if it did. Some of the rows after the last checkpoint may be stored; the next
    /// run finds them and counts them as `unchanged`.
    pub fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// Whether an earlier run had completed the copy, so that this run did nothing.
    pub fn was_finished(&self) -> bool {
        self.was_finished
    }

    /// Returns the counts, or an error if the copy was stopped or a row was not copied. The error has the kind of the error
    /// that stopped the copy, or of the first row that failed. It is [`RowsFailed`](ErrorKind::RowsFailed) if all of these
    /// rows failed in earlier runs.
    pub fn complete(self) -> Result<CopyCounts> {
        let counts = self.counts;
        if let Some(error) = self.stopped {
            return Err(error.within(|reason| {
                format!("the copy was stopped after {} rows: {reason}", counts.read)
            }));
        }
        let failed = counts.failed + counts.existing;
        if failed == 0 {
            return Ok(counts);
        }
        let message = format!("{failed} of {} rows were not copied", counts.read);
        Err(match self.errors.into_iter().next() {
            Some(row) => {
                let name = row.name();
                let error = row.into_error();
                error.within(|reason| format!("{message}, the first of them is {name}: {reason}"))
            }
            // Errors are not in the checkpoint, only their number.
            None => {
                let message = format!("{message} by an earlier run, which reported why");
                Error::new(ErrorKind::RowsFailed, Stage::Request, message)
            }
        })
    }
}

impl Deref for CopyReport {
    type Target = CopyCounts;

    fn deref(&self) -> &CopyCounts {
        &self.counts
    }
}
