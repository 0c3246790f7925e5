//! [`Item`] as plain JSON, through serde: the form for an API or a file, not the stored form.
//!
//! Writing: numbers stay numbers where readers of JSON keep them exact (integers of 64 bits, fractions of
//! up to 15 digits and of usual size), and become text elsewhere; sets are arrays, bytes are
//! base64 text. Reading: text is `S`, numbers are `N`, arrays are `L`. A number that a reader of JSON may
//! already have rounded is rejected; [`Item::from_json`] reads the text itself.

use ::serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

use super::{Item, Value};
use crate::error::{Error, Result};
use crate::json::{CodecError, Number, Reader};

impl Item {
    /// Reads an object of plain JSON with every digit of its numbers. Nothing is rounded: a number that DynamoDB cannot
    /// hold is an error of the kind [`InvalidValue`](crate::error::ErrorKind::InvalidValue), and so is text that is not
    /// JSON. Text becomes `S`, numbers `N`, arrays `L`, objects `M`.
    ///
    /// Other readers of JSON that go through serde turn large integers and all fractions into floats, and their digits
    /// are lost. There a float of more than 15 digits, or of 2^53 and more, is rejected, because it may represent several
    /// numbers; `serde_json` passes on all digits with its feature `arbitrary_precision`.
    ///
    /// ```
    /// use dynamo_entity::Item;
    /// let json = r#"{"id":123456789012345678901234567890,"share":0.1234567890123456789}"#;
    /// let item = Item::from_json(json)?;
    /// assert_eq!(item.get("id").and_then(|id| id.as_number()).unwrap().as_str(), "123456789012345678901234567890");
    /// assert!(serde_json::from_str::<Item>(json).is_err());
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn from_json(json: &str) -> Result<Item> {
        let item = Reader::starting_at(json, 0).plain_item();
        item.map_err(|fault| Error::encode("Item", fault))
    }

    /// Reads an object of DynamoDB JSON, in which each value has its type, as in exports and events. Text that is no such
    /// item is an error of the kind [`InvalidValue`](crate::error::ErrorKind::InvalidValue).
    ///
    /// ```
    /// use dynamo_entity::Item;
    /// let json = r#"{"id":{"S":"a1"},"tags":{"SS":["new","red"]}}"#;
    /// let item = Item::from_dynamodb_json(json)?;
    /// assert_eq!(item.to_dynamodb_json()?, json);
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn from_dynamodb_json(json: &str) -> Result<Item> {
        let item = Item::from_dynamo_json(json.as_bytes());
        item.map_err(|fault| Error::encode("Item", fault))
    }

    /// Writes the item as one line of DynamoDB JSON, in which each value has its type.
    pub fn to_dynamodb_json(&self) -> Result<String> {
        let json = self.to_dynamo_json();
        let json = json.map_err(|fault| Error::encode("Item", fault))?;
        String::from_utf8(json)
            .map_err(|_| Error::encode("Item", CodecError::new("text that is not UTF-8")))
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::S(text) => serializer.serialize_str(text),
            Value::N(number) => number.serialize(serializer),
            Value::B(bytes) => serializer.serialize_str(&encode_base64(bytes)),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Null => serializer.serialize_unit(),
            Value::L(list) => serializer.collect_seq(list),
            Value::M(map) => map.serialize(serializer),
            Value::Ss(set) => serializer.collect_seq(set),
            Value::Ns(set) => serializer.collect_seq(set),
            Value::Bs(set) => serializer.collect_seq(set.iter().map(|bytes| encode_base64(bytes))),
        }
    }
}

fn encode_base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}

/// From this number on a float represents several integers.
const INTEGERS: f64 = 9_007_199_254_740_992.0;

/// The name of the map in which `serde_json` passes on the digits of a number with its feature `arbitrary_precision`.
const DIGITS: &str = "$serde_json::private::Number";

