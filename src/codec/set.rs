//! Sets are `SS`, `NS`, `BS`. An empty set is an absent attribute: DynamoDB has no empty sets.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use crate::path::{KeyUsage, Path};

use super::model::{NamedType, TypeModel, TypeOf, unseen_type};
use super::{DynamoField, DynamoValue, integer};
use crate::json::{CodecError, Name, Number, Reader, Tag, Writer};

/// A type that may be in a set: text, numbers, bytes, unit enums, and newtypes of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a DynamoDB set",
    label = "not text, a number or bytes",
    note = "DynamoDB has sets of text, numbers and bytes; store other types in a `Vec`"
)]
pub trait SetElement: Sized {
    /// `SS`, `NS` or `BS`.
    const TAG: Tag;

    /// Its type, as that of other values.
    #[doc(hidden)]
    const ELEMENT: TypeOf = unseen_type::<Self>;

    /// A set of them.
    #[doc(hidden)]
    const SET: TypeModel = TypeModel::Of {
        name: "Set",
        elements: &[Self::ELEMENT],
    };

    /// Writes one element.
    fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads one element.
    fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The element as it is read back, if that is known without writing it.
    #[doc(hidden)]
    fn element_as_stored(&self) -> Option<Self> {
        None
    }
}

fn encode_set<'a, T: SetElement + 'a>(
    set: impl ExactSizeIterator<Item = &'a T>,
    ordered: bool,
    name: &Name,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    if set.len() == 0 {
        return Ok(());
    }
    writer.name(name);
    writer.open_set(T::TAG.name());
    let start = writer.len();
    let mut ends = Vec::new();
    for element in set {
        element.write_element(writer)?;
        if !ordered {
            ends.push(writer.len());
        }
    }
    writer.sort_since(start, &ends);
    writer.close_set();
    Ok(())
}

fn decode_set<T: SetElement, C: Default + Extend<T>>(
    reader: &mut Reader<'_>,
) -> Result<C, CodecError> {
    let mut set = C::default();
    // Other libraries write NULL for an empty set.
    if reader.take_null()? {
        return Ok(set);
    }
    reader.open(T::TAG)?;
    reader.open_array()?;
    let mut first = true;
    while reader.next_element(&mut first)? {
        set.extend(std::iter::once(T::read_element(reader)?));
    }
    reader.close()?;
    Ok(set)
}

fn as_stored<'a, T: SetElement + 'a, C: Default + Extend<T>>(
    elements: impl Iterator<Item = &'a T>,
) -> Option<C> {
    let mut set = C::default();
    for element in elements {
        set.extend(std::iter::once(element.element_as_stored()?));
    }
    Some(set)
}

/// The type of a set. Its path is that of its elements' type, because only declared types need one.
fn set_of<T: SetElement>() -> NamedType {
    NamedType {
        model: T::SET,
        ..T::ELEMENT()
    }
}

macro_rules! set {
    ($set:ty, ordered: $ordered:literal; $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> DynamoField for $set {
            type Path<R, U: KeyUsage> = Path<R, Self, U::Optional>;

            const STORED: Option<Tag> = Some(T::TAG);

            const TYPE: TypeOf = set_of::<T>;

            fn encode_field(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
                encode_set(self.iter(), $ordered, name, writer)
            }

            fn decode_field(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                decode_set(reader)
            }

            fn absent() -> Option<Self> {
                Some(Self::default())
            }

            fn field_as_stored(&self) -> Option<Self> {
                as_stored(self.iter())
            }
        }
    };
}

set!(HashSet<T, S>, ordered: false; T: SetElement + Eq + Hash, S: BuildHasher + Default);
set!(BTreeSet<T>, ordered: true; T: SetElement + Ord);

macro_rules! text_element {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl SetElement for $text {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Ss;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.set_text(self);
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                Ok(reader.string()?.into_owned().into())
            }

            fn element_as_stored(&self) -> Option<Self> {
                Some(self.clone())
            }
        }
    )*};
}

text_element!(String, Box<str>, Arc<str>, Cow<'static, str>);

macro_rules! integer_element {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SetElement for $int {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Ns;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.set_integer(*self);
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                integer::parse_integer(&reader.string()?, stringify!($int))
            }

            fn element_as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

integer_element!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! wide_integer_element {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SetElement for $int {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Ns;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                integer::check_width(integer::Magnitude::unsigned_abs_u128(*self))?;
                writer.set_integer(*self);
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                integer::parse_integer(&reader.string()?, stringify!($int))
            }

            fn element_as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

wide_integer_element!(i128 u128);

#[diagnostic::do_not_recommend]
impl SetElement for Number {
    const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
    const TAG: Tag = Tag::Ns;

    fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.check_limits()?;
        writer.set_number(self);
        Ok(())
    }

    fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.string()?.parse()
    }
}

macro_rules! binary_element {
    ($($bytes:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl SetElement for $bytes {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Bs;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.set_binary(self);
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                reader.read_base64().map(Into::into)
            }

            fn element_as_stored(&self) -> Option<Self> {
                Some(self.clone())
            }
        }
    )*};
}

binary_element!(Vec<u8>, Box<[u8]>, bytes::Bytes);

/// Foreign types that are stored as their text in a set.
macro_rules! foreign_element {
    ($($feature:literal $foreign:ty, $what:literal, $parse:expr;)*) => {$(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl SetElement for $foreign {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Ss;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.set_text(&self.to_string());
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&reader.string()?).ok_or_else(|| CodecError::mismatch($what, "other text"))
            }

            fn element_as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

foreign_element! {
    "uuid" uuid::Uuid, "a UUID", |text| uuid::Uuid::try_parse(text).ok();
    "ulid" ulid::Ulid, "a ULID", |text| ulid::Ulid::from_string(text).ok();
}

/// Decimals that are stored as numbers in a set.
macro_rules! decimal_element {
    ($($feature:literal $decimal:ty;)*) => {$(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl SetElement for $decimal {
            const ELEMENT: TypeOf = <Self as DynamoValue>::TYPE;
            const TAG: Tag = Tag::Ns;

            fn write_element(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.set_number(&super::float::ToNumber::to_number(self)?);
                Ok(())
            }

            fn read_element(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                super::float::ToNumber::from_number(&reader.string()?.parse()?)
            }
        }
    )*};
}

decimal_element! {
    "rust_decimal" rust_decimal::Decimal;
    "bigdecimal" bigdecimal::BigDecimal;
}
