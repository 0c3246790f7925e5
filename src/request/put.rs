//! `put`: store an entity, replacing what is there.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::call::{Call, Operation, Outcome, Plan};
use super::check::{self, Expect, Loaded, Lost};
use super::explain::Explanation;
use super::guard::{Checked, Conditional, Guard, Open};
use super::size;
use super::transact::{self, Member};
use super::unique::{self, Intent, Joint, Main, Rewrite};
use crate::clock::Timestamp;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, DynamoTable, Key, Stamp, State, Version};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Condition, Expression, Node};
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

    /// Whatever the stored version. The item gets one that nobody holds, see [`Version`], so that whoever loaded it
    /// before is told. Prefer [`update`](crate::Key::update) where only some attributes change.
    pub fn unchecked(self) -> Put<'e, E, E::Unguarded>
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
        let version = match version {
            // Not the next one of the struct's: another writer may hold that.
            Some(_) if self.expect != Expect::Loaded => Version::drawn()?,
            held => {
                let next = held.unwrap_or_default().next();
                next.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?
            }
        };
        Ok(Stamp::write(version, now, created).by(db.actor()))
    }
}

/// What a put writes and asks, before its request is made.
struct Prepared {
    condition: Node,
    lost: Lost,
    stamp: Stamp,
    now: Timestamp,
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    fn prepare(&self, db: &Dynamo) -> Result<Prepared> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let now = db.now();
        let stamp = self.stamp(db, now)?;
        let loaded = Loaded::of(self.entity).map_err(fail)?;
        let (condition, lost) = check::condition(&E::ENTITY, self.expect, loaded.as_ref(), now);
        let (condition, lost) = check::with(condition, lost, self.condition.clone());
        Ok(Prepared {
            condition,
            lost,
            stamp,
            now,
        })
    }

    /// Whether no live item may be there, so that none gives up unique values.
    fn is_entering(&self) -> bool {
        let is_new = matches!(self.entity.version(), Some(Version(State::New)));
        self.expect == Expect::Missing || self.expect == Expect::Loaded && is_new
    }

    fn must_read(&self) -> bool {
        unique::concerns::<E>() && !self.is_entering()
    }

    fn plan_alone(&self, db: &Dynamo) -> Result<Plan<E>> {
        let Prepared {
            condition,
            lost,
            stamp,
            now,
        } = self.prepare(db)?;
        plan_put(self.entity, db, now, &stamp, &condition, lost)
    }

    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        if self.must_read() {
            return Err(unique::must_read::<E>("put"));
        }
        entering(self.plan_alone(db)?, &self.entity.key(), db)
    }

    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        match self.must_read() {
            true => Ok(Intent::Reading(Box::new(self.rewrite(db)?.0))),
            false => intent_of(self.plan_alone(db)?, &self.entity.key(), db),
        }
    }

    /// The put of what gives up unique values that are to be read; and the entity as it will be stored.
    fn rewrite(&self, db: &Dynamo) -> Result<(Rewrite<E>, E)> {
        let Prepared {
            condition,
            lost,
            stamp,
            now,
        } = self.prepare(db)?;
        let mut item = Writer::for_request(1024);
        let stored = write_item(self.entity, &stamp, &mut item)?;
        let rewrite = Rewrite {
            key: self.entity.key(),
            main: Main::Put(item.into_bytes()),
            condition,
            lost,
            now,
            returns_old: false,
        };
        Ok((rewrite, stored))
    }
}

impl<E: DynamoEntity, G: Guard> Operation for Put<'_, E, G> {
    type Out = E;

    fn plan(self, db: &Dynamo) -> Result<Plan<E>> {
        if self.must_read() {
            return Err(unique::must_read::<E>("put"));
        }
        plan_entering(self.plan_alone(db)?, self.entity, db)
    }

    fn send(self, db: &Dynamo) -> Call<'_, E> {
        let sent = match self.must_read() {
            true => self.rewrite(db).map(|(rewrite, stored)| {
                Call::of(Box::pin(async move {
                    rewrite.run(db).await?;
                    Ok(stored)
                }))
            }),
            false => self.plan(db).map(|plan| plan.send(db)),
        };
        sent.unwrap_or_else(Call::failed)
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        match self.must_read() {
            true => self.rewrite(db)?.0.explain(db),
            false => self.plan(db).map(|plan| Explanation::of(&plan)),
        }
    }
}

/// A put where no live item is, and what keeps its unique values.
pub(super) fn entering<E: DynamoEntity>(
    plan: Plan<E>,
    key: &Key<E>,
    db: &Dynamo,
) -> Result<Vec<Member>> {
    let beside = taken(&plan, key, db)?;
    Ok([Member::storing(plan, key)?]
        .into_iter()
        .chain(beside)
        .collect())
}

/// The same of whatever sends it.
pub(super) fn intent_of<E: DynamoEntity>(
    plan: Plan<E>,
    key: &Key<E>,
    db: &Dynamo,
) -> Result<Intent> {
    let beside = taken(&plan, key, db)?;
    Ok(Joint::of(plan.quietly(), key, beside)?.into())
}

/// What takes the unique values of an item that enters.
fn taken<E: DynamoEntity>(plan: &Plan<E>, key: &Key<E>, db: &Dynamo) -> Result<Vec<Member>> {
    unique::entering(plan, key)?.members(key, plan.now, db)
}

/// The same as one operation.
pub(super) fn plan_entering<E: DynamoEntity>(
    mut plan: Plan<E>,
    entity: &E,
    db: &Dynamo,
) -> Result<Plan<E>> {
    if !unique::concerns::<E>() {
        return Ok(plan);
    }
    let key = entity.key();
    if unique::entering(&plan, &key)?.is_empty() {
        return Ok(plan);
    }
    let outcome = std::mem::replace(&mut plan.outcome, Outcome::Known(None));
    transact::plan_of_one(entering(plan, &key, db)?, None, outcome)
}

/// A PutItem of an item that is written already.
pub(super) fn plan_item<E: DynamoEntity>(
    item: &[u8],
    condition: &Node,
    lost: Lost,
    now: Timestamp,
    db: &Dynamo,
) -> Result<Plan<()>> {
    let condition = written::<E>(condition)?;
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut body = open_body(&table);
    body.raw_bytes(item);
    let request = close_body(body, table, &condition);
    Ok(planned::<E, ()>(request, now, lost, ()))
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
    let condition = written::<E>(condition)?;
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut body = open_body(&table);
    let stored = write_item(entity, stamp, &mut body)?;
    let request = close_body(body, table, &condition);
    Ok(planned::<E, E>(request, now, lost, stored))
}

fn written<E: DynamoEntity>(condition: &Node) -> Result<Expression> {
    check::expression(condition).map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
}

/// Up to the item.
fn open_body(table: &str) -> Writer {
    let mut body = Writer::for_request(1024);
    body.raw("{\"TableName\":");
    body.quoted(table);
    body.raw(",\"Item\":");
    body
}

/// Behind the item.
fn close_body(mut body: Writer, table: String, condition: &Expression) -> Request {
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
    Request {
        operation: wire::Operation::PutItem,
        table,
        body: Bytes::from(body.into_bytes()),
        resend,
    }
}

fn planned<E: DynamoEntity, Out>(
    request: Request,
    now: Timestamp,
    lost: Lost,
    stored: Out,
) -> Plan<Out> {
    Plan {
        request,
        entity: E::ENTITY.type_name,
        now,
        lost,
        participants: Vec::new(),
        outcome: Outcome::Known(Some(stored)),
    }
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
    if let Some(stored) = entity.as_stored(stamp) {
        return Ok(stored);
    }
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
