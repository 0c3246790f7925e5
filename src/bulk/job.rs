//! A job before it runs: what is to be done, and how.

use std::fmt;
use std::time::Duration;

use super::action::{self, Decide};
use super::change::RowChange;
use super::checkpoint::Checkpoint;
use super::put::Writes;
use super::refill::{self, Refill, RefillMode};
use super::report::BulkProgress;
use super::row_transaction::{self, JobRow, RowTransaction};
use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::error::Result;
use crate::plan::Explanation;
use crate::query::{JobRows, QuerySource};
use crate::retry::RetryBudget;
use crate::schema::Pattern;

/// How many writes are under way at once by default.
const CONCURRENCY: usize = 8;

/// How many rows may fail by default.
const FAILURES: usize = 1000;

/// How often a checkpoint is saved by default.
const SAVING: Duration = Duration::from_secs(1);

/// Many writes, each with a condition of its own: of the rows of a query by
/// [`update_each`](crate::bulk::BulkExt::update_each), [`delete_each`](crate::bulk::BulkExt::delete_each),
/// [`transact_each`](crate::bulk::BulkExt::transact_each), [`refill`](crate::bulk::BulkExt::refill) and
/// [`touch_each`](crate::bulk::BulkExt::touch_each), or those that are given to [`put_each`](super::put_each).
///
/// Rows are read as they are needed: at most two responses are in memory, however many rows the query has. A row that
/// fails is reported with its key and its error and does not stop the others. The job stops if DynamoDB rejects
/// requests, or is too busy for the [budget](Self::budget). Completed writes are never undone.
///
/// If you drop the future before it is done, the job stops; the writes in progress may or may not take effect.
///
/// # A checkpoint
///
/// With a [checkpoint](Self::checkpoint), a job survives any crash: when you run it again, it continues after the
/// rows that are done. Rows between the last save and the crash are found twice. Therefore the job marks each item
/// that it changes with an attribute `_job.NAME`. The request that changes the item sets the mark, and its condition
/// requires that the mark is missing. A row with the mark is done. Therefore each row is changed once, whatever the
/// closure does, and after a lost response the item itself shows whether it was changed.
///
/// - Given writes of one item are done in their order. The mark contains the number of the last one, and of those
///   that were done since the last save. If a delete leaves nothing to mark, or a write was rejected, the next write
///   of that item waits until the checkpoint is saved. If a write failed and the next run retries it, later writes of
///   that item fail with it, with the kind [`Checkpoint`](crate::error::ErrorKind::Checkpoint).
/// - The mark remains: it adds 21 bytes and the name of the job to each item, and for given writes also their
///   numbers. Entities do not see it; `update` and `modify` keep it, and so does `put` of an entity with a
///   [`rest`](crate#the-grammar-of-dynamo) field. Another `put` of the whole item removes it, and if that happens
///   between the change and the crash, the row is changed again.
/// - A deleted row needs no mark, and a row that is [refilled](crate::bulk::BulkExt::refill) gets none.
/// - A row that enters a part of the range that the job has already passed is not found. A row that leaves the range
///   before its turn is not changed.
/// - The checkpoint is bound to the job's name, the query and the operation, or to the [keys](Self::checkpoint) of
///   the given writes; another job is an error. If the closure of a job changes, give the job another name. The
///   bounds of a range may differ: those of the first run apply. Without its file, a job starts again.
/// - The checkpoint contains the failed rows, and the next run retries them. A job that was completed without failed
///   rows does nothing when you run it again.
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Bulk<'j> {
    pub(super) work: JobWork<'j>,
    pub(super) concurrency: usize,
    pub(super) rate: Option<u32>,
    pub(super) budget: RetryBudget,
    pub(super) failures: usize,
    pub(super) progress: Option<OnJobProgress<'j>>,
    pub(super) checkpoint: Option<Keeping<'j>>,
}

pub(super) type OnJobProgress<'j> = Box<dyn FnMut(&BulkProgress<'_>) + Send + 'j>;

