//! From stored bytes to entities, and their expiry. Every item that is read as an entity, as its key or as some of its
//! fields passes this file, from whatever source it comes: `get`, a list of keys, a query, a collection, a stream, a job,
//! the old item of a write, or an error. A fallback for a renamed attribute or for an older shape belongs here.
//!
//! ```text
//! read_live     -> read \
//!                        -> decode            an entity
//! read_ahead, in a list /
//! read_key, read_key_ahead -> decode_key      its key
//! read_projection                             some of its fields
//! ```
//!
//! An `Item` has no type, so it is returned as it is stored, and does not pass here.

use super::{
    DynamoEntity, DynamoProjection, DynamoTable, EntityContract as _, Key, KeyParts, ManagedValues,
    Projected, UntypedEntity,
};
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::entity::field::check_type;
use crate::entity::sentinel::{MARK, is_sentinel};
use crate::entity::shape::stored_shape;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, Writer, find_member, object_members};
use crate::key::json::KeyJson;
use crate::schema::{
    AttributeDef, EntityDef, SHAPE, TableDef, TypeMatch, has_uniques, shape_number,
};

/// Reads the entity of one object of DynamoDB JSON.
pub(crate) fn read<E: DynamoEntity>(json: &[u8]) -> Result<E> {
    // Without closures, which would be compiled for each entity.
    let fault = match refuse_sentinel(<E::Table as DynamoTable>::ENTITIES, json) {
        Ok(()) => {
            let mut reader = Reader::new(json);
            match decode(&mut reader) {
                Ok(entity) => match reader.finish_text() {
                    Ok(()) => return Ok(entity),
                    Err(fault) => fault,
                },
                Err(fault) => fault,
            }
        }
        Err(fault) => fault,
    };
    Err(unfit::<E>(json, fault))
}

impl<E: DynamoEntity> Key<E> {
    /// The key of an item of this entity; the item need not contain other attributes.
    pub(crate) fn from_item(item: impl Into<Item>) -> Result<Self> {
        let json = item.into().to_dynamo_json();
        read_key(&json.map_err(|fault| Error::decode(E::ENTITY.type_name, fault))?)
    }
}

/// Decodes the next item of a response as an entity. `None` if it has to be read alone, from its bytes: for its error, or
/// because only all bytes of an item tell whether it keeps a unique value.
pub(crate) fn read_ahead<E: DynamoEntity>(reader: &mut Reader<'_>) -> Option<E> {
    match has_uniques(<E::Table as DynamoTable>::ENTITIES) {
        true => None,
        false => decode(reader).ok(),
    }
}

/// Decodes the key of the next item of a response. `None` if it has to be read alone, for its error.
pub(crate) fn read_key_ahead<E: DynamoEntity>(reader: &mut Reader<'_>) -> Option<Key<E>> {
    decode_key(reader).ok()
}

#[inline]
fn decode<E: DynamoEntity>(reader: &mut Reader<'_>) -> Result<E, CodecError> {
    require_type(reader, const { typed_by::<E>() })?;
    E::decode(reader)
}

/// The type attribute, if it alone identifies the rows of the table.
const fn typed_by<E: DynamoEntity>() -> Option<&'static str> {
    <E::Table as DynamoTable>::TABLE.identifying_type()
}

/// Requires that the next item has the attribute of the type. The entity checks whether the type is its own.
#[inline]
fn require_type(reader: &Reader<'_>, attribute: Option<&'static str>) -> Result<(), CodecError> {
    match attribute {
        None => Ok(()),
        Some(attribute) => find_type(reader.resume_at(reader.current_place()), attribute),
    }
}

fn find_type(mut item: Reader<'_>, attribute: &'static str) -> Result<(), CodecError> {
    let mut first = true;
    item.open_object()?;
    while let Some(name) = item.next_name(&mut first)? {
        if name == attribute {
            return Ok(());
        }
        item.skip()?;
    }
    Err(CodecError::typeless().at(attribute))
}

/// Decodes the next key of an entity, without the context of an error.
#[inline]
pub(crate) fn decode_key<E: DynamoEntity>(reader: &mut Reader<'_>) -> Result<Key<E>, CodecError> {
    E::KeyParts::read(reader).map(Key::from_parts)
}

/// Reads the key of an entity; the item need not contain other attributes.
pub(crate) fn read_key<E: DynamoEntity>(json: &[u8]) -> Result<Key<E>> {
    decode_key(&mut Reader::new(json)).map_err(|fault| unfit::<E>(json, fault))
}

