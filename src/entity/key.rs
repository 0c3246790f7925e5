//! The key of one item.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::contract::KeyParts;
use super::parts::{fields_json, key_json};
use super::{DynamoEntity, HasDeclaration, UntypedKey};
use crate::codec::Item;
use crate::error::{Error, Result};
use crate::json::{CodecError, Writer};

/// The key of one item of the entity `E`. Shows its typed parts: `key.order_no`.
///
/// Two keys are equal if DynamoDB treats them as the same key.
pub struct Key<E: DynamoEntity> {
    parts: E::KeyParts,
}

impl<E: DynamoEntity> Key<E> {
    #[doc(hidden)]
    pub fn from_parts(parts: E::KeyParts) -> Self {
        Key { parts }
    }

    /// The key of an entity.
    pub(crate) fn of(entity: &E) -> Self {
        Key::from_parts(entity.key_parts())
    }

    /// Returns the key attributes as stored in the table.
    pub fn to_item(&self) -> Result<Item> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        Item::from_dynamo_json(&self.to_json().map_err(fail)?).map_err(fail)
    }

    pub(crate) fn write(&self, writer: &mut Writer) -> Result<()> {
        self.parts
            .write(writer)
            .map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
    }

    /// The attributes of the fields that the key contains whole, without the key attributes, as an object.
    pub(crate) fn fields_json(&self) -> Result<Vec<u8>, CodecError> {
        fields_json(&self.parts)
    }

    /// The key without its type, for planning.
    pub(crate) fn to_untyped(&self) -> Result<UntypedKey, CodecError> {
        UntypedKey::of(E::DECLARATION, &self.parts)
    }

    /// The same, with the error of a key that cannot be written.
    pub(crate) fn untyped(&self) -> Result<UntypedKey> {
        self.to_untyped()
            .map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
    }

    /// The key attributes as an object.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, CodecError> {
        key_json(&self.parts)
    }

    /// The identity by which keys are compared. Keys that cannot be written name no item and are all equal.
    fn identity(&self) -> Option<Vec<u8>> {
        self.to_json().ok()
    }
}

impl<E: DynamoEntity> Deref for Key<E> {
    type Target = E::KeyParts;

    fn deref(&self) -> &E::KeyParts {
        &self.parts
    }
}

impl<E: DynamoEntity> Clone for Key<E> {
    fn clone(&self) -> Self {
        Key {
            parts: self.parts.clone(),
        }
    }
}

impl<E: DynamoEntity> PartialEq for Key<E> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<E: DynamoEntity> Eq for Key<E> {}

impl<E: DynamoEntity> Hash for Key<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// `Key<Order>({"pk":{"S":"USER#u1"},"sk":{"S":"ORDER#7"}})`: keys are shown, because they name the item.
impl<E: DynamoEntity> fmt::Debug for Key<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = self.to_json();
        let shown = match &json {
            Ok(json) => String::from_utf8_lossy(json).into_owned(),
            Err(fault) => format!("invalid: {fault}"),
        };
        write!(f, "Key<{}>({shown})", E::ENTITY.type_name)
    }
}
