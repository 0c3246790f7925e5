//! `idempotent`: a write that takes effect once, even if it is sent several times.

use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::entity::guard::Guard;
use crate::error::Result;
use crate::plan::{Operation, Outcome, Plan, PlannedRequest, TransactWrite};
use crate::write::{Create, Delete, Put, ReturningNothing, Update, Upsert};

/// A write that is sent as a transaction of one operation, with a client token; see [`Create::idempotent`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Idempotent<O> {
    write: O,
    token: Option<String>,
}

impl<O: TransactWrite> Operation for Idempotent<O> {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let members = self.write.plan_members(db)?;
        let planned = PlannedRequest::of_one(members, self.token)?;
        Ok(planned.with_outcome(Outcome::Known(Some(()))))
    }
}

macro_rules! idempotent {
    ($([$($generics:tt)*] $operation:ty => $write:ty: $nothing:expr;)*) => {$(
        impl<$($generics)*> $operation {
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
            pub fn idempotent(self) -> Idempotent<$write> {
                let nothing: fn(Self) -> $write = $nothing;
                Idempotent {
                    write: nothing(self),
                    token: None,
                }
            }

            /// Makes the write take effect once, with a token of the caller: 1 to 36 bytes.
            ///
            /// A write with the same token is the same write, in another process too, as long as it is the same byte
            /// for byte: managed times, versions and conditions included. A different write is rejected. A put that
            /// checks no version is always different, because it draws a version each time.
            pub fn idempotent_with(self, token: impl Into<String>) -> Idempotent<$write> {
                Idempotent {
                    token: Some(token.into()),
                    ..self.idempotent()
                }
            }
        }
    )*};
}

// A transaction returns no item, so neither does the write within.
idempotent! {
    [E: DynamoEntity] Create<'_, E> => Self: |write| write;
    [E: DynamoEntity, G: Guard] Put<'_, E, G> => Self: |write| write;
    [E: DynamoEntity, G: Guard] Delete<E, G> => Self: |write| write;
    [E: DynamoEntity, R] Update<E, R> => Update<E, ReturningNothing>: Update::returning_nothing;
    [E: DynamoEntity, R] Upsert<E, R> => Upsert<E, ReturningNothing>: Upsert::returning_nothing;
}
