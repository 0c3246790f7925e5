//! `check`: checks an item in a transaction without changing it.

use std::fmt;
use std::marker::PhantomData;

use crate::dynamo::Dynamo;
use crate::entity::guard::{Conditional, Unconditional};
use crate::entity::{DynamoEntity, Key, Patterns, UntypedKey};
use crate::error::Result;
use crate::expr::{Condition, Node, UpdateActions};
use crate::plan::{Precondition, TransactWrite, TransactionMember, check};
use crate::schema::Pattern;
use crate::write::{refused, update_of};

/// Checks an item that a transaction does not write; see [`Key::check`].
#[must_use = "put it into a `Transaction`"]
pub struct Check<E: DynamoEntity, G = Conditional> {
    key: Key<E>,
    exists: bool,
    missing: bool,
    condition: Node,
    kind: PhantomData<G>,
}

impl<E: DynamoEntity> Check<E, Unconditional> {
    pub(crate) fn new(key: Key<E>) -> Self {
        Check {
            key,
            exists: false,
            missing: false,
            condition: Node::all([]),
            kind: PhantomData,
        }
    }
}

impl<E: DynamoEntity, G> Check<E, G> {
    /// A live item must exist.
    pub fn if_exists(mut self) -> Check<E> {
        self.exists = true;
        self.asking()
    }

    /// No live item may exist.
    pub fn if_missing(mut self) -> Check<E> {
        self.missing = true;
        self.asking()
    }

    /// This must hold for the stored item, or for a missing item. An expired item counts as missing, and no condition
    /// on an attribute of it holds. If you call this again, both conditions must hold.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Check<E> {
        self.condition
            .narrow(condition(E::Paths::default()).into_node());
        self.asking()
    }

    fn asking(self) -> Check<E> {
        Check {
            key: self.key,
            exists: self.exists,
            missing: self.missing,
            condition: self.condition,
            kind: PhantomData,
        }
    }
}

/// An update without a change: in a transaction that is a check.
#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> TransactWrite for Check<E> {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let asked = (self.exists, self.missing, self.condition);
        let key = self.key.untyped();
        let members = key.and_then(|key| check_of(&key, Patterns::<E>::CHECK, asked, db));
        members.map_err(|error| error.declared_as(Some(E::ENTITY.id)))
    }
}

fn check_of(
    key: &UntypedKey,
    pattern: &'static Pattern,
    (exists, missing, condition): (bool, bool, Node),
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let (declared, now) = (key.declared, db.now());
    let expect = match (exists, missing) {
        (true, true) => {
            let message =
                "this check requires an item and none: remove `.if_exists()` or `.if_missing()`";
            return Err(refused(declared, message.to_owned()));
        }
        (true, false) => Precondition::Exists,
        (false, true) => Precondition::Missing,
        (false, false) => Precondition::Anything,
    };
    let asked = match expect {
        // A condition of the caller alone must not hold for an expired item that DynamoDB has not
        // deleted yet.
        Precondition::Anything => condition.and(check::live_condition(declared.def, now)),
        _ => condition,
    };
    let (expected, condition_failure) = check::build_condition(declared.def, expect, None, now);
    let asked = check::with_condition(expected, condition_failure, asked);
    // An update without changes becomes a `ConditionCheck` in the transaction.
    let write = update_of(pattern, key, UpdateActions::default(), asked, now, db)?;
    Ok(vec![TransactionMember::of_key(write, key.json())?])
}

impl<E: DynamoEntity, G> fmt::Debug for Check<E, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Check({:?})", self.key)
    }
}
