//! Reads DynamoDB JSON straight from the response body.
//!
//! A cursor over bytes, without an intermediate map. The forms the service really sends are met by a
//! comparison of a few bytes (`{"S":"` and the like); white space, escapes and any order of keys take
//! the slower way beside it. Arbitrary bytes end in a [`Fault`], never in a panic.

use std::borrow::Cow;
use std::fmt;

use super::Fault;

/// Lists and maps are read to this depth. DynamoDB stores no deeper ones; a file may hold any.
const MAX_DEPTH: usize = 32;

/// The types of DynamoDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Text.
    S,
    /// A number.
    N,
    /// Bytes.
    B,
    /// A boolean.
    Bool,
    /// NULL.
    Null,
    /// A list.
    L,
    /// A map.
    M,
    /// A set of text.
    Ss,
    /// A set of numbers.
    Ns,
    /// A set of bytes.
    Bs,
}

impl Tag {
    /// As it stands in DynamoDB JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Tag::S => "S",
            Tag::N => "N",
            Tag::B => "B",
            Tag::Bool => "BOOL",
            Tag::Null => "NULL",
            Tag::L => "L",
            Tag::M => "M",
            Tag::Ss => "SS",
            Tag::Ns => "NS",
            Tag::Bs => "BS",
        }
    }

    const fn opening(self) -> &'static [u8] {
        match self {
            Tag::S => b"{\"S\":",
            Tag::N => b"{\"N\":",
            Tag::B => b"{\"B\":",
            Tag::Bool => b"{\"BOOL\":",
            Tag::Null => b"{\"NULL\":",
            Tag::L => b"{\"L\":",
            Tag::M => b"{\"M\":",
            Tag::Ss => b"{\"SS\":",
            Tag::Ns => b"{\"NS\":",
            Tag::Bs => b"{\"BS\":",
        }
    }

    fn from_name(name: &str) -> Option<Tag> {
        [
            Tag::S,
            Tag::N,
            Tag::B,
            Tag::Bool,
            Tag::Null,
            Tag::L,
            Tag::M,
            Tag::Ss,
            Tag::Ns,
            Tag::Bs,
        ]
        .into_iter()
        .find(|tag| tag.name() == name)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cursor over DynamoDB JSON.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader {
            bytes,
            at: 0,
            depth: 0,
        }
    }

    /// Where the cursor stands.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    #[cold]
    fn broken(&self, wanted: &str) -> Fault {
        if self.at >= self.bytes.len() {
            return Fault::new(format!(
                "not DynamoDB JSON: ends where {wanted} should stand"
            ));
        }
        Fault::new(format!(
            "not DynamoDB JSON: {wanted} should stand at byte {}",
            self.at
        ))
    }

    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8, wanted: &str) -> Result<(), Fault> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.broken(wanted))
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Nothing but white space may follow.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.broken("the end")),
        }
    }

    // --- values

    /// The type of the value ahead.
    pub fn tag(&self) -> Result<Tag, Fault> {
        self.clone().open_any()
    }

    fn open_any(&mut self) -> Result<Tag, Fault> {
        self.expect(b'{', "a value")?;
        let name = self.string()?;
        let tag = Tag::from_name(&name)
            .ok_or_else(|| Fault::new("not DynamoDB JSON: an unknown type of value"))?;
        self.expect(b':', "`:`")?;
        Ok(tag)
    }

    /// Steps into a value of this type; [`close`](Self::close) steps out.
    #[inline]
    pub fn open(&mut self, tag: Tag) -> Result<(), Fault> {
        let opening = tag.opening();
        if self.rest().starts_with(opening) {
            self.at += opening.len();
            return Ok(());
        }
        let found = self.open_any()?;
        if found == tag {
            Ok(())
        } else {
            Err(Fault::mismatch(tag, found))
        }
    }

    /// Steps out of a value.
    #[inline]
    pub fn close(&mut self) -> Result<(), Fault> {
        self.expect(b'}', "the end of a value")
    }

    /// Steps over a NULL, if one is ahead.
    pub fn take_null(&mut self) -> Result<bool, Fault> {
        if !self.rest().starts_with(b"{\"NU") && !matches!(self.tag(), Ok(Tag::Null)) {
            return Ok(false);
        }
        self.open(Tag::Null)?;
        self.boolean_literal()?;
        self.close()?;
        Ok(true)
    }

    /// An `S`.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.open(Tag::S)?;
        let text = self.string()?;
        self.close()?;
        Ok(text)
    }

    /// The digits of an `N`, as they came.
    #[inline]
    pub fn digits(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.open(Tag::N)?;
        let digits = self.string()?;
        self.close()?;
        Ok(digits)
    }

    /// A `B`.
    pub fn binary(&mut self) -> Result<Vec<u8>, Fault> {
        self.open(Tag::B)?;
        let bytes = self.base64()?;
        self.close()?;
        Ok(bytes)
    }

    pub(crate) fn base64(&mut self) -> Result<Vec<u8>, Fault> {
        let text = self.string()?;
        base64_simd::STANDARD
            .decode_to_vec(text.as_bytes())
            .map_err(|_| Fault::new("not DynamoDB JSON: binary that is not base64"))
    }

    /// A `BOOL`.
    pub fn boolean(&mut self) -> Result<bool, Fault> {
        self.open(Tag::Bool)?;
        let value = self.boolean_literal()?;
        self.close()?;
        Ok(value)
    }

    fn boolean_literal(&mut self) -> Result<bool, Fault> {
        self.peek();
        for (literal, value) in [("true", true), ("false", false)] {
            if self.rest().starts_with(literal.as_bytes()) {
                self.at += literal.len();
                return Ok(value);
            }
        }
        Err(self.broken("true or false"))
    }

    /// Steps into an `L`; then [`next_element`](Self::next_element) until it says no.
    pub fn open_list(&mut self) -> Result<(), Fault> {
        self.open(Tag::L)?;
        self.deepen()?;
        self.open_array()
    }

    /// Steps out of an `L`.
    pub fn close_list(&mut self) -> Result<(), Fault> {
        self.depth = self.depth.saturating_sub(1);
        self.close()
    }

    /// Steps into an `M`; then [`next_name`](Self::next_name) until there is none.
    pub fn open_map(&mut self) -> Result<(), Fault> {
        self.open(Tag::M)?;
        self.deepen()?;
        self.open_object()
    }

    /// Steps out of an `M`.
    pub fn close_map(&mut self) -> Result<(), Fault> {
        self.depth = self.depth.saturating_sub(1);
        self.close()
    }

    fn deepen(&mut self) -> Result<(), Fault> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::new(format!(
                "lists and maps nest deeper than {MAX_DEPTH} levels"
            )));
        }
        self.depth += 1;
        Ok(())
    }

    // --- plain JSON

    /// Steps into `[`.
    pub(crate) fn open_array(&mut self) -> Result<(), Fault> {
        self.expect(b'[', "a list")
    }

    /// Whether another element follows; steps over the comma or the closing `]`. `first` is the
    /// caller's mark, true before the first call.
    #[inline]
    pub fn next_element(&mut self, first: &mut bool) -> Result<bool, Fault> {
        self.another(first, b']', "`,` or `]`")
    }

    /// Steps into `{`.
    pub fn open_object(&mut self) -> Result<(), Fault> {
        self.expect(b'{', "an object")
    }

    /// The next key of the open object, or `None` after stepping over its `}`. `first` is the
    /// caller's mark, true before the first call.
    #[inline]
    pub fn next_name(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.another(first, b'}', "`,` or `}`")? {
            return Ok(None);
        }
        let name = self.string()?;
        self.expect(b':', "`:`")?;
        Ok(Some(name))
    }

    #[inline]
    fn another(&mut self, first: &mut bool, end: u8, wanted: &str) -> Result<bool, Fault> {
        let was_first = std::mem::take(first);
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if was_first => Ok(true),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.broken(wanted)),
        }
    }

    /// A JSON string.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.expect(b'"', "a string")?;
        let rest = self.rest();
        let end = string_end(rest);
        match rest.get(end) {
            Some(b'"') => {
                let text = utf8(rest.get(..end).unwrap_or_default())?;
                self.at += end + 1;
                Ok(Cow::Borrowed(text))
            }
            Some(_) => self.escaped_string().map(Cow::Owned),
            None => {
                self.at = self.bytes.len();
                Err(self.broken("the end of a string"))
            }
        }
    }

    /// The rest of a string that holds escapes.
    #[cold]
    fn escaped_string(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let end = string_end(rest);
            text.push_str(utf8(rest.get(..end).unwrap_or_default())?);
            self.at += end;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => text.push(self.escape()?),
                None => return Err(self.broken("the end of a string")),
            }
        }
    }

    /// One escape, from its backslash on.
    fn escape(&mut self) -> Result<char, Fault> {
        let code = self.bytes.get(self.at + 1).copied();
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
            _ => return Err(self.broken("an escape")),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let mut code = self.hex4()?;
        if (0xD800..0xDC00).contains(&code) && self.rest().starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex4()?;
            if (0xDC00..0xE000).contains(&low) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        char::from_u32(code).ok_or_else(|| Fault::new("not DynamoDB JSON: half a surrogate pair"))
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let digits = self.bytes.get(self.at..self.at + 4);
        let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = text
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        let code = code.ok_or_else(|| self.broken("four hex digits"))?;
        self.at += 4;
        Ok(code)
    }

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

fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|_| Fault::new("not DynamoDB JSON: text that is not UTF-8"))
}

/// The place of the first quote or backslash, or the length. Eight bytes at a time.
#[inline]
fn string_end(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // Marks, in each byte's highest bit, the bytes that are zero (and perhaps later ones, never an
    // earlier one: the first mark is exact).
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let hits = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if hits != 0 {
            return index * 8 + (hits.trailing_zeros() / 8) as usize;
        }
    }
    let start = words.len() * 8;
    let tail = bytes.get(start..).unwrap_or_default();
    start
        + tail
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\'))
            .unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_first_quote_or_backslash() {
        let text = "0123456789abcdefghijklmn\u{1}\u{e9}";
        for at in 0..text.len() {
            for stop in [b'"', b'\\'] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = stop;
                assert_eq!(string_end(&bytes), at);
            }
        }
        assert_eq!(string_end(text.as_bytes()), text.len());
    }

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

    #[test]
    fn white_space_is_read() {
        let mut reader = Reader::new(b" { \"S\" : \"a\" } ");
        assert_eq!(reader.text().unwrap(), "a");
        reader.finish().unwrap();
    }

    #[test]
    fn a_value_is_stepped_over() {
        let json = br#"{"a":[1,-2.5e+3,{"b":"}\"]"}],"c":null}X"#;
        let mut reader = Reader::new(json);
        reader.skip().unwrap();
        assert_eq!(reader.rest(), b"X");
        assert!(Reader::new(b"{\"a\":[").skip().is_err());
        assert!(Reader::new(b"]").skip().is_err());
    }

    #[test]
    fn a_wrong_type_is_named() {
        let fault = Reader::new(b"{\"N\":\"1\"}").text().unwrap_err();
        assert_eq!(fault.to_string(), "expected S, found N");
    }
}
