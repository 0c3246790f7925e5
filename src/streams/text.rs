//! JSON that arrives through serde, written as text again for the reader of the library.
//!
//! Attribute values of DynamoDB JSON are texts, booleans, lists and objects, so no digit passes through a float. The
//! only numbers of an event are times.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::json::escape_into;

/// The name of the map in which `serde_json` provides the digits of a number if its feature `arbitrary_precision` is
/// enabled.
const DIGITS: &str = "$serde_json::private::Number";

/// JSON as bytes.
pub(super) struct EventJson(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for EventJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut out = Vec::new();
        EventJsonOf(&mut out).deserialize(deserializer)?;
        Ok(EventJson(out))
    }
}

/// Appends the next value.
struct EventJsonOf<'o>(&'o mut Vec<u8>);

impl EventJsonOf<'_> {
    fn push_raw(self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn push_quoted(&mut self, text: &str) {
        self.0.push(b'"');
        escape_into(self.0, text);
        self.0.push(b'"');
    }
}

impl<'de> DeserializeSeed<'de> for EventJsonOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EventJsonOf<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.push_raw(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.push_raw(&value.to_string());
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.push_raw(&value.to_string());
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        match value.is_finite() {
            true => self.push_raw(&value.to_string()),
            false => self.push_raw("null"),
        }
        Ok(())
    }

    fn visit_str<E: de::Error>(mut self, text: &str) -> Result<(), E> {
        self.push_quoted(text);
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.push_raw("null");
        Ok(())
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let start = self.0.len();
        loop {
            let end = self.0.len();
            if end > start {
                self.0.push(b',');
            }
            if list.next_element_seed(EventJsonOf(self.0))?.is_none() {
                // The comma was written before it was known whether another element follows, so it is removed here.
                self.0.truncate(end);
                self.0.push(b']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut is_first = true;
        while let Some(name) = map.next_key::<String>()? {
            // Any crate of the program may enable that feature of serde_json, and then numbers
            // arrive as such maps.
            if is_first && name == DIGITS {
                let digits: String = map.next_value()?;
                self.push_raw(&digits);
                return Ok(());
            }
            self.0.push(if is_first { b'{' } else { b',' });
            is_first = false;
            self.push_quoted(&name);
            self.0.push(b':');
            map.next_value_seed(EventJsonOf(self.0))?;
        }
        self.push_raw(if is_first { "{}" } else { "}" });
        Ok(())
    }
}
