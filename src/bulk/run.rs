//! A job that runs: it takes rows, works on several at once, and counts and saves what is done.

mod catch_up;
mod checkpoint_writer;
mod job_source;
mod order;

use std::collections::HashSet;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use sha2::{Digest, Sha256};

use super::input::Waiting;
use super::job::{Bulk, JobWork, OnJobProgress, Verb};
use super::ledger::{CompletedPrefix, EntryKind, JobLedger};
use super::mark::JobMark;
use super::report::{self, BulkProgress, BulkReport, FailedRow, RowOutcome};
use super::stray::StrayAttempt;
use super::write::given::GivenWrite;
use super::write::rows::RowWrites;
use super::write::{JobContext, RowError};
use crate::batch::MOST_DELETES;
use crate::dynamo::Dynamo;
use crate::entropy;
use crate::error::{Error, Result};
use crate::plan::Steps;
use crate::query::Places;
use crate::retry::{Rate, SharedBudget};
use crate::wire::BoxFuture;
use checkpoint_writer::CheckpointWriter;
use job_source::{JobSource, JobTask};
use order::{Trace, WriteOrder};

/// How many rows may be done ahead of one that takes long.
const WINDOW: usize = 10_000;

/// How many given writes may wait for others of their items, each at its full size in memory.
const WAITING: usize = 100;

impl<'j> Bulk<'j> {
    /// Runs the job. An error means that the job did not begin; all later errors are in the report.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<BulkReport>>
    where
        'j: 'd,
    {
        Steps(Box::pin(run(self, db)))
    }
}

/// Runs a job to its end.
async fn run<'j>(bulk: Bulk<'j>, db: &'j Dynamo) -> Result<BulkReport> {
    let Bulk {
        mut work,
        concurrency,
        rate,
        budget,
        failures,
        progress,
        checkpoint,
    } = bulk;
    let keeper = match checkpoint {
        Some(keeping) => Some(CheckpointWriter::load(keeping, &mut work, db).await?),
        None => None,
    };
    let is_touch = matches!(&work, JobWork::Rows(_, Verb::Touch(_)));
    let (feed, rows) = job_source::begin(work, keeper.as_ref(), db, budget).await?;
    // This follows the comparison of the input with the checkpoint: a finished job with other writes is an error, not a
    // success.
    if let Some(keeper) = keeper.as_ref().filter(|keeper| keeper.is_over()) {
        return Ok(keeper.report());
    }
    // A refill compares each row, so it needs no mark to know whether the row is done.
    let is_refill = rows.as_ref().is_some_and(|rows| rows.refill.is_some());
    let tools = JobContext {
        db,
        mark: match keeper.as_ref() {
            Some(keeper) if is_touch => Some(keeper.touch_mark()),
            None if is_touch => Some(JobMark::of_touch(&format!(
                "{:016x}",
                entropy::random_half()?
            ))),
            keeper => keeper.map(CheckpointWriter::mark).filter(|_| !is_refill),
        },
        rate: rate.map(Rate::per_second),
        shared_budget: SharedBudget::new(budget),
        // A row that others change all the time says nothing of the next rows.
        races: SharedBudget::separate(budget),
    };
    let places = rows.as_ref().map(|rows| rows.target.row_places(db));
    let may_repeat = rows.as_ref().is_some_and(|rows| rows.target.may_repeat());
    let mut runner = JobRunner {
        ledger: JobLedger::new(CompletedPrefix {
            spot: places.as_ref().map(Places::first_spot).unwrap_or_default(),
            ..keeper
                .as_ref()
                .map(CheckpointWriter::passed)
                .unwrap_or_default()
        }),
        order: WriteOrder::new(
            keeper.is_some(),
            keeper
                .as_ref()
                .map(CheckpointWriter::strays)
                .unwrap_or_default(),
        ),
        db,
        seen: (may_repeat && keeper.is_none()).then(HashSet::new),
        keeper,
        places,
        progress,
        failures,
        stopped: None,
        in_doubt: Vec::new(),
        feed,
    };
    if let Some(keeper) = &mut runner.keeper {
        // The text of the marks must be saved before the first item gets one. After a crash, the next run would
        // otherwise not recognize them.
        keeper
            .save(
                &runner.ledger.passed,
                runner.places.as_ref(),
                runner.order.strays(db.now()),
                false,
            )
            .await?;
    }
    // Rows that share requests must be in progress together, or each request would have a single row.
    let rows_at_once = match rows.as_ref().and_then(|rows| rows.unchecked.as_ref()) {
        Some(_) => concurrency.saturating_mul(MOST_DELETES),
        None => concurrency,
    };
    runner.work(&tools, rows.as_ref(), rows_at_once).await;
    Ok(runner.finish().await)
}

struct JobRunner<'j> {
    db: &'j Dynamo,
    feed: JobSource<'j>,
    ledger: JobLedger,
    /// The order of given writes.
    order: WriteOrder,
    keeper: Option<CheckpointWriter<'j>>,
    places: Option<Places>,
    progress: Option<OnJobProgress<'j>>,
    /// How many rows may fail.
    failures: usize,
    stopped: Option<Error>,
    /// Rows whose writes were under way when the job stopped.
    in_doubt: Vec<FailedRow>,
    /// The keys that the job has met, if an index may bring a row twice and no mark tells.
    seen: Option<HashSet<[u8; 16]>>,
}