/// A JSON number where that loses nothing, else text.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(integer) = self.as_str().parse::<i64>() {
            return serializer.serialize_i64(integer);
        }
        if let Ok(integer) = self.as_str().parse::<u64>() {
            return serializer.serialize_u64(integer);
        }
        // Larger integers do not fit a float exactly, and readers disagree about the last bit of longer fractions: by
        // default, the parser of serde_json is not exact.
        if let (true, Ok(float)) = (self.is_short(15, 22), self.as_str().parse::<f64>())
            && float.abs() < INTEGERS
        {
            return serializer.serialize_f64(float);
        }
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of attributes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut item = Item::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            item.insert(name, value);
        }
        Ok(item)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let from_text = deserializer.is_human_readable();
        deserializer.deserialize_any(ValueVisitor { from_text })
    }
}

struct ValueVisitor {
    /// Whether floats were parsed from text whose digits are lost, and not from eight bytes.
    from_text: bool,
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::N(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::N(value.into()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        parse_number(&value.to_string())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        parse_number(&value.to_string())
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<Value, E> {
        parse_number(&format!("{value:e}"))
    }

    /// A float of up to 15 digits has the digits of its text, because all such texts are different floats.
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number: Number = format!("{value:e}").parse().map_err(E::custom)?;
        if self.from_text && !(number.has_digits(15) && value.abs() < INTEGERS) {
            return Err(E::custom(
                "a number was read as a float of 64 bits, which may have lost some of its digits: read the text by \
                 `Item::from_json`, or give serde_json its feature `arbitrary_precision`",
            ));
        }
        Ok(Value::N(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::S(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::S(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::B(bytes.to_vec()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = sequence.next_element()? {
            list.push(value);
        }
        Ok(Value::L(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(first) = map.next_key::<String>()? else {
            return Ok(Value::M(Item::new()));
        };
        // With its feature `arbitrary_precision`, serde_json passes a number as a map with this
        // name.
        if first == DIGITS {
            return parse_number(&map.next_value::<String>()?);
        }
        let value: Value = map.next_value()?;
        let mut item = ItemVisitor.visit_map(map)?;
        // If a name occurs twice, the last value counts, as in serde_json. The first name was read before the others.
        if !item.contains(&first) {
            item.insert(first, value);
        }
        Ok(Value::M(item))
    }
}

fn parse_number<E: de::Error>(text: &str) -> Result<Value, E> {
    text.parse().map(Value::N).map_err(E::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The map that `serde_json` passes on with its feature `arbitrary_precision`.
    #[test]
    fn digits_are_a_number() {
        let given = |digits: &str| {
            let json = format!("{{\"n\":[{{\"{DIGITS}\":\"{digits}\"}}]}}");
            serde_json::from_str::<Item>(&json)
        };
        let digits = "12345678901234567890.123456789012345678";
        let number = digits.parse::<Number>().unwrap();
        let expected = Value::L(vec![Value::N(number)]);
        assert_eq!(given(digits).unwrap().get("n"), Some(&expected));
        assert!(given("1e999").is_err());
    }

    #[test]
    fn floats_that_may_be_others_are_refused() {
        let read = |text: &str| {
            let item: Result<Item, _> = serde_json::from_str(&format!("{{\"n\":{text}}}"));
            item.ok()?.get("n")?.as_number().map(ToString::to_string)
        };
        for text in [
            "0.5",
            "-12.25",
            "9007199254740991",
            "18446744073709551615",
            "0.123456789012345",
        ] {
            assert_eq!(read(text).as_deref(), Some(text));
        }
        assert_eq!(read("1e3").as_deref(), Some("1000"));
        for text in [
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "1e16",
            "0.1234567890123456",
            "3.14159265358979323846",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_map_is_a_map() {
        let item: Item = serde_json::from_str(r#"{"m":{"a":1,"b":{},"a":2},"e":{}}"#).unwrap();
        let map = [("a", Value::from(2)), ("b", Value::M(Item::new()))];
        assert_eq!(item.get("m"), Some(&Value::M(map.into_iter().collect())));
        assert_eq!(item.get("e"), Some(&Value::M(Item::new())));
    }
}
