//! Text is `S`.

use std::borrow::Cow;
use std::sync::Arc;

use super::DynamoValue;
use crate::json::{CodecError, Reader, Writer};

macro_rules! text {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $text {
            stored_as!(S, "String");

            #[inline]
            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.text(self);
                Ok(())
            }

            #[inline]
            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                Ok(reader.text()?.into_owned().into())
            }

            fn as_stored(&self) -> Option<Self> {
                Some(self.clone())
            }
        }
    )*};
}

text!(String, Box<str>, Arc<str>, Cow<'static, str>);

#[diagnostic::do_not_recommend]
impl DynamoValue for char {
    stored_as!(S, "char");

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.text(self.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let text = reader.text()?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(CodecError::mismatch(
                "one character",
                "another number of them",
            )),
        }
    }

    fn as_stored(&self) -> Option<Self> {
        Some(*self)
    }
}

#[diagnostic::do_not_recommend]
impl DynamoValue for bool {
    stored_as!(Bool, "bool");

    #[inline]
    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.boolean(*self);
        Ok(())
    }

    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.boolean()
    }

    fn as_stored(&self) -> Option<Self> {
        Some(*self)
    }
}

/// Types of other crates that become text through `Display` and are read by a parser.
macro_rules! foreign_text {
    ($($feature:literal $foreign:ty, $name:literal, $what:literal, $parse:expr;)*) => {$(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $foreign {
            stored_as!(S, $name);

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.plain_text(&self.to_string());
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&reader.text()?).ok_or_else(|| CodecError::mismatch($what, "other text"))
            }

            fn as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

foreign_text! {
    "uuid" uuid::Uuid, "Uuid", "a UUID", |text| uuid::Uuid::try_parse(text).ok();
    "ulid" ulid::Ulid, "Ulid", "a ULID", |text| ulid::Ulid::from_string(text).ok();
}
