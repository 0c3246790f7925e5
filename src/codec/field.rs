//! A type that may be an attribute: a value, or one that can be absent.

use crate::codec::model::{TypeOf, unseen_type};
use crate::codec::{CodecError, DynamoValue, Reader, Tag, Writer};
use crate::json::Name;
use crate::path::{AtPath, KeyUsage};

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
