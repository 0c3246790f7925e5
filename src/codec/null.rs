//! NULL as other programs write it: elements that may be NULL, and fields whose None is written as NULL.

use super::model::TypeModel;
use super::{DynamoField, DynamoValue};
use crate::json::{CodecError, Name, Reader, Tag, Writer};
use crate::path::{Mode, Path};

/// A value that may be NULL, as an element of a list or map, or as a field whose attribute is never missing.
///
/// A field of the type `Option<Nullable<T>>` distinguishes a missing attribute, `None`, from a NULL,
/// `Some(Nullable(None))`, and both are written back as they were read. If a program does not distinguish them, declare
/// an `Option<T>`, with `#[dynamo(null)]` to write None as NULL.
///
/// ```
/// use dynamo_entity::codec::Nullable;
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "answers", key(pk = survey))]
/// struct Answers { survey: String, given: Vec<Nullable<u32>> }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Answers::schema()]).await?;
/// let answers = Answers { survey: "s1".into(), given: vec![3.into(), None.into()] };
/// answers.put().send(&db).await?;
/// let read = Answers::key("s1").get().send(&db).await?;
/// assert_eq!(read.map(|read| read.given[1].0), Some(None));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nullable<T>(
    /// The value; NULL if it is `None`.
    pub Option<T>,
);

impl<T> Default for Nullable<T> {
    fn default() -> Self {
        Nullable(None)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Nullable(value)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Nullable(Some(value))
    }
}

impl<T> From<Nullable<T>> for Option<T> {
    fn from(value: Nullable<T>) -> Self {
        value.0
    }
}

/// Its stored type differs from value to value, so `STORED` is `None`: by this, an `Option` knows that it may be NULL.
#[diagnostic::do_not_recommend]
impl<T: DynamoValue> DynamoValue for Nullable<T> {
    type Path<R, M: Mode> = Path<R, Self, M>;

    const MODEL: TypeModel = TypeModel::Of {
        name: "Nullable",
        elements: &[T::TYPE],
    };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        match &self.0 {
            Some(value) => value.encode(writer),
            None => {
                writer.null();
                Ok(())
            }
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Option::<T>::decode_field(reader).map(Nullable)
    }

    fn as_stored(&self) -> Option<Self> {
        match &self.0 {
            Some(value) => value.as_stored().map(|value| Nullable(Some(value))),
            None => Some(Nullable(None)),
        }
    }
}

/// A field with `#[dynamo(null)]`: its None is written as NULL, and both NULL and a missing attribute are read as None.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no None that could be written as NULL",
    label = "not an `Option` of a value",
    note = "`null` is for fields of the type `Option<T>`; elements of lists and maps are `Nullable<T>`"
)]
pub trait NullField: DynamoField {
    #[doc(hidden)]
    fn encode_null(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;
    #[doc(hidden)]
    fn decode_null(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::decode_field(reader)
    }
    #[doc(hidden)]
    fn absent_null() -> Option<Self> {
        Self::absent()
    }
    #[doc(hidden)]
    fn is_optional() -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> NullField for Option<T> {
    fn encode_null(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        if self.is_none() {
            writer.name(name);
            writer.null();
        }
        self.encode_field(name, writer)
    }
}

/// Whether a value of the type may be NULL itself. A type with one stored type is never NULL.
pub(super) const fn may_be_null<T: DynamoValue>() -> bool {
    match T::STORED {
        None | Some(Tag::Null) => true,
        Some(_) => false,
    }
}
