//! [`Item`] from and into the SDK's map of attribute values.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

use crate::codec::{Item, Value};
use crate::json::Number;

impl From<HashMap<String, AttributeValue>> for Item {
    fn from(map: HashMap<String, AttributeValue>) -> Self {
        map.into_iter().collect()
    }
}

impl From<Item> for HashMap<String, AttributeValue> {
    fn from(item: Item) -> Self {
        item.into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect()
    }
}

/// A value of a type that this version of the SDK does not know becomes NULL, because the SDK has dropped it.
impl From<AttributeValue> for Value {
    fn from(value: AttributeValue) -> Self {
        match value {
            AttributeValue::S(text) => Value::S(text),
            // The SDK does not validate numbers. Text that is not a number is kept, and reported
            // when it is decoded.
            AttributeValue::N(digits) => Value::N(Number::from_foreign(&digits)),
            AttributeValue::B(bytes) => Value::B(bytes.into_inner()),
            AttributeValue::Bool(value) => Value::Bool(value),
            AttributeValue::L(list) => Value::L(list.into_iter().map(Value::from).collect()),
            AttributeValue::M(map) => Value::M(map.into()),
            AttributeValue::Ss(set) => Value::Ss(set.into_iter().collect()),
            AttributeValue::Ns(set) => Value::Ns(
                set.iter()
                    .map(|digits| Number::from_foreign(digits))
                    .collect(),
            ),
            AttributeValue::Bs(set) => Value::Bs(set.into_iter().map(Blob::into_inner).collect()),
            _ => Value::Null,
        }
    }
}

impl From<Value> for AttributeValue {
    fn from(value: Value) -> Self {
        match value {
            Value::S(text) => AttributeValue::S(text),
            Value::N(number) => AttributeValue::N(number.to_string()),
            Value::B(bytes) => AttributeValue::B(Blob::new(bytes)),
            Value::Bool(value) => AttributeValue::Bool(value),
            Value::Null => AttributeValue::Null(true),
            Value::L(list) => AttributeValue::L(list.into_iter().map(Into::into).collect()),
            Value::M(item) => AttributeValue::M(item.into()),
            Value::Ss(set) => AttributeValue::Ss(set.into_iter().collect()),
            Value::Ns(set) => AttributeValue::Ns(set.iter().map(ToString::to_string).collect()),
            Value::Bs(set) => AttributeValue::Bs(set.into_iter().map(Blob::new).collect()),
        }
    }
}
