//! The write of one item. Each verb defines how it is planned. All verbs share the code that sends, explains and
//! repeats the write, puts it into a transaction, and executes it in a job.

use bytes::Bytes;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, EntityContract, UntypedKey};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::plan::{
    Call, Explanation, Operation, Outcome, Plan, PlannedRequest, Returned, SentCall, TransactWrite,
    TransactionMember, WrittenItem,
};
use crate::schema::{EntityDef, Pattern, SEVERAL};
use crate::wire::BoxFuture;
use crate::write::{
    Guard, Guarded, Intent, Omissible, PlannedWrite, PutMember, WriteOutcome, WritePlan, read_back,
};

use super::large::{LargeRows, settled_parts};
use sealed::Sealed;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// The write of one item: a create, put, update, upsert or delete. These methods must be the last ones before
/// [`send`](Operation::send).
pub trait ItemWrite: Sealed + Sized {
    /// The entity of the item.
    type Entity: DynamoEntity;
    /// Its checks, as a type.
    type Guard: Guard;
    /// The part of the item that it returns, as a type.
    type Returns;
    /// The result.
    type Out;

    /// The name of the verb.
    #[doc(hidden)]
    const VERB: &'static str;

    /// The key attributes, as an object of DynamoDB JSON.
    #[doc(hidden)]
    fn item_key(&self) -> Result<Vec<u8>, CodecError>;

    /// Plans the write as far as possible without a read, and returns how its result is read. They are separate, so
    /// that the code that uses the plan is compiled once for all entities.
    #[doc(hidden)]
    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<Self::Out>);

    /// The members of the write in a transaction, which cannot read anything first.
    #[doc(hidden)]
    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.prepare(db).0?.members(None)
    }

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

    /// Declares that a second effect is harmless here, so that the library retries the write after a lost response. You
    /// need it only for a write with a condition, or one whose second attempt would have another effect or result.
    ///
    /// A second attempt may see the effect of the first. If its condition then does not hold, the error is
    /// still [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), because the library cannot
    /// determine whose effect that was.
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

impl WritePlan {
    /// One request, which cannot read anything first.
    fn plan<Out>(self, outcome: Outcome<Out>) -> Result<Plan<Out>> {
        let (returned, write) = (self.returned, self.intent.ready()?);
        check_returns(&write, returned)?;
        let mut planned = write.returning(returned)?;
        let outcome = match (self.same, outcome) {
            (Some(item), Outcome::Item(_, read)) => {
                // Both values were equal, so the result is the item that is already known, and
                // nothing is sent.
                planned.is_needless = true;
                let item = returned_of(item, returned);
                Outcome::Known(Some(read(item.as_deref(), planned.now)?))
            }
            (_, outcome) => outcome,
        };
        Ok(planned.with_outcome(outcome))
    }

    pub(super) fn sent(plan: Result<Self>, db: &Dynamo) -> SentCall<'_> {
        SentCall::of_sent(plan.and_then(|plan| plan.send(db)))
    }

    /// Sends the write, which may take several steps.
    fn send(self, db: &Dynamo) -> Result<SentCall<'_>> {
        let returned = self.returned;
        let write = match self.intent {
            Intent::Ready(write @ PlannedWrite::Alone(_)) => write,
            Intent::Ready(write) => {
                check_returns(&write, returned)?;
                let write = commit(write, self.key, returned, db);
                return Ok(SentCall::Steps(and_parts(self.dropped, write, db)));
            }
            Intent::Reading(rewrite) => {
                if !rewrite.is_delete() {
                    // This error must come before the item is read, because nothing has been sent
                    // yet.
                    check_both_return(rewrite.key.declared.def, returned)?;
                    check_transaction_returns(rewrite.key.declared.def.type_name, returned)?;
                }
                let write = async move {
                    let (pattern, key, now) = (rewrite.pattern, rewrite.key.clone(), rewrite.now);
                    // The old item was read for the unique values anyway, so a delete can return it
                    // although a transaction returns nothing.
                    let old = rewrite.run(db).await?;
                    Ok((
                        item_after(old, Some(key), returned, pattern, db).await?,
                        now,
                    ))
                };
                return Ok(SentCall::Steps(and_parts(self.dropped, write, db)));
            }
        };
        if let Some(evaluated) = self.evaluated.filter(|_| self.same.is_none()) {
            let first = match evaluated.key.declared.def.writes_older_shape() {
                true => None,
                false => Some(write.returning(returned)?),
            };
            return Ok(SentCall::Steps(Box::pin(
                evaluated.run(first, returned, db),
            )));
        }
        let planned = write.returning(returned)?;
        Ok(match self.same {
            Some(item) => SentCall::Told(Some(Ok((returned_of(item, returned), planned.now)))),
            None => planned.send_request(db),
        })
    }

    /// The requests that it would send.
    pub(super) fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let write = match self.intent {
            Intent::Ready(write) => write,
            Intent::Reading(rewrite) => return rewrite.explain(db),
        };
        let request = write.returning(self.returned)?.request;
        let sent = self.same.is_none().then_some(request);
        Ok(Explanation::of_requests(sent.as_slice()))
    }

    /// The write in a transaction. A put comes with the key of its item, and with the entity as it will be stored.
    pub(crate) fn members(self, put: Option<PutMember>) -> Result<Vec<TransactionMember>> {
        let (key, stored) = put.unzip();
        let (main, beside) = self.intent.ready()?.into_members(key)?;
        let main = TransactionMember { stored, ..main };
        Ok([main].into_iter().chain(beside).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<W: ItemWrite> Operation for W {
    type Out = W::Out;

    fn plan(self, db: &Dynamo) -> Result<Plan<W::Out>> {
        let (plan, outcome) = self.prepare(db);
        plan?.plan(outcome.0)
    }

    fn send(self, db: &Dynamo) -> Call<'_, W::Out> {
        let (plan, outcome) = self.prepare(db);
        Call::new(WritePlan::sent(plan, db), outcome.0)
    }

    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.prepare(db).0?.explain(db)
    }
}

