//! The report of an import.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Remedy, Result, Stage};

/// The results of the lines of a file. Lines without text are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImportCounts {
    /// The lines that are done: the sum of all other counts of lines.
    pub lines: u64,
    /// Lines whose items were stored, or whose missing unique values were stored.
    pub written: u64,
    /// Lines whose items were stored already, with the same attributes: by an earlier run, or by a line before.
    pub unchanged: u64,
    /// Lines whose items were not stored, because another item has their key.
    pub existing: u64,
    /// Items of a folder that are not of the entity: of other entities of the table, or of the library itself.
    pub left_out: u64,
    /// Lines that were not stored for another reason.
    pub failed: u64,
    /// The bytes of the files of a folder that this run has compared with their checksums.
    pub checked_bytes: u64,
}

/// A line that was not stored. Its text has the number of the line and the reason, and never a value.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {error}")]
pub struct FailedLine {
    pub(super) place: LinePlace,
    #[source]
    pub(super) error: Error,
}

/// The place of a line: `line 7`, or `data/000001.json.gz, line 7` in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinePlace {
    /// The place of the file in the list of files.
    pub(super) order: u64,
    pub(super) file: Option<Arc<str>>,
    pub(super) number: u64,
}

impl fmt::Display for LinePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}, line {}", self.number),
            None => write!(f, "line {}", self.number),
        }
    }
}

impl FailedLine {
    /// The number of the line in its file, from 1.
    pub fn number(&self) -> u64 {
        self.place.number
    }

    /// The name of the file in a folder, such as `data/000001.json.gz`.
    pub fn file(&self) -> Option<&str> {
        self.place.file.as_deref()
    }

    /// The reason.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// The result of an import. Its counts are fields: `report.written`.
#[derive(Debug)]
#[must_use = "lines may have failed: look at it, or write `.complete()?`"]
pub struct ImportReport {
    pub(super) counts: ImportCounts,
    pub(super) errors: Vec<FailedLine>,
    pub(super) stopped: Option<Error>,
    pub(super) was_finished: bool,
    /// The entity or the table.
    pub(super) target: String,
    pub(super) missing_rows: u64,
}

impl ImportReport {
    /// The counts, which are fields of the report too. An import with a checkpoint counts over all of its runs.
    pub fn counts(&self) -> ImportCounts {
        self.counts
    }

    /// The lines that failed in this run, in the order of the file. Lines whose keys belong to other items are among
    /// them, with the kind [`AlreadyExists`](ErrorKind::AlreadyExists) and the current item.
    pub fn errors(&self) -> &[FailedLine] {
        &self.errors
    }

    /// The reason why the import ended early, if it did. Some of the lines after the last checkpoint may be stored; the
    /// next run finds them and counts them as `unchanged`.
    pub fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// Whether an earlier run had finished the import and the file has no more lines, so that this run stored nothing. The
    /// counts are those of the earlier run.
    pub fn was_finished(&self) -> bool {
        self.was_finished
    }

    /// The rows that the export of a folder could not read, and that are therefore missing in the folder, unless
    /// [`allow_missing_rows`](super::Import::allow_missing_rows) was called.
    pub fn missing_rows(&self) -> u64 {
        self.missing_rows
    }

    /// Returns the counts, or an error if the import was stopped or a line was not stored. The error has the kind of
    /// the error that stopped the import, or of the first line that failed. It is
    /// [`RowsFailed`](ErrorKind::RowsFailed) if all failed in earlier runs, or if rows are
    /// [missing](Self::missing_rows) in a folder. It is [`Config`](ErrorKind::Config) if a folder contains items, and
    /// none of the entity.
    pub fn complete(self) -> Result<ImportCounts> {
        let counts = self.counts;
        if let Some(error) = self.stopped {
            return Err(error.within(|reason| {
                format!(
                    "the import was stopped after {} lines: {reason}",
                    counts.lines
                )
            }));
        }
        let failed = counts.failed + counts.existing;
        if failed == 0 {
            return self.checked_counts();
        }
        let message = format!("{failed} of {} lines were not stored", counts.lines);
        Err(match self.errors.into_iter().next() {
            Some(FailedLine { place, error }) => {
                error.within(|reason| format!("{message}, the first of them is {place}: {reason}"))
            }
            // Errors are not in the checkpoint, only their number.
            None => {
                let message = format!("{message} by an earlier run, which reported why");
                Error::new(ErrorKind::RowsFailed, Stage::Request, message)
            }
        })
    }
}

impl ImportReport {
    /// The counts if no line failed, unless the folder is not the expected one.
    fn checked_counts(&self) -> Result<ImportCounts> {
        let ImportReport {
            counts,
            target,
            missing_rows,
            ..
        } = self;
        // A renamed type or another key would otherwise look like a success.
        if counts.lines > 0 && counts.left_out == counts.lines {
            let message = format!(
                "none of the {} items in the folder is one of `{target}`: all have another type or another key",
                counts.lines
            );
            return Err(Error::new(ErrorKind::Config, Stage::Decode, message));
        }
        if *missing_rows > 0 {
            let message = format!(
                "{missing_rows} rows are missing in the folder, because the export could not read them"
            );
            return Err(Error::new(ErrorKind::RowsFailed, Stage::Request, message)
                .with_remedies([Remedy::AllowMissingRows]));
        }
        Ok(*counts)
    }
}

impl Deref for ImportReport {
    type Target = ImportCounts;

    fn deref(&self) -> &ImportCounts {
        &self.counts
    }
}

/// The error of the caller's reader or writer.
pub(super) fn of_caller(what: &str, error: std::io::Error) -> Error {
    let message = format!("the {what} failed");
    Error::new(ErrorKind::CallbackError, Stage::Request, message).with_source(error)
}
