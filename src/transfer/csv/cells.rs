//! A value as a cell.

use super::super::plain_json;
use crate::codec::{Number, Value};
use crate::json::{CodecError, Tag};

/// The beginnings of cells that spreadsheets run as formulas, and the mark before them.
const MARK: char = '\'';
const FORMULAS: [char; 8] = ['=', '+', '-', '@', '\t', '\r', '\n', MARK];
/// Some spreadsheets separate cells by these, and would run the text after them.
const SEPARATORS: [char; 2] = [';', '\t'];

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Cell {
    /// No value: an empty cell without quotes.
    Missing,
    /// A number, which no spreadsheet takes for a formula.
    Number(String),
    Text(String),
}

impl Cell {
    /// Writes the cell, and the comma before it.
    pub(super) fn write(&self, at: usize, escapes_formulas: bool, out: &mut Vec<u8>) {
        if at > 0 {
            out.push(b',');
        }
        match self {
            Cell::Missing => {}
            Cell::Number(digits) => out.extend_from_slice(digits.as_bytes()),
            Cell::Text(text) => {
                let is_marked = escapes_formulas && text.starts_with(FORMULAS);
                let is_quoted = text.is_empty()
                    || text.trim_ascii().len() < text.len()
                    || text.contains([',', '"', '\n', '\r', '\u{feff}'])
                    || escapes_formulas && text.contains(SEPARATORS);
                if is_quoted {
                    out.push(b'"');
                }
                if is_marked {
                    out.push(MARK as u8);
                }
                match is_quoted {
                    true => out.extend_from_slice(text.replace('"', "\"\"").as_bytes()),
                    false => out.extend_from_slice(text.as_bytes()),
                }
                if is_quoted {
                    out.push(b'"');
                }
            }
        }
    }

    /// The text without the mark; none if there is no value.
    pub(super) fn into_text(self, escapes_formulas: bool) -> Option<String> {
        match self {
            Cell::Missing => None,
            Cell::Number(text) | Cell::Text(text) => Some(match text.strip_prefix(MARK) {
                Some(unmarked) if escapes_formulas => unmarked.to_owned(),
                _ => text,
            }),
        }
    }
}

/// The cell of a value whose type is declared.
pub(super) fn write_cell(value: Option<Value>, stored: Option<Tag>) -> Result<Cell, CodecError> {
    let Some(value) = value else {
        return Ok(Cell::Missing);
    };
    Ok(match (stored, value) {
        (_, Value::Null) if stored.is_some() => Cell::Missing,
        (Some(Tag::S), Value::S(text)) => Cell::Text(text),
        (Some(Tag::N), Value::N(number)) => Cell::Number(number.as_str().to_owned()),
        (Some(Tag::Bool), Value::Bool(value)) => Cell::Text(value.to_string()),
        (Some(Tag::B), Value::B(bytes)) => {
            Cell::Text(base64_simd::STANDARD.encode_to_string(bytes))
        }
        // The column says that it is a set, so a list is enough.
        (Some(Tag::Ss), Value::Ss(set)) => json(Value::L(set.into_iter().map(Value::S).collect())),
        (Some(Tag::Ns), Value::Ns(set)) => json(Value::L(set.into_iter().map(Value::N).collect())),
        (Some(Tag::Bs), Value::Bs(set)) => {
            let texts = set
                .iter()
                .map(|bytes| base64_simd::STANDARD.encode_to_string(bytes));
            json(Value::L(texts.map(Value::S).collect()))
        }
        (Some(Tag::L), value @ Value::L(_)) | (Some(Tag::M), value @ Value::M(_)) => json(value),
        (None, value) => json(value),
        (Some(expected), value) => {
            return Err(CodecError::mismatch(expected.name(), value.tag().name()));
        }
    })
}

fn json(value: Value) -> Cell {
    let mut out = Vec::new();
    plain_json::write_value(&value, &mut out);
    // Only texts and escapes were written.
    Cell::Text(String::from_utf8_lossy(&out).into_owned())
}

/// The value of a cell.
pub(super) fn read_cell(text: &str, stored: Option<Tag>) -> Result<Value, CodecError> {
    match stored {
        Some(Tag::S) => Ok(Value::S(text.to_owned())),
        Some(Tag::N) => {
            let number = text.parse::<Number>();
            let number = number.map_err(|_| CodecError::mismatch("a number", "another text"))?;
            Ok(Value::N(number))
        }
        Some(Tag::Bool) => match () {
            // Spreadsheets write them in capitals.
            () if text.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            () if text.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            () => Err(CodecError::mismatch("true or false", "another text")),
        },
        Some(Tag::B) => {
            let bytes = base64_simd::STANDARD.decode_to_vec(text.as_bytes());
            Ok(Value::B(bytes.map_err(|_| {
                CodecError::mismatch("bytes in Base64", "another text")
            })?))
        }
        Some(tag) => {
            let value = plain_json::read_value(text)?;
            let found = value.tag().name();
            let value = value.into_type(tag).filter(|value| value.tag() == tag);
            value.ok_or_else(|| CodecError::mismatch(tag.name(), found))
        }
        None => plain_json::read_value(text),
    }
}
