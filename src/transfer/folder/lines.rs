//! The lines of a data file, decompressed and counted.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;

use super::super::lines::{FilePlace, LineReader, LineText};
use super::summary::DataFile;
use super::{FILES, folder_error, unreadable_file};
use crate::error::Result;

/// Reads the lines of a data file. Fails if the file has more or fewer lines than the manifest lists.
#[derive(Debug)]
pub(crate) struct CheckedLines {
    lines: LineReader<'static>,
    path: PathBuf,
    /// The lines with text so far, and those of the manifest.
    count: u64,
    expected: u64,
}

impl CheckedLines {
    /// Reads a file whose bytes were compared with its checksum.
    pub(super) fn new(file: File, of: &DataFile) -> Result<Self> {
        let metadata = file
            .metadata()
            .map_err(|error| unreadable_file(&of.path, error))?;
        let text: Box<dyn Read + Send> = match metadata.len() {
            // DynamoDB writes such a file for an empty partition. It is no file of gzip.
            0 => Box::new(io::empty()),
            _ => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        };
        Ok(CheckedLines {
            lines: LineReader::new(text),
            path: of.path.clone(),
            count: 0,
            expected: of.items,
        })
    }

    /// The next line; None after the last one, if the number of lines is that of the manifest.
    pub(crate) fn next(&mut self) -> Result<Option<LineText>> {
        let line = self
            .lines
            .next()
            .map_err(|error| unreadable_file(&self.path, error))?;
        match &line {
            Some(LineText::Text(text)) if text.is_empty() => {}
            // Before the line is stored, and not only at the end of the file.
            Some(_) if self.count == self.expected => {
                let reason = format!(
                    "the file has more than the {} items in {FILES}.json",
                    self.expected
                );
                return Err(folder_error(&self.path, reason));
            }
            Some(_) => self.count += 1,
            None if self.count != self.expected => {
                let reason = format!(
                    "the file has {} items, and {} in {FILES}.json",
                    self.count, self.expected
                );
                return Err(folder_error(&self.path, reason));
            }
            None => {}
        }
        Ok(line)
    }

    /// The bytes of the text that were read.
    pub(super) fn position(&self) -> u64 {
        self.lines.position()
    }

    /// The number of the line that was read last, from 1.
    pub(crate) fn line_number(&self) -> u64 {
        self.lines.line_number()
    }

    pub(in super::super) fn file_place(&self) -> FilePlace {
        self.lines.file_place()
    }
}
