//! A batch on its way.

use std::fmt;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use super::builder::Batch;
use super::ledger::{BatchLedger, BatchProgress};
use super::plan::{BatchPlan, Write};
use super::report::BatchReport;
use super::request::{build_request, split_chunks, unprocessed_writes};
use super::settings::BatchSettings;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Explanation;
use crate::retry::{SharedBudget, as_they_come};
use crate::wire::{BoxFuture, Failure};

impl Batch<'_> {
    /// Sends the batch. The report contains the result of each write, so a throttled or rejected batch is not an
    /// `Err` here. If no write may be left, write `report.complete()?`.
    ///
    /// If you drop the future before it is done, requests in progress may or may not take effect.
    /// [`BatchSend::progress`] then still has the results, and the rest as a batch: sending that again is harmless.
    pub fn send(self, db: &Dynamo) -> BatchSend<'_> {
        let (plan, settings) = self.plan_batch(db);
        BatchSend::new(db, plan, settings)
    }

    /// The first requests of [`send`](Self::send). A write that could not be sent is an error here.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let (plan, _) = self.plan_batch(db);
        if let Some(failed) = plan.errors.into_iter().next() {
            return Err(failed.error);
        }
        let chunks = split_chunks(&plan.writes);
        let bodies = chunks.iter().map(|chunk| {
            let writes = chunk.iter().filter_map(|slot| plan.writes.get(*slot));
            build_request(writes)
        });
        Ok(Explanation::of_requests(&bodies.collect::<Vec<_>>()))
    }
}

/// A batch on its way; await it. See [`Batch::send`](super::Batch::send).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use std::time::Duration;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "notes", key(pk = id))]
/// # struct Note { id: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Note::schema()]).await?;
/// # let notes = [Note { id: "n1".into() }];
/// let sending = Batch::new().with_all(notes.iter().map(|note| note.put())).send(&db);
/// let progress = sending.progress();
/// let report = match tokio::time::timeout(Duration::from_secs(60), sending).await {
///     Ok(report) => report?,
///     Err(_) => progress.report(), // stopped under way: `left` can be sent again
/// };
/// # assert_eq!(report.done, 1);
/// # Ok(()) }
/// ```
#[must_use = "nothing is sent until it is awaited"]
pub struct BatchSend<'d> {
    work: Option<BoxFuture<'d, ()>>,
    ledger: Arc<BatchLedger>,
}

impl<'d> BatchSend<'d> {
    pub(super) fn new(db: &'d Dynamo, plan: BatchPlan, settings: BatchSettings) -> Self {
        let chunks = split_chunks(&plan.writes);
        let ledger = Arc::new(BatchLedger::new(plan, settings.on_progress));
        let work = BatchWork {
            db,
            ledger: ledger.clone(),
            shared_budget: SharedBudget::new(settings.budget),
        };
        BatchSend {
            work: Some(Box::pin(work.run_chunks(chunks, settings.concurrency))),
            ledger,
        }
    }

    /// A view of the batch for use elsewhere, also if the batch is dropped before it is done.
    pub fn progress(&self) -> BatchProgress {
        BatchProgress(self.ledger.clone())
    }
}

impl Future for BatchSend<'_> {
    type Output = Result<BatchReport>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<BatchReport>> {
        let Some(work) = &mut self.work else {
            return Poll::Ready(Err(Error::config("a finished batch was polled again")));
        };
        ready!(work.as_mut().poll(cx));
        self.work = None;
        Poll::Ready(Ok(self.ledger.build_report()))
    }
}

impl fmt::Debug for BatchSend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BatchSend")
            .field(&self.ledger.current_counts())
            .finish()
    }
}

struct BatchWork<'d> {
    db: &'d Dynamo,
    ledger: Arc<BatchLedger>,
    shared_budget: SharedBudget,
}

/// Slots of the ledger.
type Slots = Vec<usize>;