/// The operations of the write in a transaction. Their errors name the declaration of the entity.
#[diagnostic::do_not_recommend]
impl<W: ItemWrite<Returns: Omissible>> TransactWrite for W {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let members = self.members(db);
        members.map_err(|error| error.declared_as(Some(W::Entity::ENTITY.id)))
    }
}

/// Deletes the parts of lists and blobs after the delete of their item, which needs their heads from before. For other writes,
/// nothing is added.
fn and_parts<'d>(
    dropped: Vec<LargeRows>,
    write: impl Future<Output = Result<WrittenItem>> + Send + 'd,
    db: &'d Dynamo,
) -> BoxFuture<'d, Result<WrittenItem>> {
    if dropped.is_empty() {
        return Box::pin(write);
    }
    Box::pin(async move {
        let mut parts = Vec::new();
        for rows in dropped {
            // A head that cannot be read now leaves its parts to a sweep. The delete itself does not need it.
            let head = rows.read_head(&SEVERAL.transact, db).await.ok().flatten();
            let names = head.and_then(|head| settled_parts(&head, db.now()).ok());
            parts.push((rows, names.unwrap_or_default()));
        }
        // The parts go last. If this program ends before, they are unreachable and only cost storage.
        let written = write.await?;
        for (rows, names) in parts {
            rows.delete_parts(names, &SEVERAL.transact, db).await;
        }
        Ok(written)
    })
}

/// Writes the item and its sentinels.
async fn commit(
    mut write: PlannedWrite,
    key: Option<UntypedKey>,
    returned: Returned,
    db: &Dynamo,
) -> Result<WrittenItem> {
    let main = write.main();
    let (pattern, now) = (main.pattern, main.now);
    write.commit(db).await?;
    Ok((item_after(None, key, returned, pattern, db).await?, now))
}

/// The item that a write of several steps returns. A transaction returns nothing, so the new item is read.
async fn item_after(
    old: Option<Bytes>,
    key: Option<UntypedKey>,
    returned: Returned,
    pattern: &'static Pattern,
    db: &Dynamo,
) -> Result<Option<Bytes>> {
    match (returned, key) {
        (Returned::Old, _) => Ok(old),
        // A transaction returns no items, so the new one is read after it. Others may have changed
        // it since.
        (Returned::New, Some(key)) => read_back(db, pattern, &key).await.map(Some),
        _ => Ok(None),
    }
}

/// The return value of a write that changes nothing of this item.
fn returned_of(item: Vec<u8>, returned: Returned) -> Option<Bytes> {
    matches!(returned, Returned::Old | Returned::New).then(|| Bytes::from(item))
}

fn check_returns(write: &PlannedWrite, returned: Returned) -> Result<()> {
    match write {
        PlannedWrite::Alone(_) => Ok(()),
        PlannedWrite::Together(main, _) | PlannedWrite::WithOthers(main, _) => {
            check_transaction_returns(main.write.entity, returned)
        }
    }
}

/// Returns an error for return values that the write of two rows does not support.
fn check_both_return(def: &EntityDef, returned: Returned) -> Result<()> {
    if def.second_key.is_none() || matches!(returned, Returned::Nothing | Returned::New) {
        return Ok(());
    }
    let message = "its items are stored under two keys, so this update is a transaction, which returns no old and no \
                   changed attributes: remove `.returning_old()` or `.returning_changed()`";
    Err(Error::new(ErrorKind::InvalidValue, Stage::Request, message).of(def.type_name))
}

/// Returns an error for return values that a transaction does not support.
fn check_transaction_returns(entity: &'static str, returned: Returned) -> Result<()> {
    if matches!(returned, Returned::Nothing | Returned::New) {
        return Ok(());
    }
    let message = "this update changes unique values, so it is a transaction, which returns no old \
                   and no changed attributes: remove `.returning_old()` or `.returning_changed()`";
    Err(Error::new(ErrorKind::InvalidValue, Stage::Request, message).of(entity))
}

/// A write that is sent as a transaction of one operation, with a client token; see [`ItemWrite::idempotent`].
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
        Ok(planned.with_outcome(Outcome::Known(Some(()))))
    }
}

/// A write that the library retries after a lost response; see [`ItemWrite::retry_safe`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct RetrySafe<W>(W);

/// The former name of [`RetrySafe`].
#[deprecated(note = "renamed to `RetrySafe`")]
pub type Repeatable<W> = RetrySafe<W>;

impl<W: ItemWrite> Sealed for RetrySafe<W> {}

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
