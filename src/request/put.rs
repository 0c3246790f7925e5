//! `put`: store an entity, replacing what is there.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::call::{Operation, Outcome, Plan};
use super::check::{self, Expect, Loaded, Lost};
use super::guard::{Checked, Conditional, Guard, Open, Unconditional};
use super::size;
use crate::clock::Timestamp;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, DynamoTable, Stamp, State, Version};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Condition, Node};
use crate::wire::{self, Request, Resend};

/// Stores an entity, replacing what is there; see [`DynamoEntity::put`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Put<'e, E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard> {
    pub(super) entity: &'e E,
    expect: Expect,
    condition: Node,
    guard: PhantomData<G>,
}

impl<'e, E: DynamoEntity, G: Guard> Put<'e, E, G> {
    pub(crate) fn new(entity: &'e E) -> Self {
        let expect = if G::CHECKED {
            Expect::Loaded
        } else {
            Expect::Anything
        };
        Put {
            entity,
            expect,
            condition: Node::all([]),
            guard: PhantomData,
        }
    }

    fn expecting<H: Guard>(self, expect: Expect) -> Put<'e, E, H> {
        Put {
            entity: self.entity,
            expect,
            condition: self.condition,
            guard: PhantomData,
        }
    }
}

impl<'e, E: DynamoEntity, G: Guard> Put<'e, E, G> {
    /// Only if a live item is there.
    pub fn if_exists(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Expect::Exists)
    }

    /// Only if no live item is there. [`create`](DynamoEntity::create) says the same and renews the
    /// managed fields.
    pub fn if_missing(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Expect::Missing)
    }

    /// Only if this holds of the stored item, and what else is asked of it. Called again, both have to
    /// hold.
    pub fn when(self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Put<'e, E, Conditional> {
        let expect = self.expect;
        let mut put = self.expecting(expect);
        let before = std::mem::replace(&mut put.condition, Node::all([]));
        put.condition = before.and(condition(E::Paths::default()).into_node());
        put
    }

    /// Whatever the stored version. The version still rises, from the struct's.
    pub fn unchecked(self) -> Put<'e, E, Unconditional>
    where
        G: Checked,
    {
        self.expecting(Expect::Anything)
    }
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    /// What the write leaves in managed attributes.
    pub(super) fn stamp(&self, db: &Dynamo, now: Timestamp) -> Result<Stamp> {
        let version = self.entity.version();
        let created = match version {
            Some(Version(State::New)) => Created::Now,
            _ => Created::Kept,
        };
        let version = version.unwrap_or_default().next();
        let version = version.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
        Ok(Stamp::write(version, now, created).by(db.actor()))
    }
}

impl<E: DynamoEntity, G: Guard> Operation for Put<'_, E, G> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let now = db.now();
        let (entity, stamp) = (self.entity, self.stamp(db, now)?);
        let loaded = Loaded::of(entity).map_err(fail)?;
        let (condition, lost) = check::condition(&E::ENTITY, self.expect, loaded.as_ref(), now);
        let (condition, lost) = check::with(condition, lost, self.condition);
        plan_put(entity, db, now, &stamp, &condition, lost)
    }
}

/// A PutItem of an entity; `create` is one too.
pub(super) fn plan_put<E: DynamoEntity>(
    entity: &E,
    db: &Dynamo,
    now: Timestamp,
    stamp: &Stamp,
    condition: &Node,
    lost: Lost,
) -> Result<Plan<E>> {
    let condition =
        check::expression(condition).map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut body = Writer::for_request(1024);
    body.raw("{\"TableName\":");
    body.quoted(&table);
    body.raw(",\"Item\":");
    let stored = write_item(entity, stamp, &mut body)?;
    if !condition.is_empty() {
        condition.write(&mut body);
        body.raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
    }
    body.raw("}");
    let resend = if condition.is_empty() {
        Resend::Always
    } else {
        Resend::UnlessAmbiguous
    };
    Ok(Plan {
        request: Request {
            operation: wire::Operation::PutItem,
            table,
            body: Bytes::from(body.into_bytes()),
            resend,
        },
        entity: E::ENTITY.type_name,
        now,
        lost,
        participants: Vec::new(),
        outcome: Outcome::Known(Some(stored)),
    })
}

/// Writes the item and checks its size; returns its bytes.
pub(super) fn encode_item<'b, E: DynamoEntity>(
    entity: &E,
    stamp: &Stamp,
    body: &'b mut Writer,
) -> Result<&'b [u8]> {
    let start = body.len();
    body.restart_size();
    body.raw("{");
    entity
        .encode(stamp, body)
        .map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
    body.raw("}");
    let item = body.as_bytes().get(start..).unwrap_or_default();
    size::check::<E>(item, body.size())?;
    Ok(item)
}

/// The same; returns the entity as it will be stored.
fn write_item<E: DynamoEntity>(entity: &E, stamp: &Stamp, body: &mut Writer) -> Result<E> {
    let item = encode_item(entity, stamp, body)?;
    // A type that writes what it cannot read is found out before anything is stored.
    crate::entity::read(item).map_err(|error| {
        let message = format!("it would not read back, so nothing was sent: {error}");
        Error::new(ErrorKind::InvalidValue, Stage::Encode, message).of(E::ENTITY.type_name)
    })
}

impl<E: DynamoEntity, G: Guard> fmt::Debug for Put<'_, E, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Put<{}>({:?})", E::ENTITY.type_name, self.expect)
    }
}