/// The work of a job.
pub(super) enum JobWork<'j> {
    Rows(Box<JobRows>, Verb<'j>),
    Writes(Box<dyn Writes + 'j>),
}

/// The operation on rows.
pub(super) enum Verb<'j> {
    Change(Decide<'j>),
    Transact(Decide<'j>),
    Refill(Decide<'j>, Refill),
    /// Only the mark is written.
    Touch(Decide<'j>),
    Delete,
    /// Without conditions, many rows in a request.
    DeleteUnchecked,
}

impl Verb<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Verb::Change(_) => "update",
            Verb::Transact(_) => "transact",
            Verb::Refill(_, refill) => match refill.mode {
                RefillMode::Write => "refill",
                RefillMode::Count => "unfilled",
            },
            Verb::Touch(_) => "touch",
            Verb::Delete => "delete",
            Verb::DeleteUnchecked => "delete_unchecked",
        }
    }
}

impl Verb<'_> {
    /// The pattern of the requests for single rows; requests that read many rows have that of the query.
    pub(super) fn pattern(&self, source: &QuerySource) -> &'static Pattern {
        source.pattern.with(match self {
            Verb::Change(_) => |joint| &joint.update_each,
            Verb::Transact(_) => |joint| &joint.transact_each,
            Verb::Refill(..) => |joint| &joint.refill,
            Verb::Touch(_) => |joint| &joint.touch_each,
            Verb::Delete | Verb::DeleteUnchecked => |joint| &joint.delete_each,
        })
    }
}

/// The checkpoint of a job, and how often it is saved.
pub(super) struct Keeping<'j> {
    pub(super) name: String,
    pub(super) store: Box<dyn Checkpoint + 'j>,
    pub(super) every: Duration,
}

impl<'j> Bulk<'j> {
    pub(crate) fn update<E: DynamoEntity, C: RowChange<E>>(
        target: JobRows,
        change: impl FnMut(&E) -> C + Send + 'j,
    ) -> Self {
        Bulk::of(JobWork::Rows(
            Box::new(target),
            Verb::Change(action::update(change)),
        ))
    }

    pub(crate) fn transact<Row: JobRow<Kind>, Kind, T: RowTransaction>(
        target: JobRows,
        transaction: impl FnMut(&Row) -> T + Send + 'j,
    ) -> Self {
        let decide = row_transaction::decide(*target.query_source(), transaction);
        Bulk::of(JobWork::Rows(Box::new(target), Verb::Transact(decide)))
    }

    pub(crate) fn refill<E: DynamoEntity>(target: JobRows, mode: RefillMode) -> Self {
        let pattern = target.query_source().pattern.with(|joint| &joint.refill);
        let verb = Verb::Refill(refill::decide::<E>(pattern), Refill::of::<E>(mode));
        Bulk::of(JobWork::Rows(Box::new(target.for_refill()), verb))
    }

    pub(crate) fn touch(target: JobRows) -> Self {
        let verb = Verb::Touch(action::touch(*target.query_source()));
        Bulk::of(JobWork::Rows(Box::new(target), verb))
    }

    pub(crate) fn delete(target: JobRows) -> Self {
        Bulk::of(JobWork::Rows(Box::new(target.for_deletes()), Verb::Delete))
    }

    pub(crate) fn delete_unchecked(target: JobRows) -> Self {
        let verb = Verb::DeleteUnchecked;
        Bulk::of(JobWork::Rows(Box::new(target.for_deletes()), verb))
    }

    pub(super) fn of_writes(writes: impl Writes + 'j) -> Self {
        Bulk::of(JobWork::Writes(Box::new(writes)))
    }

    fn of(work: JobWork<'j>) -> Self {
        Bulk {
            work,
            concurrency: CONCURRENCY,
            rate: None,
            budget: RetryBudget::default(),
            failures: FAILURES,
            progress: None,
            checkpoint: None,
        }
    }

    /// Sets the number of concurrent writes; 8 by default. When one is done the next one begins, regardless of the
    /// others.
    pub fn concurrency(mut self, writes: usize) -> Self {
        self.concurrency = writes.max(1);
        self
    }

