//! Parses keys into their parts.

use std::borrow::Cow;

use crate::json::{CodecError, KeyIdentity, Reader};
use crate::schema::Style;

/// Parses a key text according to its template.
#[derive(Debug)]
pub struct KeyParser<'t> {
    pub(super) rest: &'t str,
    attribute: &'static str,
    pub(super) style: Style,
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
    pub(super) fn unlike_template(&self) -> CodecError {
        CodecError::new(
            "the stored key does not follow the template: declare the key as it is stored, or store the item again",
        )
        .in_key(self.attribute)
        .of_identity(KeyIdentity::Unlike)
    }

    /// Skips text that is the same in every key.
    pub fn literal(&mut self, literal: &str) -> Result<(), CodecError> {
        self.rest = self
            .rest
            .strip_prefix(literal)
            .ok_or_else(|| self.unlike_template())?;
        Ok(())
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
            Err(self.unlike_template())
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
