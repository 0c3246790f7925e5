//! `Batch`: many puts and deletes, of any entities and tables, through `BatchWriteItem`.
//!
//! ```text
//! puts and deletes                                       Batch
//!   -> written once, the last one of each key            plan
//!   -> 25 in a request, and 16 MB of JSON                request
//!   -> sent, and what is left out sent again             send
//!   -> done, left, or wrong                              ledger, report
//! ```

mod key;
mod ledger;
mod plan;
mod report;
mod request;
mod send;

use std::fmt;

pub use key::BatchKey;
pub use ledger::{BatchCounts, BatchProgress};
use plan::BatchInput;
pub use report::{BatchError, BatchReport};
pub use send::BatchSend;

use crate::dynamo::Dynamo;
use crate::entity::guard::Unconditional;
use crate::entity::{ChangeableEntity, DynamoEntity};
use crate::error::Result;
use crate::plan::Explanation;
use crate::retry::{CONCURRENCY, RetryBudget};
use crate::write::{Delete, Put, ReturningNothing};
use ledger::OnProgress;
use plan::{Ready, Write};

/// Any number of puts and deletes, of any entities and tables, sent 25 to a request.
///
/// If several writes have the same key, only the last one is sent, as if all were sent one after the other. A write
/// in a batch takes effect whatever item is stored: it has no condition and no version. Writes that DynamoDB omits
/// are sent again, after a random pause and as long as there is progress. A write that cannot be sent, for example
/// because it is too large, or that DynamoDB rejects, fails alone.
///
/// A request whose response was lost is sent again too. It may have been executed, and then a write of another client
/// in between is overwritten or deleted: see [`put`](crate::verbs::EntityVerbs::put), which has a program that shows
/// it. For rows that others write too, use [`put_each`](crate::put_each) with a version or a condition.
///
/// The batch is planned when it is sent: times, versions and index keys are those of
/// [`put`](crate::verbs::EntityVerbs::put). All of it is in memory until it is done. It is not a transaction: other
/// clients see one write after the other.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "counts", key(pk = name))]
/// # struct Count { name: String, count: u64 }
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "notes", key(pk = id))]
/// # struct Note { id: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Count::schema(), Note::schema()]).await?;
/// let counts: Vec<Count> = (0..60).map(|n| Count { name: format!("c{n}"), count: n }).collect();
/// let report = Batch::new()
///     .with_all(counts.iter().map(|count| count.put()))
///     .with(Note::key("n1").delete())
///     .send(&db).await?;
/// report.complete()?; // nothing is left, nothing went wrong
/// assert_eq!(report.done, 61);
/// # Ok(()) }
/// ```
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Batch<'e> {
    groups: Vec<Box<dyn Group + 'e>>,
    concurrency: usize,
    budget: RetryBudget,
    on_progress: Option<OnProgress>,
}

impl Default for Batch<'_> {
    fn default() -> Self {
        Batch::new()
    }
}

impl<'e> Batch<'e> {
    /// Creates an empty batch.
    pub fn new() -> Self {
        Batch {
            groups: Vec::new(),
            concurrency: CONCURRENCY,
            budget: RetryBudget::default(),
            on_progress: None,
        }
    }

    /// A batch of the remaining writes of an earlier batch, to be sent unchanged.
    fn of_ready(ready: Ready) -> Self {
        let mut batch = Batch::new();
        if ready.len() > 0 {
            batch.groups.push(Box::new(ready));
        }
        batch
    }

    /// The remaining writes of an earlier batch.
    fn ready(&self) -> impl Iterator<Item = &Write> {
        self.groups.iter().flat_map(|group| group.ready())
    }

    /// Adds this write.
    pub fn with(self, write: impl BatchWrite + 'e) -> Self {
        self.with_all([write])
    }

    /// Adds these writes after those that the batch has.
    pub fn with_all<W: BatchWrite + 'e>(mut self, writes: impl IntoIterator<Item = W>) -> Self {
        let writes: Vec<W> = writes.into_iter().collect();
        if !writes.is_empty() {
            self.groups.push(Box::new(writes));
        }
        self
    }

    /// Sets the number of concurrent requests; 8 by default. When one is done the next one begins, regardless of the
    /// others.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// Sets how long the batch keeps sending omitted writes.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Calls this after each response, with the counts of the batch so far. It runs in the task that awaits the
    /// batch, so it should be fast.
    pub fn on_progress(mut self, call: impl FnMut(BatchCounts) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(call));
        self
    }

    /// The number of writes in the batch.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.len()).sum()
    }

    /// Whether the batch has no writes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sends the batch. The report contains the result of each write, so a throttled or rejected batch is not an
    /// `Err` here. If no write may be left, write `report.complete()?`.
    ///
    /// If you drop the future before it is done, requests in progress may or may not take effect.
    /// [`BatchSend::progress`] then still has the results, and the rest as a batch: sending that again is harmless.
    pub fn send(self, db: &Dynamo) -> BatchSend<'_> {
        let (concurrency, budget) = (self.concurrency, self.budget);
        let (input, on_progress) = self.planned(db);
        BatchSend::new(db, input.finish(), on_progress, budget, concurrency)
    }

    /// The first requests of [`send`](Self::send). A write that could not be sent is an error here.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let (input, _) = self.planned(db);
        let plan = input.finish();
        if let Some(failed) = plan.errors.into_iter().next() {
            return Err(failed.error);
        }
        let chunks = request::chunks(&plan.writes);
        let bodies = chunks.iter().map(|chunk| {
            let writes = chunk.iter().filter_map(|slot| plan.writes.get(*slot));
            request::request(writes)
        });
        Ok(Explanation::of_requests(&bodies.collect::<Vec<_>>()))
    }

    fn planned(self, db: &Dynamo) -> (BatchInput, Option<OnProgress>) {
        let mut input = BatchInput::new(self.len());
        for group in self.groups {
            group.write(db, &mut input);
        }
        (input, self.on_progress)
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} writes)", self.len())
    }
}