    /// How many writes a second are sent at most, evenly spread; at least one is. Each attempt counts, and a
    /// transaction counts as one.
    pub fn rate(mut self, writes_per_second: u32) -> Self {
        self.rate = Some(writes_per_second);
        self
    }

    /// How often a row is tried again that others write at the same time, and how long the job waits for a service that
    /// is too busy, on top of the retries of the SDK client. A row that loses more races fails; a service that stays
    /// busy stops the job.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the number of rows that may fail; 1000 by default. With one more the job stops, and
    /// [`stopped`](crate::bulk::BulkReport::stopped) has the kind [`RowsFailed`](crate::error::ErrorKind::RowsFailed). Each is
    /// kept for the report. If you expect failures, for example from creates of existing items, use `usize::MAX`.
    pub fn max_failures(mut self, rows: usize) -> Self {
        self.failures = rows;
        self
    }

    /// Calls this after each row. The job waits for it, so it should be quick.
    pub fn on_progress(mut self, tell: impl FnMut(&BulkProgress<'_>) + Send + 'j) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }

    /// Keeps what is done in a checkpoint, under a name: 1 to 64 letters, digits, `-`, `_` or `.`. See
    /// [above](Bulk#a-checkpoint).
    ///
    /// You must give a job of [`put_each`](super::put_each) the same writes in the same order again. It is an error
    /// before anything is sent if the completed writes now have other keys, tables or operations, or if the input of
    /// a finished job has become longer. The values of these writes are not compared. You may correct failed writes.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::bulk::FileCheckpoint;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "accounts", key(pk = id))]
    /// # struct Account { id: u32, cents: i64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let file = folder.path().join("interest.checkpoint");
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # for id in 0..20 { Account { id, cents: 100 }.put().send(&db).await?; }
    /// let pay_interest = || {
    ///     Account::scan()
    ///         .update_each(|account| account.update().apply(|a| a.cents().add(1)))
    ///         .checkpoint("interest-2026-11", FileCheckpoint::new(&file))
    /// };
    /// let report = pay_interest().send(&db).await?.complete()?;
    /// assert_eq!(report.written, 20);
    ///
    /// let again = pay_interest().send(&db).await?;
    /// assert!(again.was_finished());
    /// assert_eq!(Account::key(7u32).get().send(&db).await?.map(|a| a.cents), Some(101));
    /// # Ok(()) }
    /// ```
    pub fn checkpoint(mut self, name: impl Into<String>, store: impl Checkpoint + 'j) -> Self {
        self.checkpoint = Some(Keeping {
            name: name.into(),
            store: Box::new(store),
            every: SAVING,
        });
        self
    }

    /// Sets how often the checkpoint is saved: every second by default, and always at the end.
    pub fn save_every(mut self, time: Duration) -> Self {
        if let Some(keeping) = &mut self.checkpoint {
            keeping.every = time;
        }
        self
    }

    /// Returns the requests of the job, without sending them: how it reads the rows, because each write is known only
    /// with its row. For [`put_each`](super::put_each) it is the first write; if unique values are read before they
    /// are released, as if no item existed. The mark of a checkpoint is not included.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = owner, sk = number))]
    /// # struct Note { owner: String, number: u32, text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let job = Note::in_partition("ann").delete_each().explain(&db)?;
    /// assert_eq!(job.operation, Some("Query"));
    /// assert!(job.requests[0].contains("ProjectionExpression")); // keys alone
    /// # Ok(()) }
    /// ```
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        match self.work {
            JobWork::Rows(target, _) => target.explain_reads(db),
            JobWork::Writes(mut writes) => match writes.next(db) {
                Some(first) => first.explain(db),
                None => Ok(Explanation::of_requests(&[])),
            },
        }
    }
}

impl fmt::Debug for Bulk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = match &self.work {
            JobWork::Rows(target, verb) => format!("{}_each of {target:?}", verb.name()),
            JobWork::Writes(_) => "put_each".to_owned(),
        };
        f.debug_struct("Bulk")
            .field("work", &work)
            .field("concurrency", &self.concurrency)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}
