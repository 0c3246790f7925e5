//! A type that is stored as one value.

use crate::codec::list;
use crate::codec::model::{NamedType, TypeModel, TypeOf};
use crate::codec::{CodecError, Reader, Tag, Writer};
use crate::path::{AtPath, Mode};

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

/// The type with its model.
fn type_of<T: DynamoValue>() -> NamedType {
    NamedType {
        path: std::any::type_name::<T>(),
        model: T::MODEL,
    }
}
