//! `Option<T>`: None is an absent attribute. `Box<T>` and `Arc<T>` are stored like `T`.

use std::sync::Arc;

use crate::path::{KeyUsage, Mode};

use super::model::TypeOf;
use super::{DynamoField, DynamoValue, null};
use crate::json::{CodecError, Name, Reader, Tag, Writer};

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> DynamoField for Option<T> {
    type Path<R, U: KeyUsage> = T::Path<R, U::Optional>;

    const STORED: Option<Tag> = T::STORED;

    const TYPE: TypeOf = T::TYPE;

    #[inline]
    fn encode_field(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        match self {
            Some(value) => value.encode_field(name, writer),
            None => Ok(()),
        }
    }

    /// NULL is how other libraries write None. If the type within holds NULL as a value, it is kept as one, because a
    /// None would be written as a missing attribute.
    #[inline]
    fn decode_field(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        // A type of the user may store one of its own values as NULL, and that value must not
        // become None.
        if null::may_be_null::<T>() && matches!(reader.tag(), Ok(Tag::Null)) {
            let before = reader.clone();
            if let Ok(value) = T::decode(reader) {
                return Ok(Some(value));
            }
            *reader = before;
        }
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode(reader).map(Some)
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn field_as_stored(&self) -> Option<Self> {
        match self {
            Some(value) => value.as_stored().map(Some),
            None => Some(None),
        }
    }
}

macro_rules! pointer {
    ($($pointer:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue> DynamoValue for $pointer<T> {
            type Path<R, M: Mode> = T::Path<R, M>;

            const STORED: Option<Tag> = T::STORED;

            const TYPE: TypeOf = T::TYPE;

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                T::encode(self, writer)
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                T::decode(reader).map($pointer::new)
            }

            fn as_stored(&self) -> Option<Self> {
                T::as_stored(self).map($pointer::new)
            }
        }
    )*};
}

pointer!(Box, Arc);
