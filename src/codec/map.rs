//! Maps are `M`; their keys are text.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::DynamoValue;
use super::model::{TypeModel, TypeOf, unseen_type};
use crate::json::{CodecError, Reader, Writer};

/// A type that may be the key of a map: text, integers, unit enums, and newtypes of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a DynamoDB map",
    label = "not a map key",
    note = "the keys of a map are text: use `String`, an integer, a UUID, or a newtype or unit enum with `#[derive(DynamoValue)]`"
)]
pub trait MapKey: Sized {
    /// Its type, as that of other values.
    #[doc(hidden)]
    const KEY: TypeOf = unseen_type::<Self>;

    /// The key's text; different keys have different texts.
    fn to_map_key(&self) -> Cow<'_, str>;

    /// The key that has this text.
    fn from_map_key(text: &str) -> Option<Self>;
}

fn encode_map<'a, K, V>(
    entries: impl Iterator<Item = (&'a K, &'a V)>,
    ordered: bool,
    writer: &mut Writer,
) -> Result<(), CodecError>
where
    K: MapKey + 'a,
    V: DynamoValue + 'a,
{
    writer.open_map()?;
    let start = writer.len();
    let mut ends = Vec::new();
    for (key, value) in entries {
        let key = key.to_map_key();
        writer.dynamic_name(&key);
        value
            .encode(writer)
            .map_err(|fault| fault.at("(an entry)"))?;
        // A `HashMap` has a random order, and equal maps must give equal requests.
        if !ordered {
            ends.push(writer.len());
        }
    }
    writer.sort_since(start, &ends);
    writer.close_map();
    Ok(())
}

fn decode_map<K: MapKey, V: DynamoValue, C: Default + Extend<(K, V)>>(
    reader: &mut Reader<'_>,
    len: fn(&C) -> usize,
) -> Result<C, CodecError> {
    let mut map = C::default();
    let mut entries = 0;
    reader.open_map()?;
    let mut first = true;
    while let Some(name) = reader.next_name(&mut first)? {
        let key = K::from_map_key(&name)
            .ok_or_else(|| CodecError::mismatch("a key of the map's type", "other text"))?;
        let value = V::decode(reader).map_err(|fault| fault.at("(an entry)"))?;
        map.extend(std::iter::once((key, value)));
        entries += 1;
    }
    reader.close_map()?;
    // `5` and `05` are two keys in the table, but one integer.
    if len(&map) != entries {
        return Err(CodecError::mismatch(
            "keys that differ in the map's type",
            "two texts of one key",
        ));
    }
    Ok(map)
}

/// The result of [`decode`] for the same entries. `None` if two keys are or become the same: reading decides about them.
fn as_stored<'a, K, V, C: Default + Extend<(K, V)>>(
    entries: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    len: fn(&C) -> usize,
) -> Option<C>
where
    K: MapKey + 'a,
    V: DynamoValue + 'a,
{
    let mut map = C::default();
    let count = entries.len();
    for (key, value) in entries {
        let key = K::from_map_key(&key.to_map_key())?;
        map.extend(std::iter::once((key, value.as_stored()?)));
    }
    (len(&map) == count).then_some(map)
}

macro_rules! map {
    ($map:ty, ordered: $ordered:literal; $($generics:tt)*) => {
        impl<$($generics)*> DynamoValue for $map {
            stored_as!(M);

            const MODEL: TypeModel = TypeModel::Of { name: "Map", elements: &[K::KEY, V::TYPE] };

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                encode_map(self.iter(), $ordered, writer)
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                decode_map(reader, Self::len)
            }

            fn as_stored(&self) -> Option<Self> {
                as_stored(self.iter(), Self::len)
            }
        }
    };
}

map!(HashMap<K, V, S>, ordered: false; K: MapKey + Eq + Hash, V: DynamoValue, S: BuildHasher + Default);
map!(BTreeMap<K, V>, ordered: true; K: MapKey + Ord, V: DynamoValue);

macro_rules! text_key {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl MapKey for $text {
            const KEY: TypeOf = <Self as DynamoValue>::TYPE;

            fn to_map_key(&self) -> Cow<'_, str> {
                Cow::Borrowed(self)
            }

            fn from_map_key(text: &str) -> Option<Self> {
                Some(text.into())
            }
        }
    )*};
}

text_key!(String, Box<str>, Arc<str>);

#[diagnostic::do_not_recommend]
impl MapKey for Cow<'static, str> {
    const KEY: TypeOf = <Self as DynamoValue>::TYPE;

    fn to_map_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn from_map_key(text: &str) -> Option<Self> {
        Some(Cow::Owned(text.to_owned()))
    }
}

macro_rules! displayed_key {
    ($($(#[$cfg:meta])? $key:ty),*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl MapKey for $key {
            const KEY: TypeOf = <Self as DynamoValue>::TYPE;

            fn to_map_key(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn from_map_key(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

displayed_key!(
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    #[cfg(feature = "uuid")]
    uuid::Uuid,
    #[cfg(feature = "ulid")]
    ulid::Ulid
);
