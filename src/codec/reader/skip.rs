//! Stepping over what nobody asked for.

use super::Reader;
use crate::codec::Fault;
use crate::codec::scan::string_end;

impl<'a> Reader<'a> {
    /// Steps over any JSON value. Iterative: depth costs nothing.
    pub fn skip(&mut self) -> Result<(), Fault> {
        self.peek();
        match value_end(self.bytes(), self.at) {
            Ok(end) => {
                self.at = end;
                Ok(())
            }
            Err(Broken { at, wanted }) => {
                self.at = at;
                Err(self.broken(wanted))
            }
        }
    }

    /// The bytes of the JSON value ahead, stepping over it.
    pub(crate) fn raw_value(&mut self) -> Result<&'a [u8], Fault> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.bytes().get(start..self.at).unwrap_or_default())
    }
}

/// Where something else should stand.
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
                if opens_text(bytes, at) {
                    at = text_end(bytes, at + TEXT)?;
                }
            }
            Some(b'[') => open += 1,
            Some(b'}' | b']') if open > 0 => open -= 1,
            Some(b',' | b':' | b' ' | b'\n' | b'\r' | b'\t') if open > 0 => continue,
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

/// The place behind a string, from behind its opening quote.
#[inline]
fn text_end(bytes: &[u8], start: usize) -> Result<usize, Broken> {
    let mut at = start;
    loop {
        at = string_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
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

/// The length of `"S":"`.
const TEXT: usize = 5;

/// Whether the value that was just opened is an `S`, `N` or `B`: `"S":"`, with any capital letter.
#[inline]
fn opens_text(bytes: &[u8], at: usize) -> bool {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<TEXT>());
    matches!(word, Some([b'"', b'A'..=b'Z', b'"', b':', b'"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_stepped_over() {
        let json = br#"{"a":[1,-2.5e+3,{"b":"}\"]"}],"c":null}X"#;
        let mut reader = Reader::new(json);
        reader.skip().unwrap();
        assert_eq!(reader.rest(), b"X");
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
        ] {
            let json = format!("{value}X");
            let mut reader = Reader::new(json.as_bytes());
            assert_eq!(reader.raw_value().unwrap(), value.as_bytes());
            assert_eq!(reader.rest(), b"X");
        }
    }
}
