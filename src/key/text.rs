//! Text as a part of a key.

use std::borrow::Cow;
use std::sync::Arc;

use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use crate::json::CodecError;
use crate::schema::{PartRanges, Width};

macro_rules! text_part {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl KeyPart for $text {
            const WIDTH: Width = Width::Variable;
            const MAY_BE_EMPTY: bool = true;
            const IS_EXACT: bool = true;
            const RANGES: PartRanges = PartRanges::Text;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.text(self);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                Some(text.text()?.into_owned().into())
            }

            fn to_part(&self) -> Self {
                self.clone()
            }

            fn is_empty_part(&self) -> bool {
                self.is_empty()
            }
        }
    )*};
}

text_part!(String, Box<str>, Arc<str>, Cow<'static, str>);

#[diagnostic::do_not_recommend]
impl KeyPart for char {
    const WIDTH: Width = Width::Variable;
    const IS_EXACT: bool = true;
    const RANGES: PartRanges = PartRanges::PrefixFree;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.text(self.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        let text = text.text()?;
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    }

    fn to_part(&self) -> Self {
        *self
    }
}

#[diagnostic::do_not_recommend]
impl KeyPart for bool {
    const WIDTH: Width = Width::Variable;
    const IS_EXACT: bool = true;
    const RANGES: PartRanges = PartRanges::PrefixFree;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(if *self { "true" } else { "false" });
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        match text.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    fn to_part(&self) -> Self {
        *self
    }
}

#[cfg(feature = "uuid")]
#[diagnostic::do_not_recommend]
impl KeyPart for uuid::Uuid {
    const WIDTH: Width = Width::Fixed(36);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(
            self.hyphenated()
                .encode_lower(&mut uuid::Uuid::encode_buffer()),
        );
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        uuid::Uuid::try_parse(text.raw()).ok().filter(|id| {
            id.hyphenated()
                .encode_lower(&mut uuid::Uuid::encode_buffer())
                == text.raw()
        })
    }

    /// In capitals and without hyphens too.
    fn from_plain(text: &str) -> Option<Self> {
        uuid::Uuid::try_parse(text).ok()
    }

    fn to_part(&self) -> Self {
        *self
    }
}

#[cfg(feature = "ulid")]
#[diagnostic::do_not_recommend]
impl KeyPart for ulid::Ulid {
    const WIDTH: Width = Width::Fixed(26);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(self.array_to_str(&mut [0; ulid::ULID_LEN]));
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        ulid::Ulid::from_string(text.raw())
            .ok()
            .filter(|id| id.array_to_str(&mut [0; ulid::ULID_LEN]) == text.raw())
    }

    fn from_plain(text: &str) -> Option<Self> {
        ulid::Ulid::from_string(text).ok()
    }

    fn to_part(&self) -> Self {
        *self
    }
}
