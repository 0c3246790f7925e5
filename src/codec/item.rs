//! An item that is not, or not yet, an entity.

use std::collections::BTreeSet;
use std::collections::btree_map::{self, BTreeMap};
use std::fmt;

use super::model::TypeModel;
use super::{DynamoValue, SetElement};
use crate::json::{CodecError, Number, Reader, Tag, Writer};

/// Any item: attribute names and values, sorted by name.
///
/// Converts from and into the SDK's `HashMap<String, AttributeValue>`, `serde_dynamo::Item`, and plain JSON
/// through serde; [`from_json`](Item::from_json) reads JSON with every digit.
///
/// ```
/// use dynamo_entity::{Item, Value};
/// let item: Item = [("id", Value::from("a1")), ("count", Value::from(3))].into_iter().collect();
/// assert_eq!(item.get("count"), Some(&Value::from(3)));
/// assert_eq!(item.size(), "id".len() + "a1".len() + "count".len() + 2);
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Item(BTreeMap<String, Value>, KeptAttributes);

/// The library's own attributes of a stored item. They are read into the `rest` of an entity and written back with it,
/// but users neither see nor make them.
#[derive(Clone, Default)]
struct KeptAttributes(Option<Box<Item>>);

/// Hidden attributes do not count when items are compared.
impl PartialEq for KeptAttributes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for KeptAttributes {}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.0).finish()
    }
}

/// Any value of DynamoDB.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Text.
    S(String),
    /// A number.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// A boolean.
    Bool(bool),
    /// NULL, which is not absence.
    Null,
    /// A list.
    L(Vec<Value>),
    /// A map.
    M(Item),
    /// A set of text. DynamoDB has no empty sets: an attribute with one is omitted.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of bytes.
    Bs(BTreeSet<Vec<u8>>),
}

impl Item {
    /// An item without attributes.
    pub fn new() -> Self {
        Item::default()
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Sets an attribute and returns its old value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Removes an attribute and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Whether the attribute exists.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the item has no attributes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Value> {
        self.0.iter()
    }

    /// The size of the item by DynamoDB's rules, which the 400 KB limit counts: names and values, without
    /// the overhead of storage.
    pub fn size(&self) -> usize {
        self.written_values()
            .map(|(name, value)| name.len() + value.size())
            .sum()
    }

    /// Keeps an attribute of the library's own, hidden from users.
    pub(crate) fn keep_value(&mut self, name: String, value: Value) {
        let kept = self.1.0.get_or_insert_default();
        kept.insert(name, value);
    }

    /// The attributes of the library's own, hidden from users.
    pub(crate) fn kept_values(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.1.0.iter().flat_map(|kept| kept.iter())
    }

    /// The attributes that are written: all but empty sets.
    fn written_values(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(|(_, value)| !value.is_empty_set())
    }

    pub(crate) fn write_entries(&self, writer: &mut Writer) -> Result<(), CodecError> {
        for (name, value) in self.written_values() {
            writer.dynamic_name(name);
            value
                .encode(writer)
                .map_err(|fault| fault.at(name.as_str()))?;
        }
        Ok(())
    }

    /// The item as one JSON object of DynamoDB JSON.
    pub(crate) fn to_dynamo_json(&self) -> Result<Vec<u8>, CodecError> {
        let mut writer = Writer::with_capacity(64 + 2 * self.size());
        writer.push_raw("{");
        self.write_entries(&mut writer)?;
        writer.push_raw("}");
        Ok(writer.into_bytes())
    }

    /// Reads one JSON object of DynamoDB JSON.
    pub(crate) fn read_item(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.open_object()?;
        Item::read_entries(reader)
    }

    fn read_entries(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let mut item = Item::new();
        let mut first = true;
        while let Some(name) = reader.next_name(&mut first)? {
            let value = Value::decode(reader).map_err(|fault| fault.at(&*name))?;
            // DynamoDB never returns a name twice, and rejects such an item. So this is a broken response, or JSON of a
            // caller.
            if item.0.contains_key(&*name) {
                return Err(CodecError::new("the attribute occurs twice").at(&*name));
            }
            item.0.insert(name.into_owned(), value);
        }
        Ok(item)
    }

    pub(crate) fn from_dynamo_json(json: &[u8]) -> Result<Self, CodecError> {
        let mut reader = Reader::new(json);
        let item = Item::read_item(&mut reader)?;
        reader.finish_text()?;
        Ok(item)
    }
}

impl Value {
    /// The type.
    pub fn tag(&self) -> Tag {
        match self {
            Value::S(_) => Tag::S,
            Value::N(_) => Tag::N,
            Value::B(_) => Tag::B,
            Value::Bool(_) => Tag::Bool,
            Value::Null => Tag::Null,
            Value::L(_) => Tag::L,
            Value::M(_) => Tag::M,
            Value::Ss(_) => Tag::Ss,
            Value::Ns(_) => Tag::Ns,
            Value::Bs(_) => Tag::Bs,
        }
    }

