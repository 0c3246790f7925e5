//! The records of a file by RFC 4180, with their positions. A record may have several lines.

use std::io;

use super::super::lines::{FilePlace, LineReader, MAX_LINE, RawLine};
use super::cells::Cell;

/// A record of a file.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum CsvRecord {
    /// A line without text.
    Empty,
    Cells(Vec<Cell>),
    TooLong,
    /// No record, for this reason.
    Malformed(&'static str),
}

/// Reads records.
#[derive(Debug)]
pub(in super::super) struct CsvLines<'r> {
    lines: LineReader<'r>,
    /// The number of the first line of the last record.
    first: u64,
}

impl<'r> CsvLines<'r> {
    pub(in super::super) fn new(lines: LineReader<'r>) -> Self {
        CsvLines { lines, first: 0 }
    }

    /// The number of the first line of the record that was read last, from 1.
    pub(in super::super) fn line_number(&self) -> u64 {
        self.first
    }

    pub(in super::super) fn file_place(&self) -> FilePlace {
        self.lines.file_place()
    }

    pub(in super::super) fn position(&self) -> u64 {
        self.lines.position()
    }

    pub(in super::super) fn skip_toward(&mut self, place: &FilePlace) -> io::Result<Option<bool>> {
        self.lines.skip_toward(place)
    }

    /// The next record; None at the end of the file.
    pub(in super::super) fn next(&mut self) -> io::Result<Option<CsvRecord>> {
        let mut parser = Parser::default();
        loop {
            let line = self.lines.next_raw(|dropped| parser.skim(dropped))?;
            if parser.lines == 0 {
                self.first = self.lines.line_number();
            }
            match line {
                None if parser.lines == 0 => return Ok(None),
                // The rest of the file is in this record. Its lines are not read as records: a text could contain any.
                None => {
                    return Ok(Some(CsvRecord::Malformed(
                        "the quotes of a cell are not closed",
                    )));
                }
                Some(RawLine::TooLong) => parser.lines += 1,
                Some(RawLine::Bytes(line)) => parser.read(&line),
            }
            if parser.state != State::Quoted {
                return Ok(Some(parser.into_record()));
            }
        }
    }
}

/// The cells of a record that are kept. An item of 400 KB has fewer attributes than this.
const MOST_CELLS: usize = 1 << 17;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// At the begin of a cell.
    #[default]
    Begin,
    Plain,
    Quoted,
    /// After a quote in quotes: it is the last one, or the first of two.
    AfterQuote,
}

#[derive(Default)]
struct Parser {
    state: State,
    lines: u64,
    bytes: usize,
    cells: Vec<(bool, Vec<u8>)>,
    cell: Vec<u8>,
    is_quoted: bool,
    /// Whether the cell has more than blanks, also if its text is not kept.
    has_text: bool,
    fault: Option<&'static str>,
}

impl Parser {
    fn read(&mut self, line: &[u8]) {
        self.lines += 1;
        self.bytes = self.bytes.saturating_add(line.len());
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        // Within quotes, a line end is a part of the text, and is kept as it is.
        let (text, end) = match text.strip_suffix(b"\r") {
            Some(shorter) if text.len() < line.len() => (shorter, &line[shorter.len()..]),
            _ => (text, &line[text.len()..]),
        };
        for byte in text {
            self.take(*byte);
        }
        match self.state {
            State::Quoted => self.push(end),
            _ => self.end_cell(),
        }
    }

    /// Follows the quotes in a part of a line that is too long, so that the record ends where it ends.
    fn skim(&mut self, part: &[u8]) {
        self.bytes = usize::MAX;
        for byte in part.strip_suffix(b"\n").unwrap_or(part) {
            self.take(*byte);
        }
    }

