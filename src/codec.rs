//! Values: from Rust to DynamoDB JSON and back, without a map in between.
//!
//! [`DynamoValue`] is a type that always has a value: text, numbers, lists, maps, nested structs.
//! [`DynamoField`] is a type that may be an attribute or a field: every value, and the two types that may
//! be *absent*, `Option<T>` and sets. Elements of lists and maps are values, so a `Vec<Option<T>>`
//! does not compile: DynamoDB has no absent elements. A `Vec<Nullable<T>>` holds elements that may be NULL.
//!
//! The derives write and read field by field, with a [`Writer`] and a [`Reader`]. A value that cannot
//! be stored or read gives a [`CodecError`], which knows the path to the value but never the value.

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
mod compressed;
mod field;
mod flat;
mod float;
mod integer;
mod item;
mod json;
#[cfg(feature = "json")]
mod json_text;
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
pub(crate) mod type_probe;
mod typed;
mod value;
#[cfg(feature = "vectors")]
mod vector;
mod vector_field;
#[cfg(feature = "compress")]
mod zstd;

#[doc(hidden)]
pub use self::compressed::CompressedField;
pub(crate) use self::compressed::{may_be_compressed, plain_value};
#[doc(hidden)]
pub use self::serde::SerdeField;
pub use crate::json::{CodecError, Number, Reader, Tag, Writer};
pub use field::DynamoField;
pub use flat::FlatValue;
pub(crate) use float::ToNumber;
pub use item::{Item, Value};
#[cfg(feature = "json")]
pub use json_text::JsonText;
pub use map::MapKey;
#[doc(hidden)]
pub use null::NullField;
pub use null::Nullable;
pub use set::SetElement;
#[doc(hidden)]
pub use time::{Form, FormField};
pub use value::DynamoValue;
#[cfg(feature = "vectors")]
pub use vector::{Vector, VectorError};
pub use vector_field::{VectorField, VectorOf};
