//! Handles one shard while a worker owns it: its beginning and end, the turns of the handler, and the place.

use std::time::Duration;

use super::book::LeaseName;
use super::event::{ConsumerEvent, ShardProgress, ShardStopReason};
use super::lease::ShardLease;
use super::store::{PlaceState, ShardMark, ShardStart, is_transient};
use super::worker::Worker;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::plan::{TransactWrite, TransactionMember};
use crate::streams::record::StreamRecord;
use crate::streams::sequence::SequenceNumber;

/// The longest time for which the place of handled records is not saved.
const SAVED: Duration = Duration::from_secs(1);
/// The first and the longest pause after a failure.
const FAILURE_PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// A shard that a worker is reading.
pub(super) struct ShardRun<'w> {
    pub(super) worker: &'w Worker,
    pub(super) name: LeaseName,
    pub(super) epoch: u64,
    /// The place in the row.
    pub(super) saved: ShardMark,
    /// The place of the last handled record.
    pub(super) reached: ShardMark,
    saved_at: Duration,
    pub(super) start: ShardStart,
    reported: usize,
}

/// The pause with this number, counted from zero. It doubles up to the longest one.
pub(super) fn growing_pause((first, longest): (Duration, Duration), times: u32) -> Duration {
    first
        .saturating_mul(2_u32.saturating_pow(times))
        .min(longest)
}

impl<'w> ShardRun<'w> {
    pub(super) fn new(worker: &'w Worker, row: &ShardLease, epoch: u64) -> Self {
        let saved = ShardMark {
            sequence: row.place.clone(),
            at: row.place_at,
        };
        ShardRun {
            worker,
            name: row.shard.as_str().into(),
            epoch,
            reached: saved.clone(),
            saved,
            saved_at: worker.now(),
            start: ShardStart {
                unread_since: row.unread_since,
                is_initial: row.is_initial,
            },
            reported: 0,
        }
    }

    pub(super) fn begin(&self) {
        self.worker
            .report(&ConsumerEvent::ShardStarted { shard: &self.name });
    }

    /// Saves the place and gives the lease up.
    pub(super) async fn end(mut self, ended: Result<ShardStopReason>) -> Result<()> {
        // From here on no handler begins, so the lease can be released.
        self.worker.give_up(&self.name, self.epoch);
        let (reason, failure) = match ended {
            Ok(reason) => (reason, None),
            Err(error) => (ShardStopReason::Stopped, Some(error)),
        };
        if matches!(
            reason,
            ShardStopReason::HandedOver | ShardStopReason::Stopped
        ) {
            let released = self.release_lease(reason).await;
            if let Err(error) = released {
                // The lease expires instead, and the changes after the saved place are handled again.
                self.worker.report(&ConsumerEvent::RequestFailed(&error));
            }
        }
        self.worker.end_run(&self.name);
        self.worker.report(&ConsumerEvent::ShardStopped {
            shard: &self.name,
            reason,
        });
        failure.map_or(Ok(()), Err)
    }

    async fn release_lease(&mut self, reason: ShardStopReason) -> Result<()> {
        let mut attempts = 0;
        while self.save_place().await? != PlaceState::After {
            attempts += 1;
            if attempts > 3 {
                return Ok(());
            }
        }
        let next = match reason {
            ShardStopReason::HandedOver => self.worker.asker_of(&self.name, self.epoch),
            _ => None,
        };
        let store = &self.worker.store;
        let released = store.release(&self.name, self.epoch, next.as_deref());
        released.await.map(drop)
    }

    /// The reason why the worker must leave the shard.
    pub(super) fn leave_reason(&self) -> Option<ShardStopReason> {
        self.worker.leave_reason(&self.name, self.epoch)
    }

    /// Waits until a handler may begin. No handler may begin while a renewal is late.
    pub(super) async fn await_turn(&self) -> Option<ShardStopReason> {
        loop {
            if let Some(reason) = self.leave_reason() {
                return Some(reason);
            }
            if self.worker.may_begin(&self.name, self.epoch) {
                return None;
            }
            self.worker.pause(Duration::from_millis(50), || false).await;
        }
    }

    /// Waits for this time, or returns the reason why the worker must leave the shard.
    pub(super) async fn pause(&self, time: Duration) -> Option<ShardStopReason> {
        let end = self.worker.now() + time;
        loop {
            if let Some(reason) = self.leave_reason() {
                return Some(reason);
            }
            let rest = end.saturating_sub(self.worker.now());
            if rest.is_zero() {
                return None;
            }
            self.worker
                .pause(rest, || self.leave_reason().is_some())
                .await;
        }
    }

