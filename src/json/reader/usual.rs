//! Fast reading of what the service really sends: no white space, and few texts with escapes.
//!
//! Each function takes the next value if it has the usual form. Otherwise it leaves the reader where it is, and the
//! code that reads all of JSON takes over.

use super::Reader;
use crate::json::{Tag, digits_end, plain_run, string_end, string_end_in};

/// Any number of this many digits fits an `i64`.
const SHORT: usize = 18;

/// The bytes of a value, with some that follow it.
pub(crate) struct ValueFront<'a, const N: usize> {
    pub(crate) all: &'a [u8; N],
    /// How many bytes belong to the value; all of them if it does not end among them.
    pub(crate) len: usize,
}

impl<'a, const N: usize> ValueFront<'a, N> {
    /// The front of a `{"S":"text"}` up to a quote or an escape, so that no byte is below a space; or of a
    /// `{"N":"..."}` up to the first byte that is not a digit, if the number is positive and has no leading zeros. The
    /// first `known` bytes are known to belong to the value.
    #[inline(always)]
    pub(crate) fn of_value(json: &'a [u8], known: usize) -> Option<(Tag, Self)> {
        let (opening, all) = json.split_first_chunk::<6>()?;
        let all: &[u8; N] = all.first_chunk()?;
        if opening == b"{\"S\":\"" {
            let len = string_end_in(all, known);
            return Some((Tag::S, ValueFront { all, len }));
        }
        // Zero, negative numbers and fractions have other ranks than their digits.
        let is_plain = opening == b"{\"N\":\"" && matches!(all.first(), Some(b'1'..=b'9'));
        let len = digits_end(all);
        is_plain.then_some((Tag::N, ValueFront { all, len }))
    }

    /// Whether the value ends behind its bytes.
    #[inline(always)]
    pub(crate) fn is_closed(&self) -> bool {
        let behind = self.all.get(self.len..);
        behind.and_then(|behind| behind.first_chunk()) == Some(b"\"}")
    }
}

impl<'a> Reader<'a> {
    /// Reads `"name":`, with a comma before it unless it is the first.
    #[inline]
    pub(super) fn usual_name(&mut self, is_first: bool) -> Option<&'a str> {
        if is_first {
            return self.string_before(self.at, b':');
        }
        match self.all_bytes().get(self.at) {
            Some(b',') => self.string_before(self.at + 1, b':'),
            _ => None,
        }
    }

    /// Reads `{"S":"text"}`, or the same form of an `N`.
    #[inline(always)]
    pub(super) fn usual_value(&mut self, tag: Tag) -> Option<&'a str> {
        let opening = tag.opening_text();
        if !self.rest_bytes().starts_with(opening) {
            return None;
        }
        self.string_before(self.at + opening.len(), b'}')
    }

    /// Reads a string without escapes that begins at `quote` and is followed by the byte `next`; steps over both.
    #[inline(always)]
    fn string_before(&mut self, quote: usize, next: u8) -> Option<&'a str> {
        let bytes = self.all_bytes();
        if bytes.get(quote) != Some(&b'"') {
            return None;
        }
        let start = quote + 1;
        let end = string_end(bytes, start);
        if bytes.get(end..end + 2) != Some(&[b'"', next]) {
            return None;
        }
        let text = self.text.get(start..end)?;
        self.at = end + 2;
        Some(text)
    }

    /// Reads the `{"N":"..."}` of a short integer.
    #[inline]
    pub(crate) fn usual_integer(&mut self) -> Option<i64> {
        let rest = self.rest_bytes().strip_prefix(b"{\"N\":\"")?;
        let (is_negative, digits) = match rest.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, rest),
        };
        let mut value = 0;
        let mut count = 0;
        // Eighteen digits always fit an `i64`, so no step needs a check.
        while let Some(digit @ b'0'..=b'9') = digits.get(count).filter(|_| count < SHORT) {
            value = value * 10 + i64::from(digit - b'0');
            count += 1;
        }
        let behind = digits.get(count..)?.strip_prefix(b"\"}")?;
        if count == 0 {
            return None;
        }
        self.at = self.all_bytes().len() - behind.len();
        Some(if is_negative { -value } else { value })
    }

    /// The bytes of the next value, if this library would write the same: for text without escapes and for plain
    /// integers.
    pub(crate) fn usual_key(&self) -> Option<&'a [u8]> {
        let mut ahead = self.clone();
        let is_plain = match ahead.usual_text() {
            Some(_) => true,
            None => is_plain_integer(ahead.usual_value(Tag::N)?.as_bytes()),
        };
        self.all_bytes().get(self.at..ahead.at).filter(|_| is_plain)
    }

    /// Reads a `{"S":"text"}` that has no escapes and needs none.
    pub(crate) fn usual_text(&mut self) -> Option<&'a str> {
        let mut behind = self.clone();
        let text = behind.usual_value(Tag::S)?;
        // A control character that a server left unescaped would be escaped when it is written
        // again.
        if plain_run(text.as_bytes()) < text.len() {
            return None;
        }
        *self = behind;
        Some(text)
    }

    /// Steps over these bytes, if they come next.
    #[inline(always)]
    pub(super) fn take_usual(&mut self, bytes: &[u8]) -> bool {
        let is_ahead = self.rest_bytes().starts_with(bytes);
        if is_ahead {
            self.at += bytes.len();
        }
        is_ahead
    }
}

fn is_plain_integer(digits: &[u8]) -> bool {
    match digits.strip_prefix(b"-").unwrap_or(digits) {
        [b'0'] => digits.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.len() < SHORT && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::DynamoValue;

    /// The same value in a form that no service sends.
    fn unusual(json: &str) -> String {
        json.replace('{', "{ ")
            .replace(':', " : ")
            .replace('}', " }")
    }

    #[test]
    fn both_ways_read_the_same() {
        for digits in [
            "0",
            "-0",
            "7",
            "-7",
            "007",
            "999999999999999999",
            "-999999999999999999",
            "1000000000000000000",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "1E3",
            "5.0",
            "-",
            "",
            "+1",
        ] {
            let json = format!("{{\"N\":\"{digits}\"}}");
            let other = unusual(&json);
            let read = |json: &str| {
                let mut reader = Reader::new(json.as_bytes());
                let value = i64::decode(&mut reader).map_err(|fault| fault.to_string())?;
                reader
                    .finish_text()
                    .map(|()| value)
                    .map_err(|fault| fault.to_string())
            };
            assert_eq!(read(&json), read(&other), "{digits}");
        }
        let json = r#"{"a":{"S":"x"},"b":{"S":"y\n"},"":{"S":""}}"#;
        for json in [json, &unusual(json)] {
            let mut reader = Reader::new(json.as_bytes());
            let (mut first, mut read) = (true, Vec::new());
            reader.open_object().unwrap();
            while let Some(name) = reader.next_name(&mut first).unwrap() {
                read.push((name.into_owned(), reader.text().unwrap().into_owned()));
            }
            reader.finish_text().unwrap();
            let expected = [("a", "x"), ("b", "y\n"), ("", "")];
            assert_eq!(
                read,
                expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
            );
        }
    }
}
