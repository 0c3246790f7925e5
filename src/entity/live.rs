//! Stored bytes to entities, and which of them still live.

use super::DynamoEntity;
use crate::clock::Timestamp;
use crate::codec::Reader;
use crate::error::{Error, Result};

/// The entity of one object of DynamoDB JSON.
pub(crate) fn read<E: DynamoEntity>(json: &[u8]) -> Result<E> {
    E::decode(&mut Reader::new(json)).map_err(|fault| Error::decode(E::ENTITY.type_name, fault))
}

/// The entity, unless its time is over. DynamoDB may hold an expired item for days.
pub(crate) fn read_live<E: DynamoEntity>(json: &[u8], now: Timestamp) -> Result<Option<E>> {
    let entity: E = read(json)?;
    let expired = entity.expires_at().is_some_and(|at| at <= now.seconds());
    Ok((!expired).then_some(entity))
}
