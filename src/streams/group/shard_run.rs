//! Handles one shard while a worker owns it: reads records, calls the handler, saves the place.

use std::sync::Arc;
use std::time::Duration;

use super::book::LeaseName;
use super::event::{ConsumerEvent, LeftReason, ShardProgress};
use super::lease::ShardLease;
use super::store::{PlaceState, ShardMark, Written, is_transient};
use super::worker::Worker;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::plan::{TransactWrite, TransactionMember};
use crate::streams::follow_error::{FollowError, LostChanges};
use crate::streams::position::ShardId;
use crate::streams::record::StreamRecord;
use crate::streams::sequence::SequenceNumber;
use crate::streams::shard_api::{FailureMeaning, IteratorStart, StreamAnswer, StreamRequest};

/// The longest time for which the place of handled records is not saved.
const SAVED: Duration = Duration::from_secs(1);
/// The time for which DynamoDB keeps records, in seconds.
const RETENTION: i64 = 24 * 3_600;
/// The first and the longest pause after a failure.
const FAILURE_PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));
/// The first pause after a response without records. It doubles.
const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// A shard that is no longer described counts as gone after this many consecutive responses that it does not exist, if this
/// time has passed since the first of them.
const GONE_ANSWERS: u32 = 3;
const GONE_TIME: Duration = Duration::from_secs(30);
/// The same limits for a shard that is still described.
const DENIED_ANSWERS: u32 = 10;
const DENIED_TIME: Duration = Duration::from_secs(600);
/// The number of records in a page that has reached the limit of the service, so that more records may be available.
const FULL_PAGE: usize = 1_000;
/// The number of descriptions that are requested to find the children of a shard that has ended.
const CHILD_SEARCHES: u32 = 4;

