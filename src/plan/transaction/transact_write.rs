//! The operations that a transaction accepts, with their names and boxes.

use std::fmt;

use super::member::TransactionMember;
use crate::dynamo::Dynamo;
use crate::error::Result;

/// An operation for a [`Transaction`](crate::Transaction): a write or a check of an item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit into a transaction",
    label = "not a write, or not one of this kind",
    note = "a transaction takes `create`, `put`, `update`, `upsert`, `delete`, and a `check` that asks for something: `.if_exists()`, `.if_missing()` or `.when(..)`",
    note = "it returns no old items and has a token of its own: remove `.returning_old()`, `.idempotent()`; to read, write `transact_get((..))`",
    note = "for writes of several kinds in one `Vec`, put each into a box by `.boxed()`"
)]
pub trait TransactWrite {
    #[doc(hidden)]
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>>;

    /// The name that the caller gave it.
    #[doc(hidden)]
    fn operation_name(&self) -> Option<&'static str> {
        None
    }

    /// Names the operation, so that an error can report the name. A name is a constant, because messages contain it,
    /// and messages contain no values. To distinguish operations of a loop, use
    /// [`index`](crate::error::Failed::index) and [`key_of`](crate::error::Failed::key_of).
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transact::TransactWrite;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "accounts", key(pk = id))]
    /// struct Account { id: String, cents: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # for (id, cents) in [("ann", 3), ("bob", 0)] {
    /// #     Account { id: id.into(), cents }.put().send(&db).await?;
    /// # }
    /// let pay = Transaction::new()
    ///     .with(Account::key("ann").update().apply(|a| a.cents().sub(5)).named("payer"))
    ///     .with(Account::key("bob").update().apply(|a| a.cents().add(5)).named("payee"));
    /// let error = pay.send(&db).await.unwrap_err();
    /// assert!(error.failure_of("payee").is_none());
    /// assert_eq!(error.failure_of("payer").map(|failed| failed.index()), Some(0));
    /// # Ok(()) }
    /// ```
    fn named(self, name: &'static str) -> Named<Self>
    where
        Self: Sized,
    {
        Named { write: self, name }
    }

    /// Puts the write into a box, so that writes of all kinds fit into one `Vec`.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transact::{BoxedWrite, TransactWrite};
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "accounts", key(pk = id))]
    /// struct Account { id: String, balance: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # Account { id: "a".into(), balance: 5 }.put().send(&db).await?;
    /// let mut writes: Vec<BoxedWrite<'static>> = Vec::new();
    /// writes.push(Account { id: "b".into(), balance: 5 }.into_create().boxed());
    /// writes.push(Account::key("a").update().apply(|a| a.balance().sub(5)).boxed());
    /// Transaction::new().with_all(writes).send(&db).await?;
    /// # Ok(()) }
    /// ```
    fn boxed<'w>(self) -> BoxedWrite<'w>
    where
        Self: Sized + Send + 'w,
    {
        BoxedWrite {
            name: self.operation_name(),
            planning: Box::new(|db| self.plan_members(db)),
        }
    }
}

/// A write of any kind, for a transaction; see [`TransactWrite::boxed`].
#[must_use = "nothing happens until a transaction with it is sent"]
pub struct BoxedWrite<'w> {
    name: Option<&'static str>,
    planning: BoxedPlanning<'w>,
}

type BoxedPlanning<'w> = Box<dyn FnOnce(&Dynamo) -> Result<Vec<TransactionMember>> + Send + 'w>;

#[diagnostic::do_not_recommend]
impl TransactWrite for BoxedWrite<'_> {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        (self.planning)(db)
    }

    fn operation_name(&self) -> Option<&'static str> {
        self.name
    }
}

/// A write with a name, for a transaction; see [`TransactWrite::named`].
#[derive(Debug)]
#[must_use = "nothing happens until a transaction with it is sent"]
pub struct Named<W> {
    write: W,
    name: &'static str,
}

#[diagnostic::do_not_recommend]
impl<W: TransactWrite> TransactWrite for Named<W> {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.write.plan_members(db)
    }

    fn operation_name(&self) -> Option<&'static str> {
        Some(self.name)
    }
}

impl fmt::Debug for BoxedWrite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxedWrite").finish_non_exhaustive()
    }
}
