//! The key of an entity, and the requests that write an item by its key.

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{UntypedEntity, UntypedKey};
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::plan::{ConditionFailure, WriteRequest, WriteVerb};
use crate::schema::Pattern;

/// The key of an entity.
pub(crate) fn untyped_key(entity: &dyn UntypedEntity) -> Result<UntypedKey> {
    let key = entity.untyped_key();
    key.map_err(|fault| entity.declaration().unwritten(fault))
}

/// An update by key.
pub(crate) fn update_of(
    pattern: &'static Pattern,
    key: &UntypedKey,
    update: UpdateActions,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> Result<WriteRequest> {
    let declared = key.declared;
    let mut write =
        WriteRequest::of_entity(declared, WriteVerb::Update, pattern, 512, asked, now, db);
    write.at_key(key.json());
    write.encode_change(update)?;
    Ok(write)
}

/// A delete by key.
pub(crate) fn delete_of(
    pattern: &'static Pattern,
    key: &UntypedKey,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> WriteRequest {
    let (declared, verb) = (key.declared, WriteVerb::Delete);
    let mut write = WriteRequest::of_entity(declared, verb, pattern, 256, asked, now, db);
    write.at_key(key.json());
    write
}
