//! Reads DynamoDB JSON straight from the response body.
//!
//! A cursor over bytes, without an intermediate map. The forms that the service really sends are recognized by
//! comparing a few bytes (`{"S":"` and the like); white space, escapes and any order of keys take
//! a slower way. Arbitrary bytes end in a [`CodecError`], never in a panic.

pub(crate) mod key_finder;
mod plain;
mod skip;
mod string;
pub(crate) mod usual;

use crate::json::reader::key_finder::KeyFinder;
use std::borrow::Cow;

use key_finder::NEVER;

use crate::json::{CodecError, MAX_DEPTH, Tag};

/// A cursor over DynamoDB JSON.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// The whole text, up to the first byte that is not UTF-8: it is checked once, so that no string has to be.
    text: &'a str,
    at: usize,
    depth: usize,
    /// Notes the attributes that are looked for in the item that is read.
    finder: Option<&'a KeyFinder>,
    /// How many names to pass here until the finder looks at one.
    until: u32,
    /// The same number for the names of the item, before it is opened and while one of its maps is read.
    until_outside: u32,
    /// Whether the text is the content of a compressed value.
    #[cfg(feature = "compress")]
    is_expanded: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader::starting_at(valid_front(bytes), 0)
    }

    /// Starts in the middle of a text.
    #[inline]
    pub(crate) fn starting_at(text: &'a str, at: usize) -> Self {
        Reader {
            text,
            at,
            depth: 0,
            finder: None,
            until: NEVER,
            until_outside: NEVER,
            #[cfg(feature = "compress")]
            is_expanded: false,
        }
    }

    /// Reads the content of a compressed value, within which nothing is compressed.
    #[cfg(feature = "compress")]
    pub(crate) fn of_expanded(bytes: &'a [u8]) -> Self {
        Reader {
            is_expanded: true,
            ..Reader::new(bytes)
        }
    }

    #[cfg(feature = "compress")]
    pub(crate) fn is_expanded(&self) -> bool {
        self.is_expanded
    }

    /// Another reader of the same text, at this place.
    #[inline]
    pub(crate) fn resume_at(&self, at: usize) -> Self {
        Reader {
            #[cfg(feature = "compress")]
            is_expanded: self.is_expanded,
            ..Reader::starting_at(self.text, at)
        }
    }

    /// The place in the text.
    pub(crate) fn current_place(&self) -> usize {
        self.at
    }

    #[cold]
    fn syntax_error(&self, wanted: &str) -> CodecError {
        if self.at >= self.text.len() {
            return CodecError::new(format!(
                "not DynamoDB JSON: ends, or is not UTF-8, where {wanted} is expected"
            ));
        }
        CodecError::new(format!(
            "not DynamoDB JSON: {wanted} is expected at byte {}",
            self.at
        ))
    }

    #[inline]
    pub(crate) fn peek_byte(&mut self) -> Option<u8> {
        loop {
            match self.all_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    #[inline]
    fn expect_byte(&mut self, byte: u8, wanted: &str) -> Result<(), CodecError> {
        if self.peek_byte() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.syntax_error(wanted))
    }

    #[inline]
    fn all_bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    fn rest_bytes(&self) -> &'a [u8] {
        self.all_bytes().get(self.at..).unwrap_or_default()
    }

    /// Ends the reading: only white space may follow.
    pub(crate) fn finish_text(&mut self) -> Result<(), CodecError> {
        match self.peek_byte() {
            None => Ok(()),
            Some(_) => Err(self.syntax_error("the end")),
        }
    }

    // --- values

    /// The type of the next value.
    pub fn tag(&self) -> Result<Tag, CodecError> {
        self.clone().open_any()
    }

    fn open_any(&mut self) -> Result<Tag, CodecError> {
        self.expect_byte(b'{', "a value")?;
        let name = self.string()?;
        let tag = Tag::from_name(&name)
            .ok_or_else(|| CodecError::new("not DynamoDB JSON: an unknown type of value"))?;
        self.expect_byte(b':', "`:`")?;
        Ok(tag)
    }

    /// Steps into a value of this type; [`close`](Self::close) steps out.
    #[inline]
    pub fn open(&mut self, tag: Tag) -> Result<(), CodecError> {
        if self.take_usual(tag.opening_text()) {
            return Ok(());
        }
        let found = self.open_any()?;
        if found == tag {
            Ok(())
        } else {
            Err(CodecError::mismatch(tag, found))
        }
    }

    /// Steps out of a value.
    #[inline]
    pub fn close(&mut self) -> Result<(), CodecError> {
        if self.take_usual(b"}") {
            return Ok(());
        }
        self.expect_byte(b'}', "the end of a value")
    }

    /// Steps over a NULL, if it comes next.
    pub fn take_null(&mut self) -> Result<bool, CodecError> {
        // The first test decides nearly every case without reading a name.
        if !self.rest_bytes().starts_with(b"{\"NU") && !matches!(self.tag(), Ok(Tag::Null)) {
            return Ok(false);
        }
        self.open(Tag::Null)?;
        self.boolean_literal()?;
        self.close()?;
        Ok(true)
    }

    /// Reads an `S`.
    pub fn text(&mut self) -> Result<Cow<'a, str>, CodecError> {
        match self.usual_value(Tag::S) {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.unusual_text(Tag::S),
        }
    }

    /// Reads an `N`: its digits as they are stored.
    pub fn digits(&mut self) -> Result<Cow<'a, str>, CodecError> {
        match self.usual_value(Tag::N) {
            Some(digits) => Ok(Cow::Borrowed(digits)),
            None => self.unusual_text(Tag::N),
        }
    }

    #[cold]
    fn unusual_text(&mut self, tag: Tag) -> Result<Cow<'a, str>, CodecError> {
        self.open(tag)?;
        let text = self.string()?;
        self.close()?;
        Ok(text)
    }

    /// Reads a `B`.
    pub fn binary(&mut self) -> Result<Vec<u8>, CodecError> {
        self.open(Tag::B)?;
        let bytes = self.read_base64()?;
        self.close()?;
        Ok(bytes)
    }

    pub(crate) fn read_base64(&mut self) -> Result<Vec<u8>, CodecError> {
        let text = self.string()?;
        base64_simd::STANDARD
            .decode_to_vec(text.as_bytes())
            .map_err(|_| CodecError::new("not DynamoDB JSON: binary that is not base64"))
    }

    /// Reads a `BOOL`.
    pub fn boolean(&mut self) -> Result<bool, CodecError> {
        self.open(Tag::Bool)?;
        let value = self.boolean_literal()?;
        self.close()?;
        Ok(value)
    }

    pub(crate) fn boolean_literal(&mut self) -> Result<bool, CodecError> {
        self.peek_byte();
        for (literal, value) in [("true", true), ("false", false)] {
            if self.rest_bytes().starts_with(literal.as_bytes()) {
                self.at += literal.len();
                return Ok(value);
            }
        }
        Err(self.syntax_error("true or false"))
    }

    /// Steps into an `L`; call [`next_element`](Self::next_element) until it returns false.
    pub fn open_list(&mut self) -> Result<(), CodecError> {
        self.open(Tag::L)?;
        self.enter_level()?;
        self.open_array()
    }

    /// Steps out of an `L`.
    pub fn close_list(&mut self) -> Result<(), CodecError> {
        self.leave_level();
        self.close()
    }

    /// Steps into an `M`; call [`next_name`](Self::next_name) until it returns none.
    pub fn open_map(&mut self) -> Result<(), CodecError> {
        self.open(Tag::M)?;
        self.enter_level()?;
        self.expect_byte(b'{', "an object")
    }

    /// Steps out of an `M`.
    pub fn close_map(&mut self) -> Result<(), CodecError> {
        self.leave_level();
        self.close()
    }

    fn enter_level(&mut self) -> Result<(), CodecError> {
        if self.depth == MAX_DEPTH {
            return Err(CodecError::new(format!(
                "lists and maps nest deeper than {MAX_DEPTH} levels"
            )));
        }
        // Names inside of a nested value are not attributes of the item, so the search for keys
        // pauses there.
        if self.depth == 0 {
            self.until_outside = std::mem::replace(&mut self.until, NEVER);
        }
        self.depth += 1;
        Ok(())
    }

    fn leave_level(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.until = std::mem::replace(&mut self.until_outside, NEVER);
        }
    }

    // --- plain JSON

    /// Skips a null of a response, which means a missing value.
    pub(crate) fn take_nothing(&mut self) -> bool {
        self.peek_byte();
        let is_nothing = self.rest_bytes().starts_with(b"null");
        self.at += if is_nothing { 4 } else { 0 };
        is_nothing
    }

    /// Steps into `[`.
    pub(crate) fn open_array(&mut self) -> Result<(), CodecError> {
        self.expect_byte(b'[', "a list")
    }

    /// Whether another element follows; steps over the comma or the closing `]`. `first` is the
    /// caller's mark, true before the first call.
    #[inline]
    pub fn next_element(&mut self, first: &mut bool) -> Result<bool, CodecError> {
        self.has_another(first, b']', "`,` or `]`")
    }

    /// Steps into `{`.
    pub fn open_object(&mut self) -> Result<(), CodecError> {
        // The first object is the item. Names of objects that are opened later by this call are not attributes of the
        // item.
        if self.depth == 0 {
            self.until = std::mem::replace(&mut self.until_outside, NEVER);
        }
        self.expect_byte(b'{', "an object")
    }

    /// The next key of the open object, or `None` after stepping over its `}`. `first` is the
    /// caller's mark, true before the first call.
    pub fn next_name(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>, CodecError> {
        let name = match self.usual_name(*first) {
            Some(name) => {
                *first = false;
                Cow::Borrowed(name)
            }
            None if self.take_usual(b"}") => return Ok(None),
            None => match self.unusual_name(first)? {
                Some(name) => name,
                None => return Ok(None),
            },
        };
        self.pass_name(&name);
        Ok(Some(name))
    }

    /// The next key of a response whose value is not null: a null means a missing value, as in the SDK.
    pub(crate) fn next_answered(
        &mut self,
        first: &mut bool,
    ) -> Result<Option<Cow<'a, str>>, CodecError> {
        loop {
            match self.next_name(first)? {
                Some(_) if self.take_nothing() => {}
                name => return Ok(name),
            }
        }
    }

    #[cold]
    fn unusual_name(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>, CodecError> {
        if !self.has_another(first, b'}', "`,` or `}`")? {
            return Ok(None);
        }
        let name = self.string()?;
        self.expect_byte(b':', "`:`")?;
        Ok(Some(name))
    }

    #[inline]
    fn has_another(&mut self, first: &mut bool, end: u8, wanted: &str) -> Result<bool, CodecError> {
        let was_first = std::mem::take(first);
        match self.peek_byte() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if was_first => Ok(true),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.syntax_error(wanted)),
        }
    }
}

fn valid_front(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf8_is_not_read() {
        let json = b"{\"S\":\"caf\xe9\"}";
        let fault = Reader::new(json).text().unwrap_err();
        assert!(fault.to_string().contains("is not UTF-8"), "{fault}");
        assert!(Reader::new(json).skip().is_err());
        assert_eq!(
            Reader::new("{\"S\":\"caf\u{e9}\"}".as_bytes())
                .text()
                .unwrap(),
            "caf\u{e9}"
        );
    }

    #[test]
    fn white_space_is_read() {
        let mut reader = Reader::new(b" { \"S\" : \"a\" } ");
        assert_eq!(reader.text().unwrap(), "a");
        reader.finish_text().unwrap();
    }

    #[test]
    fn a_wrong_type_is_named() {
        let fault = Reader::new(b"{\"N\":\"1\"}").text().unwrap_err();
        assert_eq!(fault.to_string(), "expected S, found N");
    }
}
