//! The expectation of a write, as a condition, and the meaning of a failed condition.

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;

use super::keys::KeyNames;
use super::own_type;
use crate::clock::Timestamp;
use crate::codec::DynamoValue;
use crate::entity::{self, EntityDeclaration, UntypedEntity, Version, VersionState};
use crate::error::{Error, ErrorKind, Remedy};
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, Reader, Writer, find_member, is_null};
use crate::path::Place;
use crate::schema::{AttributeDef, EntityDef, TableDef};
use crate::wire::Failure;

/// The expectation of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// Anything.
    Anything,
    /// No live item.
    Missing,
    /// A live item.
    Exists,
    /// The item as the entity was loaded.
    Loaded,
}

/// The meaning of a failed condition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConditionFailure {
    kind: ConditionFailureKind,
    /// The declaration of the entity, if there is one.
    def: Option<&'static EntityDef>,
    /// Whether the condition requires more than its kind: a condition of the caller, a path that must exist, room for a
    /// sum.
    asked_more: bool,
    /// Whether the write changes unique values, so that the condition compares those of the loaded item.
    changes_unique: bool,
    /// The number of the version that was loaded, if one was.
    version: Option<Option<u64>>,
    created_at: Option<LoadedCreation>,
    /// Whether the condition requires the shape that is written.
    asked_shape: bool,
    /// Whether an expired item counts as stored, and is therefore part of the error.
    counts_expired: bool,
    /// The table, if the condition requires the type of the entity, because its key may be that of another one.
    typed_in: Option<&'static TableDef>,
    /// Whether the condition requires nothing else, so that it holds for a missing item.
    is_only_typed: bool,
}

/// The time of creation that was loaded. An item that was deleted and created again may have the version of the one
/// before.
#[derive(Debug, Clone, Copy)]
struct LoadedCreation {
    /// The hash of the value, as this library writes it; None if none was loaded.
    digest: Option<u64>,
    may_lack: bool,
}

impl LoadedCreation {
    /// `None` if the condition does not require it.
    fn of_loaded(loaded: &LoadedItem) -> Option<Self> {
        let digest = loaded.created_at.as_deref().map(hash_json);
        let may_lack = loaded.may_lack_created_at;
        (digest.is_some() || may_lack).then_some(LoadedCreation { digest, may_lack })
    }

    /// Whether an item has this time of creation. The values of the item are written as this library writes them.
    fn is_of(self, item: &[u8], def: &EntityDef) -> bool {
        let stored = def.created_at.map(|attribute| find_member(item, attribute));
        let stored = stored.and_then(|stored| stored.ok().flatten());
        match stored.filter(|json| !is_null(json)) {
            // Only a hash is kept: the meaning of a failure is a small `Copy` value of every
            // planned write, although few writes fail.
            Some(json) => self.digest == Some(hash_json(json)),
            None => self.may_lack,
        }
    }
}

