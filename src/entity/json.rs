//! Entities as items and as plain bytes, outside requests: for collections, streams, benchmarks and fuzzing.

use crate::codec::Item;
use crate::entity::{DynamoEntity, ManagedValues, encode_as_is};
use crate::error::{Error, Result};

/// The item as DynamoDB JSON.
pub fn to_json<E: DynamoEntity>(entity: &E) -> Result<Vec<u8>> {
    encode_as_is(entity).map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
}

/// The item as it is stored.
pub fn to_item<E: DynamoEntity>(entity: &E) -> Result<Item> {
    Item::from_dynamo_json(&to_json(entity)?)
        .map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
}

/// The entity as it is read back, if that is known without decoding it.
pub fn as_stored<E: DynamoEntity>(entity: &E) -> Option<E> {
    entity.as_stored(&ManagedValues::as_is())
}

/// The entity of an item in DynamoDB JSON.
pub fn from_json<E: DynamoEntity>(json: &[u8]) -> Result<E> {
    crate::entity::read(json)
}

/// Any item in DynamoDB JSON.
pub fn read_item_json(json: &[u8]) -> Result<Item> {
    Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault))
}
