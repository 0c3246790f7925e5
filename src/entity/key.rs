//! The key of one item.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::shard::hash_of_parts;
use super::{DynamoEntity, EntityContract, HasDeclaration, Known, UntypedKey, read_key};
use crate::codec::Item;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, Writer};
use crate::key::Shard;
use crate::schema::EntityDef;

/// The typed parts of a key, such as `user_id` and `order_no`. The derive of the entity generates this type.
pub trait KeyParts: Clone + Send + Sync + 'static {
    /// The entity of the key.
    type Entity: DynamoEntity;

    /// Writes the key attributes into the open object.
    #[doc(hidden)]
    fn write(&self, writer: &mut Writer) -> Result<(), CodecError> {
        write_parts(self, writer)
    }

    /// Writes the key attributes with this shard, if the partition key has shards.
    #[doc(hidden)]
    fn write_in(&self, shard: Shard, writer: &mut Writer) -> Result<(), CodecError>;

    /// Records the values of the fields that the key contains whole.
    #[doc(hidden)]
    fn tell(&self, _known: &mut Known) {}

    /// Writes the attributes of the fields that the key contains whole, without the key attributes.
    #[doc(hidden)]
    fn write_fields(&self, _writer: &mut Writer) -> Result<(), CodecError> {
        Ok(())
    }

    /// Reads the parts from an object that contains the key attributes and perhaps others.
    #[doc(hidden)]
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::read_with(reader, None)
    }

    /// Reads the parts and lets `put` replace some; the stored key must be the one of the resulting parts (law K8).
    #[doc(hidden)]
    fn read_with(
        reader: &mut Reader<'_>,
        put: Option<&mut dyn FnMut(&mut Self)>,
    ) -> Result<Self, CodecError>;
}

/// The parts of a key without their type, for code that is compiled once and not for each entity of a program.
pub(crate) trait UntypedParts {
    /// The entity of the key.
    fn entity_def(&self) -> &'static EntityDef;

    /// Writes the key attributes with this shard into the open object.
    fn write_key(&self, shard: Shard, writer: &mut Writer) -> Result<(), CodecError>;

    /// Records the values of the fields that the key contains whole.
    fn tell_fields(&self, known: &mut Known);

    /// Writes the attributes of the fields that the key contains whole.
    fn write_whole_fields(&self, writer: &mut Writer) -> Result<(), CodecError>;
}

impl<P: KeyParts> UntypedParts for P {
    fn entity_def(&self) -> &'static EntityDef {
        &<P::Entity as EntityContract>::ENTITY
    }

    fn write_key(&self, shard: Shard, writer: &mut Writer) -> Result<(), CodecError> {
        self.write_in(shard, writer)
    }

    fn tell_fields(&self, known: &mut Known) {
        self.tell(known);
    }

    fn write_whole_fields(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.write_fields(writer)
    }
}

fn write_parts(parts: &dyn UntypedParts, writer: &mut Writer) -> Result<(), CodecError> {
    let shard = match parts.entity_def().pk.shards() {
        Some(_) => Shard::Of(hash_of_parts(parts)?),
        None => Shard::Without,
    };
    parts.write_key(shard, writer)
}

/// The key attributes as an object.
pub(super) fn key_json(parts: &dyn UntypedParts) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(128);
    writer.raw("{");
    write_parts(parts, &mut writer)?;
    writer.raw("}");
    Ok(writer.into_bytes())
}

/// The values known from the key: the fields that it contains whole, and the hash that determines the shards of
/// indexes.
pub(super) fn told_by(parts: &dyn UntypedParts) -> Result<Known, CodecError> {
    let mut known = Known::default();
    parts.tell_fields(&mut known);
    if parts.entity_def().has_sharded_indexes() {
        known.tell_hash(hash_of_parts(parts)?);
    }
    Ok(known)
}

/// The attributes of the fields that the key contains whole, without the key attributes, as an object.
fn fields_json(parts: &dyn UntypedParts) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::for_request(64);
    writer.raw("{");
    parts.write_whole_fields(&mut writer)?;
    writer.raw("}");
    Ok(writer.into_bytes())
}

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

    /// The key of an item of this entity; the item need not contain other attributes.
    pub(crate) fn from_item(item: impl Into<Item>) -> Result<Self> {
        let json = item.into().to_dynamo_json();
        read_key(&json.map_err(|fault| Error::decode(E::ENTITY.type_name, fault))?)
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