/// The next event.
enum Event {
    Done(Done),
    Broken(Error),
    /// The next work waits for the checkpoint to be saved.
    Waiting,
    End,
}

/// The outcome of a row, or of a given write.
struct Done {
    entry: u64,
    given: Option<GivenOne>,
    result: Result<RowOutcome, RowError>,
}

/// One of the given writes.
struct GivenOne {
    number: u64,
    item: Option<u64>,
    is_again: bool,
    is_delete: bool,
    /// An attempt that may still take effect.
    stray: Option<StrayAttempt>,
}

impl GivenOne {
    fn of(waiting: &Waiting) -> Self {
        GivenOne {
            number: waiting.write.number,
            item: waiting.item,
            is_again: waiting.is_again,
            is_delete: waiting.write.is_delete(),
            stray: None,
        }
    }

    /// The source from which the next run learns the outcome. A write that is tried again may have another item now, and
    /// later writes of that item may be done already. So its mark does not tell of all writes before it, and the
    /// checkpoint is saved before the next write of the item.
    fn trace(&self, result: &Result<RowOutcome, RowError>) -> Trace {
        match result {
            Err(RowError::Row(row)) if name_of(row).is_some() => Trace::ToCome,
            Err(_) => Trace::None,
            Ok(_) if self.is_again => Trace::None,
            Ok(RowOutcome::Written) if self.is_delete => Trace::None,
            Ok(_) => Trace::Mark,
        }
    }
}

impl<'j> JobRunner<'j> {
    async fn work(
        &mut self,
        tools: &JobContext<'_>,
        rows: Option<&RowWrites<'j>>,
        concurrency: usize,
    ) {
        let mut running: FuturesUnordered<BoxFuture<'_, Done>> = FuturesUnordered::new();
        loop {
            let event = std::future::poll_fn(|cx| {
                while self.stopped.is_none() && running.len() < concurrency {
                    if let Some(next) = self.order.next() {
                        running.push(Box::pin(write(next, tools)));
                        continue;
                    }
                    // One slow row holds back the checkpoint. Without a bound, the rows after it
                    // would fill the memory.
                    if self.ledger.len() >= WINDOW || self.order.waiting() >= WAITING {
                        break;
                    }
                    match self.feed.poll_next(tools.db, cx) {
                        Poll::Ready(Some(Ok(task))) => {
                            if let Some((entry, task)) = self.begin(task, rows, tools.db) {
                                running.push(Box::pin(work_on(entry, task, tools, rows)));
                            }
                        }
                        Poll::Ready(Some(Err(error))) => return Poll::Ready(Event::Broken(error)),
                        Poll::Ready(None) => break,
                        Poll::Pending if running.is_empty() => return Poll::Pending,
                        Poll::Pending => break,
                    }
                }
                let is_waiting = self.stopped.is_none() && self.order.waiting() > 0;
                running.poll_next_unpin(cx).map(|done| match done {
                    Some(done) => Event::Done(done),
                    None if is_waiting => Event::Waiting,
                    None => Event::End,
                })
            });
            match event.await {
                Event::Done(done) => self.done(done).await,
                Event::Broken(error) => self.stop(error),
                Event::Waiting => self.save().await,
                Event::End => return,
            }
        }
    }

    /// The task and its number, if it can begin at once. A given write waits for its turn instead.
    fn begin(
        &mut self,
        task: JobTask,
        rows: Option<&RowWrites<'_>>,
        db: &Dynamo,
    ) -> Option<(u64, JobTask)> {
        let entry = match &task {
            JobTask::Row { mark, item } => {
                let is_new = match (&mut self.seen, rows) {
                    // An index may list an item twice while it moves. Without a checkpoint no mark
                    // shows that it was changed before.
                    (Some(seen), Some(rows)) => seen.insert(digest(item, &rows.names)),
                    _ => true,
                };
                let kind = if is_new {
                    EntryKind::Row
                } else {
                    EntryKind::Place
                };
                let number = self.ledger.begin(kind, Some(mark.clone()));
                is_new.then_some(number)?
            }
            JobTask::Place(mark) => {
                self.ledger.begin(EntryKind::Place, Some(mark.clone()));
                return None;
            }
            JobTask::Again(key) => self.ledger.begin(EntryKind::Again(key.clone()), None),
            JobTask::Write { given, is_again } => {
                let kind = match (is_again, &given.failed_as) {
                    (true, Some(name)) => EntryKind::Again(name.clone()),
                    _ => EntryKind::Row,
                };
                self.ledger.begin_given(kind, given.identity)
            }
        };
        match task {
            JobTask::Write { given, is_again } => {
                self.order.enter(Waiting {
                    entry,
                    item: given.item(db),
                    write: given,
                    is_again,
                    held_by: None,
                    done_before: Vec::new(),
                    stray: None,
                });
                None
            }
            task => Some((entry, task)),
        }
    }

