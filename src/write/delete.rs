//! `delete`: take an item away.

use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::guard::{Checked, Conditional, Guard, Open};
use crate::entity::{DynamoEntity, Key, Patterns};
use crate::error::{Error, Result};
use crate::expr::{Condition, Node};
use crate::json::CodecError;
use crate::plan::{
    Call, ConditionFailure, Expect, Explanation, LoadedItem, Operation, Plan, Returned,
    TransactionMember, WriteRequest, WriteVerb, check,
};
use crate::schema::Pattern;
use crate::write::{
    Holdings, Intent, Main, PlannedWrite, Returning, ReturningNothing, ReturningOld, Rewrite,
    UniqueExchange, unique,
};

/// Deletes an item; see [`Key::delete`] and [`EntityVerbs::delete`](crate::verbs::EntityVerbs::delete).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Delete<E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard, R = ReturningNothing> {
    pub(crate) key: Key<E>,
    expect: Expect,
    /// It is taken from the entity at once, because the operation may outlive the entity.
    loaded: Result<Option<LoadedItem>, CodecError>,
    /// What a loaded entity knows of its unique values.
    values: Option<Result<unique::LoadedUniques>>,
    condition: Node,
    kind: PhantomData<(G, R)>,
}

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
            key: Key::of(entity),
            expect,
            loaded: LoadedItem::of(entity),
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
    /// Deletes only a live item; without one the error is [`NotFound`](crate::error::ErrorKind::NotFound).
    pub fn if_exists(self) -> Delete<E, Conditional, R>
    where
        G: Open,
    {
        self.retyped(Expect::Exists)
    }

    /// Deletes only if this holds of the stored item, in addition to what else is asked of it. If this is called again,
    /// both have to hold.
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

    /// Deletes whatever version is stored.
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
    /// Such a delete is not sent again after a lost answer, because the second one would find nothing.
    pub fn returning_old(self) -> Delete<E, G, ReturningOld> {
        let expect = self.expect;
        self.retyped(expect)
    }
}

impl<E: DynamoEntity, G: Guard, R: Returning<E>> Operation for Delete<E, G, R> {
    type Out = R::IfAny;

    fn plan(self, db: &Dynamo) -> Result<Plan<R::IfAny>> {
        if unique::concerns::<E>() {
            return Err(unique::must_read::<E>("delete"));
        }
        self.write(db)?.returning(R::RETURNED, R::read_if_any)
    }

    fn send(self, db: &Dynamo) -> Call<'_, R::IfAny> {
        if !unique::concerns::<E>() {
            let plan = self.plan(db);
            return plan.map_or_else(Call::failed, |plan| plan.send(db));
        }
        match self.rewrite(db, R::RETURNED) {
            Ok(rewrite) => Call::of(Box::pin(async move {
                let now = rewrite.now;
                let old = rewrite.run(db).await?;
                R::read_if_any(old.as_deref(), now)
            })),
            Err(error) => Call::failed(error),
        }
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        match unique::concerns::<E>() {
            true => self.rewrite(db, R::RETURNED)?.explain(db),
            false => self.plan(db).map(|plan| Explanation::of(&plan)),
        }
    }
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    /// The condition on the item, and what it means if that does not hold.
    fn asked(&self, now: Timestamp) -> Result<(Node, ConditionFailure)> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let loaded = self.loaded.as_ref().map_err(|fault| fail(fault.clone()))?;
        let (condition, condition_failure) =
            check::condition(&E::ENTITY, self.expect, loaded.as_ref(), now);
        Ok(check::with(
            condition,
            condition_failure,
            self.condition.clone(),
        ))
    }

    fn write(self, db: &Dynamo) -> Result<WriteRequest> {
        let now = db.now();
        delete_of(Patterns::<E>::DELETE, &self.key, self.asked(now)?, now, db)
    }

    fn rewrite(self, db: &Dynamo, returned: Returned) -> Result<Rewrite<E>> {
        let now = db.now();
        Ok(Rewrite {
            pattern: Patterns::<E>::DELETE,
            asked: self.asked(now)?,
            key: self.key,
            main: Main::Delete,
            now,
            returns_old: returned == Returned::Old,
        })
    }

    pub(crate) fn item_key(&self) -> &Key<E> {
        &self.key
    }

    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        if unique::concerns::<E>() {
            return Ok(Intent::Reading(Box::new(
                self.rewrite(db, Returned::Nothing)?,
            )));
        }
        Ok(PlannedWrite::Alone(self.write(db)?).into())
    }

    /// The delete in a transaction, where nothing can be read first. A loaded entity knows which values it gives up,
    /// and the stored item has to have the same.
    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let now = db.now();
        let (condition, condition_failure) = self.asked(now)?;
        let (values, guard) = match self.values {
            None if unique::concerns::<E>() => return Err(unique::must_read::<E>("delete by key")),
            None => (Holdings::nothing::<E>(), Node::all([])),
            Some(values) => values?,
        };
        let asked = check::with(condition, condition_failure, guard);
        members_of(&self.key, asked, &values, now, db)
    }
}

/// The delete of an item that was just read, under this condition, as members of a transaction.
pub(crate) fn delete_as_read<E: DynamoEntity>(
    old: &E,
    asked: (Node, ConditionFailure),
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let values = match unique::concerns::<E>() {
        true => unique::loaded(old)?.0,
        false => Holdings::nothing::<E>(),
    };
    members_of(&Key::of(old), asked, &values, db.now(), db)
}

fn members_of<E: DynamoEntity>(
    key: &Key<E>,
    asked: (Node, ConditionFailure),
    values: &Holdings,
    now: Timestamp,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let exchange = UniqueExchange::between::<E>(values, &Holdings::nothing::<E>(), false)?;
    let main =
        TransactionMember::of_key(delete_of(Patterns::<E>::DELETE, key, asked, now, db)?, key)?;
    let beside = exchange.members(key, now, db)?;
    Ok([main].into_iter().chain(beside).collect())
}

/// A delete by key.
pub(crate) fn delete_of<E: DynamoEntity>(
    pattern: &'static Pattern,
    key: &Key<E>,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> Result<WriteRequest> {
    let mut write = WriteRequest::of_entity::<E>(WriteVerb::Delete, pattern, 256, asked, now, db);
    key.write_object(write.writer())?;
    Ok(write)
}

impl<E: DynamoEntity, G: Guard, R> fmt::Debug for Delete<E, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delete({:?}, {:?})", self.key, self.expect)
    }
}