/// The handling of the records of a shard.
pub(super) trait RecordHandler {
    /// Handles records in order. If the worker must leave the shard, returns the reason.
    fn handle_records(
        &self,
        run: &mut ShardRun<'_>,
        records: Vec<StreamRecord>,
    ) -> impl Future<Output = Result<Option<LeftReason>>>;
}

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
    unread_since: i64,
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
            unread_since: row.unread_since,
            reported: 0,
        }
    }

    /// Handles the shard until its end, or until the worker must leave it.
    pub(super) async fn run<H: RecordHandler>(mut self, handler: &H) -> Result<()> {
        let shard = self.name.clone();
        self.worker.report(&ConsumerEvent::Began { shard: &shard });
        let ended = self.read_shard(handler).await;
        // From here on no handler begins, so the lease can be released.
        self.worker.give_up(&self.name, self.epoch);
        let (reason, failure) = match ended {
            Ok(reason) => (reason, None),
            Err(error) => (LeftReason::Stopped, Some(error)),
        };
        if matches!(reason, LeftReason::HandedOver | LeftReason::Stopped) {
            let released = self.release_lease(reason).await;
            if let Err(error) = released {
                // The lease expires instead, and the changes after the saved place are handled again.
                self.worker.report(&ConsumerEvent::RequestFailed(&error));
            }
        }
        self.worker.end_run(&self.name);
        self.worker.report(&ConsumerEvent::Left {
            shard: &shard,
            reason,
        });
        failure.map_or(Ok(()), Err)
    }

    async fn release_lease(&mut self, reason: LeftReason) -> Result<()> {
        let mut attempts = 0;
        while self.save_place().await? != PlaceState::After {
            attempts += 1;
            if attempts > 3 {
                return Ok(());
            }
        }
        let next = match reason {
            LeftReason::HandedOver => self.worker.asker_of(&self.name, self.epoch),
            _ => None,
        };
        let store = &self.worker.store;
        let released = store.release(&self.name, self.epoch, next.as_deref());
        self.worker.limit_time(released).await?;
        Ok(())
    }

    /// The reason why the worker must leave the shard.
    pub(super) fn leave_reason(&self) -> Option<LeftReason> {
        self.worker.leave_reason(&self.name, self.epoch)
    }

    /// Waits until a handler may begin. No handler may begin while a renewal is late.
    pub(super) async fn await_turn(&self) -> Option<LeftReason> {
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
    pub(super) async fn pause(&self, time: Duration) -> Option<LeftReason> {
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

    pub(super) async fn pause_after_failure(&self, failures: u32) -> Option<LeftReason> {
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
    pub(super) async fn save_if_due(&mut self) -> Result<Option<LeftReason>> {
        if self.worker.now().saturating_sub(self.saved_at) < SAVED {
            return Ok(None);
        }
        self.save_now().await
    }

    /// Saves the place. Temporary failures are retried while this worker owns the shard.
    pub(super) async fn save_now(&mut self) -> Result<Option<LeftReason>> {
        let mut failures = 0;
        loop {
            match self.save_place().await {
                Ok(PlaceState::After) => return Ok(None),
                Ok(PlaceState::Before) => {}
                Ok(PlaceState::Lost) => return Ok(Some(LeftReason::Lost)),
                Err(error) if is_transient(&error) => {
                    self.worker.report(&ConsumerEvent::RequestFailed(&error))
                }
                Err(error) => return Err(error),
            }
            // A worker that stops does not wait for a server that does not respond.
            if let Some(reason) = self.leave_reason()
                && (reason == LeftReason::Lost || !self.worker.may_begin(&self.name, self.epoch))
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
        let state = self.worker.limit_time(saving).await?;
        if state == PlaceState::After {
            self.saved = reached;
        }
        Ok(state)
    }

    fn report_progress(&mut self, is_behind: bool) {
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

    async fn read_shard<H: RecordHandler>(&mut self, handler: &H) -> Result<LeftReason> {
        let mut iterator: Option<Arc<str>> = None;
        let (mut failures, mut idle) = (0, 0);
        let mut gone: Option<(u32, Duration)> = None;
        let mut is_loss_checked = false;
        loop {
            if let Some(reason) = self.leave_reason() {
                return Ok(reason);
            }
            let request = self.next_request(iterator.as_ref());
            let answer = {
                let _permit = self.worker.reads.acquire().await;
                self.worker.source.request_answer(&request).await
            };
            let error = match answer {
                Ok(StreamAnswer::Iterator(next)) => {
                    iterator = Some(next);
                    continue;
                }
                Ok(StreamAnswer::Described(_)) => continue,
                Ok(StreamAnswer::Records { records, next }) => {
                    (failures, gone) = (0, None);
                    if !is_loss_checked {
                        is_loss_checked = true;
                        self.check_unread(records.first())?;
                    }
                    let count = records.len();
                    if count > 0 {
                        let left = handler.handle_records(self, records).await?;
                        if left.is_some() || self.saved != self.reached {
                            let saved = self.save_now().await?;
                            if let Some(reason) = saved.or(left) {
                                return Ok(reason);
                            }
                        }
                        self.report_progress(true);
                    } else {
                        self.report_progress(false);
                    }
                    match next {
                        None => return self.end_shard().await,
                        next => iterator = next,
                    }
                    // DynamoDB charges each request. Only a full page shows that more records are available at once.
                    let pause = match count {
                        0 => growing_pause(
                            (
                                IDLE_PAUSE,
                                self.worker.settings.longest_pause.max(IDLE_PAUSE),
                            ),
                            idle,
                        ),
                        FULL_PAGE.. => Duration::ZERO,
                        _ => IDLE_PAUSE,
                    };
                    idle = if count > 0 { 0 } else { idle + 1 };
                    if let Some(reason) = self.pause(pause).await {
                        return Ok(reason);
                    }
                    continue;
                }
                Err(error) => error,
            };
            match FailureMeaning::of_error(&error) {
                FailureMeaning::Busy => {}
                FailureMeaning::Expired => iterator = None,
                FailureMeaning::Trimmed => {
                    iterator = None;
                    // In a new shard, only records from before `unread_since` can have been removed, which is no loss.
                    if !self.is_fresh() {
                        self.note_loss(self.reached.at, None)?;
                    }
                    // Only the reached place is reset: the saved one remains until a later one is saved.
                    self.reached = ShardMark::default();
                }
                FailureMeaning::Gone => {
                    iterator = None;
                    let (answers, since) = gone.unwrap_or((0, self.worker.now()));
                    gone = Some((answers + 1, since));
                    if self.is_gone(answers + 1, since).await {
                        if !self.is_fresh() {
                            self.note_loss(self.reached.at, None)?;
                        }
                        return self.end_shard().await;
                    }
                }
                FailureMeaning::Fatal => return Err(error),
            }
            self.worker.report(&ConsumerEvent::RequestFailed(&error));
            if let Some(reason) = self.pause_after_failure(failures).await {
                return Ok(reason);
            }
            failures += 1;
        }
    }

    fn next_request(&self, iterator: Option<&Arc<str>>) -> StreamRequest {
        let shard: ShardId = self.name.clone();
        match iterator {
            Some(iterator) => StreamRequest::Records {
                shard,
                iterator: iterator.clone(),
            },
            None => StreamRequest::Iterator {
                shard,
                start: match &self.reached.sequence {
                    Some(sequence) => IteratorStart::After(SequenceNumber::new(sequence.as_str())),
                    None => IteratorStart::Oldest,
                },
            },
        }
    }

    /// Whether the shard is new: no record was handled, and DynamoDB cannot have removed a record that the group needs.
    fn is_fresh(&self) -> bool {
        let waited = self.worker.source.now().saturating_sub(self.unread_since);
        self.saved.sequence.is_none() && self.reached.sequence.is_none() && waited <= RETENTION
    }

    /// Reports a loss if the shard was not read for longer than DynamoDB keeps records. Its first records may then be gone,
    /// and no error of DynamoDB shows that.
    fn check_unread(&self, first: Option<&StreamRecord>) -> Result<()> {
        let is_begun = self.reached.sequence.is_some();
        match is_begun || self.is_fresh() || self.worker.source.keeps_all() {
            true => Ok(()),
            false => self.note_loss(Some(self.unread_since), first.and_then(StreamRecord::at)),
        }
    }

    /// Whether the shard counts as gone after this many responses that it does not exist.
    async fn is_gone(&self, answers: u32, since: Duration) -> bool {
        let time = self.worker.now().saturating_sub(since);
        if answers >= DENIED_ANSWERS && time >= DENIED_TIME {
            return true;
        }
        if answers < GONE_ANSWERS || time < GONE_TIME {
            return false;
        }
        match self.worker.source.describe().await {
            Ok((described, _)) => described.iter().all(|shard| *shard.id != *self.name),
            Err(_) => false,
        }
    }

    fn note_loss(&self, after: Option<i64>, until: Option<Timestamp>) -> Result<()> {
        let now = self.worker.source.now();
        let lost = LostChanges {
            after: after.and_then(|after| Timestamp::from_unix(after, 0)),
            until: until
                .or_else(|| Timestamp::from_unix(now, 0))
                .unwrap_or(Timestamp::EPOCH),
            shard: Some(self.name.to_string()),
        };
        if !self.worker.settings.continues_after_loss {
            return Err(FollowError::Lost(lost).into_error());
        }
        self.worker.report(&ConsumerEvent::Lost(&lost));
        Ok(())
    }

    /// Finds the children of the shard, and marks the shard as finished.
    async fn end_shard(&mut self) -> Result<LeftReason> {
        let mut searches = 0;
        loop {
            let described = match self.worker.source.children_of(&self.name).await {
                Ok((children, is_disabled)) => {
                    // A late description may still omit the children. The discoverer finds them later.
                    let is_last = is_disabled || searches + 1 >= CHILD_SEARCHES;
                    (!children.is_empty() || is_last).then_some(children)
                }
                Err(error) if is_transient(&error) => {
                    self.worker.report(&ConsumerEvent::RequestFailed(&error));
                    None
                }
                // The children of a shard that is no longer described cannot be found this way.
                Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => {
                    Some(Vec::new())
                }
                Err(error) => return Err(error),
            };
            if let Some(children) = described {
                match self.finish_lease(children).await {
                    Ok(Some(reason)) => return Ok(reason),
                    Ok(None) => {}
                    Err(error) if is_transient(&error) => {
                        self.worker.report(&ConsumerEvent::RequestFailed(&error))
                    }
                    Err(error) => return Err(error),
                }
            }
            if let Some(reason) = self.pause_after_failure(searches).await {
                return Ok(reason);
            }
            searches += 1;
        }
    }

    async fn finish_lease(&mut self, children: Vec<ShardId>) -> Result<Option<LeftReason>> {
        let mut new = Vec::new();
        for child in children {
            if self.worker.store.read_shard(&child).await?.is_none() {
                new.push(child);
            }
        }
        let store = &self.worker.store;
        let since = self.worker.unread_since();
        let finished = store.finish(&self.name, self.epoch, &self.saved, &new, since);
        match self.worker.limit_time(finished).await {
            Ok(Written::Done) => Ok(Some(LeftReason::Finished)),
            // Another worker has created the row of a child, or the lease was lost, or the write took effect.
            Ok(Written::Refused) => self.read_end().await,
            Err(error) if error.is_outcome_unknown() => self.read_end().await,
            Err(error) => Err(error),
        }
    }

    async fn read_end(&self) -> Result<Option<LeftReason>> {
        let Some(row) = self.worker.store.read_shard(&self.name).await? else {
            return Err(self.worker.store.deleted_row(&self.name));
        };
        let is_mine = row.epoch == self.epoch && row.owner.as_deref() == Some(self.worker.id());
        Ok(match (row.is_finished, is_mine) {
            (true, _) => Some(LeftReason::Finished),
            // A late write of this run has moved the place, so the row must be read again.
            (false, true) if row.place != self.saved.sequence => Some(LeftReason::Lost),
            (false, true) => None,
            (false, false) => Some(LeftReason::Lost),
        })
    }
}

fn mark_of(record: &StreamRecord, sequence: &SequenceNumber) -> ShardMark {
    ShardMark {
        sequence: Some(sequence.as_str().to_owned()),
        at: record.at().map(Timestamp::seconds),
    }
}