impl BatchWork<'_> {
    async fn run_chunks(self, chunks: Vec<Slots>, concurrency: usize) {
        let chunks = chunks.into_iter().map(|slots| self.send_chunk(slots));
        as_they_come(chunks, concurrency, |()| ControlFlow::Continue(())).await;
    }

    /// Sends a chunk, and the parts of it that are better sent apart.
    async fn send_chunk(&self, slots: Slots) {
        let mut parts = vec![slots];
        while let Some(part) = parts.pop() {
            parts.extend(self.send_part(part).await);
        }
    }

    /// Sends these until all are done or nothing more can be done; returns parts to be sent apart.
    async fn send_part(&self, slots: Slots) -> Vec<Slots> {
        let mut left = self.ledger.remaining_writes(&slots);
        let mut rounds = self.shared_budget.begin_rounds();
        while !left.is_empty() {
            let began = Instant::now();
            let mut reason = None;
            match self.send_request(&left).await {
                Ok(unprocessed) => {
                    let before = left.len();
                    left = self.settle_writes(left, &unprocessed);
                    match left.len() < before {
                        true => rounds.note_progress(),
                        false => rounds.in_vain(),
                    }
                }
                // The whole request was rejected, so nothing of it was written.
                Err(failure) if failure.is_contention || failure.error.is_throttled() => {
                    rounds.in_vain();
                    reason = Some(failure.error);
                }
                Err(failure) => return self.split_refused(left, failure.error),
            }
            if !left.is_empty() && !rounds.begin_another(began.elapsed()).await {
                let reason = reason.unwrap_or_else(|| left_out(&rounds.exhausted_reason()));
                self.ledger.note_reason(reason);
                break;
            }
        }
        Vec::new()
    }

    /// Sends one request; returns the slots that the service left out.
    async fn send_request(&self, writes: &[(usize, Write)]) -> Result<Slots, Failure> {
        let request = build_request(writes.iter().map(|(_, write)| write));
        let name = |error: Error| match one_entity(writes) {
            Some(entity) => error.of(entity),
            None => error,
        };
        let sent = self.db.call_service(request).await;
        let has_stray = match &sent {
            Ok(reply) => reply.has_stray,
            Err(failure) => failure.has_stray,
        };
        if has_stray {
            // It is recorded for a failure too: the next round may succeed, and the lost attempt
            // can arrive after it.
            self.ledger
                .note_strays(writes.iter().map(|(slot, _)| *slot));
        }
        let reply = sent.map_err(|failure| Failure {
            error: name(failure.error),
            ..failure
        })?;
        unprocessed_writes(&reply.body, writes).map_err(|fault| {
            let error = Error::unreadable(&fault).with_request_id(reply.request_id.as_deref());
            name(error).into()
        })
    }

    /// Notes which writes are done; returns those that are not.
    fn settle_writes(
        &self,
        writes: Vec<(usize, Write)>,
        unprocessed: &[usize],
    ) -> Vec<(usize, Write)> {
        let is_left = |(slot, _): &(usize, Write)| unprocessed.contains(slot);
        let (left, done): (Vec<_>, Vec<_>) = writes.into_iter().partition(is_left);
        self.ledger
            .note_done(done.into_iter().map(|(slot, _)| slot));
        left
    }

    /// Handles a request that was rejected or lost as a whole. A fault of one table or one write must not fail the
    /// others, so parts are sent apart until the faulty one is alone.
    fn split_refused(&self, writes: Vec<(usize, Write)>, error: Error) -> Vec<Slots> {
        let of_a_write = matches!(
            error.kind(),
            ErrorKind::Rejected | ErrorKind::CollectionFull | ErrorKind::OutsideTenant
        );
        let of_a_table = matches!(
            error.kind(),
            ErrorKind::TableNotFound | ErrorKind::AccessDenied
        );
        let tables = by_table(&writes);
        match writes.as_slice() {
            // DynamoDB rejects a request as a whole if one of its tables is missing, so each table
            // is tried alone.
            _ if of_a_table && tables.len() > 1 => return tables,
            // A single write that is rejected is the invalid one.
            [(slot, write)] if of_a_write => {
                let pk = write.table.names.first().copied().unwrap_or_default();
                self.ledger
                    .note_failed(*slot, error.of(write.entity).in_key(pk));
            }
            [_, _, ..] if of_a_write => {
                let slots: Slots = writes.iter().map(|(slot, _)| *slot).collect();
                // DynamoDB does not name the invalid write. Halving finds it in a few requests, and
                // the valid ones are written on the way.
                let (front, back) = slots.split_at(slots.len() / 2);
                return vec![front.to_vec(), back.to_vec()];
            }
            _ => self.ledger.note_reason(error),
        }
        Vec::new()
    }
}

/// The entity of these writes, if all have the same.
fn one_entity(writes: &[(usize, Write)]) -> Option<&'static str> {
    let first = writes.first().map(|(_, write)| write.entity)?;
    let is_first = |(_, write): &(usize, Write)| write.entity == first;
    writes.iter().all(is_first).then_some(first)
}

fn by_table(writes: &[(usize, Write)]) -> Vec<Slots> {
    let mut tables: Vec<(&str, Slots)> = Vec::new();
    for (slot, write) in writes {
        let name = write.table.name.as_str();
        match tables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slots)) => slots.push(*slot),
            None => tables.push((name, vec![*slot])),
        }
    }
    tables.into_iter().map(|(_, slots)| slots).collect()
}

fn left_out(reason: &str) -> Error {
    let message = format!("writes are left: {reason}");
    Error::new(ErrorKind::Throttled, Stage::Service, message)
}

crate::awaited::unsent!([] Batch<'_> => BatchReport);
