//! Parses keys into their parts.

use std::borrow::Cow;

use super::part::{KeyPart, PartOut, PartWriter, has_no_negatives, width_in};
use crate::json::{CodecError, KeyIdentity, Reader};
use crate::schema::{Style, Width};

/// The text of one part, as in the key.
#[derive(Debug, Clone, Copy)]
pub struct PartText<'t> {
    raw: &'t str,
    style: Style,
    pad: Option<usize>,
}

impl<'t> PartText<'t> {
    /// Returns the text as in the key.
    pub fn raw(&self) -> &'t str {
        self.raw
    }

    /// Returns a user's text, without its escapes.
    pub fn text(&self) -> Option<Cow<'t, str>> {
        match self.style {
            Style::Escaped => super::text::unescape(self.raw),
            Style::Verbatim(_) => Some(Cow::Borrowed(self.raw)),
        }
    }

    pub(super) fn has_no_negatives(&self) -> bool {
        has_no_negatives(self.pad, self.style)
    }

    /// A text that no key holds, as a person writes it.
    pub(super) fn plain(raw: &'t str) -> Self {
        PartText {
            raw,
            // Texts are not escaped and numbers not padded in keys of this style.
            style: Style::Verbatim('#'),
            pad: None,
        }
    }

    /// The text of an attribute that is a bare key.
    pub(super) fn bare(raw: &'t str) -> Self {
        PartText {
            raw,
            style: Style::Escaped,
            pad: None,
        }
    }

    /// Whether the part is written as this text.
    pub(super) fn is_of<P: KeyPart>(&self, part: &P) -> bool {
        let mut writer = PartWriter {
            out: PartOut::Stored(Some(self.raw.as_bytes())),
            style: self.style,
            pad: self.pad,
        };
        part.write_part(&mut writer).is_ok() && matches!(writer.out, PartOut::Stored(Some([])))
    }

    pub(super) fn digits(&self, natural: usize) -> Option<usize> {
        match (self.pad, self.style) {
            (Some(pad), _) => Some(pad),
            (None, Style::Escaped) => Some(natural),
            (None, Style::Verbatim(_)) => None,
        }
    }
}

/// Parses a key text according to its template.
#[derive(Debug)]
pub struct KeyParser<'t> {
    rest: &'t str,
    attribute: &'static str,
    style: Style,
}

impl<'t> KeyParser<'t> {
    /// Starts at the front of a key text.
    pub fn new(text: &'t str, attribute: &'static str, style: Style) -> Self {
        KeyParser {
            rest: text,
            attribute,
            style,
        }
    }

    #[cold]
    pub(super) fn unlike(&self) -> CodecError {
        CodecError::new(
            "the stored key does not follow the template: declare the key as it is stored, or store the item anew",
        )
        .in_key(self.attribute)
        .of_identity(KeyIdentity::Unlike)
    }

    /// Skips text that is the same in every key.
    pub fn literal(&mut self, literal: &str) -> Result<(), CodecError> {
        self.rest = self
            .rest
            .strip_prefix(literal)
            .ok_or_else(|| self.unlike())?;
        Ok(())
    }

    /// Parses a part; `last` if nothing follows it in the template.
    pub fn part<P: KeyPart>(
        &mut self,
        field: &'static str,
        pad: Option<usize>,
        last: bool,
    ) -> Result<P, CodecError> {
        let width = match width_in(P::WIDTH, pad, self.style) {
            Width::Fixed(width) | Width::Digits(width) => width,
            Width::Signed(digits) => digits + usize::from(self.rest.starts_with('-')),
            Width::Variable if last => self.rest.len(),
            Width::Variable => self
                .rest
                .find(self.style.delimiter())
                .unwrap_or(self.rest.len()),
        };
        let (raw, rest) = self
            .rest
            .split_at_checked(width)
            .ok_or_else(|| self.unlike().at(field))?;
        self.rest = rest;
        let text = PartText {
            raw,
            style: self.style,
            pad,
        };
        P::parse_part(&text)
            // No key is written with an empty part.
            .filter(|part| !part.is_empty_part() && (P::IS_EXACT || text.is_of(part)))
            .ok_or_else(|| self.unlike().at(field))
    }

    /// The text after the delimiter, if the delimiter comes next.
    pub(super) fn rest_after_delimiter(&self) -> Option<&'t str> {
        self.rest.strip_prefix(self.style.delimiter())
    }

    /// Drops the rest of the text.
    pub(super) fn take_all(&mut self) {
        self.rest = "";
    }

    /// Ends the key: no text may remain.
    pub fn end(self) -> Result<(), CodecError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.unlike())
        }
    }
}

/// Reads the text of a key attribute.
pub fn read_key_text<'a>(
    reader: &mut Reader<'a>,
    attribute: &'static str,
    into: &mut Option<Cow<'a, str>>,
) -> Result<(), CodecError> {
    let text = reader.text();
    *into = Some(text.map_err(|fault| fault.in_key(attribute).of_identity(KeyIdentity::Unlike))?);
    Ok(())
}

/// Reads the texts of these key attributes of an item.
pub fn read_key_texts<'a, const N: usize>(
    reader: &mut Reader<'a>,
    attributes: [&'static str; N],
) -> Result<[Option<Cow<'a, str>>; N], CodecError> {
    let mut texts = [const { None }; N];
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        let mut slots = attributes.iter().zip(&mut texts);
        match slots.find(|(attribute, _)| name == **attribute) {
            Some((attribute, text)) => read_key_text(reader, attribute, text)?,
            None => reader.skip()?,
        }
    }
    Ok(texts)
}

/// The key text of an item, if it is needed.
pub fn text_if<'t>(is_asked: bool, text: &'t Option<Cow<'_, str>>) -> Option<&'t str> {
    text.as_deref().filter(|_| is_asked)
}

/// The key text of an item; an error if it is missing.
pub fn key_text<'t>(
    text: &'t Option<Cow<'_, str>>,
    attribute: &'static str,
) -> Result<&'t str, CodecError> {
    text.as_deref()
        .ok_or_else(|| CodecError::new("the key attribute is missing").in_key(attribute))
}
