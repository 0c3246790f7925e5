//! The constant attributes of an entity, and their values in an item.

use std::fmt;

use crate::codec::Value;
use crate::json::{CodecError, Number, Reader, Writer};

/// One attribute of `constant("__edb_v__" = "1")`: all items of the entity have it with this value, and rows of the same
/// type with another value belong to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantDef {
    /// The attribute.
    pub attribute: &'static str,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a constant attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantValue {
    /// A text.
    Text(&'static str),
    /// An integer.
    Number(i64),
}

impl ConstantDef {
    /// Whether the next value is that of the constant.
    pub(crate) fn is_stored(&self, reader: &mut Reader<'_>) -> Result<bool, CodecError> {
        match self.value {
            ConstantValue::Text(own) => Ok(reader.text()? == own),
            ConstantValue::Number(own) => {
                let found: Result<Number, _> = reader.digits()?.parse();
                Ok(found.is_ok_and(|found| found == Number::from(own)))
            }
        }
    }

    /// The value as DynamoDB JSON.
    pub(crate) fn json(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write_value(&mut writer);
        writer.into_bytes()
    }

    /// The value in an item.
    pub(crate) fn item_value(&self) -> Value {
        match self.value {
            ConstantValue::Text(text) => text.into(),
            ConstantValue::Number(number) => number.into(),
        }
    }

    /// Writes the value.
    pub(crate) fn write_value(&self, writer: &mut Writer) {
        match self.value {
            ConstantValue::Text(text) => writer.text(text),
            ConstantValue::Number(number) => writer.write_integer(number),
        }
    }
}

/// As it is written in the declaration.
impl fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstantValue::Text(text) => write!(f, "{text:?}"),
            ConstantValue::Number(number) => write!(f, "{number}"),
        }
    }
}
