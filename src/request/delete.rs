//! `delete`: take an item away.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::call::{Call, Operation, Outcome, Plan, returned_item};
use super::check::{self, Expect, Loaded, Lost};
use super::explain::Explanation;
use super::guard::{Checked, Conditional, Guard, Open};
use super::transact::Member;
use super::unique::{self, Exchange, Holdings, Intent, Joint, Main, Rewrite};
use crate::clock::Timestamp;
use crate::codec::{Fault, Writer};
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, DynamoTable, Key};
use crate::error::{Error, Result};
use crate::expr::{Condition, Expression, Node};
use crate::wire::{self, Reply, Request, Resend};

/// Deletes an item; see [`Key::delete`] and [`DynamoEntity::delete`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Delete<E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard, R = ReturningNothing> {
    pub(super) key: Key<E>,
    expect: Expect,
    /// Taken from the entity at once: the operation may outlive it.
    loaded: Result<Option<Loaded>, Fault>,
    /// What a loaded entity knows of its unique values.
    values: Option<Result<unique::Loaded>>,
    condition: Node,
    kind: PhantomData<(G, R)>,
}

/// The delete returns nothing.
#[derive(Debug)]
pub struct ReturningNothing(());

/// The delete returns the item it took away.
#[derive(Debug)]
pub struct ReturningOld(());

impl<E: DynamoEntity> Delete<E, E::Unguarded> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Delete {
            key,
            expect: Expect::Anything,
            loaded: Ok(None),
            values: None,
            condition: Node::all([]),
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity> Delete<E, E::Guard> {
    pub(crate) fn of_entity(entity: &E) -> Self {
        let expect = if E::Guard::CHECKED {
            Expect::Loaded
        } else {
            Expect::Anything
        };
        Delete {
            key: entity.key(),
            expect,
            loaded: Loaded::of(entity),
            values: unique::concerns::<E>().then(|| unique::loaded(entity)),
            condition: Node::all([]),
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    fn retyped<H: Guard, S>(self, expect: Expect) -> Delete<E, H, S> {
        Delete {
            key: self.key,
            expect,
            loaded: self.loaded,
            values: self.values,
            condition: self.condition,
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    /// Only if a live item is there: else the error is [`NotFound`](crate::ErrorKind::NotFound).
    pub fn if_exists(self) -> Delete<E, Conditional, R>
    where
        G: Open,
    {
        self.retyped(Expect::Exists)
    }

    /// Only if this holds of the stored item, and what else is asked of it. Called again, both have to
    /// hold.
    pub fn when(
        self,
        condition: impl FnOnce(E::Paths) -> Condition<E>,
    ) -> Delete<E, Conditional, R> {
        let expect = self.expect;
        let mut delete = self.retyped(expect);
        let before = std::mem::replace(&mut delete.condition, Node::all([]));
        delete.condition = before.and(condition(E::Paths::default()).into_node());
        delete
    }

    /// Whatever the stored version.
    pub fn unchecked(self) -> Delete<E, E::Unguarded, R>
    where
        G: Checked,
    {
        self.retyped(Expect::Anything)
    }
}

impl<E: DynamoEntity, G: Guard> Delete<E, G, ReturningNothing> {
    /// Returns the item that was taken away, expired or not.
    ///
    /// Such a delete is not sent again after a lost answer: the second one would find nothing.
    pub fn returning_old(self) -> Delete<E, G, ReturningOld> {
        let expect = self.expect;
        self.retyped(expect)
    }
}

impl<E: DynamoEntity, G: Guard> Operation for Delete<E, G, ReturningNothing> {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        self.plan_alone(db, false, |_, _| Ok(()))
    }

    fn send(self, db: &Dynamo) -> Call<'_, ()> {
        if !unique::concerns::<E>() {
            let plan = self.plan(db);
            return plan.map_or_else(Call::failed, |plan| plan.send(db));
        }
        match self.rewrite(db, false) {
            Ok(rewrite) => Call::of(Box::pin(async move { rewrite.run(db).await.map(drop) })),
            Err(error) => Call::failed(error),
        }
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.explained(db, false)
    }
}

impl<E: DynamoEntity, G: Guard> Operation for Delete<E, G, ReturningOld> {
    type Out = Option<E>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<E>>> {
        self.plan_alone(db, true, |reply, now| {
            let item = returned_item(&reply.body)?;
            item.map(|item| read_old(item, now)).transpose()
        })
    }

    fn send(self, db: &Dynamo) -> Call<'_, Option<E>> {
        if !unique::concerns::<E>() {
            let plan = self.plan(db);
            return plan.map_or_else(Call::failed, |plan| plan.send(db));
        }
        match self.rewrite(db, true) {
            Ok(rewrite) => Call::of(Box::pin(async move {
                let now = rewrite.now;
                let old = rewrite.run(db).await?;
                old.map(|item| read_old(&item, now)).transpose()
            })),
            Err(error) => Call::failed(error),
        }
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.explained(db, true)
    }
}

/// The item is gone from the table: an error has to bring what it was.
fn read_old<E: DynamoEntity>(item: &[u8], now: Timestamp) -> Result<E> {
    let keep = |error: Error| {
        let error = error.with_current(Bytes::copy_from_slice(item), now);
        error.declared_as(Some(E::ENTITY.id))
    };
    entity::read(item).map_err(keep)
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    /// What is asked of the item, and what it means if it does not hold.
    fn asked(&self, now: Timestamp) -> Result<(Node, Lost)> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let loaded = self.loaded.as_ref().map_err(|fault| fail(fault.clone()))?;
        let (condition, lost) = check::condition(&E::ENTITY, self.expect, loaded.as_ref(), now);
        Ok(check::with(condition, lost, self.condition.clone()))
    }

    fn plan_alone<Out>(
        self,
        db: &Dynamo,
        returns_old: bool,
        read: fn(&Reply, Timestamp) -> Result<Out>,
    ) -> Result<Plan<Out>> {
        if unique::concerns::<E>() {
            return Err(unique::must_read::<E>("delete"));
        }
        let now = db.now();
        let (condition, lost) = self.asked(now)?;
        let request = request(&self.key, &condition, returns_old, db)?;
        Ok(planned::<E, Out>(request, now, lost, Outcome::Read(read)))
    }

    fn rewrite(self, db: &Dynamo, returns_old: bool) -> Result<Rewrite<E>> {
        let now = db.now();
        let (condition, lost) = self.asked(now)?;
        Ok(Rewrite {
            key: self.key,
            main: Main::Delete,
            condition,
            lost,
            now,
            returns_old,
        })
    }

    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        if unique::concerns::<E>() {
            return Ok(Intent::Reading(Box::new(self.rewrite(db, false)?)));
        }
        let plan = self.plan_alone(db, false, |_, _| Ok(()))?;
        Ok(Joint::Alone(plan).into())
    }

