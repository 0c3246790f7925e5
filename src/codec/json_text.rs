//! Attributes that contain a JSON text, as programs write them that store documents as strings.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use ::serde::{Serialize, de::DeserializeOwned};
use serde_json::error::Category;

use super::DynamoValue;
use crate::json::{CodecError, Reader, Tag, Writer};
use crate::path::{Mode, Path};

/// A value that is stored as the text of its JSON, `{"S": "{\"a\":1}"}`, as boto3 programs write it with `json.dumps` and
/// JavaScript programs with `JSON.stringify`. It is read and written by serde, and derefs to the value.
///
/// A value that was read contains its text. While the value is unchanged, the same text is written again, with its
/// white space, its order of members, and members that the type does not read. A changed value is written as
/// `serde_json::to_string` writes it.
///
/// ```
/// use dynamo_entity::codec::JsonText;
/// use dynamo_entity::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
/// struct Address { street: String, #[serde(default)] floor: Option<u8> }
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "customers", key(pk = id))]
/// struct Customer { id: String, address: JsonText<Address>, billing: Option<JsonText<Address>> }
///
/// let row: Item = [("id", "c1"), ("address", r#"{ "street": "High St", "zip": 9 }"#)].into_iter().collect();
/// let mut customer = Customer::from_item(row.clone())?;
/// assert_eq!(customer.address.street, "High St");
/// assert_eq!(customer.to_item()?, row); // the same text
///
/// customer.address.floor = Some(2);
/// let item = customer.to_item()?;
/// assert_eq!(item.get("address").and_then(|text| text.as_text()), Some(r#"{"street":"High St","floor":2}"#));
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
///
/// Two values are equal if their contents are equal, even if their texts differ. However, DynamoDB compares texts:
/// `o.address().eq(address)` holds only if the stored text is the one that a write of `address` would store. For an unchanged
/// value that was read from the item, that is the stored text itself.
#[derive(Debug, Clone, Default)]
pub struct JsonText<T> {
    value: T,
    /// The text from which the value was read.
    text: Option<Box<str>>,
    /// The text that this value had when it was read, if serde writes another one. A hash set that is read again has
    /// another order, so only its own text tells whether it has changed.
    written: Option<Box<str>>,
}

impl<T> JsonText<T> {
    /// A value without a stored text.
    pub const fn new(value: T) -> Self {
        JsonText {
            value,
            text: None,
            written: None,
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The text from which the value was read, also if the value has changed since; None for a new value.
    pub fn stored_text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

impl<T> From<T> for JsonText<T> {
    fn from(value: T) -> Self {
        JsonText::new(value)
    }
}

impl<T> Deref for JsonText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for JsonText<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: PartialEq> PartialEq for JsonText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for JsonText<T> {}

impl<T: Hash> Hash for JsonText<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl<T: Serialize + DeserializeOwned> JsonText<T> {
    /// The text that is written: the stored one while the value is unchanged.
    fn text_to_write(&self) -> Result<Cow<'_, str>, CodecError> {
        let written = serde_json::to_string(&self.value).map_err(|_| {
            CodecError::new(
                "the type's own serde code cannot write JSON; its message may contain values and is not shown",
            )
        })?;
        if let Some(text) = self.text.as_deref() {
            // The usual case needs no second reading: serde wrote the value like this when it was read.
            let is_unchanged = self.written.as_deref().unwrap_or(text) == written;
            // The text may contain members that the type does not read, so it is compared by the value that is read from
            // it, and not by its own content.
            let is_alike = |read: T| self.is_written_alike(&read, &written);
            if is_unchanged || serde_json::from_str(text).is_ok_and(is_alike) {
                return Ok(Cow::Borrowed(text));
            }
        }
        // JSON has no NaN, for example, and serde writes null for it.
        if serde_json::from_str::<T>(&written).is_err() {
            return Err(CodecError::new(
                "the type's own serde code writes JSON that it cannot read, for example for a float that is not finite",
            ));
        }
        Ok(Cow::Owned(written))
    }

    fn is_written_alike(&self, read: &T, written: &str) -> bool {
        if serde_json::to_string(read).is_ok_and(|text| text == written) {
            return true;
        }
        // A hash map has another order in each value.
        let values = (
            serde_json::to_value(read),
            serde_json::to_value(&self.value),
        );
        matches!(values, (Ok(read), Ok(own)) if read == own)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> DynamoValue for JsonText<T> {
    type Path<R, M: Mode> = Path<R, Self, M>;

    const STORED: Option<Tag> = Some(Tag::S);

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.text(&self.text_to_write()?);
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let text = reader.text()?;
        let value: T = serde_json::from_str(&text).map_err(|error| rejected(&error))?;
        let written = serde_json::to_string(&value).ok();
        Ok(JsonText {
            written: written.filter(|written| *written != *text).map(Into::into),
            value,
            text: Some(text.into()),
        })
    }
}

/// The place of the mistake. Messages of serde may quote values, so they are left out.
#[cold]
fn rejected(error: &serde_json::Error) -> CodecError {
    let found = match error.classify() {
        Category::Syntax => "no JSON",
        Category::Eof => "JSON that ends too early",
        Category::Data | Category::Io => "JSON that does not fit the type",
    };
    CodecError::new(format!(
        "expected a text with JSON of this type, found {found} at line {}, column {} of the text",
        error.line(),
        error.column()
    ))
}
