//! The typed parts of a key, and what is written of them.

use super::shard::hash_of_json;
use super::{DynamoEntity, EntityContract, Known};
use crate::json::{CodecError, Reader, Writer};
use crate::key::{KeyHash, Shard};
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
    writer.push_raw("{");
    write_parts(parts, &mut writer)?;
    writer.push_raw("}");
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
pub(super) fn fields_json(parts: &dyn UntypedParts) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::for_request(64);
    writer.push_raw("{");
    parts.write_whole_fields(&mut writer)?;
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

/// The hash of a key, from its parts.
pub fn hash_of_key<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_parts(parts)
}

pub(super) fn hash_of_parts(parts: &dyn UntypedParts) -> Result<KeyHash, CodecError> {
    let mut writer = Writer::with_capacity(128);
    writer.push_raw("{");
    parts.write_key(Shard::Without, &mut writer)?;
    writer.push_raw("}");
    hash_of_json(writer.as_bytes())
}

/// The hash of the key of an item that was read. Parts that cannot be written are not those of its key.
pub fn hash_of_read<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_key(parts).map_err(|_| CodecError::key_differs())
}
