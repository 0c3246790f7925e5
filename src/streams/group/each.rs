//! The handler of `each`, for effects outside of DynamoDB.

use super::attempts::{Attempts, ChangeAttempt, NextStep, is_before};
use super::event::ShardStopReason;
use super::shard_reading::{ShardReading, ShardStep};
use super::shard_run::ShardRun;
use crate::error::Result;
use crate::streams::change::ItemChange;
use crate::streams::each::HandlerError;
use crate::streams::follow::ItemChanges;
use crate::streams::panics::{Panicked, without_panics};
use crate::streams::record::StreamRecord;

pub(super) struct EachHandler<New, Old, F> {
    pub(super) changes: ItemChanges<New, Old>,
    pub(super) handler: F,
}

impl<New, Old, F, Fut, X> EachHandler<New, Old, F>
where
    F: Fn(ItemChange<New, Old>) -> Fut,
    Fut: Future<Output = Result<(), X>>,
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

    pub(super) async fn handle_records(
        &self,
        run: &mut ShardRun<'_>,
        records: Vec<StreamRecord>,
    ) -> Result<Option<ShardStopReason>> {
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

    async fn handle_record(
        &self,
        run: &ShardRun<'_>,
        record: &StreamRecord,
    ) -> Result<Option<ShardStopReason>> {
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
