//! The handler of `each_in`, for effects in DynamoDB.

use super::attempts::{Attempts, ChangeAttempt, NextStep, is_before};
use super::event::{ConsumerEvent, ShardStopReason};
use super::limited::LimitTime;
use super::shard_reading::{ShardReading, ShardStep};
use super::shard_run::ShardRun;
use super::store::{PlaceState, is_transient};
use super::transaction::{ChangeTransaction, fits_in};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::TransactionMember;
use crate::streams::change::ItemChange;
use crate::streams::each::HandlerError;
use crate::streams::follow::ItemChanges;
use crate::streams::panics::{Panicked, catch_panic};
use crate::streams::record::StreamRecord;
use crate::transact::send_planned;

pub(super) struct EachInHandler<New, Old, F> {
    pub(super) changes: ItemChanges<New, Old>,
    pub(super) write: F,
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

impl<New, Old, F, X> EachInHandler<New, Old, F>
where
    F: Fn(&ItemChange<New, Old>, &mut ChangeTransaction<'_>) -> Result<(), X>,
    X: Into<HandlerError>,
{
    /// Handles a shard until its end, or until the worker must leave it.
    pub(super) async fn run_shard(&self, mut run: ShardRun<'_>) -> Result<()> {
        run.begin();
        let ended = self.read_shard(&mut run).await;
        run.end(ended).await
    }

    async fn read_shard(&self, run: &mut ShardRun<'_>) -> Result<ShardStopReason> {
        let mut reading = ShardReading::default();
        loop {
            let records = match reading.next_step(run).await? {
                ShardStep::Records(records) => records,
                ShardStep::Left(reason) => return Ok(reason),
            };
            let left = self.handle_records(run, records).await?;
            if let Some(reason) = reading.note_handled(run, left).await? {
                return Ok(reason);
            }
        }
    }

    async fn handle_records(
        &self,
        run: &mut ShardRun<'_>,
        records: Vec<StreamRecord>,
    ) -> Result<Option<ShardStopReason>> {
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
        Ok(transaction.into_members()?)
    }

    /// Sends the writes of a batch. If they cannot take effect together, sends those of each change alone.
    async fn send_batch(
        &self,
        run: &mut ShardRun<'_>,
        batch: WriteBatch,
    ) -> Result<Option<ShardStopReason>> {
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
            // A record without writes needs no request of its own.
            if self
                .plan_change(run, record)
                .is_ok_and(|members| members.is_empty())
            {
                run.reach(record);
                continue;
            }
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
    ) -> Result<Option<ShardStopReason>> {
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
        let sent = send_planned(&worker.store.db, members).limited();
        let Err(error) = sent.await else {
            run.reach_saved(records, after);
            return Ok(ChangeAttempt::Done);
        };
        let mut pauses = 0;
        let state = loop {
            let reading = worker
                .store
                .read_place(&run.name, run.epoch, &before, &after);
            match reading.await {
                Ok(state) => break state,
                Err(failure) if is_transient(&failure) => {
                    worker.report(&ConsumerEvent::RequestFailed(&failure))
                }
                Err(failure) => return Err(failure),
            }
            // A worker that stops does not wait for a server that does not respond.
            if let Some(reason) = run.leave_reason()
                && (reason == ShardStopReason::LeaseLost || !worker.may_begin(&run.name, run.epoch))
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
            PlaceState::Lost => ChangeAttempt::Left(ShardStopReason::LeaseLost),
            PlaceState::Before if is_transient(&error) || error.kind() == ErrorKind::TableInUse => {
                ChangeAttempt::Interrupted(error)
            }
            PlaceState::Before if is_of_change(&error) => ChangeAttempt::Failed(error.into()),
            PlaceState::Before => return Err(error),
        })
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests;
