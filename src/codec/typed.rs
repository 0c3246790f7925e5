//! Values of plain JSON in the types that JSON lacks.

use std::collections::BTreeSet;

use super::Value;
use crate::json::{Number, Tag};

impl Value {
    /// Converts a value of plain JSON to a stored type that JSON does not have. In plain JSON, sets are lists, bytes
    /// are texts in Base64, and numbers may be texts. Returns `None` if the value does not fit; other types are not
    /// checked.
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
    // A list with a repeated element is not a set. Without the element, the stored set would differ
    // from the file.
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