/// Reads the key of the item that owns the unique value of a sentinel.
pub(crate) fn owner_of<E: DynamoEntity>(sentinel: &[u8]) -> Result<Key<E>> {
    let fail = |fault: CodecError| Error::decode(E::ENTITY.type_name, fault);
    let mark = find_member(sentinel, MARK).map_err(fail)?;
    let owner = find_member(mark.unwrap_or(b"{}"), "M").map_err(fail)?;
    decode_key(&mut Reader::new(owner.unwrap_or(b"{}"))).map_err(fail)
}

/// Reads some fields of an entity.
pub(crate) fn read_projection<P: DynamoProjection>(json: &[u8]) -> Result<P> {
    let def = const { &P::Entity::ENTITY };
    // Another entity may have the key, and its attributes do not mean what this one's do.
    if let Some(attribute) = const { typed_by::<P::Entity>() } {
        let own = require_own_type::<P::Entity>(json, attribute);
        own.map_err(|fault| unfit::<P::Entity>(json, fault))?;
    }
    let read = match const {
        (
            shape_number(&P::Entity::ENTITY) > 1,
            has_former_names(&P::Entity::ENTITY),
        )
    } {
        (false, false) => P::read(json),
        (false, true) => under_new_names(def, json).and_then(|json| P::read(&json)),
        (true, false) => in_present_shape::<P::Entity>(json).and_then(|json| P::read(&json)),
        (true, true) => in_present_shape::<P::Entity>(json)
            .and_then(|json| under_new_names(def, &json))
            .and_then(|json| P::read(&json)),
    };
    read.map_err(|fault| unfit::<P::Entity>(json, fault))
}

/// Requires that some attributes of an item include the type and the constants of the entity.
fn require_own_type<E: DynamoEntity>(
    json: &[u8],
    attribute: &'static str,
) -> Result<(), CodecError> {
    let (table, entities) = (&<E::Table as DynamoTable>::TABLE, E::Table::ENTITIES);
    let foreign = match E::ENTITY.type_match(table, json) {
        TypeMatch::Foreign(foreign) => foreign,
        TypeMatch::Typeless(_) => return Err(CodecError::typeless().at(attribute)),
        TypeMatch::Own | TypeMatch::Typed | TypeMatch::Untyped => return Ok(()),
    };
    if let Some(found) = find_member(json, attribute)? {
        let own = E::ENTITY.stored_name;
        check_type(&mut Reader::new(found), attribute, own, entities)?;
    }
    let expected = format!("the constants of `{}`", E::ENTITY.type_name);
    Err(CodecError::mismatch(expected, "other ones").at(foreign))
}

/// Whether some attribute of an entity is being renamed.
const fn has_former_names(entity: &EntityDef) -> bool {
    let mut at = 0;
    while at < entity.attributes.len() {
        if entity.attributes[at].former.is_some() {
            return true;
        }
        at += 1;
    }
    false
}

/// The same item in the shape of the declaration, without its number. An item of an older shape needs all of its
/// attributes.
fn in_present_shape<E: DynamoEntity>(json: &[u8]) -> Result<Vec<u8>, CodecError> {
    let (stored, number) = (stored_shape(json)?, shape_number(&E::ENTITY));
    let mut writer = Writer::with_capacity(json.len());
    writer.push_raw("{");
    if stored >= number {
        for (name, value) in object_members(json)? {
            // The number of a newer shape stays, so that the item is rejected.
            if name != SHAPE || stored > number {
                writer.dynamic_name(&name);
                writer.raw_bytes(value);
            }
        }
        writer.push_raw("}");
        return Ok(writer.into_bytes());
    }
    decode::<E>(&mut Reader::new(json))?.encode_present(&ManagedValues::as_is(), &mut writer)?;
    writer.push_raw("}");
    without_shape(&writer.into_bytes())
}