fn hash_json(json: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(json);
    hasher.finish()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConditionFailureKind {
    /// `create`
    Create,
    /// An item was needed.
    NeedsRow,
    /// No item was expected.
    NeedsNone,
    /// The entity is new, so no item was expected.
    New,
    /// `upsert`
    Upsert,
    /// A write of an item without a type, determined by its conditions.
    Untyped,
}

impl ConditionFailure {
    /// The meaning for an operation that has no condition.
    pub(crate) const NEVER: ConditionFailure = ConditionFailure {
        kind: ConditionFailureKind::NeedsRow,
        def: None,
        asked_more: false,
        changes_unique: false,
        version: None,
        created_at: None,
        asked_shape: false,
        counts_expired: false,
        typed_in: None,
        is_only_typed: false,
    };

    /// The meaning for a write of an item without a type.
    pub(crate) const UNTYPED: ConditionFailure = ConditionFailure {
        kind: ConditionFailureKind::Untyped,
        ..ConditionFailure::NEVER
    };

    fn new(kind: ConditionFailureKind, def: &'static EntityDef) -> ConditionFailure {
        ConditionFailure {
            kind,
            def: Some(def),
            ..ConditionFailure::NEVER
        }
    }

    pub(crate) fn of_create(def: &'static EntityDef) -> ConditionFailure {
        ConditionFailure::new(ConditionFailureKind::Create, def)
    }

    /// The condition asks only that no expired item is changed.
    pub(crate) fn of_upsert(def: &'static EntityDef) -> ConditionFailure {
        ConditionFailure::new(ConditionFailureKind::Upsert, def)
    }

    /// States that the condition holds for no item, not even for an expired one.
    pub(crate) fn or_expired(self) -> ConditionFailure {
        ConditionFailure {
            counts_expired: true,
            ..self
        }
    }

    /// Whether the condition requires the type of the entity, and nothing else.
    pub(super) fn is_only_typed(self) -> bool {
        self.is_only_typed
    }

    /// States that the condition requires more than the kind says.
    pub(crate) fn or_condition(self) -> ConditionFailure {
        ConditionFailure {
            asked_more: true,
            is_only_typed: false,
            ..self
        }
    }

    /// States that the condition compares the unique values that the write changes.
    pub(crate) fn or_unique_values(self) -> ConditionFailure {
        ConditionFailure {
            changes_unique: true,
            ..self
        }
    }

    /// The message of a conflict, with the unique values that may be the reason.
    fn naming_unique_values(self, kind: ErrorKind, message: &str) -> String {
        let uniques = self.def.map_or(&[][..], |def| def.uniques);
        let names = uniques
            .iter()
            .map(|it| format!("`{}`", it.fields.join(", ")));
        match names.collect::<Vec<_>>() {
            names if self.changes_unique && kind == ErrorKind::Conflict && !names.is_empty() => {
                format!(
                    "{message}; or the unique value {} is not the one that was loaded or that `when` gives: read the item again, \
                     and repeat the change with it",
                    names.join(" or ")
                )
            }
            _ => message.to_owned(),
        }
    }

    /// States that the write has a condition of its own, so that not only an item of another entity prevents it.
    pub(super) fn beside_condition(self) -> ConditionFailure {
        ConditionFailure {
            is_only_typed: false,
            ..self
        }
    }

    /// The stored item as this library would write it, if it has the version that was loaded.
    pub(crate) fn reencode_from(self, item: &[u8]) -> Option<Vec<u8>> {
        let def = self.def.filter(|_| self.is_same_version(item));
        def.and_then(|def| (def.reread)(item))
    }

    /// The id of the entity's declaration, if there is one.
    pub(crate) fn declaration_id(self) -> Option<&'static str> {
        self.def.map(|def| def.id)
    }

    /// The attributes of the primary key, if there is an entity.
    pub(crate) fn key_names(self) -> Option<KeyNames> {
        self.def
            .map(|def| (def.pk.attribute, def.sk.map(|sk| sk.attribute)))
    }

    /// Whether the write creates the item if there is none.
    pub(crate) fn may_create(self) -> bool {
        self.kind == ConditionFailureKind::Upsert
    }

    /// The error of a failed request: what a failed condition means here. If the outcome is unknown, that is the source.
    pub(crate) fn explain_failure(
        self,
        failure: Failure,
        entity: &'static str,
        now: Timestamp,
    ) -> Error {
        let error = failure.error.of(entity).declared_as(self.declaration_id());
        if let Some(refusal) = failure.refusal {
            return error.with_source(self.explain_failure(*refusal, entity, now));
        }
        let Some(condition) = failure.condition else {
            return error;
        };
        if let Some((kind, message)) = self.other_entity(condition.item.as_ref()) {
            let error = error.with_kind(kind, message);
            return match condition.item {
                Some(item) => error.with_current(item, now),
                None => error,
            };
        }
        // An expired item that DynamoDB has not deleted yet counts as missing, as it does for every
        // read.
        let ttl = self.def.and_then(|def| def.ttl);
        let ttl = ttl.filter(|_| !self.counts_expired);
        let is_over = |item: &Bytes| is_expired(item, ttl, now);
        let is_expired = condition.item.as_ref().is_some_and(is_over);
        let live = condition.item.filter(|_| !is_expired);
        // The shape is judged first: the attributes of another shape do not have the meaning that
        // the other checks assume.
        let (kind, message) = match self.other_shape(live.as_ref()) {
            Some(told) => told,
            None => self.failed_meaning(live.as_ref(), is_expired),
        };
        let is_unloaded = live.is_some() && matches!(self.kind, ConditionFailureKind::New);
        let remedy = match kind {
            ErrorKind::Conflict if is_unloaded => Some(Remedy::Unchecked),
            ErrorKind::OlderShape => Some(Remedy::Upgrade),
            _ => None,
        };
        let message = self.naming_unique_values(kind, message);
        let error = error.with_kind(kind, message).with_remedies(remedy);
        match live {
            Some(item) => error.with_current(item, now),
            None => error,
        }
    }

    /// The meaning of a stored item of another entity, if the condition requires the type of this one. Expired items are
    /// included: only their own programs decide what their expiry means.
    fn other_entity(self, item: Option<&Bytes>) -> Option<(ErrorKind, &'static str)> {
        let (table, def) = self.typed_in.zip(self.def)?;
        let kind = match self.kind {
            ConditionFailureKind::Create => ErrorKind::AlreadyExists,
            _ => ErrorKind::Conflict,
        };
        match item {
            Some(item) if own_type::is_of_other(table, def, item) => {
                Some((kind, own_type::meaning_of_other(table, def, item)))
            }
            // The condition holds for a missing item, so the server did not return the item, and it is gone by now.
            None if self.is_only_typed => Some((
                kind,
                "an item of another entity had this key when the write arrived",
            )),
            _ => None,
        }
    }

    /// The meaning of a stored item of another shape, if the condition requires the written one.
    fn other_shape(self, live: Option<&Bytes>) -> Option<(ErrorKind, &'static str)> {
        let item = live.filter(|item| self.asked_shape && self.is_same_version(item))?;
        let written = self.def?.written_shape()?;
        match entity::shape::stored_shape(item) {
            Ok(stored) if stored == written => None,
            Ok(stored) if stored < written => Some((
                ErrorKind::OlderShape,
                "the stored item has an older shape, and its attributes do not mean what this write says",
            )),
            Ok(_) | Err(_) => Some((
                ErrorKind::NewerShape,
                "the stored item has a newer shape, and its attributes do not mean what this write says: use a program that writes that shape",
            )),
        }
    }

    fn failed_meaning(self, live: Option<&Bytes>, is_expired: bool) -> (ErrorKind, &'static str) {
        match (self.kind, live) {
            (ConditionFailureKind::Create, _) => (
                ErrorKind::AlreadyExists,
                "an item with this key is already there",
            ),
            (ConditionFailureKind::Untyped, _) => (
                ErrorKind::Conflict,
                "a condition does not hold of what is stored under this key",
            ),
            (ConditionFailureKind::NeedsRow, None) => {
                (ErrorKind::NotFound, "no live item with this key is there")
            }
            (ConditionFailureKind::Upsert, None) if is_expired => (
                ErrorKind::Conflict,
                "an expired item is still stored under this key, and an upsert would bring it back: `create` or `put` replaces it",
            ),
            (ConditionFailureKind::Upsert, None) => (
                ErrorKind::Conflict,
                "no item is stored under this key, and the write may not create one: a condition does not hold for a missing item, or a sum would leave the range of its type",
            ),
            (ConditionFailureKind::NeedsRow | ConditionFailureKind::Upsert, Some(item))
                if self.is_same_version(item) && !self.is_same_creation(item) =>
            {
                (
                    ErrorKind::Conflict,
                    "the stored item has the given version, but another time of creation: either it was deleted and created again since it was loaded, or the given time is not the stored one",
                )
            }
            (ConditionFailureKind::NeedsRow | ConditionFailureKind::Upsert, Some(item))
                if self.asked_more && self.is_same_version(item) =>
            {
                (
                    ErrorKind::Conflict,
                    "the stored item does not fit: a condition does not hold, a nested attribute to be changed is missing, or a sum would leave the range of its type",
                )
            }
            (ConditionFailureKind::NeedsRow | ConditionFailureKind::Upsert, Some(_)) => (
                ErrorKind::Conflict,
                "the stored item is not the one that was loaded: another write came first",
            ),
            // Without another requirement, a missing item means that the item that made the condition fail has been
            // deleted since. The arms below handle that.
            (ConditionFailureKind::NeedsNone | ConditionFailureKind::New, None)
                if self.asked_more && !is_expired =>
            {
                (
                    ErrorKind::NotFound,
                    "no item with this key is there, and the condition asks for one",
                )
            }
            (ConditionFailureKind::NeedsNone, _) => (
                ErrorKind::Conflict,
                "an item with this key is there, and none was to be",
            ),
            (ConditionFailureKind::New, _) => (
                ErrorKind::Conflict,
                "this entity was never loaded, but an item with its key is stored",
            ),
        }
    }

    /// Whether the item has the loaded version. If no version was required, it is true, because the version did not
    /// decide.
    fn is_same_version(self, item: &[u8]) -> bool {
        let attribute = self.def.and_then(|def| def.version);
        attribute
            .zip(self.version)
            .is_none_or(|(attribute, loaded)| {
                let stored = find_member(item, attribute).ok().flatten();
                let number = stored.and_then(|json| u64::decode(&mut Reader::new(json)).ok());
                number == loaded
            })
    }

    /// Whether the item has the loaded time of creation, in any format.
    fn is_same_creation(self, item: &[u8]) -> bool {
        let created = self.def.zip(self.created_at);
        created.is_none_or(|(def, created)| {
            let own = (def.reread)(item);
            created.is_of(own.as_deref().unwrap_or(item), def)
        })
    }
}

