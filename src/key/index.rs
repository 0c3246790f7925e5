//! Parts of index keys. A part may be missing, and then the item is not in the index.

use super::decimal::{FIXED, FixedDecimals};
use super::epoch::{ToEpoch, ToEpochMillis};
use super::fold::{Lowercase, ToLower, ToUpper, Uppercase};
use super::format::{
    DATE, ENDS, EPOCH, EPOCH_MILLIS, FIRST, LAST, LOWER, MILLIS, MONTH, Millis, PADDED, PLAIN,
    Padded, SECONDS, Seconds, ToDate, ToMillis, ToMonth, ToSeconds, UPPER, YearMonth,
};
use super::given::part_of_text;
use super::lower_time::{LOWER_MILLIS, LOWER_SECONDS, ToLowerMillis, ToLowerSeconds};
use super::native::KeyValue;
use super::part::KeyPart;
use super::role::Role;
use super::writer::PartPlace;
use super::year::{ToYear, YEAR, Year};
use crate::json::{CodecError, Name, Reader, Writer};
use crate::path::{KeyUsage, Mode};
use crate::schema::{IsAsWritten, KeyDef, KeySource, KeyType, PartRanges, Presence, TextOf, Width};

/// A field in the template of an index key: a key part or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of an index key",
    label = "neither a key part nor an `Option` of one",
    note = "key parts are text, numbers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, and newtypes of these with `#[derive(DynamoValue)]`",
    note = "a width such as `{{field:08}}` is for numbers, with decimals as in `{{field:08.2}}` for those with a fraction, `:s`, `:ms`, `:epoch` and `:epoch_ms` for timestamps, `:date`, `:month` and `:year` for timestamps and dates, `:lower` and `:upper` for text, `:s:lower` and `:ms:lower` for timestamps, `:first` and `:last`, alone or after another format, for an `Option`, to give its None a position, `:ends` for an `Option` of a `verbatim` table whose keys end there"
)]
pub trait IndexField<const FORMAT: u8> {
    /// The type that a query takes: the field's type, or the truncated type of a format.
    type Part: 'static;

    /// The width of the part.
    #[doc(hidden)]
    const WIDTH: Width;

    /// Whether it may be missing.
    #[doc(hidden)]
    const PRESENCE: Presence;

    /// The queries that the part supports as text.
    #[doc(hidden)]
    const RANGES: PartRanges;

    /// Whether the part is present. The item is not in the index for a None or an empty text.
    #[doc(hidden)]
    fn is_there(&self) -> bool;

    /// Writes the part.
    #[doc(hidden)]
    fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError>;

    /// Writes the part that a query compares with.
    #[doc(hidden)]
    fn write_part(part: &Self::Part, place: PartPlace<'_, '_>) -> Result<(), CodecError>;

    /// Parses the part that a query compares with, as a person writes it.
    #[doc(hidden)]
    fn from_plain(text: &str) -> Option<Self::Part>;

    /// The part for such a text.
    #[doc(hidden)]
    fn given(text: &str, _: TextOf) -> Option<Box<dyn std::any::Any>> {
        part_of_text(Self::from_plain(text), Self::write_part)
    }
}

/// The argument of a look-up by a unique value: the type of the field, without its `Option`. `UniquePart<String>` and
/// `UniquePart<Option<String>>` are both `String`, so that `impl Arg<UniquePart<String>>` is anything that
/// [`Arg`](super::Arg) accepts for a `String`.
pub type UniquePart<T> = <T as IndexField<PLAIN>>::Part;

/// Gives a macro the formats of a part, each with what its field must be, the trait of the format, the type of the part
/// in arguments, and how that is written.
macro_rules! with_formats {
    ($macro:ident $($before:tt)*) => {
        $macro! {
            $($before)*
            PLAIN: KeyPart, KeyPart, T, write, is_empty_part;
            PADDED: Padded, KeyPart, T, write, is_empty_part;
            FIXED: FixedDecimals, KeyPart, T, write, is_empty_part;
            SECONDS: ToSeconds, ToSeconds, Seconds<T>, write_held;
            MILLIS: ToMillis, ToMillis, Millis<T>, write_held;
            EPOCH: ToEpoch, ToEpoch, Seconds<T>, write_held;
            EPOCH_MILLIS: ToEpochMillis, ToEpochMillis, Millis<T>, write_held;
            LOWER_SECONDS: ToLowerSeconds, ToLowerSeconds, Seconds<T>, write_held;
            LOWER_MILLIS: ToLowerMillis, ToLowerMillis, Millis<T>, write_held;
            DATE: ToDate, ToDate, T::Date, write_held;
            MONTH: ToMonth, ToMonth, YearMonth, write_held;
            YEAR: ToYear, ToYear, Year, write_held;
            LOWER: KeyPart, ToLower, Lowercase<T>, write_held, is_empty_part;
            UPPER: KeyPart, ToUpper, Uppercase<T>, write_held, is_empty_part;
        }
    };
}

