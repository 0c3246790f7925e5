//! What an update asks of the stored item.

use super::Way;
use super::complete::refused;
use super::source::{Source, attribute_of, known};
use crate::clock::Timestamp;
use crate::codec::{Fault, Reader};
use crate::entity::{DynamoEntity, Key, State, TtlTime, Version};
use crate::error::Result;
use crate::expr::{Comparison, Node, Place, Term};
use crate::request::check::{self, Expect, Lost};
use crate::request::upkeep::Upkeep;
use crate::schema::AttributeDef;

/// Asks the stored item for what the upkeep relied on, where nothing else guards it.
pub(in crate::request) fn relied_on<E: DynamoEntity>(
    upkeep: &Upkeep,
    source: &Source,
    condition: &Node,
    key: &Key<E>,
    changed: &[&'static str],
) -> Result<Vec<Node>, Fault> {
    let mut guards = Vec::new();
    for (at, attribute) in upkeep
        .filled
        .iter()
        .filter_map(|field| attribute_of::<E>(field))
    {
        guards.push(is_filled::<E>(at, attribute)?);
    }
    // The version tells of other writers, and not whether the entity was changed in memory since.
    let Source::Entity { attributes, .. } = source else {
        return Ok(guards);
    };
    let told = known::<E>(&Source::Key, condition, key)?;
    let mut asked: Vec<&str> = Vec::new();
    for field in &upkeep.used {
        if changed.contains(field) || told.knows(field) || asked.contains(field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of::<E>(field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            guards.push(as_loaded::<E>(
                at,
                attribute,
                held.map(|(_, json)| &**json),
            )?);
        }
    }
    Ok(guards)
}

/// The stored text is not empty. Where the field has a default, an absent text is that one.
fn is_filled<E: DynamoEntity>(at: usize, attribute: &AttributeDef) -> Result<Node, Fault> {
    let size = Term::Size(Place::of(attribute.stored));
    let none = Term::Value(b"{\"N\":\"0\"}".to_vec());
    let filled = Node::Compare(size, Comparison::Gt, none);
    let default = E::default_json(at)?;
    let is_text = |json: &Vec<u8>| json != b"{\"S\":\"\"}";
    Ok(if default.as_ref().is_some_and(is_text) {
        Node::any([check::is_absent(attribute.stored), filled])
    } else {
        filled
    })
}

/// The stored attribute is what the loaded entity holds, however the row's writer spelt it: None is an
/// absent attribute or NULL, a default is an absent one too.
pub(in crate::request) fn as_loaded<E: DynamoEntity>(
    at: usize,
    attribute: &AttributeDef,
    held: Option<&[u8]>,
) -> Result<Node, Fault> {
    let Some(json) = held else {
        return Ok(check::is_absent(attribute.stored));
    };
    let same = if E::ENTITY.ttl == Some(attribute.stored) {
        is_ttl(attribute.stored, json)?
    } else {
        check::is_as_read(attribute.stored, json)
    };
    Ok(if E::default_json(at)?.as_deref() == Some(json) {
        Node::any([check::is_absent(attribute.stored), same])
    } else {
        same
    })
}

/// The seconds of the TTL; a fraction that others stored was cut off when it was read.
fn is_ttl(attribute: &'static str, json: &[u8]) -> Result<Node, Fault> {
    let seconds = <i64 as TtlTime>::decode_ttl(&mut Reader::new(json))?;
    let place = || Term::Place(Place::of(attribute));
    let number = |number: i64| Term::Value(format!("{{\"N\":\"{number}\"}}").into_bytes());
    let from = Node::Compare(place(), Comparison::Ge, number(seconds));
    let until = Node::Compare(place(), Comparison::Lt, number(seconds.saturating_add(1)));
    Ok(from.and(until))
}

/// What the write expects to find, and what it means if that is not so.
pub(in crate::request) fn expected<E: DynamoEntity>(
    source: &Source,
    way: Way,
    now: Timestamp,
) -> Result<(Node, Lost)> {
    let def = &E::ENTITY;
    if way == Way::Upsert {
        return Ok((check::is_live(def, now), Lost::upsert(def)));
    }
    match source {
        Source::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => {
            if matches!(loaded.version(), Version(State::New)) {
                let message =
                    "this entity was never stored, so there is nothing to update: `create` it";
                return Err(refused::<E>(message.to_owned()));
            }
            let (unchanged, lost) = check::condition(def, Expect::Loaded, Some(loaded), now);
            Ok((unchanged.and(check::is_live(def, now)), lost))
        }
        _ => Ok(check::condition(def, Expect::Exists, None, now)),
    }
}
