//! One part of a key template.

use super::PartPlace;
use super::given::part_of_text;
use super::parse::{KeyParser, PartText};
use crate::json::CodecError;
use crate::schema::{PartRanges, Style, TextOf, Width};

/// A type that can be used in a key template.
///
/// Different values have different texts, and the texts sort like the values. Text, integers up to 128 bits, `bool`,
/// timestamps, dates, UUIDs, ULIDs and unit enums are key parts, and so are newtypes of these with
/// `#[derive(DynamoValue)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key template",
    label = "not a key part",
    note = "key parts are text, integers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, and newtypes of these with `#[derive(DynamoValue)]`",
    note = "floats and decimals have no order as text: store an integer such as cents, or write the bare field, `sk = field`",
    note = "an `Option` can be part of an index key, but a primary key is always there"
)]
pub trait KeyPart: Sized {
    /// The width of the text in a template without a format.
    const WIDTH: Width;

    /// Whether a value can be empty; see [`is_empty_part`](Self::is_empty_part).
    #[doc(hidden)]
    const MAY_BE_EMPTY: bool = false;

    /// The queries that such a part supports as text.
    #[doc(hidden)]
    const RANGES: PartRanges = PartRanges::Comparable;

    /// Writes the text.
    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError>;

    /// Whether [`parse_part`](Self::parse_part) is known to accept only texts that would be written.
    #[doc(hidden)]
    const IS_EXACT: bool = false;

    /// Parses the texts that [`write_part`](Self::write_part) writes, and no others. If a user's type accepts more,
    /// the library rejects those texts nevertheless.
    fn parse_part(text: &PartText<'_>) -> Option<Self>;

    /// A copy for the key.
    fn to_part(&self) -> Self;

    /// Whether it is empty text. Such a part is not valid in a primary key, and excludes an item from an index.
    fn is_empty_part(&self) -> bool {
        false
    }

    /// Parses a text as a person writes it: without escapes and padding, times in any form of RFC 3339.
    #[doc(hidden)]
    fn from_plain(text: &str) -> Option<Self> {
        Self::parse_part(&PartText::plain(text))
    }

    /// The part for such a text.
    #[doc(hidden)]
    fn given(text: &str, _: TextOf) -> Option<Box<dyn std::any::Any>>
    where
        Self: 'static,
    {
        part_of_text(Self::from_plain(text), Self::write)
    }

    /// Writes the part into a template.
    #[doc(hidden)]
    fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        place.write(self)
    }

    /// Reads the next part of a template.
    #[doc(hidden)]
    fn parse(
        key: &mut KeyParser<'_>,
        field: &'static str,
        pad: Option<usize>,
        last: bool,
    ) -> Result<Self, CodecError> {
        key.part(field, pad, last)
    }
}

/// The output of a part, and its form.
#[derive(Debug)]
pub struct PartWriter<'a> {
    pub(super) out: PartOut<'a>,
    pub(super) style: Style,
    pub(super) pad: Option<usize>,
}

/// The destination of the text of a part.
#[derive(Debug)]
pub(super) enum PartOut<'a> {
    /// The text is written.
    Text(&'a mut Vec<u8>),
    /// The text is compared with the rest of a stored key; `None` once they differ.
    Stored(Option<&'a [u8]>),
}

impl PartOut<'_> {
    pub(super) fn extend(&mut self, text: &[u8]) {
        match self {
            PartOut::Text(out) => out.extend_from_slice(text),
            PartOut::Stored(left) => *left = left.and_then(|left| left.strip_prefix(text)),
        }
    }
}

impl PartWriter<'_> {
    /// Writes a user's text, escaped if the table's style demands it.
    pub fn text(&mut self, text: &str) {
        match self.style {
            Style::Escaped => super::text::escape(text, |piece| self.out.extend(piece)),
            Style::Verbatim(_) => self.out.extend(text.as_bytes()),
        }
    }

    /// Writes text of a fixed alphabet that needs no escape: bytes above `%`.
    pub fn token(&mut self, token: &str) {
        self.out.extend(token.as_bytes());
    }

    /// The number of digits to pad to: that of the template, else `natural`. `None` for a verbatim key without a
    /// width, because other libraries do not pad numbers.
    pub(super) fn digits(&self, natural: usize) -> Option<usize> {
        match (self.pad, self.style) {
            (Some(pad), _) => Some(pad),
            (None, Style::Escaped) => Some(natural),
            (None, Style::Verbatim(_)) => None,
        }
    }
}

/// Whether negative numbers are errors: other libraries have no order for those of a padded key.
pub(super) fn has_no_negatives(pad: Option<usize>, style: Style) -> bool {
    pad.is_some() && style != Style::Escaped
}

/// The width of a part in a template: that of its type, changed by the format and the style.
pub const fn width_in(natural: Width, pad: Option<usize>, style: Style) -> Width {
    match (natural, pad, style) {
        (Width::Digits(_), Some(pad), _) => Width::Fixed(pad),
        (Width::Digits(digits), None, Style::Escaped) => Width::Fixed(digits),
        (Width::Signed(_), Some(pad), _) => Width::Signed(pad),
        // Other libraries write numbers as wide as their digits.
        (Width::Digits(_) | Width::Signed(_), None, Style::Verbatim(_)) => Width::Variable,
        _ => natural,
    }
}