/// Whether an item of DynamoDB JSON has a TTL in the past.
pub(crate) fn is_expired(item: &[u8], ttl: Option<&'static str>, now: Timestamp) -> bool {
    entity::is_past(ttl.and_then(|ttl| expires_at(item, ttl)), now)
}

/// The TTL of an item. None if it cannot be read: the item then counts as live, so that decoding it gives the error.
pub(crate) fn expires_at(item: &[u8], ttl: &'static str) -> Option<i64> {
    let stored = find_member(item, ttl).ok().flatten()?;
    let ttl = <Option<i64> as entity::TtlTime>::decode_ttl(&mut Reader::new(stored));
    ttl.ok().flatten()
}

/// The facts that a loaded entity contains about its stored item.
#[derive(Debug, Clone)]
pub(crate) struct LoadedItem {
    version: Version,
    /// The value of the time of creation, as DynamoDB JSON.
    created_at: Option<Vec<u8>>,
    /// Whether the item may have been stored without this time, which is then read as None or as the default of the
    /// field.
    may_lack_created_at: bool,
}

impl LoadedItem {
    pub(crate) fn loaded_version(&self) -> Version {
        self.version
    }

    pub(crate) fn of_entity(entity: &dyn UntypedEntity) -> Result<Option<LoadedItem>, CodecError> {
        let Some(version) = entity.held_version() else {
            return Ok(None);
        };
        let mut created = Writer::default();
        let has_created = entity.write_created_at(&mut created)?;
        let created_at = has_created.then(|| created.into_bytes());
        let may_lack_created_at = match &created_at {
            // A version that the caller gave says nothing about the creation, so the absence of a
            // time is then no fact that can be guarded.
            None => !matches!(version.0, VersionState::Given(_)),
            Some(held) => default_created_at(entity.declaration())?.as_ref() == Some(held),
        };
        Ok(Some(LoadedItem {
            version,
            created_at,
            may_lack_created_at,
        }))
    }
}

