//! The parts of a key without their type, and what is written of them.

use super::Known;
use super::shard::hash_of_json;
use crate::json::{CodecError, Writer};
use crate::key::{KeyHash, Shard};
use crate::schema::EntityDef;

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

pub(super) fn write_parts(parts: &dyn UntypedParts, writer: &mut Writer) -> Result<(), CodecError> {
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

pub(super) fn hash_of_parts(parts: &dyn UntypedParts) -> Result<KeyHash, CodecError> {
    let mut writer = Writer::with_capacity(128);
    writer.push_raw("{");
    parts.write_key(Shard::Without, &mut writer)?;
    writer.push_raw("}");
    hash_of_json(writer.as_bytes())
}