fn without_shape(json: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(json.len());
    writer.push_raw("{");
    for (name, value) in object_members(json)?
        .into_iter()
        .filter(|(name, _)| name != SHAPE)
    {
        writer.dynamic_name(&name);
        writer.raw_bytes(value);
    }
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

/// The attributes that a projection reads. An item of an older shape is read whole.
pub(crate) fn projected<P: DynamoProjection>() -> Vec<Projected> {
    let mut attributes = P::attributes();
    // Another entity may have the key, and its item would otherwise be read as one of this entity.
    if let Some(attribute) = const { typed_by::<P::Entity>() } {
        let names = P::Entity::ENTITY.constant_names().chain([attribute]);
        for name in names {
            if !attributes.iter().any(|known| known.name == name) {
                attributes.push(Projected {
                    name,
                    former: None,
                    may_be_missing: true,
                });
            }
        }
    }
    if const { P::Entity::ENTITY.reads_older_shapes() } {
        let older = P::Entity::ENTITY.older_shapes();
        for name in older
            .flat_map(|older| older.attributes)
            .flat_map(AttributeDef::names)
        {
            if !attributes.iter().any(|known| known.name == name) {
                attributes.push(Projected {
                    name,
                    former: None,
                    may_be_missing: true,
                });
            }
        }
    }
    attributes
}

/// The same item, with each renamed attribute under its new name. Its value is the one under the former name, if the
/// item has that one.
fn under_new_names(entity: &EntityDef, json: &[u8]) -> Result<Vec<u8>, CodecError> {
    let stored = object_members(json)?;
    let held = |name: &str| stored.iter().any(|(held, _)| held == name);
    let mut writer = Writer::with_capacity(json.len());
    writer.push_raw("{");
    for (name, value) in &stored {
        let mut known = entity.attributes.iter();
        let known = known.find(|known| known.names().any(|known| known == name));
        let name = match known {
            Some(known) if known.former_name() == Some(name) => known.stored,
            Some(known) if !known.read_names().any(|read| read == name) => continue,
            Some(known) if known.former_name().is_some_and(held) => continue,
            _ => name,
        };
        writer.dynamic_name(name);
        writer.raw_bytes(value);
    }
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

fn unfit<E: DynamoEntity>(json: &[u8], fault: CodecError) -> Error {
    refused_row(&<E::Table as DynamoTable>::TABLE, &E::ENTITY, json, fault)
}

/// The error for a row that cannot be decoded, with its key, because a row of a query can be found again only by its
/// key.
#[cold]
pub(crate) fn refused_row(
    table: &TableDef,
    entity: &EntityDef,
    item: &[u8],
    fault: CodecError,
) -> Error {
    // A bare key is read like any other attribute, so only here the error learns that it is a key.
    let concerned = fault
        .dotted_path()
        .filter(|_| fault.key_identity().is_some());
    let bare = table
        .key_names()
        .find(|key| concerned.as_deref() == Some(*key));
    let error = Error::decode(entity.type_name, fault)
        .declared_as(Some(entity.id))
        .with_item_key(KeyJson::object_in(table, item));
    match bare {
        Some(key) => error.in_key(key),
        None => error,
    }
}

/// Returns an error for an item that stores a unique value: if every attribute has a default, it could be mistaken
/// for an entity.
pub(super) fn refuse_sentinel(
    entities: &[&EntityDef],
    json: &[u8],
) -> std::result::Result<(), CodecError> {
    if has_uniques(entities) && is_sentinel(json) {
        let message =
            "an item that keeps a unique value or a part of a list or blob, and no entity";
        return Err(CodecError::new(message).at(MARK));
    }
    Ok(())
}

/// Reads the entity, unless it has expired. DynamoDB may keep an expired item for days.
pub(crate) fn read_live<E: DynamoEntity>(json: &[u8], now: Timestamp) -> Result<Option<E>> {
    let entity: E = read(json)?;
    match is_past(entity.expires_at(), now) {
        true => Ok(None),
        false => Ok(Some(entity)),
    }
}

/// Whether this TTL has passed.
pub(crate) fn is_past(ttl: Option<i64>, now: Timestamp) -> bool {
    ttl.is_some_and(|at| at <= now.seconds())
}

/// Whether an item belongs to this entity, by its type and constants, or by its key if it has no type.
pub(crate) fn is_item_of<E: DynamoEntity>(json: &[u8]) -> bool {
    E::ENTITY.owns(&<E::Table as DynamoTable>::TABLE, json)
}

/// Whether two items are equal as entities. They may differ in attributes that are derived from fields, in a default
/// that only one of them stores, in names and shapes that are being replaced, and in attributes that no field has.
#[cfg(feature = "streams")]
pub(crate) fn is_same_entity<E: DynamoEntity>(one: &[u8], other: &[u8]) -> bool {
    let fresh = |json: &[u8]| {
        let entity: E = read(json).ok()?;
        // The program may still write the previous shape, which does not have all fields.
        Item::from_dynamo_json(&encode_present(&entity).ok()?).ok()
    };
    fresh(one).is_some_and(|one| fresh(other) == Some(one))
}

/// The attributes with the values in the struct, as one object of DynamoDB JSON.
pub(crate) fn encode_as_is(entity: &dyn UntypedEntity) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(1024);
    writer.push_raw("{");
    entity.write(&ManagedValues::as_is(), &mut writer)?;
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

/// The attributes with the values in the struct in the present shape, which may not be the one that is written.
pub(crate) fn encode_present(entity: &dyn UntypedEntity) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(1024);
    writer.push_raw("{");
    entity.write_present(&ManagedValues::as_is(), &mut writer)?;
    writer.push_raw("}");
    Ok(writer.into_bytes())
}
