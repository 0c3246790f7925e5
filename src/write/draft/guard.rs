//! The conditions of an update on the stored item.

use super::UpdateKind;
use super::complete::refused;
use super::source::{UpdateOrigin, attribute_of, known};
use crate::clock::Timestamp;
use crate::entity::{EntityDeclaration, TtlTime, UntypedKey, Version, VersionState};
use crate::error::Result;
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, Reader};
use crate::path::Place;
use crate::plan::{ConditionFailure, Expect, check};
use crate::schema::AttributeDef;
use crate::write::Upkeep;

/// Adds conditions for the parts of the stored item that the upkeep relied on, if nothing else guards them.
pub(crate) fn relied_on(
    upkeep: &Upkeep,
    source: &UpdateOrigin,
    condition: &Node,
    key: &UntypedKey,
    changed: &[&'static str],
) -> Result<Vec<Node>, CodecError> {
    let (declared, mut guards) = (key.declared, Vec::new());
    for (at, attribute) in upkeep
        .filled
        .iter()
        .filter_map(|field| attribute_of(declared, field))
    {
        guards.push(filled_condition(declared, at, attribute)?);
    }
    // The version tells of other writers, but not whether the entity was changed in memory since.
    let UpdateOrigin::Entity { attributes, .. } = source else {
        return Ok(guards);
    };
    let told = known(&UpdateOrigin::Key, condition, key);
    let mut asked: Vec<&str> = Vec::new();
    for field in &upkeep.used {
        if changed.contains(field) || told.knows(field) || asked.contains(field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of(declared, field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            guards.push(as_loaded(
                declared,
                at,
                attribute,
                held.map(|(_, json)| &**json),
            )?);
        }
    }
    Ok(guards)
}

/// The condition that the stored text is not empty. If the field has a default, an absent text means that default.
fn filled_condition(
    declared: &EntityDeclaration,
    at: usize,
    attribute: &AttributeDef,
) -> Result<Node, CodecError> {
    let size = Term::Size(Place::of(attribute.stored));
    let none = Term::Value(b"{\"N\":\"0\"}".to_vec());
    let filled = Node::Compare(size, Comparison::Gt, none);
    let default = (declared.default_json)(at)?;
    let is_text = |json: &Vec<u8>| json != b"{\"S\":\"\"}";
    Ok(if default.as_ref().is_some_and(is_text) {
        Node::any([check::absent_condition(attribute.stored), filled])
    } else {
        filled
    })
}

/// The condition that the stored attribute is what the loaded entity holds, in whatever spelling. None represents an
/// absent attribute or NULL, and a default for an absent one too.
pub(crate) fn as_loaded(
    declared: &EntityDeclaration,
    at: usize,
    attribute: &AttributeDef,
    held: Option<&[u8]>,
) -> Result<Node, CodecError> {
    let Some(json) = held else {
        return Ok(check::absent_condition(attribute.stored));
    };
    let same = if declared.def.ttl == Some(attribute.stored) {
        ttl_condition(attribute.stored, json)?
    } else {
        check::as_read_condition(attribute.stored, json)
    };
    Ok(if (declared.default_json)(at)?.as_deref() == Some(json) {
        Node::any([check::absent_condition(attribute.stored), same])
    } else {
        same
    })
}

/// The condition on the seconds of the TTL. A fraction that others stored was cut off when it was read.
fn ttl_condition(attribute: &'static str, json: &[u8]) -> Result<Node, CodecError> {
    let seconds = <i64 as TtlTime>::decode_ttl(&mut Reader::new(json))?;
    let place = || Term::Place(Place::of(attribute));
    let number = |number: i64| Term::Value(format!("{{\"N\":\"{number}\"}}").into_bytes());
    let from = Node::Compare(place(), Comparison::Ge, number(seconds));
    let until = Node::Compare(place(), Comparison::Lt, number(seconds.saturating_add(1)));
    Ok(from.and(until))
}

/// The expectation of the write, and the meaning of its failure.
pub(crate) fn expected(
    declared: &EntityDeclaration,
    source: &UpdateOrigin,
    way: UpdateKind,
    now: Timestamp,
) -> Result<(Node, ConditionFailure)> {
    let def = declared.def;
    if way == UpdateKind::Upsert {
        return Ok((
            check::live_condition(def, now),
            ConditionFailure::upsert(def),
        ));
    }
    match source {
        UpdateOrigin::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => {
            if matches!(loaded.version(), Version(VersionState::New)) {
                let message =
                    "this entity was never stored, so there is nothing to update: `create` it";
                return Err(refused(declared, message.to_owned()));
            }
            let (unchanged, condition_failure) =
                check::condition(def, Expect::Loaded, Some(loaded), now);
            Ok((
                unchanged.and(check::live_condition(def, now)),
                condition_failure,
            ))
        }
        _ => Ok(check::condition(def, Expect::Exists, None, now)),
    }
}
