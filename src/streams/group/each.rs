//! The handlers of a worker: `each` for effects outside DynamoDB, `each_in` for effects in DynamoDB.

use super::event::{ConsumerEvent, LeftReason};
use super::shard_run::{RecordHandler, ShardRun};
use super::store::{PlaceState, is_transient};
use super::transaction::{ChangeTransaction, fits_in};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::TransactionMember;
use crate::streams::change::ItemChange;
use crate::streams::each::HandlerError;
use crate::streams::follow::ItemChanges;
use crate::streams::panics::{Panicked, catch_panic, without_panics};
use crate::streams::parking::{CountedAttempt, Parking};
use crate::streams::record::StreamRecord;
use crate::transact::send_planned;

/// The result of an attempt at a change.
enum ChangeAttempt {
    Done,
    Failed(HandlerError),
    /// A request failed for a reason that does not depend on the change, so the attempt is not counted.
    Interrupted(Error),
    Left(LeftReason),
}

pub(super) struct EachHandler<New, Old, F> {
    pub(super) changes: ItemChanges<New, Old>,
    pub(super) handler: F,
}

pub(super) struct EachInHandler<New, Old, F> {
    pub(super) changes: ItemChanges<New, Old>,
    pub(super) write: F,
}

/// Whether a record is older than the start of the group. DynamoDB rounds times down to a second; DynamoDB Local, to a
/// minute.
fn is_before(record: &StreamRecord, since: Option<i64>) -> bool {
    let latest = |at: i64| if at % 60 == 0 { at + 59 } else { at };
    let at = record.at().map(Timestamp::seconds);
    matches!((at, since), (Some(at), Some(since)) if latest(at) < since)
}

/// Reports a failed attempt. If it was the last one, parks the change in one transaction with other writes. Returns whether
/// the change is parked.
async fn note_failure(
    run: &ShardRun<'_>,
    record: &StreamRecord,
    error: &HandlerError,
    attempts: usize,
    others: Vec<TransactionMember>,
) -> Result<bool> {
    let worker = run.worker;
    if let Some(most) = worker.settings.park_after {
        let parking = Parking {
            attempts: most,
            consumer: worker.store.group.clone(),
            db: &worker.store.db,
        };
        let reason = error.to_string();
        let counted = parking.count_attempt_with(record, &reason, others);
        match worker.limit_time(counted).await {
            Ok(CountedAttempt::Parked) => {
                worker.report(&ConsumerEvent::Parked { record, error });
                return Ok(true);
            }
            Ok(CountedAttempt::Counted) => {}
            // A late request may have moved the place already, so the transaction that parks the change fails.
            Err(error) if is_transient(&error) || error.is_lost_race() => {
                worker.report(&ConsumerEvent::RequestFailed(&error));
            }
            // For example a missing table. A retry would never succeed.
            Err(error) => return Err(error),
        }
    }
    worker.report(&ConsumerEvent::Failed {
        record,
        error,
        attempts,
    });
    Ok(false)
}

/// The next step after an attempt.
enum NextStep {
    Repeat,
    /// The change is handled or parked.
    Continue,
    Leave(LeftReason),
}

/// The attempts at a change.
#[derive(Default)]
struct Attempts {
    failed: usize,
    pauses: u32,
}

impl Attempts {
    /// `others` are writes for the transaction that parks the change.
    async fn next_step(
        &mut self,
        run: &ShardRun<'_>,
        record: &StreamRecord,
        attempt: ChangeAttempt,
        others: impl FnOnce() -> Vec<TransactionMember>,
    ) -> Result<NextStep> {
        match attempt {
            ChangeAttempt::Done => return Ok(NextStep::Continue),
            ChangeAttempt::Left(reason) => return Ok(NextStep::Leave(reason)),
            ChangeAttempt::Interrupted(error) => {
                run.worker.report(&ConsumerEvent::RequestFailed(&error))
            }
            ChangeAttempt::Failed(error) => {
                self.failed += 1;
                if note_failure(run, record, &error, self.failed, others()).await? {
                    return Ok(NextStep::Continue);
                }
            }
        }
        self.pauses += 1;
        match run.pause_after_failure(self.pauses - 1).await {
            Some(reason) => Ok(NextStep::Leave(reason)),
            None => Ok(NextStep::Repeat),
        }
    }
}

