//! `delete`: take an item away.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::call::{Operation, Outcome, Plan, find_object};
use super::check::{self, Expect, Loaded};
use super::guard::{Checked, Conditional, Guard, Open, Unconditional};
use crate::clock::Timestamp;
use crate::codec::{Fault, Writer};
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, DynamoTable, Key};
use crate::error::{Error, Result};
use crate::expr::{Condition, Node};
use crate::wire::{self, Reply, Request, Resend};

/// Deletes an item; see [`Key::delete`] and [`DynamoEntity::delete`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Delete<E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard, R = ReturningNothing> {
    pub(super) key: Key<E>,
    expect: Expect,
    /// Taken from the entity at once: the operation may outlive it.
    loaded: Result<Option<Loaded>, Fault>,
    condition: Node,
    kind: PhantomData<(G, R)>,
}

/// The delete returns nothing.
#[derive(Debug)]
pub struct ReturningNothing(());

/// The delete returns the item it took away.
#[derive(Debug)]
pub struct ReturningOld(());

impl<E: DynamoEntity> Delete<E, Unconditional> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Delete {
            key,
            expect: Expect::Anything,
            loaded: Ok(None),
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
    pub fn unchecked(self) -> Delete<E, Unconditional, R>
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
        plan(self, db, false, |_, _| Ok(()))
    }
}

impl<E: DynamoEntity, G: Guard> Operation for Delete<E, G, ReturningOld> {
    type Out = Option<E>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<E>>> {
        plan(self, db, true, |reply, now| {
            let Some(item) = find_object(&reply.body, "Attributes")? else {
                return Ok(None);
            };
            // The item is gone from the table: an error has to bring what it was.
            let keep = |error: Error| error.with_current(Bytes::copy_from_slice(item), now);
            entity::read(item).map(Some).map_err(keep)
        })
    }
}

fn plan<E: DynamoEntity, G: Guard, R, Out>(
    delete: Delete<E, G, R>,
    db: &Dynamo,
    returns_old: bool,
    read: fn(&Reply, Timestamp) -> Result<Out>,
) -> Result<Plan<Out>> {
    let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
    let now = db.now();
    let loaded = delete.loaded.map_err(fail)?;
    let (condition, lost) = check::condition(&E::ENTITY, delete.expect, loaded.as_ref(), now);
    let (condition, lost) = check::with(condition, lost, delete.condition);
    let condition = check::expression(&condition).map_err(fail)?;
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut body = Writer::for_request(256);
    body.raw("{\"TableName\":");
    body.quoted(&table);
    body.raw(",\"Key\":{");
    delete.key.write(&mut body)?;
    body.raw("}");
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
    let request = Request {
        operation: wire::Operation::DeleteItem,
        table,
        body: Bytes::from(body.into_bytes()),
        resend: if repeatable {
            Resend::Always
        } else {
            Resend::UnlessAmbiguous
        },
    };
    Ok(Plan {
        request,
        entity: E::ENTITY.type_name,
        now,
        lost,
        participants: Vec::new(),
        outcome: Outcome::Read(read),
    })
}

impl<E: DynamoEntity, G: Guard, R> fmt::Debug for Delete<E, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delete({:?}, {:?})", self.key, self.expect)
    }
}
