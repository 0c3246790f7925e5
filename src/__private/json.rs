//! Entities as bare bytes, for benchmarks and fuzzing.

use crate::codec::{Item, Writer};
use crate::entity::{DynamoEntity, Stamp};
use crate::error::{Error, Result};

/// The item as DynamoDB JSON.
pub fn to_json<E: DynamoEntity>(entity: &E) -> Result<Vec<u8>> {
    let mut writer = Writer::with_capacity(1024);
    writer.raw("{");
    entity
        .encode(&Stamp::as_is(), &mut writer)
        .map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
    writer.raw("}");
    Ok(writer.into_bytes())
}

/// The entity of an item in DynamoDB JSON.
pub fn from_json<E: DynamoEntity>(json: &[u8]) -> Result<E> {
    crate::entity::read(json)
}

/// Any item in DynamoDB JSON.
pub fn read_item_json(json: &[u8]) -> Result<Item> {
    Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault))
}