impl<New, Old, F, Fut, X> RecordHandler for EachHandler<New, Old, F>
where
    F: Fn(ItemChange<New, Old>) -> Fut,
    Fut: Future<Output = Result<(), X>>,
    X: Into<HandlerError>,
{
    async fn handle_records(
        &self,
        run: &mut ShardRun<'_>,
        records: Vec<StreamRecord>,
    ) -> Result<Option<LeftReason>> {
        for record in records {
            if let Some(reason) = self.handle_record(run, &record).await? {
                return Ok(Some(reason));
            }
            run.reach(&record);
            if let Some(reason) = run.save_if_due().await? {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }
}

impl<New, Old, F, Fut, X> EachHandler<New, Old, F>
where
    F: Fn(ItemChange<New, Old>) -> Fut,
    Fut: Future<Output = Result<(), X>>,
    X: Into<HandlerError>,
{
    async fn handle_record(
        &self,
        run: &ShardRun<'_>,
        record: &StreamRecord,
    ) -> Result<Option<LeftReason>> {
        let mut attempts = Attempts::default();
        loop {
            if is_before(record, run.worker.settings.since) {
                return Ok(run.leave_reason());
            }
            // The change is read for each attempt, because the handler consumes it.
            let Some(change) = self.changes.read_record(record) else {
                return Ok(None);
            };
            if let Some(reason) = run.await_turn().await {
                return Ok(Some(reason));
            }
            let attempt = match change {
                Err(unread) => ChangeAttempt::Failed(unread.into()),
                Ok(change) => match without_panics(|| (self.handler)(change)).await {
                    Ok(Ok(())) => ChangeAttempt::Done,
                    Ok(Err(error)) => ChangeAttempt::Failed(error.into()),
                    Err(Panicked(reason)) => ChangeAttempt::Failed(reason.into()),
                },
            };
            match attempts.next_step(run, record, attempt, Vec::new).await? {
                NextStep::Repeat => {}
                NextStep::Continue => return Ok(None),
                NextStep::Leave(reason) => return Ok(Some(reason)),
            }
        }
    }
}

/// Whether an error is caused by the change, and not by the tables or the permissions.
fn is_of_change(error: &Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::NoTransactions
            | ErrorKind::Config
            | ErrorKind::Locked
            | ErrorKind::TableNotFound
            | ErrorKind::AccessDenied
    )
}

/// Changes whose writes share a transaction.
#[derive(Default)]
struct WriteBatch {
    members: Vec<TransactionMember>,
    /// The records of the batch, including those that are not shown.
    records: Vec<StreamRecord>,
}

impl<New, Old, F, X> RecordHandler for EachInHandler<New, Old, F>
where
    F: Fn(&ItemChange<New, Old>, &mut ChangeTransaction<'_>) -> Result<(), X>,
    X: Into<HandlerError>,
{
    async fn handle_records(
        &self,
        run: &mut ShardRun<'_>,
        records: Vec<StreamRecord>,
    ) -> Result<Option<LeftReason>> {
        let mut batch = WriteBatch::default();
        for record in records {
            match self.plan_change(run, &record) {
                Ok(members) if fits_in(&batch.members, &members) => {
                    batch.members.extend(members);
                    batch.records.push(record);
                }
                planned => {
                    if let Some(reason) = self.send_batch(run, std::mem::take(&mut batch)).await? {
                        return Ok(Some(reason));
                    }
                    match planned {
                        Ok(members) if fits_in(&[], &members) => {
                            batch.members = members;
                            batch.records.push(record);
                        }
                        _ => {
                            if let Some(reason) = self.handle_alone(run, &record).await? {
                                return Ok(Some(reason));
                            }
                        }
                    }
                }
            }
        }
        self.send_batch(run, batch).await
    }
}

impl<New, Old, F, X> EachInHandler<New, Old, F>
where
    F: Fn(&ItemChange<New, Old>, &mut ChangeTransaction<'_>) -> Result<(), X>,
    X: Into<HandlerError>,
{
    /// The planned writes of a record. They are empty if it is not shown.
    fn plan_change(
        &self,
        run: &ShardRun<'_>,
        record: &StreamRecord,
    ) -> Result<Vec<TransactionMember>, HandlerError> {
        if is_before(record, run.worker.settings.since) {
            return Ok(Vec::new());
        }
        let Some(change) = self.changes.read_record(record) else {
            return Ok(Vec::new());
        };
        let change = change?;
        let mut transaction = ChangeTransaction::new(&run.worker.store.db);
        let write = || (self.write)(&change, &mut transaction);
        match catch_panic(write) {
            Ok(written) => written.map_err(Into::<HandlerError>::into)?,
            Err(Panicked(reason)) => return Err(reason.into()),
        }
        Ok(transaction.into_members())
    }

    /// Sends the writes of a batch. If they cannot take effect together, sends those of each change alone.
    async fn send_batch(
        &self,
        run: &mut ShardRun<'_>,
        batch: WriteBatch,
    ) -> Result<Option<LeftReason>> {
        let WriteBatch {
            mut members,
            records,
        } = batch;
        if members.is_empty() {
            // No transaction is needed: the place is saved with the next one, or at the end of the page.
            records.iter().for_each(|record| run.reach(record));
            return Ok(None);
        }
        let mut pauses = 0;
        loop {
            if let Some(reason) = run.await_turn().await {
                return Ok(Some(reason));
            }
            match self.send_members(run, members, &records).await? {
                ChangeAttempt::Done => return Ok(None),
                ChangeAttempt::Left(reason) => return Ok(Some(reason)),
                // The error does not name a change, so each change is sent alone.
                ChangeAttempt::Failed(_) => break,
                ChangeAttempt::Interrupted(error) => {
                    run.worker.report(&ConsumerEvent::RequestFailed(&error));
                }
            }
            if let Some(reason) = run.pause_after_failure(pauses).await {
                return Ok(Some(reason));
            }
            pauses += 1;
            // The batch is sent again as a whole, because a busy server should not get more requests.
            match self.plan_batch(run, &records) {
                Some(planned) => members = planned,
                None => break,
            }
        }
        for record in &records {
            if let Some(reason) = self.handle_alone(run, record).await? {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    /// The planned writes of all records. `None` if they no longer fit into one transaction.
    fn plan_batch(
        &self,
        run: &ShardRun<'_>,
        records: &[StreamRecord],
    ) -> Option<Vec<TransactionMember>> {
        let mut members = Vec::new();
        for record in records {
            let more = self.plan_change(run, record).ok()?;
            if !fits_in(&members, &more) {
                return None;
            }
            members.extend(more);
        }
        Some(members)
    }

    async fn handle_alone(
        &self,
        run: &mut ShardRun<'_>,
        record: &StreamRecord,
    ) -> Result<Option<LeftReason>> {
        let mut attempts = Attempts::default();
        loop {
            if let Some(reason) = run.await_turn().await {
                return Ok(Some(reason));
            }
            let attempt = match self.plan_change(run, record) {
                Ok(members) => {
                    let records = std::slice::from_ref(record);
                    self.send_members(run, members, records).await?
                }
                Err(error) => ChangeAttempt::Failed(error),
            };
            let is_done = matches!(attempt, ChangeAttempt::Done);
            // A late request of an earlier attempt could still take effect. Its condition fails after the place has
            // moved, so the place moves in the transaction that parks the change.
            let moved = run.plan_move(std::slice::from_ref(record))?;
            match attempts.next_step(run, record, attempt, || moved).await? {
                NextStep::Repeat => {}
                NextStep::Leave(reason) => return Ok(Some(reason)),
                NextStep::Continue if is_done => return Ok(None),
                NextStep::Continue => {
                    // If the change was already parked, no transaction has moved the place.
                    run.reach(record);
                    return run.save_now().await;
                }
            }
        }
    }

    /// Sends writes together with the place after these records. After an error, the row of the lease shows whether they
    /// took effect.
    async fn send_members(
        &self,
        run: &mut ShardRun<'_>,
        mut members: Vec<TransactionMember>,
        records: &[StreamRecord],
    ) -> Result<ChangeAttempt> {
        let (worker, before) = (run.worker, run.saved.clone());
        let after = run.mark_after(records);
        let moved = run.plan_move(records)?;
        if moved.is_empty() {
            let reason = "the record has no sequence number, so its place cannot be saved";
            return Ok(ChangeAttempt::Failed(reason.into()));
        }
        members.extend(moved);
        let Err(error) = worker
            .limit_time(send_planned(&worker.store.db, members))
            .await
        else {
            run.reach_saved(records, after);
            return Ok(ChangeAttempt::Done);
        };
        let mut pauses = 0;
        let state = loop {
            let reading = worker
                .store
                .read_place(&run.name, run.epoch, &before, &after);
            match worker.limit_time(reading).await {
                Ok(state) => break state,
                Err(failure) if is_transient(&failure) => {
                    worker.report(&ConsumerEvent::RequestFailed(&failure))
                }
                Err(failure) => return Err(failure),
            }
            // A worker that stops does not wait for a server that does not respond.
            if let Some(reason) = run.leave_reason()
                && (reason == LeftReason::Lost || !worker.may_begin(&run.name, run.epoch))
            {
                return Ok(ChangeAttempt::Left(reason));
            }
            run.wait_after_failure(pauses).await;
            pauses += 1;
        };
        Ok(match state {
            PlaceState::After => {
                run.reach_saved(records, after);
                ChangeAttempt::Done
            }
            PlaceState::Lost => ChangeAttempt::Left(LeftReason::Lost),
            PlaceState::Before if is_transient(&error) || error.kind() == ErrorKind::TableInUse => {
                ChangeAttempt::Interrupted(error)
            }
            PlaceState::Before if is_of_change(&error) => ChangeAttempt::Failed(error.into()),
            PlaceState::Before => return Err(error),
        })
    }
}
