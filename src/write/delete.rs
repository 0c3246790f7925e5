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
    AnswerItem, ConditionFailure, LoadedItem, Outcome, Precondition, Returned, TransactionMember,
    check,
};
use crate::schema::Pattern;
use crate::write::item_write::sealed::Sealed;
use crate::write::large::{LargeRows, head_deletes};
use crate::write::{
    HeldUniqueValues, Intent, ItemWrite, Main, PlannedWrite, Returning, ReturningNothing,
    ReturningOld, Rewrite, UniqueChanges, WriteOutcome, WritePlan, delete_of, refuse_alone, unique,
};

/// Deletes an item; see [`Key::delete`] and [`EntityExt::delete`](crate::verbs::EntityExt::delete).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Delete<E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard, R = ReturningNothing> {
    pub(crate) key: Key<E>,
    terms: DeleteTerms,
    kind: PhantomData<(G, R)>,
}

/// The conditions of a delete, without the type of the entity.
struct DeleteTerms {
    expect: Precondition,
    /// It is taken from the entity at once, because the operation may outlive the entity.
    loaded: Result<Option<LoadedItem>, CodecError>,
    /// The unique values that a loaded entity knows.
    values: Option<Result<unique::LoadedUniques>>,
    condition: Node,
}

impl<E: DynamoEntity> Delete<E, E::Unguarded> {
    pub(crate) fn of_key(key: Key<E>) -> Self {
        Delete {
            key,
            terms: DeleteTerms {
                expect: Precondition::Anything,
                loaded: Ok(None),
                values: None,
                condition: Node::all([]),
            },
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity> Delete<E, E::Guard> {
    pub(crate) fn of_entity(entity: &E) -> Self {
        let expect = if E::Guard::CHECKED {
            Precondition::Loaded
        } else {
            Precondition::Anything
        };
        Delete {
            key: Key::of(entity),
            terms: DeleteTerms {
                expect,
                loaded: LoadedItem::of_entity(entity),
                // The values are read from the entity now, because the delete does not keep the entity
                // until it is sent.
                values: unique::concerns(E::DECLARATION).then(|| unique::loaded(entity)),
                condition: Node::all([]),
            },
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity, G: Guard, R> Delete<E, G, R> {
    fn expecting<H: Guard>(mut self, expect: Precondition) -> Delete<E, H, R> {
        self.terms.expect = expect;
        self.retyped()
    }

    fn retyped<H: Guard, S>(self) -> Delete<E, H, S> {
        Delete {
            key: self.key,
            terms: self.terms,
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
        self.expecting(Precondition::Exists)
    }

    /// Deletes only if this holds for the stored item, in addition to the other conditions. If you call this again,
    /// both must hold.
    pub fn when(
        self,
        condition: impl FnOnce(E::Paths) -> Condition<E>,
    ) -> Delete<E, Conditional, R> {
        let mut delete = self.retyped();
        delete
            .terms
            .condition
            .narrow(condition(E::Paths::default()).into_node());
        delete
    }

    /// Deletes any stored version.
    pub fn unchecked(self) -> Delete<E, E::Unguarded, R>
    where
        G: Checked,
    {
        self.expecting(Precondition::Anything)
    }
}

impl<E: DynamoEntity, G: Guard> Delete<E, G, ReturningNothing> {
    /// Returns the deleted item, expired or not.
    ///
    /// Such a delete is not sent again after a lost response, because the second one would find nothing.
    pub fn returning_old(self) -> Delete<E, G, ReturningOld> {
        self.retyped()
    }
}

impl<E: DynamoEntity, G: Guard, R: Returning<E>> Sealed for Delete<E, G, R> {}

impl<E: DynamoEntity, G: Guard, R: Returning<E>> ItemWrite for Delete<E, G, R> {
    type Entity = E;
    type Guard = R::Guard<G>;
    type Returns = R;
    type Out = R::IfAny;

    const VERB: &'static str = "delete";

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        self.key.to_json()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<R::IfAny>) {
        let of = (Patterns::<E>::DELETE, self.key.untyped());
        let outcome = Outcome::Item(AnswerItem::Returned(R::RETURNED), R::read_if_any);
        (
            self.terms.prepare(of, R::RETURNED, db),
            WriteOutcome(outcome),
        )
    }

    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let of = (Patterns::<E>::DELETE, self.key.untyped());
        self.terms.members(of, db)
    }
}

/// The pattern of a request, and the key of its item.
type DeletedItem = (&'static Pattern, Result<UntypedKey>);

impl DeleteTerms {
    /// The condition on the item, and its meaning if it does not hold.
    fn asked(
        expect: Precondition,
        loaded: Result<Option<LoadedItem>, CodecError>,
        when: Node,
        declared: &EntityDeclaration,
        now: Timestamp,
    ) -> Result<(Node, ConditionFailure)> {
        let loaded = loaded.map_err(|fault| declared.unwritten(fault))?;
        let (condition, condition_failure) =
            check::build_condition(declared.def, expect, loaded.as_ref(), now);
        Ok(check::with_condition(condition, condition_failure, when))
    }

    /// The delete. If the item may have unique values, it is read first, because they are released.
    fn prepare(
        self,
        (pattern, key): DeletedItem,
        returned: Returned,
        db: &Dynamo,
    ) -> Result<WritePlan> {
        let (key, now) = (key?, db.now());
        let declared = key.declared;
        let asked = Self::asked(self.expect, self.loaded, self.condition, declared, now)?;
        // A transaction returns nothing, so an item that is returned is read before.
        let reads_first = declared.delete_concerns_others
            || !declared.def.large.is_empty() && returned == Returned::Old;
        let dropped = LargeRows::all_of(declared.def, declared.table, key.json())?;
        let intent = match reads_first {
            false => {
                let write = delete_of(pattern, &key, asked, now, db);
                let heads = head_deletes(declared.def, declared.table, key.json(), now, db)?;
                Intent::Ready(PlannedWrite::of(write, key.json(), heads)?)
            }
            // A single delete reads the stored values, so it also works if only the key is known.
            true => Intent::Reading(Rewrite {
                pattern,
                asked,
                key,
                main: Main::Delete,
                now,
                returns_old: declared.has_two_rows(true) || returned == Returned::Old,
            }),
        };
        Ok(WritePlan {
            dropped,
            ..WritePlan::new(intent, returned)
        })
    }

    /// The delete in a transaction, which cannot read anything first. A loaded entity knows which values it releases,
    /// and the stored item must have the same.
    fn members(self, (pattern, key): DeletedItem, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let (key, now) = (key?, db.now());
        let declared = key.declared;
        refuse_alone(declared, true)?;
        let (condition, condition_failure) =
            Self::asked(self.expect, self.loaded, self.condition, declared, now)?;
        let (values, guard) = match self.values {
            // A transaction of the caller is sent as it is, so nothing can be read before it.
            None if unique::concerns(declared) => {
                return Err(unique::must_read(declared, "delete by key"));
            }
            None => (HeldUniqueValues::nothing(declared), Node::all([])),
            Some(values) => values?,
        };
        let asked = check::with_condition(condition, condition_failure, guard);
        delete_members(&key, pattern, asked, &values, now, db)
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
        false => HeldUniqueValues::nothing(E::DECLARATION),
    };
    refuse_alone(E::DECLARATION, true)?;
    let (key, now) = (Key::of(old).untyped()?, db.now());
    delete_members(&key, Patterns::<E>::DELETE, asked, &values, now, db)
}

fn delete_members(
    key: &UntypedKey,
    pattern: &'static Pattern,
    asked: (Node, ConditionFailure),
    values: &HeldUniqueValues,
    now: Timestamp,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let declared = key.declared;
    let nothing = HeldUniqueValues::nothing(declared);
    let unique_changes = UniqueChanges::between(declared, values, &nothing, false)?;
    let write = delete_of(pattern, key, asked, now, db);
    let main = TransactionMember::of_key(write, key.json())?;
    let beside = unique_changes.members(key, now, db)?;
    let heads = head_deletes(declared.def, declared.table, key.json(), now, db)?;
    Ok([main].into_iter().chain(beside).chain(heads).collect())
}

impl<E: DynamoEntity, G: Guard, R> fmt::Debug for Delete<E, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delete({:?}, {:?})", self.key, self.terms.expect)
    }
}

crate::awaited::unsent!([E: DynamoEntity, G: Guard, R] Delete<E, G, R>);