    /// The text of an `S`.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::S(text) => Some(text),
            _ => None,
        }
    }

    /// The number of an `N`.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::N(number) => Some(number),
            _ => None,
        }
    }

    /// The value's size by DynamoDB's rules.
    pub fn size(&self) -> usize {
        match self {
            Value::S(text) => text.len(),
            Value::N(number) => number.size(),
            Value::B(bytes) => bytes.len(),
            Value::Bool(_) | Value::Null => 1,
            Value::L(list) => 3 + list.iter().map(|value| 1 + value.size()).sum::<usize>(),
            Value::M(map) => 3 + map.written_values().count() + map.size(),
            Value::Ss(set) => set.iter().map(String::len).sum(),
            Value::Ns(set) => set.iter().map(Number::size).sum(),
            Value::Bs(set) => set.iter().map(Vec::len).sum(),
        }
    }

    pub(crate) fn is_empty_set(&self) -> bool {
        match self {
            Value::Ss(set) => set.is_empty(),
            Value::Ns(set) => set.is_empty(),
            Value::Bs(set) => set.is_empty(),
            _ => false,
        }
    }
}

fn encode_set<T: SetElement>(set: &BTreeSet<T>, writer: &mut Writer) -> Result<(), CodecError> {
    if set.is_empty() {
        return Err(CodecError::new(
            "an empty set that cannot be omitted: DynamoDB has no empty sets",
        ));
    }
    writer.open_set(T::TAG.name());
    for element in set {
        element.write_element(writer)?;
    }
    writer.close_set();
    Ok(())
}

fn decode_set<T: SetElement + Ord>(reader: &mut Reader<'_>) -> Result<BTreeSet<T>, CodecError> {
    reader.open(T::TAG)?;
    reader.open_array()?;
    let mut set = BTreeSet::new();
    let mut first = true;
    while reader.next_element(&mut first)? {
        set.insert(T::read_element(reader)?);
    }
    reader.close()?;
    Ok(set)
}

#[diagnostic::do_not_recommend]
impl DynamoValue for Value {
    stored_as!();

    const MODEL: TypeModel = TypeModel::Known { name: "Value" };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        match self {
            Value::S(text) => text.encode(writer),
            Value::N(number) => number.encode(writer),
            Value::B(bytes) => bytes.encode(writer),
            Value::Bool(value) => value.encode(writer),
            Value::Null => {
                writer.null();
                Ok(())
            }
            Value::L(list) => list.encode(writer),
            Value::M(map) => map.encode(writer),
            Value::Ss(set) => encode_set(set, writer),
            Value::Ns(set) => encode_set(set, writer),
            Value::Bs(set) => encode_set(set, writer),
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok(match reader.tag()? {
            Tag::S => Value::S(reader.text()?.into_owned()),
            Tag::N => Value::N(Number::decode(reader)?),
            Tag::B => Value::B(reader.binary()?),
            Tag::Bool => Value::Bool(reader.boolean()?),
            Tag::Null => {
                reader.take_null()?;
                Value::Null
            }
            Tag::L => Value::L(Vec::decode(reader)?),
            Tag::M => Value::M(Item::decode(reader)?),
            Tag::Ss => Value::Ss(decode_set(reader)?),
            Tag::Ns => Value::Ns(decode_set(reader)?),
            Tag::Bs => Value::Bs(decode_set(reader)?),
        })
    }
}

/// An item is a map when it is a value.
#[diagnostic::do_not_recommend]
impl DynamoValue for Item {
    stored_as!(M, "Item");

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.open_map()?;
        self.write_entries(writer)?;
        writer.close_map();
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.open_map()?;
        let item = Item::read_entries(reader)?;
        reader.close_map()?;
        Ok(item)
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        Item(
            entries
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            KeptAttributes::default(),
        )
    }
}

impl<N: Into<String>, V: Into<Value>> Extend<(N, V)> for Item {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, entries: I) {
        self.0.extend(
            entries
                .into_iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
    }
}

impl IntoIterator for Item {
    type Item = (String, Value);
    type IntoIter = btree_map::IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Item {
    type Item = (&'a String, &'a Value);
    type IntoIter = btree_map::Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

macro_rules! value_from {
    ($($from:ty => $make:expr;)*) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                let make: fn($from) -> Value = $make;
                make(value)
            }
        }
    )*};
}

value_from! {
    &str => |text| Value::S(text.to_owned());
    String => Value::S;
    bool => Value::Bool;
    Number => Value::N;
    Vec<u8> => Value::B;
    Vec<Value> => Value::L;
    Item => Value::M;
    BTreeSet<String> => Value::Ss;
    BTreeSet<Number> => Value::Ns;
    BTreeSet<Vec<u8>> => Value::Bs;
    i32 => |number| Value::N(number.into());
    i64 => |number| Value::N(number.into());
    u32 => |number| Value::N(number.into());
    u64 => |number| Value::N(number.into());
}
