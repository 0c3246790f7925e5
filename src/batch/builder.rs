//! A batch before it is sent: its writes and its settings.

use std::fmt;

use super::plan::{BatchInput, BatchPlan, Ready, Write};
use super::settings::{BatchCounts, BatchSettings};
use super::writes::BatchWrite;
use crate::dynamo::Dynamo;
use crate::retry::RetryBudget;

/// Any number of puts and deletes, of any entities and tables, sent in requests of 25.
///
/// If several writes have the same key, only the last one is sent, as if all were sent one after the other. A write
/// in a batch takes effect whatever item is stored: it has no condition and no version. Writes that DynamoDB omits
/// are sent again, after a random pause and as long as there is progress. A write that cannot be sent, for example
/// because it is too large, or that DynamoDB rejects, fails alone.
///
/// A request whose response was lost is sent again too. It may have been executed, and then a write of another client
/// in between is overwritten or deleted: see [`put`](crate::verbs::EntityExt::put), which has a program that shows
/// it. For rows that others write too, use [`put_each`](crate::put_each) with a version or a condition.
///
/// The batch is planned when it is sent: times, versions and index keys are those of
/// [`put`](crate::verbs::EntityExt::put). All of it is in memory until it is done; [`Batch::streamed`] sends the
/// writes of an iterator while it reads them. It is not a transaction: other clients see one write after the other.
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
#[doc(alias = "batch_write_item")]
pub struct Batch<'e> {
    groups: Vec<Box<dyn Group + 'e>>,
    settings: BatchSettings,
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
            settings: BatchSettings::default(),
        }
    }

    /// A batch of the remaining writes of an earlier batch, to be sent unchanged.
    pub(super) fn of_ready(ready: Ready) -> Self {
        let mut batch = Batch::new();
        if ready.len() > 0 {
            batch.groups.push(Box::new(ready));
        }
        batch
    }

    /// The remaining writes of an earlier batch.
    pub(super) fn ready_writes(&self) -> impl Iterator<Item = &Write> {
        self.groups.iter().flat_map(|group| group.ready_writes())
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
        self.settings.concurrency = requests.max(1);
        self
    }

    /// Sets how long the batch keeps sending omitted writes.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// Calls this after each response, with the counts of the batch so far. It runs in the task that awaits the
    /// batch, so it should be fast.
    pub fn on_progress(mut self, call: impl FnMut(BatchCounts) + Send + 'static) -> Self {
        self.settings.on_progress = Some(Box::new(call));
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

    pub(super) fn plan_batch(self, db: &Dynamo) -> (BatchPlan, BatchSettings) {
        let mut input = BatchInput::new(self.len());
        for group in self.groups {
            group.add_writes(db, &mut input);
        }
        (input.into_plan(), self.settings)
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} writes)", self.len())
    }
}

/// Writes of one type, so that one box holds many.
trait Group: Send {
    fn len(&self) -> usize;

    /// The writes that an earlier batch has encoded and not completed.
    fn ready_writes(&self) -> &[Write] {
        &[]
    }

    fn add_writes(self: Box<Self>, db: &Dynamo, input: &mut BatchInput);
}

impl<W: BatchWrite> Group for Vec<W> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn add_writes(self: Box<Self>, db: &Dynamo, input: &mut BatchInput) {
        for write in *self {
            write.add_to(db, input);
        }
    }
}

impl Group for Ready {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn ready_writes(&self) -> &[Write] {
        &self.0
    }

    fn add_writes(self: Box<Self>, _: &Dynamo, input: &mut BatchInput) {
        for write in self.0 {
            input.add_remaining(write);
        }
    }
}
