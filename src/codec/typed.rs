//! Values of plain JSON in the types that JSON lacks.

use std::collections::BTreeSet;

use super::Value;
use crate::json::{Number, Tag};

impl Value {
    /// The value of plain JSON in the type in which it is stored, as far as JSON lacks the type: sets are lists there, bytes
    /// are texts in Base64, and numbers may be texts. None if it cannot have the type; other types are not compared.
    ///
    /// ```
    /// use dynamo_entity::Value;
    /// use dynamo_entity::codec::Tag;
    ///
    /// let tags = Value::L(vec!["new".into(), "hot".into()]);
    /// assert_eq!(tags.into_type(Tag::Ss).map(|tags| tags.tag()), Some(Tag::Ss));
    /// assert_eq!(Value::from("new").into_type(Tag::Ss), None);
    /// ```
    pub fn into_type(self, stored: Tag) -> Option<Value> {
        Some(match (stored, self) {
            (Tag::B, Value::S(text)) => Value::B(bytes(Value::S(text))?),
            // Other programs write big numbers as texts, because their own JSON would round them.
            (Tag::N, Value::S(text)) => Value::N(text.parse().ok()?),
            (Tag::Ss, Value::L(list)) => Value::Ss(set(list, |value| match value {
                Value::S(text) => Some(text),
                _ => None,
            })?),
            (Tag::Ns, Value::L(list)) => Value::Ns(set(list, number)?),
            (Tag::Bs, Value::L(list)) => Value::Bs(set(list, bytes)?),
            (Tag::B | Tag::Ss | Tag::Ns | Tag::Bs, value) if value.tag() != stored => return None,
            (_, value) => value,
        })
    }
}

fn set<T: Ord>(list: Vec<Value>, read: impl Fn(Value) -> Option<T>) -> Option<BTreeSet<T>> {
    let count = list.len();
    let set: BTreeSet<T> = list.into_iter().map(read).collect::<Option<_>>()?;
    // A set with a repeated element is no set; dropping it would store something else than the file
    // says.
    (set.len() == count).then_some(set)
}

fn number(value: Value) -> Option<Number> {
    match value {
        Value::N(number) => Some(number),
        Value::S(text) => text.parse().ok(),
        _ => None,
    }
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    let text = value.as_text()?;
    base64_simd::STANDARD.decode_to_vec(text.as_bytes()).ok()
}
