//! The lines of a file, with their numbers and positions, in bounded memory.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use sha2::{Digest, Sha256};

use crate::hex::hex_digits;

/// The maximum length of a line. An item of 400 KB has at most 2.5 MB of JSON, if every character is escaped.
pub(super) const MAX_LINE: usize = 16 << 20;

/// The bytes that the reader is asked for at once.
const BUFFER: usize = 64 << 10;

/// The bytes that are skipped at once, so that the caller can do other work between them.
pub(super) const SKIPPED_AT_ONCE: u64 = 4 << 20;

/// The mark that some programs write at the beginning of a file in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The content of a line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineText {
    Text(Vec<u8>),
    TooLong,
}

/// A line, with its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RawLine {
    Bytes(Vec<u8>),
    TooLong,
}

/// Reads lines.
pub(super) struct LineReader<'r> {
    reader: BufReader<Box<dyn Read + Send + 'r>>,
    /// The bytes before the next line.
    place: u64,
    /// The number of lines before the next one.
    number: u64,
    /// The hash of the bytes before the next line.
    hash: Sha256,
}

/// The position between two lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FilePlace {
    /// The files before this one, if an import has several.
    pub(super) file: u64,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// The hash of the bytes before it.
    pub(super) hash: String,
}

impl<'r> LineReader<'r> {
    pub(super) fn new(reader: impl Read + Send + 'r) -> Self {
        LineReader {
            reader: BufReader::with_capacity(BUFFER, Box::new(reader)),
            place: 0,
            number: 0,
            hash: Sha256::new(),
        }
    }

    /// The number of the line that was read last, from 1.
    pub(super) fn line_number(&self) -> u64 {
        self.number
    }

    /// The bytes before the next line.
    pub(super) fn position(&self) -> u64 {
        self.place
    }

    pub(super) fn file_place(&self) -> FilePlace {
        let hash = self.hash.clone().finalize();
        FilePlace {
            file: 0,
            bytes: self.place,
            lines: self.number,
            hash: hex_digits(&hash),
        }
    }

    /// Skips a part of the bytes before a place. Returns None if it must be called again, and false if the file has
    /// other bytes there.
    pub(super) fn skip_toward(&mut self, place: &FilePlace) -> io::Result<Option<bool>> {
        let end = self.place + SKIPPED_AT_ONCE;
        // The file is read again instead of sought: the hash over all that comes before the place
        // shows whether it is still the same file, and a pipe cannot seek.
        while self.place < place.bytes {
            if self.place >= end {
                return Ok(None);
            }
            let found = fill_buffer(&mut self.reader)?;
            let left = usize::try_from(place.bytes - self.place).unwrap_or(usize::MAX);
            let count = found.len().min(left);
            if count == 0 {
                return Ok(Some(false));
            }
            self.hash.update(found.get(..count).unwrap_or_default());
            self.reader.consume(count);
            self.place += count as u64;
        }
        self.number = place.lines;
        Ok(Some(self.file_place() == *place))
    }

    /// The next line without spaces around it; None at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<LineText>> {
        let line = match self.next_raw(|_| {})? {
            None => return Ok(None),
            Some(RawLine::TooLong) => return Ok(Some(LineText::TooLong)),
            Some(RawLine::Bytes(line)) => line,
        };
        // This takes `\r` of files from Windows off, and a line of spaces becomes empty.
        let text = line.trim_ascii();
        Ok(Some(LineText::Text(match text.len() == line.len() {
            true => line,
            false => text.to_vec(),
        })))
    }

    /// The next line as it is, without the mark at the begin of the file; None at its end. `skim` receives the bytes of a
    /// line that is too long.
    pub(super) fn next_raw(&mut self, mut skim: impl FnMut(&[u8])) -> io::Result<Option<RawLine>> {
        let (mut line, mut is_too_long, is_first) = (Vec::new(), false, self.place == 0);
        loop {
            let found = fill_buffer(&mut self.reader)?;
            if found.is_empty() {
                match line.is_empty() && !is_too_long {
                    true => return Ok(None),
                    false => break,
                }
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(found.len(), |end| end + 1);
            let part = found.get(..count).unwrap_or_default();
            self.hash.update(part);
            is_too_long |= line.len() + part.len() > MAX_LINE;
            match is_too_long {
                // A file without line ends must not be read into memory as one line.
                true => {
                    skim(&std::mem::take(&mut line));
                    skim(part);
                }
                false => line.extend_from_slice(part),
            }
            self.reader.consume(count);
            self.place += count as u64;
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if is_too_long {
            return Ok(Some(RawLine::TooLong));
        }
        // Editors on Windows write this mark, and JSON has none.
        if is_first && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(RawLine::Bytes(line)))
    }
}

/// The bytes at hand, or the next ones.
fn fill_buffer<R: Read>(reader: &mut BufReader<R>) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(reader.buffer())
}

impl fmt::Debug for LineReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LineReader({})", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<LineText> {
        let mut reader = LineReader::new(text);
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    fn text(text: &str) -> LineText {
        LineText::Text(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_end_in_every_usual_way() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\nb"), [text("a"), text("b")]);
        assert_eq!(lines(b"a\r\n\r\n b \n"), [text("a"), text(""), text("b")]);
        assert_eq!(
            lines("\u{feff}a\n\u{feff}\n".as_bytes()),
            [text("a"), text("\u{feff}")]
        );
    }

    #[test]
    fn a_long_line_takes_no_memory_and_ends_where_it_ends() {
        let mut file = vec![b'x'; MAX_LINE + 1];
        file.extend_from_slice(b"\na\n");
        assert_eq!(lines(&file), [LineText::TooLong, text("a")]);
        assert_eq!(lines(&file[1..MAX_LINE]).len(), 1);
        assert_eq!(lines(&file[..MAX_LINE + 1]), [LineText::TooLong]);
    }

    #[test]
    fn a_place_belongs_to_the_bytes_before_it() {
        let mut reader = LineReader::new(&b"one\ntwo\nthree\n"[..]);
        reader.next().unwrap();
        let place = reader.file_place();
        let resumed = |file: &'static [u8]| {
            let mut reader = LineReader::new(file);
            let is_same = reader.skip_toward(&place).unwrap();
            (is_same, reader.next().unwrap(), reader.line_number())
        };
        assert_eq!(resumed(b"one\n2\n"), (Some(true), Some(text("2")), 2));
        assert_eq!(resumed(b"ONE\ntwo\n").0, Some(false));
        assert_eq!(resumed(b"one").0, Some(false));
    }
}
