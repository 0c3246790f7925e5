//! Stepping over what nobody asked for.

use super::Reader;
use crate::codec::Fault;
use crate::codec::scan::string_end;

impl<'a> Reader<'a> {
    /// Steps over any JSON value. Iterative: depth costs nothing.
    pub fn skip(&mut self) -> Result<(), Fault> {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Some(b'"') => self.skip_string()?,
                Some(b'{' | b'[') => {
                    open += 1;
                    self.at += 1;
                    continue;
                }
                Some(b'}' | b']') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Some(b',' | b':') if open > 0 => {
                    self.at += 1;
                    continue;
                }
                Some(b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => self.skip_word(),
                _ => return Err(self.broken("a value")),
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn skip_string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            self.at += string_end(self.rest());
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.at += 2,
                None => return Err(self.broken("the end of a string")),
            }
        }
    }

    /// A number, true, false or null.
    fn skip_word(&mut self) {
        while let Some(b'0'..=b'9' | b'a'..=b'z' | b'E' | b'-' | b'+' | b'.') =
            self.bytes.get(self.at)
        {
            self.at += 1;
        }
    }

    /// The bytes of the JSON value ahead, stepping over it.
    pub(crate) fn raw_value(&mut self) -> Result<&'a [u8], Fault> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.bytes.get(start..self.at).unwrap_or_default())
    }
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
    }
}
