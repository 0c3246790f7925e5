//! `put`: store an entity, replacing what is there.

use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::guard::{Checked, Conditional, Guard, Open};
use crate::entity::{
    Created, DynamoEntity, HeldEntity, Key, Patterns, Stamp, Version, VersionState,
};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Condition, Node};
use crate::json::Writer;
use crate::plan::{
    Call, ConditionFailure, Expect, Explanation, LoadedItem, Operation, Outcome, Plan,
    TransactionMember, WriteRequest, WriteVerb, check, size,
};
use crate::schema::Pattern;
use crate::write::{Intent, Main, PlannedWrite, Rewrite, unique};

/// Stores an entity, replacing what is there; see [`EntityVerbs::put`](crate::verbs::EntityVerbs::put).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Put<'e, E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard> {
    pub(crate) entity: HeldEntity<'e, E>,
    expect: Expect,
    condition: Node,
    guard: PhantomData<G>,
}

impl<'e, E: DynamoEntity, G: Guard> Put<'e, E, G> {
    pub(crate) fn new(entity: HeldEntity<'e, E>) -> Self {
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
    /// Stores only if a live item is there.
    pub fn if_exists(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Expect::Exists)
    }

    /// Stores only if no live item is there. [`create`](crate::verbs::EntityVerbs::create) does the same and renews the
    /// managed fields.
    pub fn if_missing(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Expect::Missing)
    }

    /// Stores only if this holds of the stored item, in addition to what else is asked of it. If this is called again,
    /// both have to hold.
    pub fn when(self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Put<'e, E, Conditional> {
        let expect = self.expect;
        let mut put = self.expecting(expect);
        let before = std::mem::replace(&mut put.condition, Node::all([]));
        put.condition = before.and(condition(E::Paths::default()).into_node());
        put
    }

    /// Stores whatever version is there. The item gets a version that nobody holds, see [`Version`], so that whoever
    /// loaded it before is told. Prefer [`update`](crate::entity::Key::update) where only some attributes change.
    pub fn unchecked(self) -> Put<'e, E, E::Unguarded>
    where
        G: Checked,
    {
        self.expecting(Expect::Anything)
    }
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    /// What the write leaves in managed attributes.
    pub(crate) fn stamp(&self, db: &Dynamo, now: Timestamp) -> Result<Stamp> {
        let version = self.entity.version();
        let created = match version {
            Some(Version(VersionState::New)) => Created::Now,
            _ => Created::Kept,
        };
        let version = match version {
            // The struct's next version cannot be used: another writer may hold it.
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
struct PreparedPut {
    asked: (Node, ConditionFailure),
    stamp: Stamp,
    now: Timestamp,
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    fn prepare(&self, db: &Dynamo) -> Result<PreparedPut> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let now = db.now();
        let stamp = self.stamp(db, now)?;
        let loaded = LoadedItem::of(&*self.entity).map_err(fail)?;
        let (condition, condition_failure) =
            check::condition(&E::ENTITY, self.expect, loaded.as_ref(), now);
        let asked = check::with(condition, condition_failure, self.condition.clone());
        Ok(PreparedPut { asked, stamp, now })
    }

    /// Whether there may be no live item, so that no unique values are given up.
    fn is_entering(&self) -> bool {
        let is_new = matches!(self.entity.version(), Some(Version(VersionState::New)));
        self.expect == Expect::Missing || self.expect == Expect::Loaded && is_new
    }

    fn must_read(&self) -> bool {
        unique::concerns::<E>() && !self.is_entering()
    }

    /// The put, and the entity as it will be stored.
    fn write(&self, db: &Dynamo) -> Result<(WriteRequest, E)> {
        let PreparedPut { asked, stamp, now } = self.prepare(db)?;
        put_of(Patterns::<E>::PUT, &*self.entity, &stamp, asked, now, db)
    }

    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        if self.must_read() {
            return Err(unique::must_read::<E>("put"));
        }
        entering(self.write(db)?, &Key::of(&*self.entity), db)
    }

    pub(crate) fn item_key(&self) -> Key<E> {
        Key::of(&*self.entity)
    }

    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        match self.must_read() {
            true => Ok(Intent::Reading(Box::new(self.rewrite(db)?.0))),
            false => intent_of(self.write(db)?.0, &Key::of(&*self.entity), db),
        }
    }

    /// The put of an item whose stored unique values have to be read first, and the entity as it will be stored.
    fn rewrite(&self, db: &Dynamo) -> Result<(Rewrite<E>, E)> {
        let PreparedPut { asked, stamp, now } = self.prepare(db)?;
        let mut item = Writer::for_request(1024);
        let stored = write_item(&*self.entity, &stamp, &mut item)?;
        let rewrite = Rewrite {
            pattern: Patterns::<E>::PUT,
            key: Key::of(&*self.entity),
            main: Main::Put(item.into_bytes()),
            asked,
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
        plan_entering(self.write(db)?, &*self.entity, db)
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

/// A put where no live item is, and the operations that keep its unique values.
pub(crate) fn entering<E: DynamoEntity>(
    (write, stored): (WriteRequest, E),
    key: &Key<E>,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let beside = taken(&write, key, db)?;
    let main = TransactionMember {
        stored: Some(Box::new(stored)),
        ..TransactionMember::of_key(write, key)?
    };
    Ok([main].into_iter().chain(beside).collect())
}

/// A put where no live item is, for callers who send it themselves.
pub(crate) fn intent_of<E: DynamoEntity>(
    write: WriteRequest,
    key: &Key<E>,
    db: &Dynamo,
) -> Result<Intent> {
    let beside = taken(&write, key, db)?;
    Ok(PlannedWrite::of(write, key, beside)?.into())
}

/// The operations that take the unique values of an item that enters.
fn taken<E: DynamoEntity>(
    write: &WriteRequest,
    key: &Key<E>,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    unique::entering(write, key)?.members(key, write.now, db)
}

/// A put where no live item is, as one operation.
pub(crate) fn plan_entering<E: DynamoEntity>(
    (write, stored): (WriteRequest, E),
    entity: &E,
    db: &Dynamo,
) -> Result<Plan<E>> {
    let outcome = Outcome::Known(Some(stored));
    if !unique::concerns::<E>() {
        return write.plan(outcome);
    }
    let key = Key::of(entity);
    let beside = taken(&write, &key, db)?;
    PlannedWrite::of(write, &key, beside)?.plan(outcome)
}

/// A put of an entity, and the entity as it will be stored; `create` is one too.
pub(crate) fn put_of<E: DynamoEntity>(
    pattern: &'static Pattern,
    entity: &E,
    stamp: &Stamp,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> Result<(WriteRequest, E)> {
    let mut write = WriteRequest::of_entity::<E>(WriteVerb::Put, pattern, 1024, asked, now, db);
    let stored = write_item(entity, stamp, write.writer())?;
    Ok((write, stored))
}

/// Writes the item and checks its size; returns its bytes.
pub(crate) fn encode_item<'b, E: DynamoEntity>(
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

/// Writes the item and returns the entity as it will be stored.
fn write_item<E: DynamoEntity>(entity: &E, stamp: &Stamp, body: &mut Writer) -> Result<E> {
    let item = encode_item(entity, stamp, body)?;
    if let Some(stored) = entity.as_stored(stamp) {
        return Ok(stored);
    }
    // Finds a type that writes what it cannot read, before anything is stored.
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
