//! The lines of all data files of a full export, one file after the other.

use std::sync::Arc;

use super::super::lines::{FilePlace, LineText, SKIPPED_AT_ONCE};
use super::super::report::LinePlace;
use super::check::FolderCheck;
use super::lines::CheckedLines;
use super::open::ExportFolder;
use super::summary::{ExportKind, ExportView};
use crate::error::{Error, ErrorKind, Result, Stage};

/// Reads the lines of an import from a folder.
#[derive(Debug)]
pub(in super::super) struct FolderLines {
    folder: ExportFolder,
    check: FolderCheck,
    /// The place of the file in the list of files.
    at: usize,
    /// Its lines, once it is open.
    lines: Option<CheckedLines>,
    /// Its name in errors.
    name: Option<Arc<str>>,
}

impl FolderLines {
    pub(in super::super) fn new(folder: ExportFolder) -> Self {
        FolderLines {
            folder,
            check: FolderCheck::default(),
            at: 0,
            lines: None,
            name: None,
        }
    }

    /// The text that distinguishes the export from others.
    pub(in super::super) fn identity(&self) -> &str {
        self.folder.identity()
    }

    pub(in super::super) fn missing_rows(&self) -> u64 {
        self.folder.missing_rows()
    }

    pub(in super::super) fn is_one_entity(&self) -> bool {
        self.folder.is_one_entity()
    }

    /// Compares a part of the data files with their checksums. Returns its bytes, or None after the last one.
    pub(in super::super) fn check_part(&mut self) -> Result<Option<u64>> {
        self.check.step(self.folder.files())
    }

    /// Checks that the export contains items.
    pub(in super::super) fn check_kind(&self, is_dynamo_json: bool) -> Result<()> {
        let path = self.folder.path().display();
        let message = match self.folder.kind() {
            ExportKind::Full if is_dynamo_json => return Ok(()),
            ExportKind::Full => {
                "the lines of an export are DynamoDB JSON: remove `.format(..)` and `.csv(..)`"
                    .to_owned()
            }
            ExportKind::Incremental(view) => {
                let images = match view {
                    ExportView::NewImages => "new images",
                    ExportView::NewAndOldImages => "new and old images",
                };
                format!(
                    "{path}: the export is incremental: its lines are changes with {images}, and no items: import a \
                     full export, and read the changes of this one as changes"
                )
            }
        };
        Err(Error::new(ErrorKind::Config, Stage::Decode, message))
    }

    pub(in super::super) fn next(&mut self) -> Result<Option<LineText>> {
        loop {
            if self.lines.is_none() && !self.open_file()? {
                return Ok(None);
            }
            let line = match &mut self.lines {
                Some(lines) => lines.next()?,
                None => None,
            };
            if line.is_some() {
                return Ok(line);
            }
            self.lines = None;
            self.at += 1;
        }
    }

    /// Opens the next file. False if all files were read.
    fn open_file(&mut self) -> Result<bool> {
        let Some(file) = self.folder.files().get(self.at) else {
            return Ok(false);
        };
        self.name = Some(format!("data/{}", file.name).into());
        self.lines = Some(CheckedLines::new(
            self.check.open_file(self.at, file)?,
            file,
        )?);
        Ok(true)
    }

    pub(in super::super) fn file_place(&self) -> FilePlace {
        let place = self.lines.as_ref().map(CheckedLines::file_place);
        FilePlace {
            file: self.at as u64,
            ..place.unwrap_or_default()
        }
    }

    /// Skips a part of the lines before a place. Returns None if it must be called again, and false if the file has
    /// other lines there.
    pub(in super::super) fn skip_toward(&mut self, place: &FilePlace) -> Result<Option<bool>> {
        // The list of files is the same, because the checkpoint belongs to its checksum.
        let at = usize::try_from(place.file).unwrap_or(usize::MAX);
        if place.lines == 0 {
            self.at = at;
            return Ok(Some(at <= self.folder.files().len()));
        }
        if self.at != at || self.lines.is_none() {
            self.at = at;
            if !self.open_file()? {
                return Ok(Some(false));
            }
        }
        let end = self.position() + SKIPPED_AT_ONCE;
        while let Some(lines) = &mut self.lines
            && lines.line_number() < place.lines
        {
            if lines.position() >= end {
                return Ok(None);
            }
            // Read as lines, because the number of items is compared at the end of the file.
            if lines.next()?.is_none() {
                return Ok(Some(false));
            }
        }
        Ok(Some(self.file_place() == *place))
    }

    /// The bytes of the text of the current file that were read.
    pub(in super::super) fn position(&self) -> u64 {
        self.lines.as_ref().map_or(0, CheckedLines::position)
    }

    pub(in super::super) fn line_place(&self) -> LinePlace {
        LinePlace {
            order: self.at as u64,
            file: self.name.clone(),
            number: self.lines.as_ref().map_or(0, CheckedLines::line_number),
        }
    }
}
