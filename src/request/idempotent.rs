//! `idempotent`: a write that takes effect once, however often it is sent.

use bytes::Bytes;

use super::call::{Operation, Outcome, Plan};
use super::{Create, Delete, Guard, Put, ReturningNothing, Update, Upsert};
use crate::codec::{Writer, member};
use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::wire::{self, Request, Resend};

/// The service takes no longer ones.
const LONGEST_TOKEN: usize = 36;

/// A write that is sent as a transaction of one, with a client token; see [`Create::idempotent`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Idempotent<O> {
    write: O,
    token: Option<String>,
}

impl<O: Operation> Operation for Idempotent<O> {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let token = match self.token {
            Some(token) => checked(token)?,
            None => random_token(),
        };
        let plan = self.write.plan(db)?;
        if plan.lost.may_create() && !says(&plan.request, "UpdateExpression") {
            let message =
                "a transaction makes no item out of nothing: set a field in the same upsert";
            let error = Error::new(ErrorKind::InvalidValue, Stage::Request, message);
            return Err(error.of(plan.entity));
        }
        Ok(Plan {
            request: once(plan.request, &token)?,
            entity: plan.entity,
            now: plan.now,
            lost: plan.lost,
            outcome: Outcome::Known(Some(())),
        })
    }
}

/// The same write as a transaction of one. Its members are those of the single operation, so the body
/// is taken over as it is.
fn once(write: Request, token: &str) -> Result<Request> {
    let mut body = Writer::with_capacity(write.body.len() + 128);
    body.raw("{\"TransactItems\":[{");
    body.quoted(name_of(&write)?);
    body.raw(":");
    body.raw_bytes(&write.body);
    body.raw("}],\"ClientRequestToken\":");
    body.quoted(token);
    body.raw("}");
    Ok(Request {
        operation: wire::Operation::TransactWriteItems,
        body: Bytes::from(body.into_bytes()),
        resend: Resend::ByToken,
        ..write
    })
}

/// The name of an operation in a transaction. There an update without a change is no update, but the
/// check of its condition.
fn name_of(write: &Request) -> Result<&'static str> {
    match write.operation {
        wire::Operation::PutItem => Ok("Put"),
        wire::Operation::DeleteItem => Ok("Delete"),
        wire::Operation::UpdateItem if says(write, "UpdateExpression") => Ok("Update"),
        wire::Operation::UpdateItem if says(write, "ConditionExpression") => Ok("ConditionCheck"),
        other => {
            let message = format!("this {} has no place in a transaction", other.name());
            Err(Error::new(ErrorKind::Rejected, Stage::Request, message))
        }
    }
}

fn says(write: &Request, parameter: &str) -> bool {
    member(&write.body, parameter).is_ok_and(|found| found.is_some())
}

fn checked(token: String) -> Result<String> {
    if (1..=LONGEST_TOKEN).contains(&token.len()) {
        return Ok(token);
    }
    let message = format!("a client token has 1 to {LONGEST_TOKEN} bytes");
    Err(Error::new(ErrorKind::Config, Stage::Request, message))
}

/// 128 random bits, as 32 digits.
fn random_token() -> String {
    format!("{:032x}", fastrand::u128(..))
}

macro_rules! idempotent {
    ($([$($generics:tt)*] $operation:ty => $write:ty: $nothing:expr;)*) => {$(
        impl<$($generics)*> $operation {
            /// Takes effect once, however often it has to be sent.
            ///
            /// It goes as a transaction of one with a random client token, by which the service knows a
            /// second attempt for ten minutes. So it is sent again after a lost answer, and while another
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

            /// The same with a token of the caller's: 1 to 36 bytes.
            ///
            /// A write with the same token is the same write, in another process too, as long as it is
            /// the same byte for byte: managed times, versions and conditions included. Another one is
            /// refused.
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