    fn explained(self, db: &Dynamo, returns_old: bool) -> Result<Explanation> {
        if unique::concerns::<E>() {
            return self.rewrite(db, returns_old)?.explain(db);
        }
        let plan = self.plan_alone(db, returns_old, |_, _| Ok(()))?;
        Ok(Explanation::of(&plan))
    }

    /// In a transaction, where nothing can be read first: a loaded entity knows what it gives up, and the stored item
    /// has to have the same.
    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        let now = db.now();
        let (condition, lost) = self.asked(now)?;
        let (values, guard) = match self.values {
            None if unique::concerns::<E>() => return Err(unique::must_read::<E>("delete by key")),
            None => (Holdings::nothing::<E>(), Node::all([])),
            Some(values) => values?,
        };
        let (condition, lost) = check::with(condition, lost, guard);
        let exchange = Exchange::between::<E>(&values, &Holdings::nothing::<E>(), false)?;
        let main = Member::of(plan_key(&self.key, &condition, lost, now, db)?, &self.key)?;
        let beside = exchange.members(&self.key, now, db)?;
        Ok([main].into_iter().chain(beside).collect())
    }
}

/// A DeleteItem under a condition.
pub(super) fn plan_key<E: DynamoEntity>(
    key: &Key<E>,
    condition: &Node,
    lost: Lost,
    now: Timestamp,
    db: &Dynamo,
) -> Result<Plan<()>> {
    let request = request(key, condition, false, db)?;
    Ok(planned::<E, ()>(
        request,
        now,
        lost,
        Outcome::Known(Some(())),
    ))
}

fn request<E: DynamoEntity>(
    key: &Key<E>,
    condition: &Node,
    returns_old: bool,
    db: &Dynamo,
) -> Result<Request> {
    let condition = check::expression(condition);
    let condition = condition.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    request_of(table, &condition, returns_old, |body| {
        body.raw("{");
        key.write(body)?;
        body.raw("}");
        Ok(())
    })
}

/// The same of whatever has a key.
pub(super) fn request_of(
    table: String,
    condition: &Expression,
    returns_old: bool,
    write_key: impl FnOnce(&mut Writer) -> Result<()>,
) -> Result<Request> {
    let mut body = Writer::for_request(256);
    body.raw("{\"TableName\":");
    body.quoted(&table);
    body.raw(",\"Key\":");
    write_key(&mut body)?;
    if !condition.is_empty() {
        condition.write(&mut body);
        body.raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
    }
    body.raw(if returns_old {
        ",\"ReturnValues\":\"ALL_OLD\"}"
    } else {
        "}"
    });
    let repeatable = condition.is_empty() && !returns_old;
    Ok(Request {
        operation: wire::Operation::DeleteItem,
        table,
        body: Bytes::from(body.into_bytes()),
        resend: if repeatable {
            Resend::Always
        } else {
            Resend::UnlessAmbiguous
        },
    })
}

fn planned<E: DynamoEntity, Out>(
    request: Request,
    now: Timestamp,
    lost: Lost,
    outcome: Outcome<Out>,
) -> Plan<Out> {
    Plan {
        request,
        entity: E::ENTITY.type_name,
        now,
        lost,
        participants: Vec::new(),
        outcome,
    }
}

impl<E: DynamoEntity, G: Guard, R> fmt::Debug for Delete<E, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delete({:?}, {:?})", self.key, self.expect)
    }
}