/// The time of creation that an item without one is read with, if the field has a default.
fn default_created_at(declared: &EntityDeclaration) -> Result<Option<Vec<u8>>, CodecError> {
    let is_it = |attribute: &AttributeDef| Some(attribute.stored) == declared.def.created_at;
    let at = declared.def.attributes.iter().position(is_it);
    at.map_or(Ok(None), declared.default_json)
}

/// The condition of a write, and what its failure means.
pub(crate) fn build_condition(
    def: &'static EntityDef,
    expect: Precondition,
    loaded: Option<&LoadedItem>,
    now: Timestamp,
) -> (Node, ConditionFailure) {
    let (node, kind) = match (expect, loaded) {
        (Precondition::Anything, _) | (Precondition::Loaded, None) => {
            (Node::all([]), ConditionFailureKind::NeedsRow)
        }
        (Precondition::Missing, _) => {
            (missing_condition(def, now), ConditionFailureKind::NeedsNone)
        }
        (Precondition::Exists, _) => (exists_condition(def, now), ConditionFailureKind::NeedsRow),
        (Precondition::Loaded, Some(loaded)) => unchanged_condition(def, loaded, now),
    };
    let loaded = loaded.filter(|_| expect == Precondition::Loaded);
    let condition_failure = ConditionFailure {
        version: loaded.map(|loaded| loaded.version.number()),
        created_at: def
            .created_at
            .and(loaded)
            .and_then(LoadedCreation::of_loaded),
        ..ConditionFailure::new(kind, def)
    };
    (node, condition_failure)
}

