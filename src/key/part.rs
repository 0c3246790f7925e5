//! One part of a key template.

use super::PartPlace;
use super::parse::{KeyParser, PartText};
use crate::codec::Fault;
use crate::schema::{Style, Width};

/// A type that can stand in a key template.
///
/// Its text is injective, and sorts as its values do. Text, integers to 128 bits, `bool`, timestamps,
/// dates, UUIDs, ULIDs and unit enums are key parts, and so are newtypes of these with
/// `#[derive(DynamoValue)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key template",
    label = "not a key part",
    note = "key parts are text, integers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, and newtypes of these with `#[derive(DynamoValue)]`",
    note = "floats and decimals have no order as text: store an integer such as cents, or write the bare field, `sk = field`",
    note = "an `Option` can be part of an index key, but a primary key is always there"
)]
pub trait KeyPart: Sized {
    /// How wide the text is, in a template without a format.
    const WIDTH: Width;

    /// Whether there are empty ones; see [`is_empty_part`](Self::is_empty_part).
    #[doc(hidden)]
    const MAY_BE_EMPTY: bool = false;
    /// Whether it is a point in time, which other writers spell in other ways.
    #[doc(hidden)]
    const IS_TIME: bool = false;

    /// Writes the text.
    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), Fault>;

    /// Reads exactly the texts that [`write_part`](Self::write_part) writes.
    fn parse_part(text: &PartText<'_>) -> Option<Self>;

    /// A copy, for the key.
    fn to_part(&self) -> Self;

    /// Whether it is empty text. Such a part does not fit a primary key, and an item is not in an
    /// index for it.
    fn is_empty_part(&self) -> bool {
        false
    }

    /// Writes the part to its place in a template.
    #[doc(hidden)]
    fn write(&self, place: PartPlace<'_, '_>) -> Result<(), Fault> {
        place.write(self)
    }

    /// Reads the next part of a template.
    #[doc(hidden)]
    fn parse(
        key: &mut KeyParser<'_>,
        field: &'static str,
        pad: Option<usize>,
        last: bool,
    ) -> Result<Self, Fault> {
        key.part(field, pad, last)
    }
}

/// Where a part writes its text, and how the template wants it.
#[derive(Debug)]
pub struct PartWriter<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) style: Style,
    pub(super) pad: Option<usize>,
}

impl PartWriter<'_> {
    /// Text of the user's: escaped as the table's style wants it.
    pub fn text(&mut self, text: &str) {
        super::text::escape_part(text, self.style, self.out);
    }

    /// Text of a fixed alphabet that needs no escape: bytes above `%`.
    pub fn token(&mut self, token: &str) {
        self.out.extend_from_slice(token.as_bytes());
    }

    /// The digits to pad to: the template's, else `natural`. `None` in a verbatim key without a
    /// width: as other libraries write numbers.
    pub(super) fn digits(&self, natural: usize) -> Option<usize> {
        match (self.pad, self.style) {
            (Some(pad), _) => Some(pad),
            (None, Style::Escaped) => Some(natural),
            (None, Style::Verbatim(_)) => None,
        }
    }
}

/// The width of a part in a template: what its type says, changed by the format and the style.
pub const fn width_in(natural: Width, pad: Option<usize>, style: Style) -> Width {
    match (natural, pad, style) {
        (Width::Digits(_), Some(pad), _) => Width::Fixed(pad),
        (Width::Digits(digits), None, Style::Escaped) => Width::Fixed(digits),
        (Width::Signed(_), Some(pad), _) => Width::Signed(pad),
        // Numbers of other libraries are as wide as their digits.
        (Width::Digits(_) | Width::Signed(_), None, Style::Verbatim(_)) => Width::Variable,
        _ => natural,
    }
}
