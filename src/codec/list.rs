//! Lists are `L`: `Vec`, arrays, tuples and slices behind a pointer. Lists of bytes are `B`.

use std::borrow::Cow;
use std::sync::Arc;

use super::DynamoValue;
use super::model::TypeModel;
use crate::json::{CodecError, Reader, Tag, Writer};
use crate::tuples::each_tuple;

pub(super) fn encode_list<T: DynamoValue>(
    slice: &[T],
    writer: &mut Writer,
) -> Result<(), CodecError> {
    writer.open_list()?;
    for (index, value) in slice.iter().enumerate() {
        writer.element();
        value
            .encode(writer)
            .map_err(|fault| fault.at_index(index))?;
    }
    writer.close_list();
    Ok(())
}

pub(super) fn decode_list<T: DynamoValue>(reader: &mut Reader<'_>) -> Result<Vec<T>, CodecError> {
    reader.open_list()?;
    let mut values = Vec::new();
    let mut first = true;
    while reader.next_element(&mut first)? {
        let value = T::decode(reader).map_err(|fault| fault.at_index(values.len()))?;
        values.push(value);
    }
    reader.close_list()?;
    Ok(values)
}

fn as_stored<T: DynamoValue>(slice: &[T]) -> Option<Vec<T>> {
    let mut values = Vec::with_capacity(slice.len());
    for value in slice {
        values.push(value.as_stored()?);
    }
    Some(values)
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue + Clone + 'static> DynamoValue for Cow<'static, [T]> {
    stored_as!(slice of T);

    const MODEL: TypeModel = Vec::<T>::MODEL;

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        T::encode_slice(self, writer)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        T::decode_vec(reader).map(Cow::Owned)
    }

    fn as_stored(&self) -> Option<Self> {
        as_stored(self).map(Cow::Owned)
    }
}

macro_rules! slice {
    ($($list:ty),*) => {$(
        impl<T: DynamoValue> DynamoValue for $list {
            stored_as!(slice of T);

            const MODEL: TypeModel = match T::SLICE {
                Tag::B => TypeModel::Known { name: "bytes" },
                _ => TypeModel::Of { name: "Vec", elements: &[T::TYPE] },
            };

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                T::encode_slice(self, writer)
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                T::decode_vec(reader).map(Into::into)
            }

            fn as_stored(&self) -> Option<Self> {
                as_stored(self).map(Into::into)
            }
        }
    )*};
}

slice!(Vec<T>, Box<[T]>, Arc<[T]>);

impl<T: DynamoValue, const N: usize> DynamoValue for [T; N] {
    stored_as!(slice of T);

    const MODEL: TypeModel = TypeModel::Array {
        element: T::TYPE,
        len: N,
    };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        T::encode_slice(self, writer)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let values = T::decode_vec(reader)?;
        let found = values.len();
        values
            .try_into()
            .map_err(|_| CodecError::mismatch(format!("{N} elements"), format!("{found} elements")))
    }

    fn as_stored(&self) -> Option<Self> {
        as_stored(self)?.try_into().ok()
    }
}

macro_rules! tuple {
    ($(($type:ident $index:tt))*) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: DynamoValue),*> DynamoValue for ($($type,)*) {
            stored_as!(L);

            const MODEL: TypeModel = TypeModel::Tuple { elements: &[$($type::TYPE),*] };

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.open_list()?;
                $(
                    writer.element();
                    self.$index.encode(writer).map_err(|fault| fault.at_index($index))?;
                )*
                writer.close_list();
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                reader.open_list()?;
                let mut first = true;
                let wrong = || CodecError::mismatch(format_args!("{} elements", [$($index),*].len()), "another number of them");
                let tuple = ($({
                    if !reader.next_element(&mut first)? {
                        return Err(wrong());
                    }
                    $type::decode(reader).map_err(|fault| fault.at_index($index))?
                },)*);
                if reader.next_element(&mut first)? {
                    return Err(wrong());
                }
                reader.close_list()?;
                Ok(tuple)
            }

            fn as_stored(&self) -> Option<Self> {
                Some(($(self.$index.as_stored()?,)*))
            }
        }
    };
}

each_tuple!(tuple: (A 0) (B 1) (C 2) (D 3) (E 4) (F 5));
