//! The conditions of an update on the stored item.

use super::complete::refused;
use super::kind::UpdateKind;
use crate::clock::Timestamp;
use crate::entity::{EntityDeclaration, UntypedKey, Version, VersionState};
use crate::error::Result;
use crate::expr::{Comparison, Node, Term, missing_or};
use crate::json::{CodecError, Tag};
use crate::plan::{ConditionFailure, Precondition, check};
use crate::schema::AttributeDef;
use crate::write::{IndexMaintenance, UpdateOrigin, attribute_of, known, loaded_condition};

/// Adds conditions for the parts of the stored item that the maintenance relied on, if nothing else guards them.
pub(crate) fn relied_on(
    maintenance: &IndexMaintenance,
    source: &UpdateOrigin,
    condition: &Node,
    key: &UntypedKey,
    changed: &[&'static str],
) -> Result<Vec<Node>, CodecError> {
    let (declared, mut guards) = (key.declared, Vec::new());
    for (at, attribute) in maintenance
        .filled
        .iter()
        .filter_map(|field| attribute_of(declared, field))
    {
        guards.push(filled_condition(declared, at, attribute)?);
    }
    let copied = maintenance.copied.iter();
    guards.extend(copied.map(|place| missing_or(place, Tag::N)));
    // The version detects other writers, but not a change of the entity in memory since it was loaded.
    let UpdateOrigin::Entity { attributes, .. } = source else {
        return Ok(guards);
    };
    let told = known(&UpdateOrigin::Key, condition, key);
    let mut asked: Vec<&str> = Vec::new();
    for field in &maintenance.used {
        let field = &declared.deciding(field);
        // New values need no guard, and the condition of the caller already compares what it says.
        if changed.contains(field) || told.knows(field) || asked.contains(field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of(declared, field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            guards.push(loaded_condition(
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
    let size = Term::Size(attribute.place());
    let none = Term::Value(b"{\"N\":\"0\"}".to_vec());
    let filled = Node::Compare(size, Comparison::Gt, none);
    let default = (declared.default_json)(at)?;
    let is_text = |json: &Vec<u8>| json != b"{\"S\":\"\"}";
    Ok(if default.as_ref().is_some_and(is_text) {
        // Without the attribute, the field has its default, which fills the key as well.
        Node::any([check::absent_condition(attribute.place()), filled])
    } else {
        filled
    })
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
            ConditionFailure::of_upsert(def),
        ));
    }
    match source {
        UpdateOrigin::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => {
            if matches!(loaded.loaded_version(), Version(VersionState::New)) {
                let message = "this entity was never stored, so it cannot be updated: `create` it";
                return Err(refused(declared, message.to_owned()));
            }
            let (unchanged, condition_failure) =
                check::build_condition(def, Precondition::Loaded, Some(loaded), now);
            Ok((
                unchanged.and(check::live_condition(def, now)),
                condition_failure,
            ))
        }
        _ => Ok(check::build_condition(def, Precondition::Exists, None, now)),
    }
}
