//! What a write expects to find, as a condition, and what it means if it does not.

use std::borrow::Cow;

use bytes::Bytes;

use super::confirm::KeyNames;
use crate::clock::Timestamp;
use crate::codec::{DynamoValue, Fault, Reader, Writer, member};
use crate::entity::{DynamoEntity, State, Version};
use crate::error::{Error, ErrorKind};
use crate::expr::{Comparison, Expression, Node, Place, Term};
use crate::request::respell::Reread;
use crate::schema::EntityDef;
use crate::wire::Failure;

/// What a write expects to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
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
pub(crate) struct Lost {
    kind: LostKind,
    /// The declaration of the entity, where it is one.
    declared: Option<&'static str>,
    /// The attributes of its primary key.
    keys: Option<KeyNames>,
    ttl: Option<&'static str>,
    /// More was asked than the kind says: conditions of the caller's, places to be there, room for a sum.
    asked_more: bool,
    /// The attribute of the version, and the number that was loaded.
    version: Option<(&'static str, Option<u64>)>,
    /// How the item is read, to tell another spelling from another value.
    reread: Option<Reread>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LostKind {
    /// `create`
    Create,
    /// An item was needed.
    NeedsRow,
    /// None was asked for.
    NeedsNone,
    /// The entity is new, so none was expected.
    New,
    /// `upsert`
    Upsert,
}

impl Lost {
    /// For an operation that has no condition.
    pub(crate) const NEVER: Lost = Lost {
        kind: LostKind::NeedsRow,
        declared: None,
        keys: None,
        ttl: None,
        asked_more: false,
        version: None,
        reread: None,
    };

    fn new(kind: LostKind, def: &EntityDef) -> Lost {
        Lost {
            kind,
            declared: Some(def.id),
            keys: Some((def.pk.attribute, def.sk.map(|sk| sk.attribute))),
            ttl: def.ttl,
            reread: Some(def.reread),
            ..Lost::NEVER
        }
    }

    pub(crate) fn create(def: &EntityDef) -> Lost {
        Lost::new(LostKind::Create, def)
    }

    /// Nothing is asked but that no expired item is changed.
    pub(crate) fn upsert(def: &EntityDef) -> Lost {
        Lost::new(LostKind::Upsert, def)
    }

    /// More is asked.
    pub(crate) fn or_condition(self) -> Lost {
        Lost {
            asked_more: true,
            ..self
        }
    }

    /// The stored item as we would write it, if it is the version that was loaded.
    pub(crate) fn reread(self, item: &[u8]) -> Option<Vec<u8>> {
        let reread = self.reread.filter(|_| self.is_same_version(item));
        reread.and_then(|reread| reread(item))
    }

    /// Whether its failure may be one of spelling.
    pub(crate) fn is_conditional(self) -> bool {
        self.reread.is_some()
    }

    /// A write that has to remain the same byte for byte.
    pub(crate) fn in_one_spelling(self) -> Lost {
        Lost {
            reread: None,
            ..self
        }
    }

    /// The declaration of the entity, where it is one.
    pub(crate) fn declared(self) -> Option<&'static str> {
        self.declared
    }

    /// The attributes of its primary key, where the entity is one.
    pub(crate) fn keys(self) -> Option<KeyNames> {
        self.keys
    }

    /// Whether the write makes the item where there is none.
    pub(crate) fn may_create(self) -> bool {
        self.kind == LostKind::Upsert
    }

    /// Says who lost to whom.
    pub(crate) fn explain(self, failure: Failure, entity: &'static str, now: Timestamp) -> Error {
        let error = failure.error.of(entity).declared_as(self.declared);
        let Some(condition) = failure.condition else {
            return error;
        };
        let is_over = |item: &Bytes| is_expired(item, self.ttl, now);
        let is_expired = condition.item.as_ref().is_some_and(is_over);
        let live = condition.item.filter(|_| !is_expired);
        let (kind, message) = self.meaning(live.as_ref(), is_expired);
        let error = error.with_kind(kind, message);
        match live {
            Some(item) => error.with_current(item, now),
            None => error,
        }
    }

    fn meaning(self, live: Option<&Bytes>, is_expired: bool) -> (ErrorKind, &'static str) {
        match (self.kind, live) {
            (LostKind::Create, _) => (
                ErrorKind::AlreadyExists,
                "an item with this key is already there",
            ),
            (LostKind::NeedsRow, None) => {
                (ErrorKind::NotFound, "no live item with this key is there")
            }
            (LostKind::Upsert, None) if is_expired => (
                ErrorKind::Conflict,
                "an expired item is still stored under this key, and an upsert would bring it back: `create` or `put` replaces it",
            ),
            (LostKind::Upsert, None) => (
                ErrorKind::Conflict,
                "no item is stored under this key, and none may be made so: a condition does not hold of none, or a sum would leave the range of its type",
            ),
            (LostKind::NeedsRow | LostKind::Upsert, Some(item))
                if self.asked_more && self.is_same_version(item) =>
            {
                (
                    ErrorKind::Conflict,
                    "the stored item does not fit: a condition does not hold, a place to be changed is not there, or a sum would leave the range of its type",
                )
            }
            (LostKind::NeedsRow | LostKind::Upsert, Some(_)) => (
                ErrorKind::Conflict,
                "the stored item is not the one that was loaded: another write came first",
            ),
            (LostKind::NeedsNone | LostKind::New, None) if !is_expired => (
                ErrorKind::NotFound,
                "no item with this key is there, and the condition asks for one",
            ),
            (LostKind::NeedsNone, _) => (
                ErrorKind::Conflict,
                "an item with this key is there, and none was to be",
            ),
            (LostKind::New, _) => (
                ErrorKind::Conflict,
                "this entity was never loaded, but an item with its key is stored: load it first, or write `.unchecked()` to replace it",
            ),
        }
    }

    /// Whether the version did not decide: the item has the one that was loaded, or none was asked for.
    fn is_same_version(self, item: &[u8]) -> bool {
        self.version.is_none_or(|(attribute, loaded)| {
            let stored = member(item, attribute).ok().flatten();
            let number = stored.and_then(|json| u64::decode(&mut Reader::new(json)).ok());
            number == loaded
        })
    }
}

/// Whether an item of DynamoDB JSON has a TTL in the past.
pub(super) fn is_expired(item: &[u8], ttl: Option<&'static str>, now: Timestamp) -> bool {
    // An item that cannot be read is shown, so that its reader gets the error.
    let stored = ttl.and_then(|ttl| member(item, ttl).ok().flatten());
    let decode = |json| <Option<i64> as crate::entity::TtlTime>::decode_ttl(&mut Reader::new(json));
    let expires = stored.and_then(|json| decode(json).ok().flatten());
    expires.is_some_and(|at| at <= now.seconds())
}

/// What a loaded entity knows of its stored item.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    version: Version,
    /// The value of the time of creation, as DynamoDB JSON.
    created_at: Option<Vec<u8>>,
}

