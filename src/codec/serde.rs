//! The bridge to serde: `#[dynamo(serde)]` fields and `serde_dynamo::Item`.

use ::serde::{Serialize, de::DeserializeOwned};
use std::collections::HashMap;

use super::{DynamoValue, Item, Value};
use crate::json::{CodecError, Name, Number, Reader, Writer};

/// Messages of serde and of foreign types may quote a value, so they are left out.
#[cold]
fn silent_error(what: &str) -> CodecError {
    CodecError::new(format!(
        "{what}; its message may contain values and is not shown"
    ))
}

/// A field whose type only knows serde. A value that serde calls null is an absent attribute, or NULL with `null`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored through serde",
    label = "not both `Serialize` and `Deserialize`",
    note = "write `#[derive(Serialize, Deserialize)]` on the type, or `#[derive(DynamoValue)]` and no `#[dynamo(serde)]` on the field"
)]
pub trait SerdeField: Sized {
    /// Writes the name and the value, or nothing if the value is null.
    fn encode_serde(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the name and the value, or NULL if the value is null.
    #[doc(hidden)]
    fn encode_serde_null(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads the value.
    fn decode_serde(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The meaning of a missing attribute: the value that serde reads from null, if one exists.
    fn absent_serde() -> Option<Self>;

    /// Whether a missing attribute means something.
    fn is_optional() -> bool {
        Self::absent_serde().is_some()
    }
}

fn stored_value<T: Serialize>(value: &T) -> Result<Value, CodecError> {
    let value: serde_dynamo::AttributeValue = serde_dynamo::to_attribute_value(value)
        .map_err(|_| silent_error("the type's own serde code cannot store it"))?;
    Ok(value.into())
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> SerdeField for T {
    fn encode_serde(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        match stored_value(self)? {
            Value::Null => Ok(()),
            value => {
                writer.name(name);
                value.encode(writer)
            }
        }
    }

    fn encode_serde_null(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        let value = stored_value(self)?;
        writer.name(name);
        value.encode(writer)
    }

    fn decode_serde(reader: &mut Reader<'_>) -> Result<T, CodecError> {
        let value = serde_dynamo::AttributeValue::from(Value::decode(reader)?);
        serde_dynamo::from_attribute_value(value)
            .map_err(|_| silent_error("the stored value does not fit the type's own serde code"))
    }

    fn absent_serde() -> Option<T> {
        serde_dynamo::from_attribute_value(serde_dynamo::AttributeValue::Null(true)).ok()
    }
}

impl From<serde_dynamo::AttributeValue> for Value {
    fn from(value: serde_dynamo::AttributeValue) -> Self {
        use serde_dynamo::AttributeValue as Foreign;
        match value {
            Foreign::S(text) => Value::S(text),
            Foreign::N(digits) => Value::N(Number::from_foreign(&digits)),
            Foreign::B(bytes) => Value::B(bytes),
            Foreign::Bool(value) => Value::Bool(value),
            Foreign::Null(_) => Value::Null,
            Foreign::L(list) => Value::L(list.into_iter().map(Value::from).collect()),
            Foreign::M(map) => Value::M(map.into_iter().collect()),
            Foreign::Ss(set) => Value::Ss(set.into_iter().collect()),
            Foreign::Ns(set) => Value::Ns(
                set.iter()
                    .map(|digits| Number::from_foreign(digits))
                    .collect(),
            ),
            Foreign::Bs(set) => Value::Bs(set.into_iter().collect()),
        }
    }
}

impl From<Value> for serde_dynamo::AttributeValue {
    fn from(value: Value) -> Self {
        use serde_dynamo::AttributeValue as Foreign;
        match value {
            Value::S(text) => Foreign::S(text),
            Value::N(number) => Foreign::N(number.to_string()),
            Value::B(bytes) => Foreign::B(bytes),
            Value::Bool(value) => Foreign::Bool(value),
            Value::Null => Foreign::Null(true),
            Value::L(list) => Foreign::L(list.into_iter().map(Into::into).collect()),
            Value::M(item) => Foreign::M(item.into_iter().map(|(n, v)| (n, v.into())).collect()),
            Value::Ss(set) => Foreign::Ss(set.into_iter().collect()),
            Value::Ns(set) => Foreign::Ns(set.iter().map(ToString::to_string).collect()),
            Value::Bs(set) => Foreign::Bs(set.into_iter().collect()),
        }
    }
}

impl From<serde_dynamo::Item> for Item {
    fn from(item: serde_dynamo::Item) -> Self {
        item.into_inner().into_iter().collect()
    }
}

impl From<Item> for serde_dynamo::Item {
    fn from(item: Item) -> Self {
        let map: HashMap<_, serde_dynamo::AttributeValue> = item
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        map.into()
    }
}
