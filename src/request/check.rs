//! What a write expects to find, as a condition, and what it means if it does not.

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::codec::time::{Precision, parse_utc, utc_text};
use crate::codec::{DynamoValue, Fault, Reader, Writer};
use crate::entity::{DynamoEntity, State, Version};
use crate::error::{Error, ErrorKind};
use crate::expr::Expression;
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
    ttl: Option<&'static str>,
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
}

impl Lost {
    /// For an operation that has no condition.
    pub(crate) const NEVER: Lost = Lost {
        kind: LostKind::NeedsRow,
        ttl: None,
    };

    pub(crate) fn create(def: &EntityDef) -> Lost {
        Lost {
            kind: LostKind::Create,
            ttl: def.ttl,
        }
    }

    /// Says who lost to whom.
    pub(crate) fn explain(self, failure: Failure, entity: &'static str, now: Timestamp) -> Error {
        let error = failure.error.of(entity);
        let Some(condition) = failure.condition else {
            return error;
        };
        let live = condition
            .item
            .filter(|item| !is_expired(item, self.ttl, now));
        let (kind, message) = match (self.kind, &live) {
            (LostKind::Create, _) => (
                ErrorKind::AlreadyExists,
                "an item with this key is already there",
            ),
            (LostKind::NeedsRow, None) => {
                (ErrorKind::NotFound, "no live item with this key is there")
            }
            (LostKind::NeedsRow, Some(_)) => (
                ErrorKind::Conflict,
                "the stored item is not the one that was loaded: another write came first",
            ),
            (LostKind::NeedsNone, _) => (
                ErrorKind::Conflict,
                "an item with this key is there, and none was to be",
            ),
            (LostKind::New, _) => (
                ErrorKind::Conflict,
                "this entity was never loaded, but an item with its key is stored: load it first, or write `.unchecked()` to replace it",
            ),
        };
        let error = error.with_kind(kind, message);
        match live {
            Some(item) => error.with_current(item, now),
            None => error,
        }
    }
}

/// Whether an item of DynamoDB JSON has a TTL in the past.
fn is_expired(item: &Bytes, ttl: Option<&'static str>, now: Timestamp) -> bool {
    let Some(ttl) = ttl else { return false };
    let mut reader = Reader::new(item);
    let mut first = true;
    let mut expires = None;
    // An item that cannot be read is shown, so that its reader gets the error.
    if reader.open_object().is_err() {
        return false;
    }
    while let Ok(Some(name)) = reader.next_name(&mut first) {
        if name == ttl {
            expires = <Option<i64> as crate::entity::TtlTime>::decode_ttl(&mut reader)
                .ok()
                .flatten();
        } else if reader.skip().is_err() {
            return false;
        }
    }
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
) -> Result<(Expression, Lost), Fault> {
    let mut expression = Expression::default();
    let kind = match (expect, loaded) {
        (Expect::Anything, _) | (Expect::Loaded, None) => LostKind::NeedsRow,
        (Expect::Missing, _) => {
            missing(def, now, &mut expression)?;
            LostKind::NeedsNone
        }
        (Expect::Exists, _) => {
            exists(def, now, &mut expression)?;
            LostKind::NeedsRow
        }
        (Expect::Loaded, Some(loaded)) => unchanged(def, loaded, now, &mut expression)?,
    };
    Ok((expression, Lost { kind, ttl: def.ttl }))
}

/// The first second that has not come. A fraction that others stored is cut off when it is read, so
/// `ttl < now + 1` expires the same items as the reads do, and `ttl <= now` would not.
fn next_second(now: Timestamp) -> impl FnOnce(&mut Writer) -> Result<(), Fault> {
    move |writer| now.seconds().saturating_add(1).encode(writer)
}

/// No live item. DynamoDB deletes expired items late; one of those may be replaced.
fn missing(def: &EntityDef, now: Timestamp, out: &mut Expression) -> Result<(), Fault> {
    out.push("attribute_not_exists(")
        .name(def.pk.attribute)
        .push(")");
    if let Some(ttl) = def.ttl {
        out.push(" OR ")
            .name(ttl)
            .push(" < ")
            .value(next_second(now))?;
    }
    Ok(())
}

fn exists(def: &EntityDef, now: Timestamp, out: &mut Expression) -> Result<(), Fault> {
    out.push("attribute_exists(")
        .name(def.pk.attribute)
        .push(")");
    if let Some(ttl) = def.ttl {
        // NOT of a comparison with a missing attribute is true: such an item lives on.
        out.push(" AND NOT ")
            .name(ttl)
            .push(" < ")
            .value(next_second(now))?;
    }
    Ok(())
}

/// The item as it was loaded.
fn unchanged(
    def: &EntityDef,
    loaded: &Loaded,
    now: Timestamp,
    out: &mut Expression,
) -> Result<LostKind, Fault> {
    let Some(attribute) = def.version else {
        return Ok(LostKind::NeedsRow);
    };
    match loaded.version.0 {
        State::New => {
            missing(def, now, out)?;
            return Ok(LostKind::New);
        }
        State::Unversioned => {
            out.push("attribute_exists(").name(def.pk.attribute);
            out.push(") AND (attribute_not_exists(").name(attribute);
            out.push(") OR ").name(attribute).push(" = ");
            out.value(|writer| {
                writer.null();
                Ok(())
            })?;
            out.push(")");
        }
        State::Number(number) => {
            out.name(attribute)
                .push(" = ")
                .value(|writer| number.encode(writer))?;
        }
    }
    // A deleted and created item starts again at version 1: the time of creation tells it apart.
    if let (Some(attribute), Some(created)) = (def.created_at, &loaded.created_at) {
        let others = spellings(created);
        out.push(" AND ").name(attribute);
        out.push(if others.is_empty() { " = " } else { " IN (" });
        out.value(|writer| {
            writer.raw_bytes(created);
            Ok(())
        })?;
        for text in &others {
            out.push(", ").value(|writer| {
                writer.plain_text(text);
                Ok(())
            })?;
        }
        out.push(if others.is_empty() { "" } else { ")" });
    }
    Ok(LostKind::NeedsRow)
}

/// The other texts of a stored time: fewer digits, or an offset of zero. A loaded entity knows the
/// time and not how the row's writer spelt it. Times of nanoseconds have one text, and numbers are
/// compared by value.
fn spellings(created: &[u8]) -> Vec<String> {
    let time = Reader::new(created).text().ok();
    let time = time.and_then(|text| Some((parse_utc(&text)?, text)));
    let Some((time, own)) = time else {
        return Vec::new();
    };
    let Ok(full) = utc_text(time, Precision::Nanos) else {
        return Vec::new();
    };
    let (seconds, fraction) = full.split_once('.').unwrap_or((&full, ""));
    let fraction = fraction.trim_end_matches('Z');
    let significant = fraction.trim_end_matches('0').len();
    let mut texts = Vec::new();
    if significant > 6 {
        return texts;
    }
    for digits in [0, 3, 6, 9] {
        let Some(shown) = fraction.get(..digits).filter(|_| digits >= significant) else {
            continue;
        };
        let point = if digits == 0 { "" } else { "." };
        texts.extend(["Z", "+00:00"].map(|zone| format!("{seconds}{point}{shown}{zone}")));
    }
    texts.retain(|text| *text != own);
    texts
}