    fn take(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Begin, b'"') => {
                self.is_quoted = true;
                State::Quoted
            }
            (State::Quoted, b'"') => State::AfterQuote,
            (State::AfterQuote, b'"') => {
                self.push(b"\"");
                State::Quoted
            }
            (State::Quoted, byte) => {
                self.push(&[byte]);
                State::Quoted
            }
            (_, b',') => {
                self.end_cell();
                State::Begin
            }
            (State::AfterQuote, _) => {
                self.fault = Some("a cell has text after its quotes");
                State::Plain
            }
            // Many programs write a blank before the quotes. The text in them may have lines of its own, which are not records.
            (State::Plain, b'"') if !self.has_text => {
                self.fault = Some("a cell has a blank before its quotes");
                State::Quoted
            }
            (State::Plain, b'"') => {
                self.fault = Some(
                    "a cell with quotes in it must be in quotes, and the quotes in it doubled",
                );
                State::Plain
            }
            (_, byte) => {
                self.push(&[byte]);
                State::Plain
            }
        };
    }

    fn push(&mut self, bytes: &[u8]) {
        self.has_text |= !bytes.trim_ascii().is_empty();
        // Quotes that nobody closes must not take the file into memory.
        if self.bytes <= MAX_LINE {
            self.cell.extend_from_slice(bytes);
        }
    }

    fn end_cell(&mut self) {
        let is_quoted = std::mem::take(&mut self.is_quoted);
        self.has_text = false;
        let cell = std::mem::take(&mut self.cell);
        match self.cells.len() < MOST_CELLS {
            true => self.cells.push((is_quoted, cell)),
            false => self.fault = Some("the line has too many cells"),
        }
    }

    fn into_record(self) -> CsvRecord {
        if self.bytes > MAX_LINE {
            return CsvRecord::TooLong;
        }
        if let Some(fault) = self.fault {
            return CsvRecord::Malformed(fault);
        }
        if let [(false, only)] = &*self.cells
            && only.trim_ascii().is_empty()
        {
            return CsvRecord::Empty;
        }
        let cells = self.cells.into_iter().map(|(is_quoted, text)| {
            if text.is_empty() && !is_quoted {
                return Some(Cell::Missing);
            }
            String::from_utf8(text).ok().map(Cell::Text)
        });
        match cells.collect() {
            Some(cells) => CsvRecord::Cells(cells),
            None => CsvRecord::Malformed("the line is not UTF-8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<(u64, CsvRecord)> {
        let mut lines = CsvLines::new(LineReader::new(text.as_bytes()));
        let records = std::iter::from_fn(|| {
            lines
                .next()
                .unwrap()
                .map(|record| (lines.line_number(), record))
        });
        records.collect()
    }

    fn cells(cells: &[Option<&str>]) -> CsvRecord {
        let cells = cells.iter();
        CsvRecord::Cells(
            cells
                .map(|cell| cell.map_or(Cell::Missing, |text| Cell::Text(text.into())))
                .collect(),
        )
    }

    #[test]
    fn records_are_read_by_the_rules_of_the_standard() {
        assert_eq!(records(""), []);
        assert_eq!(
            records("\u{feff}a,b\r\n,\"\"\n\n\"x\r\ny\",\"\"\"\"\nc, d "),
            [
                (1, cells(&[Some("a"), Some("b")])),
                (2, cells(&[None, Some("")])),
                (3, CsvRecord::Empty),
                (4, cells(&[Some("x\r\ny"), Some("\"")])),
                (6, cells(&[Some("c"), Some(" d ")])),
            ]
        );
    }

    #[test]
    fn a_malformed_record_does_not_take_the_next_ones_with_it() {
        let found = records("\"a\"b\",\"c\nd\",e\na\"b,c\nf\n\"open\ng\n");
        let is_malformed = |record: &CsvRecord| matches!(record, CsvRecord::Malformed(_));
        let lines: Vec<_> = found
            .iter()
            .map(|(line, record)| (*line, is_malformed(record)))
            .collect();
        assert_eq!(lines, [(1, true), (3, true), (4, false), (5, true)]);
    }

    #[test]
    fn a_long_line_ends_where_its_quotes_end() {
        let long = "x".repeat(MAX_LINE + 1);
        // A long line within quotes, one that opens them, and one with a quote in its text.
        for text in [
            format!("1,\"a\n{long}\n2,evil\n\",b\n"),
            format!("1,\"{long}\n2,evil\n\",b\n"),
            format!("1,\"{long}\"\"\n2,evil\n\",b\n"),
        ] {
            let text = text + "next\n";
            let last = text.lines().count() as u64;
            assert_eq!(
                records(&text),
                [(1, CsvRecord::TooLong), (last, cells(&[Some("next")]))]
            );
        }
        let text = format!("{long}\"\nnext\n");
        assert_eq!(
            records(&text),
            [(1, CsvRecord::TooLong), (2, cells(&[Some("next")]))]
        );
    }

    #[test]
    fn open_quotes_take_no_memory() {
        let line = format!("{}\n", "x".repeat(1 << 20));
        let text = format!("\"{}\"\nnext\n", line.repeat(17));
        assert_eq!(
            records(&text),
            [(1, CsvRecord::TooLong), (19, cells(&[Some("next")]))]
        );
    }
}
