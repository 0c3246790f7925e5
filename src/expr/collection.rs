//! Paths into lists, maps and sets, and conditions on them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::condition::Condition;
use super::node::{Node, Term};
use super::size::Size;
use super::text::slice_json;
use crate::codec::{DynamoField, DynamoValue, Item, MapKey, SetElement, Value};
use crate::json::{CodecError, Tag, Writer};
use crate::key::{Arg, Textual};
use crate::path::{AtPath, Comparable, Mandatory, Optional, Path, Place, json};

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

/// The part that something contains: a value in DynamoDB JSON, or the place of one.
#[doc(hidden)]
#[derive(Debug)]
pub enum Needle {
    Json(Vec<u8>),
    At(Place),
}

/// Text that can contain other text, or a list or set that can contain an element of the type `A`. A path in items of
/// `R` refers to such a text or element.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot contain a `{A}`",
    label = "neither text, nor a list or set of these"
)]
pub trait Contains<R, A> {
    /// The part to look for.
    #[doc(hidden)]
    fn needle(part: A) -> Result<Needle, CodecError>;
}

/// A list or set, with its elements as values of their own.
trait HasElements {
    type Part;

    /// An element in DynamoDB JSON.
    fn part_json(part: Self::Part) -> Result<Vec<u8>, CodecError>;
}

/// An element that a list or set can contain: a value, or the path to another one. One impl for each [`Arg`] would
/// overlap with those for paths.
macro_rules! contains_value {
    ($part:ty, $whole:ty; $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<R, $($generics)*> Contains<R, $part> for $whole {
            fn needle(part: $part) -> Result<Needle, CodecError> {
                let part = Arg::<<$whole as HasElements>::Part>::into_arg(part);
                <$whole as HasElements>::part_json(part).map(Needle::Json)
            }
        }
    };
}

macro_rules! contains_at {
    ($path:ty, $whole:ty; $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<R, M: Comparable, $($generics)*> Contains<R, $path> for $whole {
            fn needle(part: $path) -> Result<Needle, CodecError> {
                Ok(Needle::At(part.place().clone()))
            }
        }
    };
}

macro_rules! lists {
    ($($list:ty, $texts:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue> Collection for $list {}

        #[diagnostic::do_not_recommend]
        impl<T: DynamoValue> List for $list {
            type Element = T;
        }

        impl<T: DynamoValue> HasElements for $list {
            type Part = T;

            fn part_json(part: T) -> Result<Vec<u8>, CodecError> {
                let mut writer = Writer::for_request(32);
                T::encode_slice(&[part], &mut writer)?;
                Ok(in_list(writer.into_bytes()))
            }
        }

        contains_value!(T, $list; T: DynamoValue);
        contains_value!(&T, $list; T: DynamoValue + Clone);
        contains_value!(&str, $texts;);
        contains_value!(&&str, $texts;);
        contains_at!(Path<R, T, M>, $list; T: DynamoValue);
        contains_at!(&Path<R, T, M>, $list; T: DynamoValue);
    )*};
}

lists! {
    Vec<T>, Vec<String>;
    Box<[T]>, Box<[String]>;
    Arc<[T]>, Arc<[String]>;
}

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
        impl<R> Contains<R, &$slice> for Vec<u8> {
            fn needle(part: &$slice) -> Result<Needle, CodecError> {
                slice_json::<Vec<u8>>(part).map(Needle::Json)
            }
        }
    )*};
}

slices!([u8] Vec<u8>);

