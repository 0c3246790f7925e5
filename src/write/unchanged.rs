//! The condition that an item is as it was read.

use crate::dynamo::Dynamo;
use crate::entity::shape::{has_shape, stored_shape};
use crate::entity::{EntityDeclaration, UntypedEntity};
use crate::error::Result;
use crate::expr::Node;
use crate::json::{CodecError, Names};
use crate::path::Place;
use crate::plan::{ConditionFailure, Precondition, check};
use crate::schema::{AttributeDef, JOB, SHAPE};
use crate::write::difference::{attributes, check_guard, seen_attributes};
use crate::write::{UpdateOrigin, split};

/// The condition that no write was made since the entity was read from this item.
pub(crate) fn as_read(
    old: &dyn UntypedEntity,
    stored: &[u8],
    db: &Dynamo,
) -> Result<(Node, ConditionFailure)> {
    let declared = old.declaration();
    let fail = |fault| declared.unwritten(fault);
    let loaded = UpdateOrigin::version_of(old).map_err(fail)?;
    let seen = attributes(old).map_err(fail)?;
    let seen: Vec<String> = seen.into_iter().map(|(name, _)| name).collect();
    unchanged(declared, &loaded, &seen, stored, db).map_err(fail)
}

/// The condition that no write was made since the item was read: its version is unchanged, or else every attribute
/// that the closure could see, and those that it created.
pub(super) fn unchanged(
    declared: &EntityDeclaration,
    source: &UpdateOrigin,
    seen: &[String],
    item: &[u8],
    db: &Dynamo,
) -> Result<(Node, ConditionFailure), CodecError> {
    let (def, now) = (declared.def, db.now());
    let stored = split(item)?;
    let held = Names::of_json(&stored);
    let as_read = |name: String| match held.get_named(&name) {
        Some(json) => check::value_condition(name, json),
        None => Node::Missing(Place::of(name)),
    };
    // The version also detects a change of the shape, but only if every program raises it.
    let shape = def.shape.map(|_| stored_shape(item)).transpose()?;
    let shape = shape.map(has_shape);
    let names_held = held_names(declared, &stored);
    // The version detects every writer that maintains one, and the time of creation detects a new item. Both are
    // compared exactly as they are stored.
    if let Some(loaded) = source.numbered() {
        let (_, condition_failure) =
            check::build_condition(def, Precondition::Loaded, Some(loaded), now);
        let names = [def.version, def.created_at].into_iter().flatten();
        let guards = names.map(|name| as_read(name.to_owned()));
        return Ok((
            Node::all(guards.chain(shape)).and(check::live_condition(def, now)),
            condition_failure,
        ));
    }
    let (exists, condition_failure) = check::build_condition(def, Precondition::Exists, None, now);
    let seen = seen.iter().map(String::as_str).chain(names_held);
    let names = seen_attributes(declared, seen);
    let compared = names.len();
    let (there, absent): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| held.has_name(name));
    // A matching attribute proves that the item exists and, with an equal TTL, that it is live.
    let is_told = !there.is_empty() && !check::is_expired(item, def.ttl, now);
    let exists = (!is_told).then_some(exists);
    let guards = there.into_iter().map(as_read);
    let guard = Node::all(
        exists
            .into_iter()
            .chain(guards)
            .chain([all_missing(absent)]),
    );
    check_guard(declared, compared, &guard)?;
    Ok((guard, condition_failure))
}

/// The attributes of an item of which an older shape may have others than this one, and those that an older shape has and
/// the item lacks: a program of that shape may add them. The number of the shape is compared, too, because all other
/// attributes may have the same values in another shape.
fn held_names<'n>(
    declared: &EntityDeclaration,
    stored: &'n [(String, Vec<u8>)],
) -> impl Iterator<Item = &'n str> {
    let is_shaped = declared.def.shape.is_some();
    let names = stored.iter().map(|(name, _)| name.as_str());
    // The mark of a job is not a change of the entity, and a concurrent job must not cause
    // conflicts.
    let held = names.filter(move |name| is_shaped && !name.starts_with(JOB));
    let older = declared.def.older_shapes();
    let older = older
        .flat_map(|def| def.attributes)
        .flat_map(AttributeDef::names);
    held.chain(older).chain(is_shaped.then_some(SHAPE))
}

/// Holds if none of these attributes exists. This takes fewer bytes than an `attribute_not_exists` for each.
fn all_missing(names: Vec<String>) -> Node {
    let places = names.into_iter().map(Place::of);
    // One NOT around all is shorter than a function for each, which counts towards the limit of
    // operators.
    Node::any(places.map(Node::Exists)).not()
}