/// Adds the condition of the caller.
pub(crate) fn with_condition(
    expected: Node,
    condition_failure: ConditionFailure,
    condition: Node,
) -> (Node, ConditionFailure) {
    if condition.is_always() {
        return (expected, condition_failure);
    }
    let condition_failure = condition_failure.or_condition();
    if condition_failure
        .def
        .is_some_and(EntityDef::writes_older_shape)
    {
        let message = "a condition is about attributes of the newer shape, and `writes` stores the shape before: read the item first, \
                       for example by `modify` or in a `transact`";
        // The error is a part of the tree, because this function has no result and every condition
        // is checked when it is written.
        return (Node::Faulty(CodecError::new(message)), condition_failure);
    }
    let shape = condition_failure
        .def
        .and_then(entity::shape::has_written_shape);
    match shape {
        None => (expected.and(condition), condition_failure),
        Some(_) if condition_failure.asked_shape => (expected.and(condition), condition_failure),
        // The caller's condition names attributes of this shape, which may mean something else in another one.
        Some(shape) => {
            let condition_failure = ConditionFailure {
                asked_shape: true,
                ..condition_failure
            };
            (Node::all([expected, shape, condition]), condition_failure)
        }
    }
}

/// Adds the condition that the write changes no item of another entity, if such an item may have the key.
pub(crate) fn with_own_type(
    table: &'static TableDef,
    def: &EntityDef,
    (condition, condition_failure): (Node, ConditionFailure),
) -> (Node, ConditionFailure) {
    let Some(guard) = own_type::guard_for(table, def, &condition) else {
        return (condition, condition_failure);
    };
    let condition_failure = ConditionFailure {
        typed_in: Some(table),
        is_only_typed: condition.is_always(),
        ..condition_failure
    };
    (condition.and(guard), condition_failure)
}

/// Adds the condition that the stored item has the shape that is written, for changes of single attributes.
pub(crate) fn in_shape(
    (expected, condition_failure): (Node, ConditionFailure),
) -> (Node, ConditionFailure) {
    let shape = condition_failure
        .def
        .and_then(entity::shape::has_written_shape);
    match shape {
        None => (expected, condition_failure),
        Some(shape) => {
            let condition_failure = ConditionFailure {
                asked_shape: true,
                ..condition_failure
            };
            (expected.and(shape), condition_failure)
        }
    }
}

fn compare_value(place: impl Into<Place>, comparison: Comparison, json: Vec<u8>) -> Node {
    let place = Term::Place(place.into());
    Node::Compare(place, comparison, Term::Value(json))
}

fn number_json(number: impl std::fmt::Display) -> Vec<u8> {
    format!("{{\"N\":\"{number}\"}}").into_bytes()
}

/// Holds if the TTL has passed. Reads truncate a fraction that other programs stored, so `ttl < now + 1` holds for the
/// same items that reads find expired, and `ttl <= now` would not.
pub(crate) fn over_condition(ttl: &'static str, now: Timestamp) -> Node {
    let next_second = now.seconds().saturating_add(1);
    compare_value(ttl, Comparison::Lt, number_json(next_second))
}

/// Holds if there is no live item. DynamoDB deletes expired items late, so one of those may be replaced.
fn missing_condition(def: &EntityDef, now: Timestamp) -> Node {
    let none = Node::Missing(Place::of(def.pk.attribute));
    Node::any(
        [none]
            .into_iter()
            .chain(def.ttl.map(|ttl| over_condition(ttl, now))),
    )
}