#[diagnostic::do_not_recommend]
impl<R, const N: usize> Contains<R, &[u8; N]> for Vec<u8> {
    fn needle(part: &[u8; N]) -> Result<Needle, CodecError> {
        slice_json::<Vec<u8>>(part).map(Needle::Json)
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
    ($set:ty, $texts:ty; [$($element:tt)*] $($generics:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<T: $($element)*, $($generics)*> Collection for $set {
            const ABSENT_IF_EMPTY: bool = true;
        }

        #[diagnostic::do_not_recommend]
        impl<T: $($element)*, $($generics)*> Set for $set {
            type Element = T;
        }

        impl<T: $($element)*, $($generics)*> HasElements for $set {
            type Part = T;

            fn part_json(part: T) -> Result<Vec<u8>, CodecError> {
                first_element(&Self::from_iter([part]), T::TAG)
            }
        }

        contains_value!(T, $set; T: $($element)*, $($generics)*);
        contains_value!(&T, $set; T: $($element)* + Clone, $($generics)*);
        contains_value!(&str, $texts; $($generics)*);
        contains_value!(&&str, $texts; $($generics)*);
        contains_at!(Path<R, T, M>, $set; T: $($element)*, $($generics)*);
        contains_at!(&Path<R, T, M>, $set; T: $($element)*, $($generics)*);
    };
}

sets!(HashSet<T, S>, HashSet<String, S>; [SetElement + Eq + Hash] S: BuildHasher + Default);
sets!(BTreeSet<T>, BTreeSet<String>; [SetElement + Ord]);

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
        impl<R, A: AsRef<str>> Contains<R, A> for $text {
            fn needle(part: A) -> Result<Needle, CodecError> {
                slice_json::<$text>(part.as_ref()).map(Needle::Json)
            }
        }

        contains_at!(Path<R, P, M>, $text; P: Textual<Slice = str>);
        contains_at!(&Path<R, P, M>, $text; P: Textual<Slice = str>);
    )*};
}

texts!(String, Box<str>, Arc<str>, Cow<'static, str>);

#[diagnostic::do_not_recommend]
impl<R, A: AsRef<[u8]>> Contains<R, A> for bytes::Bytes {
    fn needle(part: A) -> Result<Needle, CodecError> {
        let part = <A as AsRef<<bytes::Bytes as Textual>::Slice>>::as_ref(&part);
        slice_json::<bytes::Bytes>(part).map(Needle::Json)
    }
}

contains_at!(Path<R, P, M>, bytes::Bytes; P: Textual<Slice = [u8]>);
contains_at!(&Path<R, P, M>, bytes::Bytes; P: Textual<Slice = [u8]>);

/// Paths to collections, and to text for `contains`.
impl<R, T, M> Path<R, T, M> {
    /// The number of its elements.
    pub fn len(&self) -> Size<R>
    where
        T: Collection,
        M: Comparable,
    {
        Size::new(self.place(), T::ABSENT_IF_EMPTY)
    }

    /// Contains this element, or this text: a value, or the value of another attribute. Does not hold if one of the two
    /// is missing.
    pub fn contains<A>(&self, part: A) -> Condition<R>
    where
        T: Contains<R, A>,
        M: Comparable,
    {
        let term = match T::needle(part) {
            Ok(Needle::Json(json)) => Ok(Term::Value(json)),
            Ok(Needle::At(part)) => self.other_term(part),
            Err(fault) => Err(fault.at(self.place().to_string())),
        };
        match term {
            Ok(part) => Node::Contains(self.place().clone(), part).into(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// Another attribute, if its values are stored like the parts of this one, and it is not this one.
    fn other_term(&self, part: Place) -> Result<Term, CodecError> {
        // DynamoDB rejects a condition that names one attribute twice.
        if part == *self.place() {
            let fault = CodecError::new("an attribute contains itself, or is missing");
            return Err(fault.at(part.to_string()));
        }
        self.place().clone().in_form(0).check_form(&part)?;
        Ok(Term::Place(part))
    }

    /// The element at this position, from 0.
    pub fn at(&self, index: usize) -> <T::Element as DynamoValue>::Path<R, Mandatory>
    where
        T: List,
        M: Comparable,
    {
        AtPath::at_place(self.place().element_at(index))
    }

    /// The entry of this name.
    pub fn entry(&self, key: impl Arg<T::Key>) -> <T::Value as DynamoValue>::Path<R, Optional>
    where
        T: Map,
        M: Comparable,
    {
        let key = key.into_arg().to_map_key().into_owned();
        AtPath::at_place(self.place().entry(key))
    }
}