macro_rules! index_fields {
    (presence $part:ident) => { Presence::Always };
    (presence $part:ident $empty:ident) => {
        if $part::MAY_BE_EMPTY { Presence::Text } else { Presence::Always }
    };
    ($($format:ident: $bound:ident, $part:ident, $held:ty, $write:ident $(, $empty:ident)?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: $bound + $part + 'static> IndexField<$format> for T {
            type Part = $held;

            const WIDTH: Width = <T as $part>::WIDTH;
            const RANGES: PartRanges = <T as $part>::RANGES;
            const PRESENCE: Presence = index_fields!(presence T $($empty)?);

            fn is_there(&self) -> bool {
                true $(&& !self.$empty())?
            }

            fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                <T as $part>::write(self, place)
            }

            fn write_part(part: &$held, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                <T as $part>::$write(part, place)
            }

            fn from_plain(text: &str) -> Option<$held> {
                <T as $part>::from_plain(text)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $bound + $part + 'static> IndexField<$format> for Option<T> {
            type Part = $held;

            const WIDTH: Width = <T as $part>::WIDTH;
            const RANGES: PartRanges = <T as $part>::RANGES;
            const PRESENCE: Presence = Presence::Optional;

            fn is_there(&self) -> bool {
                self.as_ref().is_some_and(IndexField::<$format>::is_there)
            }

            fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                self.as_ref().map_or(Ok(()), |part| <T as $part>::write(part, place))
            }

            fn write_part(part: &$held, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                <T as $part>::$write(part, place)
            }

            fn from_plain(text: &str) -> Option<$held> {
                <T as $part>::from_plain(text)
            }
        }
    )*};
}

with_formats!(index_fields);

macro_rules! placed_fields {
    (is_empty $value:ident) => { false };
    (is_empty $value:ident $empty:ident) => { $value.as_ref().is_some_and(|part| part.$empty()) };
    (part $value:ident) => { $value.as_ref() };
    // Empty text has the place of a None, for it is as little a part of a key.
    (part $value:ident $empty:ident) => { $value.as_ref().filter(|part| !part.$empty()) };
    ($place:ident $presence:expr; $($format:ident: $bound:ident, $part:ident, $held:ty, $write:ident $(, $empty:ident)?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: $bound + $part + 'static> IndexField<{ $place | $format }> for Option<T> {
            type Part = $held;

            // A None is written shorter than a value. If the key ends there, nothing follows it.
            const WIDTH: Width = match $presence {
                Presence::Ends => <T as $part>::WIDTH,
                _ => Width::Variable,
            };
            const RANGES: PartRanges = <T as $part>::RANGES;
            const PRESENCE: Presence = $presence;

            fn is_there(&self) -> bool {
                true
            }

            fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                // Programs whose keys end at a missing value continue them after an empty text.
                if $presence == Presence::Ends && placed_fields!(is_empty self $($empty)?) {
                    return Ok(());
                }
                let part = placed_fields!(part self $($empty)?);
                place.write_placed(part, $presence, <T as $part>::write)
            }

            fn write_part(part: &$held, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                place.write_placed(Some(part), $presence, <T as $part>::$write)
            }

            fn from_plain(text: &str) -> Option<$held> {
                <T as $part>::from_plain(text)
            }
        }
    )*};
    ($($place:ident: $presence:expr;)*) => {$(
        with_formats!(placed_fields $place $presence;);
    )*};
}

placed_fields! {
    FIRST: Presence::First;
    LAST: Presence::Last;
    ENDS: Presence::Ends;
}

/// A bare field as the key of an index: a key value or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key attribute of an index",
    label = "not an `Option` of text, a number or bytes",
    note = "key attributes of DynamoDB are text, numbers and bytes: use such a field, a newtype of one with `#[derive(DynamoValue)]`, an `Option` of these, or a template such as `\"KIND#{{field}}\"`"
)]
pub trait IndexPart: Sized {
    /// The type of the value, without its `Option`.
    #[doc(hidden)]
    type Held: IndexPart;
    /// The operations that an update supports for the field.
    #[doc(hidden)]
    type Mode<U: KeyUsage>: Mode;

