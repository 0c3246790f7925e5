//! `delete`: deletes an item.

use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::guard::{Checked, Conditional, Guard, Open};
use crate::entity::{DynamoEntity, EntityDeclaration, HasDeclaration, Key, Patterns, UntypedKey};
use crate::error::Result;
use crate::expr::{Condition, Node};
use crate::json::CodecError;
use crate::plan::{
    AnswerItem, Call, ConditionFailure, Expect, Explanation, LoadedItem, Operation, Outcome, Plan,
    PlannedRequest, Returned, SentCall, TransactionMember, WriteRequest, WriteVerb, check,
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
    /// The unique values that a loaded entity knows.
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
            values: unique::concerns(E::DECLARATION).then(|| unique::loaded(entity)),
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

    /// Deletes only if this holds for the stored item, in addition to the other conditions. If you call this again,
    /// both must hold.
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

    /// Deletes any stored version.
    pub fn unchecked(self) -> Delete<E, E::Unguarded, R>
    where
        G: Checked,
    {
        self.retyped(Expect::Anything)
    }
}

impl<E: DynamoEntity, G: Guard> Delete<E, G, ReturningNothing> {
    /// Returns the deleted item, expired or not.
    ///
    /// Such a delete is not sent again after a lost response, because the second one would find nothing.
    pub fn returning_old(self) -> Delete<E, G, ReturningOld> {
        let expect = self.expect;
        self.retyped(expect)
    }
}

impl<E: DynamoEntity, G: Guard, R: Returning<E>> Operation for Delete<E, G, R> {
    type Out = R::IfAny;

    fn plan(self, db: &Dynamo) -> Result<Plan<R::IfAny>> {
        let planned = self.given()?.planned(R::RETURNED, db)?;
        Ok(planned.reading(Outcome::Item(
            AnswerItem::Returned(R::RETURNED),
            R::read_if_any,
        )))
    }

    fn send(self, db: &Dynamo) -> Call<'_, R::IfAny> {
        let outcome = Outcome::Item(AnswerItem::Returned(R::RETURNED), R::read_if_any);
        let sent = self.given().and_then(|given| given.send(R::RETURNED, db));
        Call::new(SentCall::of(sent), outcome)
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.given()?.explain(R::RETURNED, db)
    }
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    fn given(self) -> Result<GivenDelete> {
        Ok(GivenDelete {
            pattern: Patterns::<E>::DELETE,
            key: self.key.untyped()?,
            expect: self.expect,
            loaded: self.loaded,
            values: self.values,
            condition: self.condition,
        })
    }

    pub(crate) fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        self.key.to_json()
    }

    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        self.given()?.intent(db)
    }

    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.given()?.members(db)
    }
}

/// A delete without the type of the entity.
struct GivenDelete {
    pattern: &'static Pattern,
    key: UntypedKey,
    expect: Expect,
    loaded: Result<Option<LoadedItem>, CodecError>,
    values: Option<Result<unique::LoadedUniques>>,
    condition: Node,
}

impl GivenDelete {
    /// The condition on the item, and its meaning if it does not hold.
    fn asked(
        declared: &EntityDeclaration,
        expect: Expect,
        loaded: Result<Option<LoadedItem>, CodecError>,
        when: Node,
        now: Timestamp,
    ) -> Result<(Node, ConditionFailure)> {
        let loaded = loaded.map_err(|fault| declared.unwritten(fault))?;
        let (condition, condition_failure) =
            check::condition(declared.def, expect, loaded.as_ref(), now);
        Ok(check::with(condition, condition_failure, when))
    }

    /// Whether the stored item has to be read first, because its unique values are released.
    fn must_read(&self) -> bool {
        unique::concerns(self.key.declared)
    }

    fn write(self, db: &Dynamo) -> Result<WriteRequest> {
        let (declared, now) = (self.key.declared, db.now());
        let asked = Self::asked(declared, self.expect, self.loaded, self.condition, now)?;
        Ok(delete_of(self.pattern, &self.key, asked, now, db))
    }

