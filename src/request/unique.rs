//! Unique values (law W9): an item in the same table for each value, written in the same transaction.
//!
//! Such an item, a *sentinel*, has the value as its key and the key of its owner as its content, so two owners of one
//! value are one item, and one of them is first. What a write does to sentinels is planned from the values before
//! and after it ([`exchange`]); where the values before are not known, the item is read first ([`rewrite`]), and the
//! write takes effect only on what was read.

mod exchange;
mod joint;
mod look_up;
mod rewrite;
mod sentinel;

pub(super) use exchange::{Exchange, Holdings};
pub(super) use joint::{Joint, Setback, attributes_of, given_up};
pub use look_up::LookUp;
pub(crate) use look_up::owner_of;
pub(super) use rewrite::{Intent, Main, Rewrite};
use sentinel::Holding;
pub(crate) use sentinel::{MARK, is_sentinel};
pub(super) use sentinel::{Owner, take_over};

use super::call::Plan;
use super::draft::{self, Source, attribute_of, known, split, tell_changes};
use crate::codec::{Fault, Reader, member};
use crate::entity::{DynamoEntity, Key, KeyParts, encode_as_is};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, Update};

/// What a loaded entity holds, and the condition that the stored item still does.
pub(super) type Loaded = (Holdings, Node);

/// What a loaded entity knows.
pub(super) fn loaded<E: DynamoEntity>(entity: &E) -> Result<Loaded> {
    let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
    let attributes = split(&encode_as_is(entity).map_err(fail)?).map_err(fail)?;
    let fields = E::ENTITY.uniques.iter().flat_map(|unique| unique.fields);
    let guard = as_loaded::<E>(&attributes, fields.copied()).map_err(fail)?;
    let source = Source::of(attributes);
    let known = known::<E>(&source, &Node::all([]), &entity.key()).map_err(fail)?;
    Ok((Holdings::of::<E>(&known, |_| true)?, guard))
}

/// The stored item has these fields as they were loaded.
pub(super) fn as_loaded<E: DynamoEntity>(
    attributes: &[(String, Vec<u8>)],
    fields: impl Iterator<Item = &'static str>,
) -> Result<Node, Fault> {
    let mut guards = Vec::new();
    let mut asked: Vec<&str> = Vec::new();
    for field in fields {
        if asked.contains(&field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of::<E>(field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            let held = held.map(|(_, json)| &**json);
            guards.push(draft::as_loaded::<E>(at, attribute, held)?);
        }
    }
    Ok(Node::all(guards))
}

/// What a put takes where no live item is.
pub(super) fn entering<E: DynamoEntity, Out>(plan: &Plan<Out>, key: &Key<E>) -> Result<Exchange> {
    if !concerns::<E>() {
        return Ok(Exchange::default());
    }
    let item = member(&plan.request.body, "Item").ok().flatten();
    let after = holdings_in::<E>(item.unwrap_or(b"{}"), None, key)?;
    Exchange::between::<E>(&Holdings::nothing::<E>(), &after, true)
}

/// What an item holds, or will hold after an update.
fn holdings_in<E: DynamoEntity>(
    item: &[u8],
    update: Option<&Update>,
    key: &Key<E>,
) -> Result<Holdings> {
    let fail = |fault| Error::decode(E::ENTITY.type_name, fault);
    let source = Source::of(split(item).map_err(fail)?);
    let mut known = known::<E>(&source, &Node::all([]), key).map_err(fail)?;
    if let Some(update) = update {
        tell_changes::<E>(update, &mut known);
    }
    Holdings::of::<E>(&known, |_| true)
}

/// The keys of the items that keep the unique values of an item, which need hold no more than these and its key.
pub fn sentinels_of<E: DynamoEntity>(item: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
    let parts = E::KeyParts::read(&mut Reader::new(item))?;
    let source = Source::of(split(item)?);
    let known = known::<E>(&source, &Node::all([]), &Key::from_parts(parts))?;
    let mut keys = Vec::new();
    for number in 0..E::ENTITY.uniques.len() {
        if let Holding::Value(sentinel) = sentinel::holding::<E>(number, &known)? {
            keys.push(sentinel.key);
        }
    }
    Ok(keys)
}

/// Of an entity without unique values.
pub fn no_sentinels(_: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
    Ok(Vec::new())
}

/// Whether writes of this entity may concern unique values.
pub(super) fn concerns<E: DynamoEntity>() -> bool {
    !E::ENTITY.uniques.is_empty()
}

/// Whether the entity's values depend on an attribute, or the life of their sentinels does.
pub(super) fn depends_on<E: DynamoEntity>(field: &str) -> bool {
    let is_part = E::ENTITY
        .uniques
        .iter()
        .any(|unique| unique.fields.contains(&field));
    is_part || concerns::<E>() && ttl_field::<E>() == Some(field)
}

/// The field of the TTL.
pub(super) fn ttl_field<E: DynamoEntity>() -> Option<&'static str> {
    let mut attributes = E::ENTITY.attributes.iter();
    let ttl = attributes.find(|known| Some(known.stored) == E::ENTITY.ttl);
    ttl.map(|known| known.field)
}

/// A write that would have to read before, where there is no reading.
pub(super) fn must_read<E: DynamoEntity>(verb: &str) -> Error {
    let message = format!(
        "a {verb} of an entity with unique values reads the item first, to know which values it gives up, and here it \
         cannot: `create`, `update` or `delete` a loaded entity here, or send the {verb} by itself"
    );
    Error::new(ErrorKind::InvalidValue, Stage::Request, message).of(E::ENTITY.type_name)
}