    /// The native type.
    const TYPE: KeyType;

    /// The queries that the key supports as text.
    #[doc(hidden)]
    const RANGES: PartRanges;

    /// The value as a whole key attribute. One constant, so that the compiler reports a wrong type once.
    #[doc(hidden)]
    const BARE: BareKey;

    /// Whether it may be missing.
    #[doc(hidden)]
    const PRESENCE: Presence;

    /// Whether the value exists. The item is not in the index for a None.
    #[doc(hidden)]
    fn is_there(&self) -> bool;

    /// The key for a text as a person writes it.
    #[doc(hidden)]
    fn given(text: &str, _: TextOf) -> Option<Box<dyn std::any::Any>>
    where
        Self: 'static;

    /// Writes the attribute, checked as a key; a None writes nothing.
    fn encode_index_key(
        &self,
        name: &Name,
        role: Role,
        writer: &mut Writer,
    ) -> Result<(), CodecError>;

    /// Writes the value to compare with, whether it fits a key or not; a None writes nothing.
    #[doc(hidden)]
    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the number of a field to a key attribute that is not its own. The value must exist.
    #[doc(hidden)]
    fn write_number(
        &self,
        field: &str,
        attribute: &'static str,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        writer.dynamic_name(attribute);
        let written = self.encode_bound(writer);
        written.map_err(|fault| fault.at(field).in_key(attribute))
    }

    /// Reads the attribute.
    #[doc(hidden)]
    fn decode_index_key(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The value of a missing attribute.
    #[doc(hidden)]
    fn absent_index_key() -> Option<Self>;

    /// A copy as it is read back.
    #[doc(hidden)]
    fn to_index_key(&self) -> Self;
}

/// The type of a key attribute, and the test whether a stored text has the format in which it would be written.
type BareKey = (KeyType, Option<IsAsWritten>);

impl KeyDef {
    /// A field that is a key attribute of an index.
    pub const fn bare_of_index(
        attribute: &'static str,
        field: &'static str,
        (ty, is_as_written): BareKey,
    ) -> Self {
        KeyDef {
            is_as_written,
            ..KeyDef::new(attribute, ty, KeySource::Field(field))
        }
    }
}

/// Numbers are compared by value, so only a text may have another format.
const fn test_of_text<T: KeyValue>() -> Option<IsAsWritten> {
    match T::TYPE {
        KeyType::S if !T::IS_EXACT => Some(|reader| T::decode_primary(reader).is_ok()),
        _ => None,
    }
}

impl<T: KeyValue> IndexPart for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    const TYPE: KeyType = <T as KeyValue>::TYPE;
    const RANGES: PartRanges = <T as KeyValue>::RANGES;
    const BARE: BareKey = (T::TYPE, test_of_text::<T>());
    const PRESENCE: Presence = Presence::Always;

    fn is_there(&self) -> bool {
        true
    }

    fn given(text: &str, of: TextOf) -> Option<Box<dyn std::any::Any>>
    where
        T: 'static,
    {
        <T as KeyValue>::given(text, of)
    }

    fn encode_index_key(
        &self,
        name: &Name,
        role: Role,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        self.encode_key(name, role, writer)
    }

    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
        KeyValue::encode_bound(self, writer)
    }

    fn decode_index_key(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        T::decode_key(reader)
    }

    fn absent_index_key() -> Option<Self> {
        None
    }

    fn to_index_key(&self) -> Self {
        self.to_key()
    }
}

#[diagnostic::do_not_recommend]
impl<T: KeyValue> IndexPart for Option<T> {
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    const TYPE: KeyType = T::TYPE;
    const RANGES: PartRanges = <T as KeyValue>::RANGES;
    const BARE: BareKey = (T::TYPE, test_of_text::<T>());
    const PRESENCE: Presence = Presence::Optional;

    fn is_there(&self) -> bool {
        self.is_some()
    }

    fn given(text: &str, of: TextOf) -> Option<Box<dyn std::any::Any>>
    where
        T: 'static,
    {
        <T as KeyValue>::given(text, of)
    }

    fn encode_index_key(
        &self,
        name: &Name,
        role: Role,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_index_key(name, role, writer))
    }

    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |value| KeyValue::encode_bound(value, writer))
    }

    fn decode_index_key(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode_key(reader).map(Some)
        }
    }

    fn absent_index_key() -> Option<Self> {
        Some(None)
    }

    fn to_index_key(&self) -> Self {
        self.as_ref().map(T::to_key)
    }
}
