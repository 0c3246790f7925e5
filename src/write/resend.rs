//! Writes that are sent again after a lost response, although they are guarded.

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::json::CodecError;
use crate::plan::{Operation, Outcome, Plan, PlannedRequest, TransactWrite, TransactionMember};
use crate::write::{Guarded, ItemWrite, WriteOutcome, WritePlan};

/// The methods of each write of one item. They are the last ones before `send`.
pub trait WriteExt: ItemWrite {
    /// Makes the write take effect once, even if it is sent several times.
    ///
    /// It is sent as a transaction of one operation with a random client token, by which DynamoDB recognizes
    /// a second attempt for ten minutes. Therefore it is sent again after a lost response, and while another
    /// transaction holds the item. It costs twice the write units and returns nothing.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "payments", key(pk = id))]
    /// # struct Payment { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Payment::schema()]).await?;
    /// let payment = Payment { id: "p1".into() };
    /// payment.create().idempotent().send(&db).await?;
    ///
    /// let again = payment.create().idempotent().send(&db).await; // another write, another token
    /// assert!(again.unwrap_err().is_already_exists());
    /// # Ok(()) }
    /// ```
    fn idempotent(self) -> Idempotent<Self>
    where
        Self: TransactWrite,
    {
        Idempotent {
            write: self,
            token: None,
        }
    }

    /// Makes the write take effect once, with a token of the caller: 1 to 36 bytes.
    ///
    /// A write with the same token is the same write, in another process too, as long as it is the same byte
    /// for byte: managed times, versions and conditions included. A different write is rejected. A put that
    /// checks no version is always different, because it draws a version each time.
    fn idempotent_with(self, token: impl Into<String>) -> Idempotent<Self>
    where
        Self: TransactWrite,
    {
        Idempotent {
            write: self,
            token: Some(token.into()),
        }
    }

    /// Declares that a second effect is harmless here, so that the write is sent again after a lost response. Only a write
    /// with a condition needs it, and one whose second attempt would have another effect or result.
    ///
    /// A second attempt may see the effect of the first. If its condition does not hold then, the error is
    /// still [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), because it cannot be determined
    /// whose effect that was.
    fn retry_safe(self) -> RetrySafe<Self>
    where
        Self::Guard: Guarded,
    {
        RetrySafe(self)
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `retry_safe`")]
    fn repeatable(self) -> RetrySafe<Self>
    where
        Self::Guard: Guarded,
    {
        RetrySafe(self)
    }
}

impl<W: ItemWrite> WriteExt for W {}

/// A write that is sent as a transaction of one operation, with a client token; see [`WriteExt::idempotent`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Idempotent<W> {
    write: W,
    token: Option<String>,
}

impl<W: TransactWrite> Operation for Idempotent<W> {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let members = self.write.plan_members(db)?;
        let planned = PlannedRequest::of_one(members, self.token)?;
        Ok(planned.reading(Outcome::Known(Some(()))))
    }
}

/// A write that is sent again after a lost response; see [`WriteExt::retry_safe`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct RetrySafe<W>(W);

/// The former name of [`RetrySafe`].
#[deprecated(note = "renamed to `RetrySafe`")]
pub type Repeatable<W> = RetrySafe<W>;

impl<W: ItemWrite> ItemWrite for RetrySafe<W> {
    type Entity = W::Entity;
    type Guard = W::Guard;
    type Returns = W::Returns;
    type Out = W::Out;

    const VERB: &'static str = W::VERB;

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        self.0.item_key()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<W::Out>) {
        let (plan, outcome) = self.0.prepare(db);
        (plan.map(WritePlan::retry_safe), outcome)
    }

    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.0.members(db)
    }
}

crate::awaited::unsent!([W: ItemWrite] RetrySafe<W> => W::Out);

crate::awaited::unsent!([W: TransactWrite] Idempotent<W> => ());