    fn rewrite(self, returned: Returned, db: &Dynamo) -> Result<Rewrite> {
        let (declared, now) = (self.key.declared, db.now());
        Ok(Rewrite {
            pattern: self.pattern,
            asked: Self::asked(declared, self.expect, self.loaded, self.condition, now)?,
            key: self.key,
            main: Main::Delete,
            now,
            returns_old: returned == Returned::Old,
        })
    }

    fn planned(self, returned: Returned, db: &Dynamo) -> Result<PlannedRequest> {
        match self.must_read() {
            true => Err(unique::must_read(self.key.declared, "delete")),
            false => self.write(db)?.returning(returned),
        }
    }

    fn send(self, returned: Returned, db: &Dynamo) -> Result<SentCall<'_>> {
        Ok(match self.must_read() {
            true => self.rewrite(returned, db)?.send(db),
            false => self.planned(returned, db)?.send(db),
        })
    }

    fn explain(self, returned: Returned, db: &Dynamo) -> Result<Explanation> {
        match self.must_read() {
            true => self.rewrite(returned, db)?.explain(db),
            false => {
                let request = self.planned(returned, db)?.request;
                Ok(Explanation::of_requests(&[request]))
            }
        }
    }

    fn intent(self, db: &Dynamo) -> Result<Intent> {
        Ok(match self.must_read() {
            true => Intent::Reading(Box::new(self.rewrite(Returned::Nothing, db)?)),
            false => PlannedWrite::Alone(self.write(db)?).into(),
        })
    }

    /// The delete in a transaction, which cannot read anything first. A loaded entity knows which values it releases,
    /// and the stored item must have the same.
    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let (declared, now) = (self.key.declared, db.now());
        let (condition, condition_failure) =
            Self::asked(declared, self.expect, self.loaded, self.condition, now)?;
        let (values, guard) = match self.values {
            None if unique::concerns(declared) => {
                return Err(unique::must_read(declared, "delete by key"));
            }
            None => (Holdings::nothing(declared), Node::all([])),
            Some(values) => values?,
        };
        let asked = check::with(condition, condition_failure, guard);
        members_of(&self.key, self.pattern, asked, &values, now, db)
    }
}

/// The delete of an item that was just read, under this condition, as members of a transaction.
pub(crate) fn delete_as_read<E: DynamoEntity>(
    old: &E,
    asked: (Node, ConditionFailure),
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let values = match unique::concerns(E::DECLARATION) {
        true => unique::loaded(old)?.0,
        false => Holdings::nothing(E::DECLARATION),
    };
    let (key, now) = (Key::of(old).untyped()?, db.now());
    members_of(&key, Patterns::<E>::DELETE, asked, &values, now, db)
}

fn members_of(
    key: &UntypedKey,
    pattern: &'static Pattern,
    asked: (Node, ConditionFailure),
    values: &Holdings,
    now: Timestamp,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let declared = key.declared;
    let nothing = Holdings::nothing(declared);
    let exchange = UniqueExchange::between(declared, values, &nothing, false)?;
    let write = delete_of(pattern, key, asked, now, db);
    let main = TransactionMember::of_key(write, key.json())?;
    let beside = exchange.members(key, now, db)?;
    Ok([main].into_iter().chain(beside).collect())
}

/// A delete by key.
pub(crate) fn delete_of(
    pattern: &'static Pattern,
    key: &UntypedKey,
    asked: (Node, ConditionFailure),
    now: Timestamp,
    db: &Dynamo,
) -> WriteRequest {
    let (declared, verb) = (key.declared, WriteVerb::Delete);
    let mut write = WriteRequest::of_entity(declared, verb, pattern, 256, asked, now, db);
    write.writer().raw_bytes(key.json());
    write
}

impl<E: DynamoEntity, G: Guard, R> fmt::Debug for Delete<E, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delete({:?}, {:?})", self.key, self.expect)
    }
}
