//! The unique values of an entity that is loaded, given or stored.

use super::changes::{HeldUniqueValues, UniqueChanges};
use super::rules::{concerns, ttl_field};
use super::sentinel::{Holding, Sentinel, holding};
use crate::entity::{
    DynamoEntity, EntityDeclaration, Key, Known, UntypedEntity, UntypedKey, decode_key,
    encode_as_is,
};
use crate::error::{Error, Result};
use crate::expr::{Node, UpdateAction, UpdateActions, UpdateOperand};
use crate::json::{CodecError, Reader, find_member, is_null};
use crate::plan::WriteRequest;
use crate::schema::SentinelKey;
use crate::write::{
    UpdateOrigin, attribute_of, known, loaded_condition, split, tell_changes, untyped_key,
};

/// The unique values of a loaded entity, and the condition that the stored item still has them.
pub(crate) type LoadedUniques = (HeldUniqueValues, Node);

/// The unique values of a loaded entity.
pub(crate) fn loaded(entity: &dyn UntypedEntity) -> Result<LoadedUniques> {
    let key = untyped_key(entity)?;
    let item = encode_as_is(entity).map_err(|fault| key.declared.unwritten(fault))?;
    loaded_from(&item, &key)
}

fn loaded_from(item: &[u8], key: &UntypedKey) -> Result<LoadedUniques> {
    let declared = key.declared;
    let fail = |fault| declared.unwritten(fault);
    let attributes = split(item).map_err(fail)?;
    let fields = declared.def.uniques.iter().flat_map(|unique| unique.fields);
    let guard = as_loaded(declared, &attributes, fields.copied()).map_err(fail)?;
    let source = UpdateOrigin::of(attributes);
    let known = known(&source, &Node::all([]), key);
    Ok((HeldUniqueValues::of(declared, &known, |_| true)?, guard))
}

/// The condition that the stored item has these fields as they were loaded.
pub(crate) fn as_loaded(
    declared: &EntityDeclaration,
    attributes: &[(String, Vec<u8>)],
    fields: impl Iterator<Item = &'static str>,
) -> Result<Node, CodecError> {
    let mut guards = Vec::new();
    let mut asked: Vec<&str> = Vec::new();
    for field in fields.map(|field| declared.deciding(field)) {
        if asked.contains(&field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of(declared, field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            let held = held.map(|(_, json)| &**json);
            guards.push(loaded_condition(declared, at, attribute, held)?);
        }
    }
    Ok(Node::all(guards))
}

/// The values that a put takes if no live item exists.
pub(crate) fn entering(put: &WriteRequest, key: &UntypedKey) -> Result<UniqueChanges> {
    let declared = key.declared;
    if !concerns(declared) {
        return Ok(UniqueChanges::default());
    }
    let after = holdings_in(put.subject_json(), None, key)?;
    UniqueChanges::between(declared, &HeldUniqueValues::nothing(declared), &after, true)
}

/// The values of an item, or its values after an update.
pub(super) fn holdings_in(
    item: &[u8],
    update: Option<&UpdateActions>,
    key: &UntypedKey,
) -> Result<HeldUniqueValues> {
    let declared = key.declared;
    let attributes = split(item).map_err(|fault| Error::decode(declared.def.type_name, fault))?;
    let mut known = known(&UpdateOrigin::of(attributes), &Node::all([]), key);
    if let Some(update) = update {
        // The stored expiry is noted before the changes are applied, because one of them may keep
        // it.
        let stored = ttl_field(declared).and_then(|field| known.json(field).map(own));
        tell_changes(declared, update, &mut known);
        tell_kept_expiry(update, stored, &mut known, declared);
    }
    HeldUniqueValues::of(declared, &known, |_| true)
}

fn own(json: Option<&[u8]>) -> Option<Vec<u8>> {
    json.map(<[u8]>::to_vec)
}

/// Adds the derived expiry that an upsert writes only if the item has none.
fn tell_kept_expiry(
    update: &UpdateActions,
    stored: Option<Option<Vec<u8>>>,
    known: &mut Known,
    declared: &EntityDeclaration,
) {
    let (Some(ttl), Some(field), Some(stored)) =
        (declared.derived_ttl(), ttl_field(declared), stored)
    else {
        return;
    };
    for (place, action) in update.place_actions() {
        if let UpdateAction::SetIfAbsent(UpdateOperand::Json(json)) = action
            && place.attribute_name() == ttl
        {
            known.tell_json(field, stored.clone().unwrap_or_else(|| json.clone()));
        }
    }
}

/// The unique values of a stored item.
pub(crate) struct StoredValues {
    pub(crate) key: UntypedKey,
    pub(crate) sentinels: Vec<Sentinel>,
    /// The expiry time as it is stored, or as a put would derive it; DynamoDB JSON.
    pub(crate) ttl: Option<Vec<u8>>,
}

/// Reads the unique values of an item.
pub(crate) type ReadUniqueValues = fn(&[u8]) -> Result<StoredValues>;

/// The unique values of an item that was read, with the expiry that a fresh put derives.
pub(crate) fn stored_values<E: DynamoEntity>(item: &[u8]) -> Result<StoredValues> {
    let entity: E = crate::entity::read(item)?;
    // A derived expiry may be renewed by the same write, so the sentinels get the new one.
    if E::ENTITY.expiry.is_some() {
        let fresh = encode_as_is(&entity);
        let fresh = fresh.map_err(|fault| Error::decode(E::ENTITY.type_name, fault))?;
        return values_of(&entity, item, &fresh);
    }
    values_of(&entity, item, item)
}

/// The unique values of an item that stays as it is, with its own expiry.
pub(crate) fn values_as_stored<E: DynamoEntity>(item: &[u8]) -> Result<StoredValues> {
    // Reading rejects an item of another entity or of a newer shape, whose values this program does not know.
    values_of(&crate::entity::read::<E>(item)?, item, item)
}

fn values_of<E: DynamoEntity>(entity: &E, item: &[u8], expires: &[u8]) -> Result<StoredValues> {
    let fail = |fault| Error::decode(E::ENTITY.type_name, fault);
    let key = Key::of(entity).to_untyped().map_err(fail)?;
    let ttl = E::ENTITY
        .ttl
        .map(|name| find_member(expires, name))
        .transpose();
    let ttl = ttl.map_err(fail)?.flatten().filter(|json| !is_null(json));
    Ok(StoredValues {
        sentinels: holdings_in(item, None, &key)?.sentinels(),
        ttl: ttl.map(<[u8]>::to_vec),
        key,
    })
}

/// The keys of the sentinels of an item. The item need contain only its key and the fields of its unique values.
pub fn sentinels_of<E: DynamoEntity>(item: &[u8]) -> Result<Vec<SentinelKey>, CodecError> {
    sentinels_in(
        item,
        &decode_key::<E>(&mut Reader::new(item))?.to_untyped()?,
    )
}

fn sentinels_in(item: &[u8], key: &UntypedKey) -> Result<Vec<SentinelKey>, CodecError> {
    let declared = key.declared;
    let known = known(&UpdateOrigin::of(split(item)?), &Node::all([]), key);
    let mut keys = Vec::new();
    for number in 0..declared.def.uniques.len() {
        if let Holding::Value(sentinel) = holding(declared, number, &known)? {
            keys.push(SentinelKey {
                unique: sentinel.unique,
                json: sentinel.key,
            });
        }
    }
    Ok(keys)
}

/// The sentinels of an entity without unique values.
pub fn no_sentinels(_: &[u8]) -> Result<Vec<SentinelKey>, CodecError> {
    Ok(Vec::new())
}
