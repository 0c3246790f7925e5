//! Bare keys: the field's own attribute, in its native type.

use std::borrow::Cow;
use std::sync::Arc;

use super::given::{GivenPart, WriteGivenPart, wrong_parts};
use super::order::Ordered;
use super::part::KeyPart;
use super::part_text::PartText;
use super::point::KeyPoint;
use super::role::Role;
use super::writer::{KeyTarget, PartPlace, TargetKind, no_text};
use crate::codec::DynamoValue;
use crate::codec::time::{every_civil, every_moment};
use crate::json::{CodecError, KeyIdentity, Name, Number, Reader, Writer};
use crate::schema::{KeyType, PartRanges, TextOf};

/// A type that can be a key attribute on its own: text, a number or bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key attribute",
    label = "not text, a number or bytes",
    note = "key attributes of DynamoDB are text, numbers and bytes: use such a field, a newtype of one with `#[derive(DynamoValue)]`, or a template such as `\"KIND#{{field}}\"`",
    note = "an `Option` can be the key of an index, but a primary key is always there"
)]
pub trait KeyValue: Sized {
    /// The native type.
    const TYPE: KeyType;

    /// Whether each value has only one format, so that a stored key need not be compared with the written one.
    #[doc(hidden)]
    const IS_EXACT: bool = false;

    /// The queries that such a key supports as text.
    #[doc(hidden)]
    const RANGES: PartRanges = PartRanges::Comparable;

    /// Whether it is empty text or binary, which a key cannot be.
    fn is_empty_key(&self) -> bool {
        false
    }

    /// A copy for the key, as it is read back.
    fn to_key(&self) -> Self;