/// A write that fits into a [`Batch`]: a put or a delete that takes effect whatever item is stored.
#[diagnostic::on_unimplemented(
    message = "this write does not fit into a batch",
    label = "a batch takes unconditional puts and deletes, and this is `{Self}`",
    note = "a batch checks no condition and no version, and returns no item",
    note = "put it into a `Transaction`, send it by itself or many of its kind by `put_each`, or write `.unchecked()` to leave a version out; what keeps unique values fits no batch: `put_each` and `delete_each` write many such, a `Transaction` takes loaded ones"
)]
pub trait BatchWrite: Send {
    #[doc(hidden)]
    fn write(self, db: &Dynamo, input: &mut BatchInput);
}

/// An entity whose puts and deletes fit into a [`Batch`] as they are: it has no version and no unique values. It is
/// the one bound for functions that are generic over such entities. Every entity that fits implements it.
///
/// ```
/// use dynamo_entity::batch::{BatchEntity, BatchWrite};
/// use dynamo_entity::prelude::*;
///
/// /// Stores these and deletes those, of any entity.
/// async fn replace<E: BatchEntity>(db: &Dynamo, old: &[E], new: &[E]) -> Result<()> {
///     let deletes = old.iter().map(|row| row.delete());
///     let batch = Batch::new().with_all(deletes).with_all(new.iter().map(|row| row.put()));
///     batch.send(db).await?.complete()?;
///     Ok(())
/// }
///
/// /// Sends writes of any entity, made elsewhere. Entities with a version fit by `.unchecked()`.
/// async fn write_all<'e, W: BatchWrite + 'e>(db: &Dynamo, writes: Vec<W>) -> Result<()> {
///     Batch::new().with_all(writes).send(db).await?.complete()?;
///     Ok(())
/// }
///
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "counts", key(pk = name))]
/// # struct Count { name: String, count: u64 }
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "pages", key(pk = id))]
/// # struct Page { id: u32, #[dynamo(version)] version: Version }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Count::schema(), Page::schema()]).await?;
/// let count = |name: &str| Count { name: name.into(), count: 1 };
/// replace(&db, &[count("a")], &[count("b"), count("c")]).await?;
///
/// let pages = [Page { id: 1, version: Version::default() }];
/// write_all(&db, pages.iter().map(|page| page.put().unchecked()).collect()).await?;
/// # assert_eq!((Count::scan().count(&db).await?, Page::scan().count(&db).await?), (2, 1));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "the writes of `{Self}` do not fit into a batch as they are",
    label = "an entity with a version, with unique values, or that is append-only",
    note = "write `.unchecked()` to leave a version out, and take the writes as `W: BatchWrite`; what keeps unique values fits no batch: `put_each` and `delete_each` write many such"
)]
pub trait BatchEntity:
    ChangeableEntity + DynamoEntity<Guard = Unconditional, Unguarded = Unconditional>
{
}

#[diagnostic::do_not_recommend]
impl<E> BatchEntity for E where E: DynamoEntity<Guard = Unconditional, Unguarded = Unconditional> {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> BatchWrite for Put<'_, E, Unconditional> {
    fn write(self, db: &Dynamo, input: &mut BatchInput) {
        input.put(&self, db);
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> BatchWrite for Delete<E, Unconditional, ReturningNothing> {
    fn write(self, db: &Dynamo, input: &mut BatchInput) {
        input.delete(&self.key, db);
    }
}

/// Writes of one type, so that one box holds many.
trait Group: Send {
    fn len(&self) -> usize;

    /// The writes that an earlier batch has encoded and not completed.
    fn ready(&self) -> &[Write] {
        &[]
    }

    fn write(self: Box<Self>, db: &Dynamo, input: &mut BatchInput);
}

impl<W: BatchWrite> Group for Vec<W> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn write(self: Box<Self>, db: &Dynamo, input: &mut BatchInput) {
        for write in *self {
            write.write(db, input);
        }
    }
}

impl Group for Ready {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn ready(&self) -> &[Write] {
        &self.0
    }

    fn write(self: Box<Self>, _: &Dynamo, input: &mut BatchInput) {
        for write in self.0 {
            input.again(write);
        }
    }
}
