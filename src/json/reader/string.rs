//! JSON strings: borrowed if they have no escapes, else owned.

use std::borrow::Cow;

use super::Reader;
use crate::json::{CodecError, string_end};

impl<'a> Reader<'a> {
    /// Reads a JSON string.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, CodecError> {
        self.expect_byte(b'"', "a string")?;
        let start = self.at;
        let end = string_end(self.all_bytes(), start);
        match self.all_bytes().get(end) {
            Some(b'"') => {
                self.at = end + 1;
                Ok(Cow::Borrowed(self.text_between(start, end)))
            }
            Some(_) => self.escaped_string().map(Cow::Owned),
            None => {
                self.at = end;
                Err(self.syntax_error("the end of a string"))
            }
        }
    }

    /// The text between two places. Both are those of quotes or backslashes, so no character is cut.
    #[inline]
    fn text_between(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Reads the rest of a string that has escapes.
    #[cold]
    fn escaped_string(&mut self) -> Result<String, CodecError> {
        let mut text = String::new();
        loop {
            let end = string_end(self.all_bytes(), self.at);
            text.push_str(self.text_between(self.at, end));
            self.at = end;
            match self.all_bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => text.push(self.read_escape()?),
                None => return Err(self.syntax_error("the end of a string")),
            }
        }
    }

    /// Reads one escape, starting at its backslash.
    fn read_escape(&mut self) -> Result<char, CodecError> {
        let code = self.all_bytes().get(self.at + 1).copied();
        self.at += 2;
        Ok(match code {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.syntax_error("an escape")),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, CodecError> {
        let mut code = self.read_hex4()?;
        // JSON escapes characters beyond U+FFFF as two units of UTF-16.
        if (0xD800..0xDC00).contains(&code) && self.rest_bytes().starts_with(b"\\u") {
            self.at += 2;
            let low = self.read_hex4()?;
            if (0xDC00..0xE000).contains(&low) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        char::from_u32(code)
            .ok_or_else(|| CodecError::new("not DynamoDB JSON: half a surrogate pair"))
    }

    fn read_hex4(&mut self) -> Result<u32, CodecError> {
        let digits = self.all_bytes().get(self.at..self.at + 4);
        let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = text
            // `from_str_radix` also accepts a sign.
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        let code = code.ok_or_else(|| self.syntax_error("four hex digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let json = br#""a\"b\\c\/\b\f\n\r\t\u00e9\ud83d\ude00z""#;
        assert_eq!(
            Reader::new(json).string().unwrap(),
            "a\"b\\c/\u{8}\u{c}\n\r\t\u{e9}\u{1F600}z"
        );
        for broken in [
            &br#""\ud83d""#[..],
            br#""\u12"#,
            br#""\x""#,
            br#""abc"#,
            b"\"\\",
            br#""\u+123""#,
        ] {
            assert!(Reader::new(broken).string().is_err(), "{broken:?}");
        }
    }
}