    /// Writes the attribute, checked as a key.
    #[doc(hidden)]
    fn encode_key(&self, name: &Name, role: Role, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the value as a bound of a range, which may be empty or too long.
    #[doc(hidden)]
    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError>;

    /// Whether the value is written as this text, if that is known without writing it.
    #[doc(hidden)]
    #[inline]
    fn is_text(&self, _text: &str) -> Option<bool> {
        None
    }

    /// Reads the attribute, in any format of another program.
    #[doc(hidden)]
    fn decode_key(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// Parses a text as a person writes it: numbers as their digits, bytes as base64.
    #[doc(hidden)]
    fn from_plain(text: &str) -> Option<Self> {
        value_of_text(text)
    }

    /// The key for such a text.
    #[doc(hidden)]
    fn given(text: &str, _: TextOf) -> Option<Box<dyn std::any::Any>>
    where
        Self: 'static,
    {
        given_value(Self::from_plain(text))
    }

    /// Reads the attribute as part of the identity of an item (law K8): only in the format in which it would be
    /// written.
    #[doc(hidden)]
    #[inline]
    fn decode_primary(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let stored = reader.clone();
        let value =
            Self::decode_key(reader).map_err(|fault| fault.of_identity(KeyIdentity::Unlike))?;
        if Self::IS_EXACT || is_as_written(&value, stored) {
            Ok(value)
        } else {
            Err(CodecError::key_differs())
        }
    }
}

/// Whether the next stored value has the format in which this value is written; numbers are compared by value.
fn is_as_written<T: KeyValue>(value: &T, mut stored: Reader<'_>) -> bool {
    // The usual case, by a comparison with the text that writes nothing.
    if T::TYPE == KeyType::S
        && let Ok(text) = stored.clone().text()
        && let Some(is_text) = value.is_text(&text)
    {
        return is_text;
    }
    let mut written = Writer::default();
    if value.encode_bound(&mut written).is_err() {
        return false;
    }
    let raw = stored.clone().raw_value();
    if raw.is_ok_and(|raw| raw == written.as_bytes()) {
        return true;
    }
    let written = KeyPoint::read_point(&mut Reader::new(written.as_bytes()));
    // JSON has several spellings of one text, and one number may be written in several ways.
    written.is_ok_and(|written| {
        KeyPoint::read_point(&mut stored).is_ok_and(|stored| stored == written)
    })
}

/// Writes a bare key attribute, checked as a key.
pub fn encode_key<T: KeyValue + DynamoValue>(
    value: &T,
    name: &Name,
    role: Role,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    writer.name(name);
    let before = writer.stored_size();
    value
        .encode(writer)
        .and_then(|()| check_key(value.is_empty_key(), writer.stored_size() - before, role))
        .map_err(|fault| fault.at(name.text).in_key(name.text))
}

/// Key methods of a type whose key and value have the same format.
macro_rules! as_value {
    () => {
        fn to_key(&self) -> Self {
            self.as_stored().unwrap_or_else(|| self.clone())
        }

        fn encode_key(
            &self,
            name: &Name,
            role: Role,
            writer: &mut Writer,
        ) -> Result<(), CodecError> {
            encode_key(self, name, role, writer)
        }

        fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
            self.encode(writer)
        }

        fn decode_key(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
            Self::decode(reader)
        }
    };
}

pub(super) use as_value;

macro_rules! key_values {
    ($type:ident, $exact:literal: $($(#[$cfg:meta])? $value:ty),* $(,)?) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl Ordered for $value {}

        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl KeyValue for $value {
            const TYPE: KeyType = KeyType::$type;
            const IS_EXACT: bool = $exact;

            as_value!();
        }
    )*};
}

macro_rules! sized_key_values {
    ($type:ident: $($value:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $value {}

        #[diagnostic::do_not_recommend]
        impl KeyValue for $value {
            const TYPE: KeyType = KeyType::$type;
            const IS_EXACT: bool = true;
            const RANGES: PartRanges = match KeyType::$type {
                KeyType::S => PartRanges::Text,
                KeyType::N | KeyType::B => PartRanges::Comparable,
            };

            as_value!();

            fn is_empty_key(&self) -> bool {
                self.is_empty()
            }
        }
    )*};
}

sized_key_values!(S: String, Box<str>, Arc<str>, Cow<'static, str>);
sized_key_values!(B: Vec<u8>, Box<[u8]>, bytes::Bytes);

#[diagnostic::do_not_recommend]
impl<const N: usize> Ordered for [u8; N] {}

#[diagnostic::do_not_recommend]
impl<const N: usize> KeyValue for [u8; N] {
    const TYPE: KeyType = KeyType::B;
    const IS_EXACT: bool = true;

    as_value!();

    fn is_empty_key(&self) -> bool {
        N == 0
    }
}

key_values!(S, true: char);

/// Types whose text as a bare key is the same as in a template.
macro_rules! formed_key_values {
    ($($(#[$cfg:meta])? $value:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl Ordered for $value {}

        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl KeyValue for $value {
            const TYPE: KeyType = KeyType::S;

            as_value!();

            fn is_text(&self, text: &str) -> Option<bool> {
                Some(PartText::of_bare(text).is_of(self))
            }

            fn from_plain(text: &str) -> Option<Self> {
                KeyPart::from_plain(text)
            }
        }
    )*};
}

every_moment!(formed_key_values);
every_civil!(formed_key_values);
formed_key_values!(
    #[cfg(feature = "uuid")] uuid::Uuid;
    #[cfg(feature = "ulid")] ulid::Ulid;
);

key_values!(N, true: u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, Number);

// Some values of these types do not fit the 38 digits of DynamoDB, or are rounded.
key_values!(N, false:
    u128, i128, f32, f64,
    #[cfg(feature = "rust_decimal")] rust_decimal::Decimal,
    #[cfg(feature = "bigdecimal")] bigdecimal::BigDecimal,
);

impl KeyTarget<'_> {
    /// Writes a key attribute that is a plain field.
    pub fn value<V: KeyValue>(self, value: &V, name: &Name, role: Role) -> Result<(), CodecError> {
        match self.0 {
            // Such a key is a number, which is never empty or too long.
            TargetKind::Attribute(writer) if name.json.is_empty() => {
                writer.dynamic_name(name.text);
                value
                    .encode_bound(writer)
                    .map_err(|fault| fault.at(name.text).in_key(name.text))
            }
            TargetKind::Attribute(writer) => value.encode_key(name, role, writer),
            TargetKind::Bound(writer) => value
                .encode_bound(writer)
                .map_err(|fault| fault.at(name.text).in_key(name.text)),
            TargetKind::Text(..) | TargetKind::Stored(_) => Err(no_text()),
        }
    }
}

/// A bare key that was read from a text.
struct ValueOfText<V>(V);

impl<V: KeyValue> WriteGivenPart for ValueOfText<V> {
    fn write_part(&self, _: PartPlace<'_, '_>) -> Result<(), CodecError> {
        Err(wrong_parts())
    }

    fn write_value(
        &self,
        target: KeyTarget<'_>,
        name: &Name,
        role: Role,
    ) -> Result<(), CodecError> {
        target.value(&self.0, name, role)
    }
}

/// A bare key that was parsed from a text.
pub(crate) fn given_value<V: KeyValue + 'static>(
    value: Option<V>,
) -> Option<Box<dyn std::any::Any>> {
    value.map(|value| Box::new(GivenPart::new(ValueOfText(value))) as _)
}

/// A bare key from a text: a text unchanged, a number as its digits, bytes as base64.
pub(crate) fn value_of_text<V: KeyValue>(text: &str) -> Option<V> {
    let mut writer = Writer::default();
    writer.push_raw(match V::TYPE {
        KeyType::S => "{\"S\":",
        KeyType::N => "{\"N\":",
        KeyType::B => "{\"B\":",
    });
    writer.push_quoted(text);
    writer.push_raw("}");
    V::decode_key(&mut Reader::new(writer.as_bytes())).ok()
}

/// Checks the requirements of DynamoDB for a key attribute.
pub(crate) fn check_key(is_empty: bool, size: usize, role: Role) -> Result<(), CodecError> {
    // DynamoDB accepts empty text in an attribute, but not in a key.
    if is_empty {
        return Err(CodecError::new("empty text or binary cannot be a key"));
    }
    let limit = role.max_size();
    if size > limit {
        return Err(CodecError::new(format!(
            "the key has {size} bytes, DynamoDB allows {limit}: keep a digest of it in the key, and the whole in another field"
        )));
    }
    Ok(())
}
