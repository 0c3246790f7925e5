//! Values: from Rust to DynamoDB JSON and back, without a map in between.
//!
//! [`DynamoValue`] is a type that always has a value: text, numbers, lists, maps, nested structs.
//! [`DynamoField`] is a type that may be an attribute or a field: every value, and the two types that may
//! be *absent*, `Option<T>` and sets. Elements of lists and maps are values, so a `Vec<Option<T>>`
//! does not compile: DynamoDB has no absent elements. A `Vec<Nullable<T>>` holds elements that may be NULL.
//!
//! The derives write and read field by field, with a [`Writer`] and a [`Reader`]. A value that cannot
//! be stored or read gives a [`CodecError`], which knows the path to the value but never the value.

use crate::json::Name;
use crate::path::{AtPath, KeyUsage, Mode};
use model::{NamedType, TypeModel, TypeOf, unseen_type};

/// The path of a value without fields or elements, and the type that it is always stored as.
macro_rules! stored_as {
    () => {
        type Path<R, M: crate::path::Mode> = crate::path::Path<R, Self, M>;
    };
    (slice of $element:ty) => {
        stored_as!();

        const STORED: Option<crate::json::Tag> =
            Some(<$element as crate::codec::DynamoValue>::SLICE);
    };
    ($tag:ident) => {
        stored_as!();

        const STORED: Option<crate::json::Tag> = Some(crate::json::Tag::$tag);
    };
    ($tag:ident, $name:expr) => {
        stored_as!($tag);

        const MODEL: crate::codec::model::TypeModel =
            crate::codec::model::TypeModel::Known { name: $name };
    };
}

mod at_path;
mod binary;
mod float;
mod integer;
mod item;
mod json;
mod list;
mod map;
pub(crate) mod model;
mod null;
mod option;
mod plain;
mod serde;
mod set;
mod text;
pub(crate) mod time;
mod typed;
#[cfg(feature = "vectors")]
mod vector;
mod vector_field;

#[doc(hidden)]
pub use self::serde::SerdeField;
pub use crate::json::{CodecError, Number, Reader, Tag, Writer};
pub use item::{Item, Value};
pub use map::MapKey;
#[doc(hidden)]
pub use null::NullField;
pub use null::Nullable;
pub use set::SetElement;
#[doc(hidden)]
pub use time::{Form, FormField};
#[cfg(feature = "vectors")]
pub use vector::{Vector, VectorError};
pub use vector_field::{VectorField, VectorOf};

/// A type that is stored as one value. Derive it for structs, enums and newtypes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a DynamoDB value",
    label = "not a value",
    note = "write `#[derive(DynamoValue)]` on the type, or `#[dynamo(serde)]` on the field if the type only knows serde",
    note = "an `Option` or a set may be a field, but not an element of a list or map, because an element cannot be missing; an element that may be NULL is a `codec::Nullable`"
)]
pub trait DynamoValue: Sized {
    /// The path to such a value in conditions and changes: [`Path`](crate::path::Path)`<R, Self, M>`, or a struct that
    /// derefs to it and knows the paths of the fields.
    type Path<R, M: Mode>: AtPath;

    /// The type of DynamoDB that it is stored as, for [`schema()`](crate::entity::DynamoTable::schema); `None` if that differs from
    /// value to value, or is not known.
    const STORED: Option<Tag> = None;

    /// How its values are stored, for [`schema()`](crate::entity::DynamoTable::schema).
    #[doc(hidden)]
    const MODEL: TypeModel = TypeModel::Unseen;

    /// The type with its model. A pointer has that of the value behind it.
    #[doc(hidden)]
    const TYPE: TypeOf = type_of::<Self>;

    /// Writes `{"S":"..."}` or the like.
    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads what [`encode`](Self::encode) writes.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// Writes a list of these values; `u8` writes binary.
    #[doc(hidden)]
    fn encode_slice(slice: &[Self], writer: &mut Writer) -> Result<(), CodecError> {
        list::encode_list(slice, writer)
    }

    /// The type that [`encode_slice`](Self::encode_slice) writes.
    #[doc(hidden)]
    const SLICE: Tag = Tag::L;

    /// Reads what [`encode_slice`](Self::encode_slice) writes.
    #[doc(hidden)]
    fn decode_vec(reader: &mut Reader<'_>) -> Result<Vec<Self>, CodecError> {
        list::decode_list(reader)
    }

    /// The value that [`decode`](Self::decode) would read from the output of [`encode`](Self::encode), if that is known without
    /// writing it. `None` means that it has to be written and read.
    #[doc(hidden)]
    fn as_stored(&self) -> Option<Self> {
        None
    }
}

/// A type that can be a field: a value, an `Option` of one, or a set. None and an empty set are absent attributes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute",
    label = "neither a value, nor an `Option` of one, nor a set",
    note = "write `#[derive(DynamoValue)]` on the type, or `#[dynamo(serde)]` on the field if the type only knows serde",
    note = "a `Version` is a field with `#[dynamo(version)]`",
    note = "an `Option` holds a value: neither another `Option`, since an attribute is absent in one way only, nor a set, which is absent when it is empty",
    note = "a set holds text, numbers, bytes, unit enums and newtypes of these, but no floats; store other types in a `Vec`"
)]
pub trait DynamoField: Sized {
    /// The path to such a field; a None and an empty set may be removed there.
    type Path<R, U: KeyUsage>: AtPath;

    /// The type of DynamoDB that it is stored as, as [`DynamoValue::STORED`].
    const STORED: Option<Tag> = None;

    /// The stored type: the inner type of an `Option`.
    #[doc(hidden)]
    const TYPE: TypeOf = unseen_type::<Self>;

    /// Writes the name and the value, or nothing if the field is absent.
    fn encode_field(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads the value.
    fn decode_field(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The meaning of a missing attribute; `None` if the attribute is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether a missing attribute means something.
    #[doc(hidden)]
    fn is_optional() -> bool {
        Self::absent().is_some()
    }

    /// The field as it is read back, if that is known without writing it, like
    /// [`DynamoValue::as_stored`](DynamoValue::as_stored).
    #[doc(hidden)]
    fn field_as_stored(&self) -> Option<Self> {
        None
    }
}

impl<T: DynamoValue> DynamoField for T {
    type Path<R, U: KeyUsage> = <T as DynamoValue>::Path<R, U::Required>;

    const STORED: Option<Tag> = <T as DynamoValue>::STORED;

    const TYPE: TypeOf = <T as DynamoValue>::TYPE;

    #[inline]
    fn encode_field(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        writer.name(name);
        self.encode(writer)
    }

    #[inline]
    fn decode_field(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        T::decode(reader)
    }

    #[inline]
    fn field_as_stored(&self) -> Option<Self> {
        self.as_stored()
    }
}

/// The type with its model.
fn type_of<T: DynamoValue>() -> NamedType {
    NamedType {
        path: std::any::type_name::<T>(),
        model: T::MODEL,
    }
}
