//! Skips values that are not needed.

use super::Reader;
use crate::json::{CodecError, string_end};

impl<'a> Reader<'a> {
    /// Steps over any JSON value. It does not recurse, so values may nest to any depth.
    pub fn skip(&mut self) -> Result<(), CodecError> {
        self.peek_byte();
        match value_end(self.all_bytes(), self.at) {
            Ok(end) => {
                self.at = end;
                Ok(())
            }
            Err(Broken { at, wanted }) => {
                self.at = at;
                Err(self.syntax_error(wanted))
            }
        }
    }

    /// The bytes of the next JSON value, which is stepped over.
    pub(crate) fn raw_value(&mut self) -> Result<&'a [u8], CodecError> {
        self.peek_byte();
        let start = self.at;
        self.skip()?;
        Ok(self.all_bytes().get(start..self.at).unwrap_or_default())
    }
}

/// A place where something else is expected.
struct Broken {
    at: usize,
    wanted: &'static str,
}

/// The place behind the value that begins here.
fn value_end(bytes: &[u8], start: usize) -> Result<usize, Broken> {
    let mut at = start;
    let mut open = 0usize;
    loop {
        let byte = bytes.get(at);
        at += 1;
        match byte {
            Some(b'"') => at = text_end(bytes, at)?,
            Some(b'{') => {
                open += 1;
                at = members_end(bytes, at);
            }
            // The usual members are skipped in one step each. All else returns to this loop.
            Some(b',') if open > 0 => {
                at = members_end(bytes, at);
                continue;
            }
            Some(b'[') => open += 1,
            Some(b'}' | b']') if open > 0 => open -= 1,
            Some(b':' | b' ' | b'\n' | b'\r' | b'\t') if open > 0 => continue,
            Some(b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => at = word_end(bytes, at),
            _ => {
                return Err(Broken {
                    at: at - 1,
                    wanted: "a value",
                });
            }
        }
        if open == 0 {
            return Ok(at);
        }
    }
}

/// The place behind a string, given the place behind its opening quote.
#[inline]
fn text_end(bytes: &[u8], start: usize) -> Result<usize, Broken> {
    let mut at = start;
    loop {
        at = string_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            // A backslash: the character after it is part of the string, also if it is a quotation
            // mark.
            Some(_) => at += 2,
            None => {
                return Err(Broken {
                    at,
                    wanted: "the end of a string",
                });
            }
        }
    }
}

/// The place behind a number, true, false or null.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_word = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'-' | b'+' | b'.');
    let end = rest.iter().position(|byte| !is_word(byte));
    start + end.unwrap_or(rest.len())
}

/// The place behind all members that follow each other here in the form in which the service writes text, numbers and
/// binary: `"name":{"S":"text"}`.
#[inline]
fn members_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(end) = member_end(bytes, at) {
        if bytes.get(end) != Some(&b',') {
            return end;
        }
        at = end + 1;
    }
    at
}

#[inline(always)]
fn member_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let name_end = string_end(bytes, start + 1);
    let opening = bytes.get(name_end..)?.first_chunk()?;
    if !opens_text(*opening) {
        return None;
    }
    let end = string_end(bytes, name_end + opening.len());
    (bytes.get(end..end + 2)? == b"\"}").then_some(end + 2)
}

/// Whether this is `":{"S":"`, with any capital letter.
#[inline(always)]
fn opens_text(opening: [u8; 8]) -> bool {
    const LETTER: usize = 4;
    let mut others = opening;
    others[LETTER] = b'S';
    others == *b"\":{\"S\":\"" && opening[LETTER].is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_stepped_over() {
        let json = br#"{"a":[1,-2.5e+3,{"b":"}\"]"}],"c":null}X"#;
        let mut reader = Reader::new(json);
        reader.skip().unwrap();
        assert_eq!(reader.rest_bytes(), b"X");
        assert!(Reader::new(b"{\"a\":[").skip().is_err());
        assert!(Reader::new(b"]").skip().is_err());
        assert!(Reader::new(b"{\"S\":\"a").skip().is_err());
        assert!(Reader::new(b"").skip().is_err());
    }

    #[test]
    fn texts_end_where_they_end() {
        for value in [
            r#"{"S":"a\\"}"#,
            r#"{"S":"a\\\"}"}"#,
            r#"{"SS":["}","{"]}"#,
            r#"{"\":":"}"}"#,
            r#"{ "S" : "}" }"#,
            r#"{"S":""}"#,
            r#"{"a":{"S":"x"},"b\\":{"N":"1"},"c":{"S":"\"}"},"d":[{"S":"}"},{"M":{"e":{"B":""}}}]}"#,
            r#"{"a":{"S":"x"} ,"S":{"N":"1" }}"#,
            r#"{"a":{"S":"x","b":{"S":"y"}}}"#,
        ] {
            let json = format!("{value}X");
            let mut reader = Reader::new(json.as_bytes());
            assert_eq!(reader.raw_value().unwrap(), value.as_bytes());
            assert_eq!(reader.rest_bytes(), b"X");
        }
    }
}
