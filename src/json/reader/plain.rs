//! Reads the tokens of plain JSON, with every digit of its numbers.

use super::Reader;
use crate::json::{CodecError, Number};

impl Reader<'_> {
    pub(crate) fn plain_number(&mut self) -> Result<Number, CodecError> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = self
            .rest_bytes()
            .iter()
            .take_while(|byte| is_part(byte))
            .count();
        let text = self.text.get(self.at..self.at + length).unwrap_or_default();
        if !is_number(text) {
            return Err(self.not_json("a value"));
        }
        self.at += length;
        text.parse()
    }

    pub(crate) fn plain_string(&mut self) -> Result<String, CodecError> {
        let found = self.string();
        found
            .map(String::from)
            .map_err(|_| self.not_json("a string"))
    }

    pub(crate) fn plain_another(&mut self, first: &mut bool, end: u8) -> Result<bool, CodecError> {
        let found = self.has_another(first, end, "");
        found.map_err(|_| self.not_json("`,` or the end of a list or an object"))
    }

    pub(crate) fn read_plain(&mut self, byte: u8, wanted: &str) -> Result<(), CodecError> {
        let found = self.expect_byte(byte, wanted);
        found.map_err(|_| self.not_json(wanted))
    }

    #[cold]
    pub(crate) fn not_json(&self, wanted: &str) -> CodecError {
        CodecError::new(format!(
            "not JSON: {wanted} is expected at byte {}",
            self.at
        ))
    }
}

/// JSON is stricter than [`Number`]: no `+7`, no `007`, no `.5` and no `5.`.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digit_at = |at: usize| unsigned.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let point = unsigned.find('.');
    digit_at(0)
        // JSON allows no leading zeros, and `Number` does.
        && !(unsigned.starts_with('0') && digit_at(1))
        && point.is_none_or(|at| digit_at(at + 1))
}