impl Loaded {
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    pub(crate) fn of<E: DynamoEntity>(entity: &E) -> Result<Option<Loaded>, Fault> {
        let Some(version) = entity.version() else {
            return Ok(None);
        };
        let mut created = Writer::default();
        let has_created = entity.encode_created_at(&mut created)?;
        Ok(Some(Loaded {
            version,
            created_at: has_created.then(|| created.into_bytes()),
        }))
    }
}

/// The condition of a write, and what its failure means.
pub(crate) fn condition(
    def: &EntityDef,
    expect: Expect,
    loaded: Option<&Loaded>,
    now: Timestamp,
) -> (Node, Lost) {
    let (node, kind) = match (expect, loaded) {
        (Expect::Anything, _) | (Expect::Loaded, None) => (Node::all([]), LostKind::NeedsRow),
        (Expect::Missing, _) => (missing(def, now), LostKind::NeedsNone),
        (Expect::Exists, _) => (exists(def, now), LostKind::NeedsRow),
        (Expect::Loaded, Some(loaded)) => unchanged(def, loaded, now),
    };
    let version = loaded.filter(|_| expect == Expect::Loaded);
    let version = def
        .version
        .zip(version.map(|loaded| loaded.version.number()));
    let lost = Lost {
        version,
        ..Lost::new(kind, def)
    };
    (node, lost)
}