    async fn done(&mut self, done: Done) {
        let Done {
            entry,
            given,
            result,
        } = done;
        if let Some(given) = &given
            && let Some((item, stray)) = given.item.zip(given.stray)
        {
            self.order.note_stray(item, stray, given.is_delete);
        }
        let trace = given
            .as_ref()
            .map(|given| (given.item, given.number, given.trace(&result)));
        match result {
            Ok(fate) => self.ledger.finish(entry, fate, None, None),
            // Work in progress when the job stopped is not passed, so that the next run finds it again.
            Err(RowError::Job(error, doubt)) => {
                self.in_doubt.extend(doubt);
                return self.stop(error);
            }
            Err(RowError::Row(row) | RowError::Overtaken(row)) => {
                let again = name_of(&row);
                self.failed(entry, row, again);
            }
            Err(RowError::Doubtful(row)) => self.failed(entry, row, None),
        }
        if let Some((Some(item), number, trace)) = trace {
            self.order.settle(item, entry, number, trace);
        }
        self.tell();
        let is_due = self.keeper.as_ref().is_some_and(CheckpointWriter::is_due);
        if is_due || self.order.remembered() > WINDOW {
            self.save().await;
        }
    }

    fn failed(&mut self, entry: u64, row: FailedRow, again: Option<String>) {
        self.ledger
            .finish(entry, RowOutcome::Failed, Some(row), again);
        if self.ledger.errors.len() > self.failures {
            self.stop(report::too_many(&self.ledger.errors));
        }
    }

    async fn save(&mut self) {
        let Some(keeper) = &mut self.keeper else {
            return;
        };
        let now = self.db.now();
        let strays = self.order.strays(now);
        let saved = keeper.save(&self.ledger.passed, self.places.as_ref(), strays, false);
        match saved.await {
            // The writes before this position are in the checkpoint now, so the marks need not list
            // them any more.
            Ok(()) => self.order.keep(self.ledger.passed_before(), now),
            Err(error) => self.stop(error),
        }
    }

    fn tell(&mut self) {
        let Some(tell) = &mut self.progress else {
            return;
        };
        tell(&BulkProgress {
            counts: self.ledger.counts,
            place: self
                .places
                .as_ref()
                .map(|places| (places, &self.ledger.passed.spot)),
        });
    }

    /// Stops the job. The first reason counts.
    fn stop(&mut self, error: Error) {
        self.stopped.get_or_insert(error);
    }

    async fn finish(mut self) -> BulkReport {
        let is_finished =
            self.stopped.is_none() && self.ledger.is_settled() && !self.feed.is_spent();
        if let Some(keeper) = &mut self.keeper {
            let strays = self.order.strays(self.db.now());
            let (passed, places) = (&self.ledger.passed, self.places.as_ref());
            let saved = keeper.save(passed, places, strays, is_finished);
            if let Err(error) = saved.await {
                self.stop(error);
            }
        }
        let places = self.places.as_ref();
        let position = places.and_then(|places| places.cursor_at(&self.ledger.passed.spot));
        let began = self.keeper.as_ref().and_then(CheckpointWriter::position);
        BulkReport {
            counts: self.ledger.counts,
            errors: self.ledger.errors,
            stopped: self.stopped,
            in_doubt: self.in_doubt,
            position: position.or(began),
            was_finished: false,
        }
    }
}

async fn work_on<'j>(
    entry: u64,
    task: JobTask,
    tools: &JobContext<'_>,
    rows: Option<&RowWrites<'j>>,
) -> Done {
    let result = match (task, rows) {
        (JobTask::Row { item, .. }, Some(rows)) => rows.change(tools, item).await,
        (JobTask::Again(key), Some(rows)) => rows.again(tools, key.as_bytes()).await,
        _ => Ok(RowOutcome::Unchanged),
    };
    Done {
        entry,
        given: None,
        result,
    }
}

async fn write(waiting: Waiting, tools: &JobContext<'_>) -> Done {
    let (entry, given) = (waiting.entry, GivenOne::of(&waiting));
    let (result, stray) = GivenWrite::write(tools, waiting).await;
    Done {
        entry,
        given: Some(GivenOne { stray, ..given }),
        result,
    }
}

/// The name of a failed row in a checkpoint. A write that lost a race has none, because it would lose it again.
fn name_of(row: &FailedRow) -> Option<String> {
    match row.number {
        Some(_) if row.error.is_lost_race() => None,
        Some(number) => Some(number.to_string()),
        None => {
            let key = row.key.to_dynamo_json().ok()?;
            String::from_utf8(key).ok()
        }
    }
}

/// A digest of the primary key, which is smaller than the key.
fn digest(item: &[u8], names: &[&'static str]) -> [u8; 16] {
    let key = super::action::key_of(item, names).unwrap_or_default();
    let mut digest = [0; 16];
    for (short, full) in digest.iter_mut().zip(Sha256::digest(key)) {
        *short = full;
    }
    digest
}

crate::awaited::unsent!([] Bulk<'_> => BulkReport);
