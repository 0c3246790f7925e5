//! The receiver of the lines of an export: a writer, or the files of a folder.

use std::io::Write;

use super::report::of_caller;
use crate::error::Result;

/// The query of an export, for receivers that continue an earlier run.
#[cfg_attr(
    not(feature = "gzip"),
    allow(dead_code, reason = "only folders read it")
)]
pub(super) struct ExportTask {
    /// The entity, or another name of the rows.
    pub(super) rows: &'static str,
    /// Whether all rows are of one entity.
    pub(super) is_one_entity: bool,
    /// The table as it is stored, with its prefix.
    pub(super) table: String,
    /// The number that identifies the query.
    pub(super) query: u64,
}

/// The progress of an export that a receiver keeps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SavedExport {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) failed: u64,
    /// The position after the rows, as text.
    pub(super) position: Option<String>,
}

/// Receives lines. Calls come in this order: `begin`, then `write_lines` and `keep_place` in turns, then one of
/// `finish` and `suspend`.
pub(super) trait ExportSink: Send {
    /// Begins, and returns the progress of an earlier run that it continues.
    fn begin(&mut self, _task: &ExportTask) -> Result<SavedExport> {
        Ok(SavedExport::default())
    }

    /// Writes the lines of some rows.
    fn write_lines(&mut self, lines: &[u8], rows: u64) -> Result<()>;

    /// Told after lines were written, with the progress so far. Its position exists, so more rows may follow.
    fn keep_place(&mut self, _progress: &SavedExport) -> Result<()> {
        Ok(())
    }

    /// Ends a complete export, with its counts.
    fn finish(&mut self, _progress: &SavedExport) -> Result<()> {
        Ok(())
    }

    /// Ends an export that was stopped after the progress so far.
    fn suspend(&mut self, _progress: &SavedExport) -> Result<()> {
        Ok(())
    }
}

/// Writes lines to the writer of the caller.
pub(super) struct WriterSink<W>(pub(super) W);

impl<W: Write + Send> ExportSink for WriterSink<W> {
    fn write_lines(&mut self, lines: &[u8], _rows: u64) -> Result<()> {
        let written = self.0.write_all(lines);
        // The position is reported only for lines that have left all buffers. Otherwise a crash of the program could
        // lose lines that the next run skips.
        let flushed = written.and_then(|()| self.0.flush());
        flushed.map_err(|error| of_caller("writer of the export", error))
    }
}
