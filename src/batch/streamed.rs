//! Writes that are sent while they are read from an iterator.

use std::fmt;

use super::builder::Batch;
use super::error::BatchError;
use super::plan::{BatchInput, BatchPlan, Write};
use super::report::BatchReport;
use super::request::MOST_WRITES;
use super::send::BatchSend;
use super::settings::{BatchCounts, BatchSettings};
use super::writes::BatchWrite;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::Steps;
use crate::retry::{CONCURRENCY, RetryBudget};

/// How many requests of writes are read for each request that may be under way.
const REQUESTS_READ: usize = 8;

/// The number of writes for which room is reserved before they are read; there may be fewer.
const RESERVED: usize = MOST_WRITES * REQUESTS_READ * CONCURRENCY;

/// Writes from an iterator, which are sent while they are read; see [`Batch::streamed`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct BatchStream<'w> {
    writes: Box<dyn WriteSource + 'w>,
    settings: BatchSettings,
}

/// Writes of one type, in a box that no longer says of which.
trait WriteSource: Send {
    /// Adds up to `most` writes.
    fn fill_input(&mut self, most: usize, db: &Dynamo, input: &mut BatchInput);
}

impl<W: BatchWrite, I: Iterator<Item = W> + Send> WriteSource for I {
    fn fill_input(&mut self, most: usize, db: &Dynamo, input: &mut BatchInput) {
        for write in self.take(most) {
            write.add_to(db, input);
        }
    }
}

impl<'e> Batch<'e> {
    /// Sends the writes of an iterator while they are read, any number of them in little memory.
    ///
    /// A few hundred writes are read, sent as a [`Batch`] and acknowledged; then the next ones are read. If several
    /// writes have the same key, only the last one is sent, as in a `Batch`. However, if they are far apart, all of
    /// them are sent, and a request that arrives late may overwrite a later write of its key, see
    /// [`sent_twice`](BatchReport::sent_twice). If keys can occur several times, prefer a `Batch`, which sends each key
    /// once.
    ///
    /// If DynamoDB does not accept all of these writes within the [`budget`](BatchStream::budget), the rest of the
    /// iterator is not sent: it is read to its end and kept in the report's [`left`](BatchReport::left), in memory, so
    /// that nothing is lost. This never ends for an endless iterator.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "counts", key(pk = name))]
    /// # struct Count { name: String, count: u64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Count::schema()]).await?;
    /// let counts = (0..5_000).map(|n| Count { name: format!("c{n}"), count: n }); // none is there yet
    /// let report = Batch::streamed(counts.map(Count::into_put)).send(&db).await?;
    /// report.complete()?;
    /// assert_eq!(report.done, 5_000);
    /// # Ok(()) }
    /// ```
    pub fn streamed<W, I>(writes: I) -> BatchStream<'e>
    where
        W: BatchWrite,
        I: IntoIterator<Item = W, IntoIter: Send + 'e>,
    {
        BatchStream {
            // An iterator need not end for good at its first `None`, and the next part would be
            // read after it.
            writes: Box::new(writes.into_iter().fuse()),
            settings: BatchSettings::default(),
        }
    }
}

impl<'w> BatchStream<'w> {
    /// Sets the number of concurrent requests; 8 by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.settings.concurrency = requests.max(1);
        self
    }

    /// Sets how long the batch keeps sending omitted writes.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// Calls this after every few hundred writes, with the counts of the writes that were read so far.
    pub fn on_progress(mut self, call: impl FnMut(BatchCounts) + Send + 'static) -> Self {
        self.settings.on_progress = Some(Box::new(call));
        self
    }

    /// Sends the writes. The report is that of a [`Batch`], and its positions are those in the iterator. If you drop
    /// the future before it is done, requests in progress may or may not take effect.
    pub fn send(self, db: &'w Dynamo) -> Steps<'w, Result<BatchReport>> {
        Steps(Box::pin(self.run_stream(db)))
    }

    async fn run_stream(mut self, db: &Dynamo) -> Result<BatchReport> {
        let mut sum = ReportSum::default();
        while let Some(plan) = self.next_plan(db) {
            if !sum.left.is_empty() {
                // Later writes of a key must not overtake one that is left, so nothing more is sent
                // after the first remaining write.
                sum.leave_plan(plan);
                // Nothing else waits here, so without this pause a long iterator would keep other tasks
                // and timeouts from running.
                tokio::task::yield_now().await;
                continue;
            }
            let total = plan.total;
            let settings = BatchSettings {
                on_progress: None,
                ..self.settings
            };
            sum.add_report(total, BatchSend::new(db, plan, settings).await?);
            if let Some(call) = &mut self.settings.on_progress {
                call(sum.counts);
            }
        }
        Ok(sum.into_report())
    }

    fn next_plan(&mut self, db: &Dynamo) -> Option<BatchPlan> {
        let most = self.settings.concurrency;
        let most = most.saturating_mul(MOST_WRITES * REQUESTS_READ);
        let mut input = BatchInput::new(most.min(RESERVED));
        self.writes.fill_input(most, db, &mut input);
        let plan = input.into_plan();
        (plan.total > 0).then_some(plan)
    }
}

/// The reports so far.
#[derive(Default)]
struct ReportSum {
    /// Of the writes that were read.
    counts: BatchCounts,
    sent_twice: u64,
    left: Vec<Write>,
    errors: Vec<BatchError>,
    reasons: Vec<Error>,
}

impl ReportSum {
    fn add_report(&mut self, total: usize, report: BatchReport) {
        self.counts.done += report.done;
        self.counts.superseded += report.superseded;
        self.sent_twice += report.sent_twice;
        self.reasons.extend(report.reasons);
        self.add_left(report.left.ready_writes().cloned());
        self.add_errors(report.errors);
        self.counts.total += total as u64;
    }

    /// Adds writes that are not sent.
    fn leave_plan(&mut self, plan: BatchPlan) {
        self.counts.superseded += plan.superseded;
        self.add_left(plan.writes.into_iter());
        self.add_errors(plan.errors);
        self.counts.total += plan.total as u64;
    }

    fn add_left(&mut self, writes: impl Iterator<Item = Write>) {
        let before = self.counts.total as usize;
        self.left.extend(writes.map(|mut write| {
            write.index += before;
            write
        }));
    }

    fn add_errors(&mut self, errors: Vec<BatchError>) {
        let before = self.counts.total as usize;
        self.counts.failed += errors.len() as u64;
        let errors = errors.into_iter();
        self.errors.extend(errors.map(|failed| BatchError {
            index: before + failed.index,
            ..failed
        }));
    }

    fn into_report(self) -> BatchReport {
        BatchReport::from_parts(
            self.counts,
            self.sent_twice,
            self.left,
            self.errors,
            self.reasons,
        )
    }
}

impl fmt::Debug for BatchStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatchStream")
    }
}
