//! One part of a key template.

use super::given::part_of_text;
use super::parse::KeyParser;
use super::part_text::{PartOut, PartText, PartWriter, width_in};
use super::writer::{KeyText, PartPlace, TemplateExtent, TextOutput};
use crate::json::CodecError;
use crate::schema::{Pad, PartRanges, Separator, Style, TextOf, Width};

/// A type that can be used in a key template.
///
/// Different values have different texts, and the texts sort like the values. Text, integers up to 128 bits, `bool`,
/// timestamps, dates, UUIDs, ULIDs and unit enums are key parts, and so are newtypes of these with
/// `#[derive(DynamoValue)]`. Floats and decimals are key parts too, but their texts sort like the numbers only if the
/// template sets the width and the decimals, as in `{price:06.2}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key template",
    label = "not a key part",
    note = "key parts are text, numbers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, and newtypes of these with `#[derive(DynamoValue)]`",
    note = "an `Option` can be part of an index key, but a primary key is always there"
)]
pub trait KeyPart: Sized {
    /// The width of the text in a template without a format.
    const WIDTH: Width;

    /// Whether a value can be empty; see [`is_empty_part`](Self::is_empty_part).
    #[doc(hidden)]
    const MAY_BE_EMPTY: bool = false;

    /// The punctuation in texts of this type, if other parts follow them up to a separator of one of these characters. In
    /// types that hold any text, a separator is an error of the value that holds it. For floats, also the letter of
    /// their exponents, by which their texts differ from those of decimals.
    #[doc(hidden)]
    const HOLDS: &'static str = "";

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
        Self::parse_part(&PartText::of_plain(text))
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
        pad: Option<Pad>,
        after: Option<&'static str>,
    ) -> Result<Self, CodecError> {
        key.part(field, pad, after)
    }
}

impl PartText<'_> {
    /// Whether the part is written as this text.
    pub(super) fn is_of<P: KeyPart>(&self, part: &P) -> bool {
        let mut writer = PartWriter {
            out: PartOut::Stored(Some(self.raw.as_bytes())),
            style: self.style,
            pad: self.pad,
        };
        part.write_part(&mut writer).is_ok() && matches!(writer.out, PartOut::Stored(Some([])))
    }
}

impl KeyParser<'_> {
    /// Parses a part. `after` is the literal text after it in the template: empty if a part or a shard follows, None if
    /// nothing does.
    pub fn part<P: KeyPart>(
        &mut self,
        field: &'static str,
        pad: Option<Pad>,
        after: Option<&'static str>,
    ) -> Result<P, CodecError> {
        let width = match width_in(P::WIDTH, pad, self.style) {
            Width::Fixed(width) | Width::Digits(width) => width,
            Width::Signed(digits) => digits + usize::from(self.rest.starts_with('-')),
            Width::Variable | Width::Decimal => match after {
                // The last part goes to the end, so that it may hold the delimiter in verbatim keys.
                None => self.rest.len(),
                Some(after) => (self.style.separator(after))
                    .first_in(self.rest)
                    .unwrap_or(self.rest.len()),
            },
        };
        let (raw, rest) = self
            .rest
            .split_at_checked(width)
            .ok_or_else(|| self.unlike_template().at(field))?;
        self.rest = rest;
        let text = PartText {
            raw,
            style: self.style,
            pad,
        };
        P::parse_part(&text)
            // No key is written with an empty part. For types with several texts of one value, the value is written
            // again and compared.
            .filter(|part| !part.is_empty_part() && (P::IS_EXACT || text.is_of(part)))
            .ok_or_else(|| self.unlike_template().at(field))
    }
}

impl PartPlace<'_, '_> {
    /// Writes the part.
    pub fn write<P: KeyPart>(self, part: &P) -> Result<(), CodecError> {
        if self.key.is_ended {
            return Ok(());
        }
        let written = self.key.write_part(part, self.pad, self.after);
        written.map_err(|fault| fault.at(self.field).in_key(self.key.attribute))
    }
}

impl<'w> KeyText<'w> {
    fn write_part<P: KeyPart>(
        &mut self,
        part: &P,
        pad: Option<Pad>,
        after: Option<&'static str>,
    ) -> Result<(), CodecError> {
        let (out, is_bound) = match &mut self.out {
            TextOutput::Attribute { writer, .. } => (writer.output_bytes(), false),
            TextOutput::Text { out, reach, .. } => {
                (&mut **out, matches!(reach, TemplateExtent::Bound(_)))
            }
            TextOutput::Stored(left) => {
                let left = *left;
                return self.compare_part(part, pad, after, left);
            }
        };
        // A bound of a range is no key, and empty text is a good beginning of a range.
        if !is_bound && part.is_empty_part() {
            return Err(CodecError::new("empty text cannot be a part of a key"));
        }
        let start = out.len();
        part.write_part(&mut PartWriter {
            out: PartOut::Text(out),
            style: self.style,
            pad,
        })?;
        // No row has a part that holds the separator, but keys sort above and below it.
        if is_bound {
            return Ok(());
        }
        let written = out.get(start..).unwrap_or_default();
        match may_not_hold::<P>(self.style, pad, after, written) {
            Some(separator) => Err(CodecError::new(separator.reason())),
            None => Ok(()),
        }
    }

    /// Compares a part with the stored text. A part that cannot be written differs from what is stored.
    fn compare_part<P: KeyPart>(
        &mut self,
        part: &P,
        pad: Option<Pad>,
        after: Option<&'static str>,
        stored: Option<&'w [u8]>,
    ) -> Result<(), CodecError> {
        let mut writer = PartWriter {
            out: PartOut::Stored(stored),
            style: self.style,
            pad,
        };
        // The part is compared while it is written, without a text of its own: this runs for each
        // key of each row.
        let is_written = !part.is_empty_part() && part.write_part(&mut writer).is_ok();
        let (true, Some(stored), PartOut::Stored(Some(left))) = (is_written, stored, writer.out)
        else {
            return Err(CodecError::key_differs());
        };
        self.out = TextOutput::Stored(Some(left));
        let written = stored.get(..stored.len() - left.len());
        match may_not_hold::<P>(self.style, pad, after, written.unwrap_or_default()) {
            Some(separator) => Err(CodecError::key_is_ambiguous(&separator.to_string())),
            None => Ok(()),
        }
    }
}

/// The separator, if a part of a verbatim key may not hold it but does: in a part of variable width that others follow,
/// it would end the part early.
fn may_not_hold<P: KeyPart>(
    style: Style,
    pad: Option<Pad>,
    after: Option<&'static str>,
    written: &[u8],
) -> Option<Separator> {
    let (Style::Verbatim(_), Some(after)) = (style, after) else {
        return None;
    };
    let is_free = !matches!(width_in(P::WIDTH, pad, style), Width::Variable);
    let separator = style.separator(after);
    (!is_free && separator.would_end(written)).then_some(separator)
}