    pub(super) async fn pause_after_failure(&self, failures: u32) -> Option<ShardStopReason> {
        self.pause(growing_pause(FAILURE_PAUSE, failures)).await
    }

    pub(super) async fn wait_after_failure(&self, failures: u32) {
        let pause = growing_pause(FAILURE_PAUSE, failures);
        self.worker.pause(pause, || false).await;
    }

    /// The place after these records. Records without a sequence number do not move it.
    pub(super) fn mark_after(&self, records: &[StreamRecord]) -> ShardMark {
        let last = records
            .iter()
            .rev()
            .find_map(|record| Some(mark_of(record, record.sequence()?)));
        last.unwrap_or_else(|| self.saved.clone())
    }

    /// The write that moves the place after these records, for a transaction. Empty if the place does not move.
    pub(super) fn plan_move(&self, records: &[StreamRecord]) -> Result<Vec<TransactionMember>> {
        let after = self.mark_after(records);
        if after == self.saved {
            return Ok(Vec::new());
        }
        let store = &self.worker.store;
        let moved = store.move_place(&self.name, self.epoch, &self.saved, &after);
        moved.plan_members(&store.db)
    }

    /// Notes that records were handled, and that the place after them was saved in the same transaction.
    pub(super) fn reach_saved(&mut self, records: &[StreamRecord], mark: ShardMark) {
        self.reported += records.len();
        (self.saved, self.reached) = (mark.clone(), mark);
        self.saved_at = self.worker.now();
    }

    /// Notes that a record was handled.
    pub(super) fn reach(&mut self, record: &StreamRecord) {
        if let Some(sequence) = record.sequence() {
            self.reached = mark_of(record, sequence);
        }
        self.reported += 1;
    }

    /// Saves the place if a second has passed since it was saved.
    pub(super) async fn save_if_due(&mut self) -> Result<Option<ShardStopReason>> {
        if self.worker.now().saturating_sub(self.saved_at) < SAVED {
            return Ok(None);
        }
        self.report_progress(true);
        self.save_now().await
    }

    /// Saves the place. Temporary failures are retried while this worker owns the shard.
    pub(super) async fn save_now(&mut self) -> Result<Option<ShardStopReason>> {
        let mut failures = 0;
        loop {
            match self.save_place().await {
                Ok(PlaceState::After) => return Ok(None),
                Ok(PlaceState::Before) => {}
                Ok(PlaceState::Lost) => return Ok(Some(ShardStopReason::LeaseLost)),
                Err(error) if is_transient(&error) => {
                    self.worker.report(&ConsumerEvent::RequestFailed(&error))
                }
                Err(error) => return Err(error),
            }
            // A worker that stops does not wait for a server that does not respond.
            if let Some(reason) = self.leave_reason()
                && (reason == ShardStopReason::LeaseLost
                    || !self.worker.may_begin(&self.name, self.epoch))
            {
                return Ok(Some(reason));
            }
            self.wait_after_failure(failures).await;
            failures += 1;
        }
    }

    async fn save_place(&mut self) -> Result<PlaceState> {
        self.saved_at = self.worker.now();
        if self.saved == self.reached || self.reached.sequence.is_none() {
            return Ok(PlaceState::After);
        }
        let (store, reached) = (&self.worker.store, self.reached.clone());
        let saving = store.save_place(&self.name, self.epoch, &self.saved, &reached);
        let state = saving.await?;
        if state == PlaceState::After {
            self.saved = reached;
        }
        Ok(state)
    }

    pub(super) fn report_progress(&mut self, is_behind: bool) {
        let records = std::mem::take(&mut self.reported);
        let at = self.reached.at.and_then(|at| Timestamp::from_unix(at, 0));
        let age = |at: Timestamp| {
            let now = self.worker.source.now();
            Duration::from_secs(u64::try_from(now.saturating_sub(at.seconds())).unwrap_or_default())
        };
        let lag = at.filter(|_| is_behind).map_or(Duration::ZERO, age);
        let shard = &*self.name;
        self.worker.report(&ConsumerEvent::Progress(ShardProgress {
            shard,
            records,
            at,
            lag,
        }));
    }
}

fn mark_of(record: &StreamRecord, sequence: &SequenceNumber) -> ShardMark {
    ShardMark {
        sequence: Some(sequence.as_str().to_owned()),
        at: record.at().map(Timestamp::seconds),
    }
}
