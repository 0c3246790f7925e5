//! Unique values (law W9): an item in the same table for each value, written in the same transaction.
//!
//! Such an item, a *sentinel*, has the value as its key and the key of its owner as its content, so two owners would
//! need the same item, and only the first one gets it. The changes of sentinels are planned from the values before
//! and after a write ([`exchange`]). If the values before are not known, the item is read first ([`rewrite`]), and
//! the write takes effect only if it is unchanged.

mod exchange;
mod look_up;
mod planned_write;
mod rewrite;
mod sentinel;

pub(crate) use exchange::{Holdings, UniqueExchange};
pub use look_up::LookUp;
pub(crate) use planned_write::{
    PlannedWrite, Setback, attributes_of, given_up, keep_values_of_others,
};
pub(crate) use rewrite::{Intent, Main, Rewrite, item_id};
use sentinel::Holding;
pub(crate) use sentinel::take_over;

use crate::entity::{
    DynamoEntity, EntityDeclaration, Key, KeyParts, UntypedEntity, UntypedKey, encode_as_is,
};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, UpdateActions};
use crate::json::{CodecError, Reader};
use crate::plan::WriteRequest;
use crate::write::{UpdateOrigin, attribute_of, draft, known, split, tell_changes, untyped_key};

/// The unique values of a loaded entity, and the condition that the stored item still has them.
pub(crate) type LoadedUniques = (Holdings, Node);

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
    Ok((Holdings::of(declared, &known, |_| true)?, guard))
}

/// The condition that the stored item has these fields as they were loaded.
pub(crate) fn as_loaded(
    declared: &EntityDeclaration,
    attributes: &[(String, Vec<u8>)],
    fields: impl Iterator<Item = &'static str>,
) -> Result<Node, CodecError> {
    let mut guards = Vec::new();
    let mut asked: Vec<&str> = Vec::new();
    for field in fields {
        if asked.contains(&field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of(declared, field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            let held = held.map(|(_, json)| &**json);
            guards.push(draft::as_loaded(declared, at, attribute, held)?);
        }
    }
    Ok(Node::all(guards))
}

/// The values that a put takes if no live item exists.
pub(crate) fn entering(put: &WriteRequest, key: &UntypedKey) -> Result<UniqueExchange> {
    let declared = key.declared;
    if !concerns(declared) {
        return Ok(UniqueExchange::default());
    }
    let after = holdings_in(put.subject(), None, key)?;
    UniqueExchange::between(declared, &Holdings::nothing(declared), &after, true)
}

/// The values of an item, or its values after an update.
fn holdings_in(item: &[u8], update: Option<&UpdateActions>, key: &UntypedKey) -> Result<Holdings> {
    let declared = key.declared;
    let attributes = split(item).map_err(|fault| Error::decode(declared.def.type_name, fault))?;
    let mut known = known(&UpdateOrigin::of(attributes), &Node::all([]), key);
    if let Some(update) = update {
        tell_changes(declared, update, &mut known);
    }
    Holdings::of(declared, &known, |_| true)
}

/// The keys of the sentinels of an item. The item need contain only its key and the fields of its unique values.
pub fn sentinels_of<E: DynamoEntity>(item: &[u8]) -> Result<Vec<Vec<u8>>, CodecError> {
    let parts = E::KeyParts::read(&mut Reader::new(item))?;
    sentinels_in(item, &Key::<E>::from_parts(parts).to_untyped()?)
}

fn sentinels_in(item: &[u8], key: &UntypedKey) -> Result<Vec<Vec<u8>>, CodecError> {
    let declared = key.declared;
    let known = known(&UpdateOrigin::of(split(item)?), &Node::all([]), key);
    let mut keys = Vec::new();
    for number in 0..declared.def.uniques.len() {
        if let Holding::Value(sentinel) = sentinel::holding(declared, number, &known)? {
            keys.push(sentinel.key);
        }
    }
    Ok(keys)
}

/// The sentinels of an entity without unique values.
pub fn no_sentinels(_: &[u8]) -> Result<Vec<Vec<u8>>, CodecError> {
    Ok(Vec::new())
}

/// Whether writes of this entity may affect unique values.
pub(crate) fn concerns(declared: &EntityDeclaration) -> bool {
    !declared.def.uniques.is_empty()
}

/// Whether unique values, or the lifetime of their sentinels, depend on this field.
pub(crate) fn depends_on(declared: &EntityDeclaration, field: &str) -> bool {
    let is_part = declared
        .def
        .uniques
        .iter()
        .any(|unique| unique.fields.contains(&field));
    is_part || concerns(declared) && ttl_field(declared) == Some(field)
}

/// The field of the TTL.
pub(crate) fn ttl_field(declared: &EntityDeclaration) -> Option<&'static str> {
    let mut attributes = declared.def.attributes.iter();
    let ttl = attributes.find(|known| Some(known.stored) == declared.def.ttl);
    ttl.map(|known| known.field)
}

/// The error for a write that would have to read first in a place that cannot read.
pub(crate) fn must_read(declared: &EntityDeclaration, verb: &str) -> Error {
    let message = format!(
        "a {verb} of an entity with unique values reads the item first, to know which values it gives up, and here it \
         cannot: `create`, `update` or `delete` a loaded entity here, or send the {verb} by itself"
    );
    Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(declared.def.type_name)
}
