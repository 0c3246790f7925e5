//! Paths into lists, maps and sets, and conditions on them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::condition::Condition;
use super::node::Node;
use super::operand::Size;
use super::text::slice_json;
use crate::codec::{DynamoField, DynamoValue, Item, MapKey, SetElement, Value};
use crate::json::{CodecError, Tag, Writer};
use crate::key::{Arg, Textual};
use crate::path::{AtPath, Mandatory, Optional, Path, json};

/// A list, a map or a set, which has a number of elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no collection",
    label = "neither a list, nor a map, nor a set",
    note = "`len` is for collections; text and binary have `size`"
)]
pub trait Collection {
    /// Whether a missing attribute counts as an empty collection.
    #[doc(hidden)]
    const ABSENT_IF_EMPTY: bool = false;
}

/// A list of values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list",
    label = "not a `Vec`",
    note = "`push`, `extend`, `at` and the like are for lists; a set has `insert` and `discard`, a map `entry`, a number `add`"
)]
pub trait List: DynamoValue + FromIterator<Self::Element> {
    /// The type of the elements.
    type Element: DynamoValue;
}

/// A map from text to values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no map",
    label = "not a `HashMap` or `BTreeMap`",
    note = "`entry` is for maps; the fields of a struct with `#[derive(DynamoValue)]` are methods of its path"
)]
pub trait Map: DynamoValue {
    /// The type of the keys.
    type Key: MapKey;
    /// The type of the values.
    type Value: DynamoValue;
}

/// A set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no set",
    label = "not a `HashSet` or `BTreeSet`",
    note = "`insert` and `discard` are for sets; a list has `push`, a map `entry`"
)]
pub trait Set: DynamoField + FromIterator<Self::Element> {
    /// The type of the elements.
    type Element: SetElement;
}

/// DynamoDB JSON.
pub type Json = Vec<u8>;

/// Text that can contain other text, or a list or set that can contain an element of the type `A`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot contain a `{A}`",
    label = "neither text, nor a list or set of these"
)]
pub trait Contains<A> {
    /// The value to look for, in DynamoDB JSON.
    #[doc(hidden)]
    fn needle_json(part: A) -> Result<Json, CodecError>;
}

macro_rules! lists {
    ($($list:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue> Collection for $list {}

        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue> List for $list {
            type Element = T;
        }

        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue, A: Arg<T>> Contains<A> for $list {
            fn needle_json(part: A) -> Result<Vec<u8>, CodecError> {
                let mut writer = Writer::for_request(32);
                T::encode_slice(&[part.into_arg()], &mut writer)?;
                Ok(in_list(writer.into_bytes()))
            }
        }
    )*};
}

lists!(Vec<T>, Box<[T]>, Arc<[T]>);

/// The one element of a list. A list of bytes is returned as it is, because it is binary.
fn in_list(list: Vec<u8>) -> Vec<u8> {
    let element = list
        .strip_prefix(b"{\"L\":[")
        .and_then(|rest| rest.strip_suffix(b"]}"));
    element.map(<[u8]>::to_vec).unwrap_or(list)
}

macro_rules! slices {
    ($($slice:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Contains<&$slice> for Vec<u8> {
            fn needle_json(part: &$slice) -> Result<Vec<u8>, CodecError> {
                slice_json::<Vec<u8>>(part)
            }
        }
    )*};
}

slices!([u8] Vec<u8>);

#[diagnostic::do_not_recommend]
impl<const N: usize> Contains<&[u8; N]> for Vec<u8> {
    fn needle_json(part: &[u8; N]) -> Result<Vec<u8>, CodecError> {
        slice_json::<Vec<u8>>(part)
    }
}

macro_rules! maps {
    ($map:ty; $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Collection for $map {}

        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Map for $map {
            type Key = K;
            type Value = V;
        }
    };
}

maps!(HashMap<K, V, S>; K: MapKey + Eq + Hash, V: DynamoValue, S: BuildHasher + Default);
maps!(BTreeMap<K, V>; K: MapKey + Ord, V: DynamoValue);

#[diagnostic::do_not_recommend]
impl Collection for Item {}

#[diagnostic::do_not_recommend]
impl Map for Item {
    type Key = String;
    type Value = Value;
}

macro_rules! sets {
    ($set:ty; $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Collection for $set {
            const ABSENT_IF_EMPTY: bool = true;
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Set for $set {
            type Element = T;
        }

        #[diagnostic::do_not_recommend]
        impl<A: Arg<T>, $($generics)*> Contains<A> for $set {
            fn needle_json(part: A) -> Result<Vec<u8>, CodecError> {
                first_element(&Self::from_iter([part.into_arg()]), T::TAG)
            }
        }
    };
}

sets!(HashSet<T, S>; T: SetElement + Eq + Hash, S: BuildHasher + Default);
sets!(BTreeSet<T>; T: SetElement + Ord);

/// The one element of a set, as a value: `{"SS":["x"]}` is `{"S":"x"}`.
fn first_element(set: &impl DynamoField, tag: Tag) -> Result<Vec<u8>, CodecError> {
    let set = json(|name, writer| set.encode_field(name, writer))?.unwrap_or_default();
    let letter = tag.name().get(..1).unwrap_or_default();
    let start = "{\"SS\":[".len();
    let inner = set
        .get(start..set.len().saturating_sub(2))
        .unwrap_or_default();
    Ok([b"{\"", letter.as_bytes(), b"\":", inner, b"}"].concat())
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<A: AsRef<str>> Contains<A> for $text {
            fn needle_json(part: A) -> Result<Vec<u8>, CodecError> {
                slice_json::<$text>(part.as_ref())
            }
        }
    )*};
}

texts!(String, Box<str>, Arc<str>, Cow<'static, str>);

#[diagnostic::do_not_recommend]
impl<A: AsRef<[u8]>> Contains<A> for bytes::Bytes {
    fn needle_json(part: A) -> Result<Vec<u8>, CodecError> {
        slice_json::<bytes::Bytes>(<A as AsRef<<bytes::Bytes as Textual>::Slice>>::as_ref(
            &part,
        ))
    }
}

/// Paths to collections, and to text for `contains`.
impl<R, T, M> Path<R, T, M> {
    /// The number of its elements.
    pub fn len(&self) -> Size<R>
    where
        T: Collection,
    {
        Size::new(self.place(), T::ABSENT_IF_EMPTY)
    }

    /// Contains this element, or this text.
    pub fn contains<A>(&self, part: A) -> Condition<R>
    where
        T: Contains<A>,
    {
        match T::needle_json(part) {
            Ok(json) => Node::Contains(self.place().clone(), json).into(),
            Err(fault) => Node::Faulty(fault.at(self.place().to_string())).into(),
        }
    }

    /// The element at this position, from 0.
    pub fn at(&self, index: usize) -> <T::Element as DynamoValue>::Path<R, Mandatory>
    where
        T: List,
    {
        AtPath::at_place(self.place().element_at(index))
    }

    /// The entry of this name.
    pub fn entry(&self, key: impl Arg<T::Key>) -> <T::Value as DynamoValue>::Path<R, Optional>
    where
        T: Map,
    {
        let key = key.into_arg().to_map_key().into_owned();
        AtPath::at_place(self.place().entry(key))
    }
}
