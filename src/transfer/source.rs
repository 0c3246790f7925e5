//! The lines of an import: those of a reader, or of the files of a folder.

use std::io::Read;
use std::sync::Arc;

use super::csv::Csv;
use super::csv::cells::Cell;
use super::csv::layout::{CsvLayout, HeaderMap};
use super::csv::records::{CsvLines, CsvRecord};
#[cfg(feature = "gzip")]
use super::folder::{ExportFolder, FolderLines};
use super::format::RowFormat;
use super::lines::{FilePlace, LineReader, LineText};
use super::report::{LinePlace, of_caller};
use crate::codec::Item;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;

/// Gives the lines, one after the other.
#[derive(Debug)]
pub(super) enum ImportSource<'i> {
    Lines(LineReader<'i>),
    Records(CsvLines<'i>),
    #[cfg(feature = "gzip")]
    Folder(Box<FolderLines>),
}

/// A line, or a record of several lines.
#[derive(Debug)]
pub(super) enum SourceLine {
    Text(LineText),
    Record(CsvRecord),
}

/// The form of the lines.
#[derive(Debug)]
pub(super) enum LineForm {
    Rows(RowFormat),
    Csv(Arc<CsvLayout>, HeaderMap),
}

impl LineForm {
    /// The error of an item that cannot be stored, with the reason if its line has another format.
    pub(super) fn explain_item(&self, item: &Item, error: Error) -> Error {
        match self {
            LineForm::Rows(format) => format.explain_item(item, error),
            LineForm::Csv(..) => error,
        }
    }

    /// The item of a line; none if the line is empty.
    pub(super) fn read_item(&self, line: SourceLine) -> Result<Option<Item>> {
        let fail = |fault| Error::decode("Item", fault);
        Ok(Some(match (line, self) {
            (SourceLine::Text(LineText::TooLong) | SourceLine::Record(CsvRecord::TooLong), _) => {
                let message = "the line has more than 16 MB, and an item has at most 400 KB";
                return Err(Error::new(ErrorKind::TooLarge, Stage::Decode, message));
            }
            // A file often ends with one.
            (SourceLine::Text(LineText::Text(text)), _) if text.is_empty() => return Ok(None),
            (SourceLine::Record(CsvRecord::Empty), LineForm::Csv(layout, map)) => {
                // A row whose only cell has no value is such a line too.
                match map.is_one_column() {
                    true => layout.read_record(vec![Cell::Missing], map).map_err(fail)?,
                    false => return Ok(None),
                }
            }
            (SourceLine::Text(LineText::Text(text)), LineForm::Rows(format)) => {
                let item = format.read_line(&text);
                item.map_err(|fault| format.explain_line(&text, fail(fault)))?
            }
            (SourceLine::Record(CsvRecord::Cells(cells)), LineForm::Csv(layout, map)) => {
                layout.read_record(cells, map).map_err(fail)?
            }
            (SourceLine::Record(CsvRecord::Malformed(reason)), _) => {
                return Err(fail(CodecError::new(format!("not CSV: {reason}"))));
            }
            (SourceLine::Record(_), _) | (SourceLine::Text(_), LineForm::Csv(..)) => {
                return Err(fail(CodecError::new("the line has another format")));
            }
        }))
    }
}

impl<'i> ImportSource<'i> {
    pub(super) fn of_reader(reader: impl Read + Send + 'i) -> Self {
        ImportSource::Lines(LineReader::new(reader))
    }

    #[cfg(feature = "gzip")]
    pub(super) fn of_folder(folder: ExportFolder) -> Self {
        ImportSource::Folder(Box::new(FolderLines::new(folder)))
    }

    /// The same bytes, read as records of CSV.
    pub(super) fn into_records(self) -> Self {
        match self {
            ImportSource::Lines(lines) => ImportSource::Records(CsvLines::new(lines)),
            other => other,
        }
    }

    /// The name of the lines in checkpoints.
    pub(super) fn source_name(&self, format: Option<RowFormat>, csv: Option<&Csv>) -> String {
        match (self, csv) {
            #[cfg(feature = "gzip")]
            (ImportSource::Folder(lines), _) => format!("the export {}", lines.identity()),
            (_, None) => format.unwrap_or_default().format_name().to_owned(),
            (_, Some(csv)) => csv.layout_name(),
        }
    }

    /// Whether the lines may be all items of a table, so that those of other entities are no failures.
    pub(super) fn is_of_table(&self) -> bool {
        match self {
            ImportSource::Lines(_) | ImportSource::Records(_) => false,
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => !lines.is_one_entity(),
        }
    }

    /// The rows that the export could not read, and that are no lines.
    pub(super) fn missing_rows(&self) -> u64 {
        match self {
            ImportSource::Lines(_) | ImportSource::Records(_) => 0,
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.missing_rows(),
        }
    }

    /// Checks a part of the files of a folder. Returns its bytes, or None if there is no other part.
    pub(super) fn check_part(&mut self) -> Result<Option<u64>> {
        match self {
            ImportSource::Lines(_) | ImportSource::Records(_) => Ok(None),
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.check_part(),
        }
    }

    /// The bytes that were read of the file.
    pub(super) fn position(&self) -> u64 {
        match self {
            ImportSource::Lines(lines) => lines.position(),
            ImportSource::Records(lines) => lines.position(),
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.position(),
        }
    }

    /// Checks the kind of the lines, and reads the names of columns.
    pub(super) fn prepare(
        &mut self,
        format: Option<RowFormat>,
        csv: Option<&Csv>,
        target: &str,
    ) -> Result<LineForm> {
        match (self, csv) {
            #[cfg(feature = "gzip")]
            (ImportSource::Folder(lines), csv) => {
                let format = format.unwrap_or(RowFormat::DynamoJson);
                lines.check_kind(csv.is_none() && format == RowFormat::DynamoJson)?;
                Ok(LineForm::Rows(format))
            }
            (ImportSource::Records(lines), Some(csv)) => {
                let layout = csv.layout_for(target)?;
                let fail = |reason: String| Error::new(ErrorKind::Config, Stage::Decode, reason);
                let header = loop {
                    match lines.next().map_err(of_reader)? {
                        Some(CsvRecord::Empty) => {}
                        Some(CsvRecord::Cells(cells)) => break cells,
                        Some(CsvRecord::Malformed(reason)) => {
                            return Err(fail(format!(
                                "line {} is not CSV: {reason}",
                                lines.line_number()
                            )));
                        }
                        Some(CsvRecord::TooLong) | None => {
                            return Err(fail(
                                "the first line does not name the columns".to_owned(),
                            ));
                        }
                    }
                };
                let map = layout.read_header(header).map_err(fail)?;
                Ok(LineForm::Csv(layout, map))
            }
            _ => Ok(LineForm::Rows(format.unwrap_or_default())),
        }
    }

    /// Skips a part of the lines before a place. Returns None if it must be called again, and false if the bytes there
    /// are others.
    pub(super) fn skip_toward(&mut self, place: &FilePlace) -> Result<Option<bool>> {
        match self {
            ImportSource::Lines(lines) => lines.skip_toward(place).map_err(of_reader),
            ImportSource::Records(lines) => lines.skip_toward(place).map_err(of_reader),
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.skip_toward(place),
        }
    }

    /// The next line; None at the end.
    pub(super) fn next(&mut self) -> Result<Option<SourceLine>> {
        Ok(match self {
            ImportSource::Lines(lines) => lines.next().map_err(of_reader)?.map(SourceLine::Text),
            ImportSource::Records(lines) => {
                lines.next().map_err(of_reader)?.map(SourceLine::Record)
            }
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.next()?.map(SourceLine::Text),
        })
    }

    /// The place before the next line.
    pub(super) fn file_place(&self) -> FilePlace {
        match self {
            ImportSource::Lines(lines) => lines.file_place(),
            ImportSource::Records(lines) => lines.file_place(),
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => lines.file_place(),
        }
    }

    /// The place of the line that was read last.
    pub(super) fn line_place(&self) -> LinePlace {
        let number = match self {
            ImportSource::Lines(lines) => lines.line_number(),
            ImportSource::Records(lines) => lines.line_number(),
            #[cfg(feature = "gzip")]
            ImportSource::Folder(lines) => return lines.line_place(),
        };
        LinePlace {
            order: 0,
            file: None,
            number,
        }
    }
}

fn of_reader(error: std::io::Error) -> Error {
    of_caller("reader of the import", error)
}