/// The same with a condition of the caller's.
pub(crate) fn with(expected: Node, lost: Lost, condition: Node) -> (Node, Lost) {
    if condition.is_always() {
        return (expected, lost);
    }
    (expected.and(condition), lost.or_condition())
}

/// The expression of a condition alone; nothing for one that always holds.
pub(crate) fn expression(node: &Node) -> Result<Expression, Fault> {
    let mut expression = Expression::default();
    node.write(expression.begin(CONDITION))?;
    expression.check()?;
    Ok(expression)
}

/// The request's parameter.
pub(crate) const CONDITION: &str = "ConditionExpression";

fn compare(attribute: impl Into<Cow<'static, str>>, comparison: Comparison, json: Vec<u8>) -> Node {
    let place = Term::Place(Place::of(attribute));
    Node::Compare(place, comparison, Term::Value(json))
}

fn number(number: impl std::fmt::Display) -> Vec<u8> {
    format!("{{\"N\":\"{number}\"}}").into_bytes()
}

/// The item's time is over. A fraction that others stored is cut off when it is read, so
/// `ttl < now + 1` expires the same items as the reads do, and `ttl <= now` would not.
pub(super) fn is_over(ttl: &'static str, now: Timestamp) -> Node {
    let next_second = now.seconds().saturating_add(1);
    compare(ttl, Comparison::Lt, number(next_second))
}

/// No live item. DynamoDB deletes expired items late; one of those may be replaced.
fn missing(def: &EntityDef, now: Timestamp) -> Node {
    let none = Node::Missing(Place::of(def.pk.attribute));
    Node::any(
        [none]
            .into_iter()
            .chain(def.ttl.map(|ttl| is_over(ttl, now))),
    )
}

fn exists(def: &EntityDef, now: Timestamp) -> Node {
    Node::all([Node::Exists(Place::of(def.pk.attribute)), is_live(def, now)])
}

/// Nothing is asked of an entity without a TTL. NOT of a comparison with a missing attribute is true:
/// such an item lives on.
pub(crate) fn is_live(def: &EntityDef, now: Timestamp) -> Node {
    Node::all(def.ttl.map(|ttl| is_over(ttl, now).not()))
}

/// The attribute is absent as this library or another one writes it.
pub(crate) fn is_absent(attribute: &'static str) -> Node {
    let null = compare(attribute, Comparison::Eq, b"{\"NULL\":true}".to_vec());
    Node::any([Node::Missing(Place::of(attribute)), null])
}

/// The item as it was loaded.
fn unchanged(def: &EntityDef, loaded: &Loaded, now: Timestamp) -> (Node, LostKind) {
    let Some(attribute) = def.version else {
        return (Node::all([]), LostKind::NeedsRow);
    };
    let version = match loaded.version.0 {
        State::New => return (missing(def, now), LostKind::New),
        State::Unversioned => {
            let exists = Node::Exists(Place::of(def.pk.attribute));
            exists.and(is_absent(attribute))
        }
        State::Number(version) => compare(attribute, Comparison::Eq, number(version)),
    };
    // A deleted and created item starts again at version 1: the time of creation tells it apart.
    let created = def.created_at.zip(loaded.created_at.as_deref());
    let created = created.map(|(attribute, created)| is_as_read(attribute, created));
    (
        Node::all([version].into_iter().chain(created)),
        LostKind::NeedsRow,
    )
}

/// The attribute holds what was read, in whatever spelling the item has it.
pub(crate) fn is_as_read(attribute: &'static str, json: &[u8]) -> Node {
    let place = Term::Place(Place::of(attribute));
    Node::Compare(place, Comparison::Eq, Term::AsRead(json.to_vec()))
}

/// The attribute holds this value.
pub(crate) fn is_value(attribute: impl Into<Cow<'static, str>>, json: &[u8]) -> Node {
    compare(attribute, Comparison::Eq, json.to_vec())
}