fn exists_condition(def: &EntityDef, now: Timestamp) -> Node {
    Node::all([
        Node::Exists(Place::of(def.pk.attribute)),
        live_condition(def, now),
    ])
}

/// Holds if the item has not expired, and always if the entity has no TTL. An item without the attribute is live,
/// because NOT of a comparison with a missing attribute is true.
pub(crate) fn live_condition(def: &EntityDef, now: Timestamp) -> Node {
    Node::all(def.ttl.map(|ttl| over_condition(ttl, now).not()))
}

/// Holds if the attribute is missing, or NULL, as other libraries write absence.
pub(crate) fn absent_condition(place: impl Into<Place>) -> Node {
    let place = place.into();
    let null = compare_value(place.clone(), Comparison::Eq, b"{\"NULL\":true}".to_vec());
    Node::any([Node::Missing(place), null])
}

/// Holds if the item is the one that was loaded.
fn unchanged_condition(
    def: &EntityDef,
    loaded: &LoadedItem,
    now: Timestamp,
) -> (Node, ConditionFailureKind) {
    let Some(attribute) = def.version else {
        return (Node::all([]), ConditionFailureKind::NeedsRow);
    };
    let version = match loaded.version.0 {
        VersionState::New => return (missing_condition(def, now), ConditionFailureKind::New),
        VersionState::Unversioned => {
            // Without this condition, a missing item would pass, because it has no version either.
            let exists = Node::Exists(Place::of(def.pk.attribute));
            exists.and(absent_condition(attribute))
        }
        VersionState::Number(version) | VersionState::Given(version) => {
            compare_value(attribute, Comparison::Eq, number_json(version))
        }
    };
    // An item that was deleted and created again starts at version 1 again, so its version may equal the loaded one.
    // The time of creation distinguishes the two.
    let created = def.created_at.and_then(|attribute| {
        let held = loaded.created_at.as_deref();
        let held = held.map(|created| as_read_condition(attribute, created));
        let absent = loaded
            .may_lack_created_at
            .then(|| absent_condition(attribute));
        let guards: Vec<Node> = held.into_iter().chain(absent).collect();
        (!guards.is_empty()).then(|| Node::any(guards))
    });
    (
        Node::all([version].into_iter().chain(created)),
        ConditionFailureKind::NeedsRow,
    )
}

/// Holds if the attribute has the value that was read, in whatever format the item has it.
pub(crate) fn as_read_condition(place: impl Into<Place>, json: &[u8]) -> Node {
    let place = Term::Place(place.into());
    Node::Compare(place, Comparison::Eq, Term::AsRead(json.to_vec()))
}

/// Holds if the attribute has this value.
pub(crate) fn value_condition(place: impl Into<Place>, json: &[u8]) -> Node {
    compare_value(place, Comparison::Eq, json.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Stage;
    use crate::wire::ConditionFailed;

    fn explained(condition_failure: ConditionFailure) -> ErrorKind {
        let failure = Failure {
            condition: Some(ConditionFailed { item: None }),
            ..Error::new(ErrorKind::Conflict, Stage::Service, "refused").into()
        };
        let now = std::time::SystemTime::UNIX_EPOCH.into();
        condition_failure
            .explain_failure(failure, "Note", now)
            .kind()
    }

    /// If the server sends no item, the conflicting one may be gone before it is read.
    #[test]
    fn who_asks_for_no_item_does_not_miss_one() {
        for kind in [ConditionFailureKind::NeedsNone, ConditionFailureKind::New] {
            let condition_failure = ConditionFailure {
                kind,
                ..ConditionFailure::NEVER
            };
            assert_eq!(
                explained(condition_failure),
                ErrorKind::Conflict,
                "{kind:?}"
            );
            // A condition of the caller's may ask for an item.
            let asked = explained(condition_failure.or_condition());
            assert_eq!(asked, ErrorKind::NotFound, "{kind:?}");
        }
        assert_eq!(explained(ConditionFailure::NEVER), ErrorKind::NotFound);
    }
}
