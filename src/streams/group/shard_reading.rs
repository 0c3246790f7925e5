//! Reads the records of a shard: the requests, their failures, and changes that the stream no longer has.

use std::sync::Arc;
use std::time::Duration;

use super::event::{ConsumerEvent, ShardStopReason};
use super::settings::SHORTEST_PAUSE;
use super::shard_run::{ShardRun, growing_pause};
use super::store::ShardMark;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::streams::follow_error::{FollowError, LostChanges};
use crate::streams::position::ShardId;
use crate::streams::record::StreamRecord;
use crate::streams::sequence::SequenceNumber;
use crate::streams::shard_api::{FailureMeaning, IteratorStart, StreamAnswer, StreamRequest};
use crate::streams::stream_source::RETENTION;

/// A shard that is no longer described counts as gone after this many consecutive responses that it does not exist, if this
/// time has passed since the first of them.
const GONE_ANSWERS: u32 = 3;
const GONE_TIME: Duration = Duration::from_secs(30);
/// The same limits for a shard that is still described.
const DENIED_ANSWERS: u32 = 10;
const DENIED_TIME: Duration = Duration::from_secs(600);
/// The number of records in a page that has reached the limit of the service, so that more records may be available.
const FULL_PAGE: usize = 1_000;

/// The next step of a run.
pub(super) enum ShardStep {
    /// Records to handle in order; then comes [`ShardReading::note_handled`].
    Records(Vec<StreamRecord>),
    Left(ShardStopReason),
}

/// Consecutive responses that a shard does not exist.
#[derive(Debug, Clone, Copy)]
struct GoneAnswers {
    since: Duration,
    count: u32,
    /// The number of consecutive descriptions that omit the shard.
    omissions: u32,
}

/// The state of the requests for the records of a shard.
#[derive(Default)]
pub(super) struct ShardReading {
    /// The iterator of the next request for records.
    iterator: Option<Arc<str>>,
    /// Whether the last page was the end of the shard.
    is_over: bool,
    /// The number of records that are being handled.
    count: usize,
    failures: u32,
    idle: u32,
    gone: Option<GoneAnswers>,
    is_loss_checked: bool,
}

impl ShardReading {
    /// Reads until there are records, or until the worker must leave the shard.
    pub(super) async fn next_step(&mut self, run: &mut ShardRun<'_>) -> Result<ShardStep> {
        loop {
            if let Some(reason) = run.leave_reason() {
                return Ok(ShardStep::Left(reason));
            }
            if self.is_over {
                return run.end_shard().await.map(ShardStep::Left);
            }
            let request = run.next_request(self.iterator.as_ref());
            let answer = {
                let _permit = run.worker.reads.acquire().await;
                run.worker.source.request_answer(&request).await
            };
            let records = match answer {
                Ok(StreamAnswer::Records { records, next }) => {
                    (self.iterator, self.is_over) = (next.clone(), next.is_none());
                    records
                }
                Ok(StreamAnswer::Iterator(next)) => {
                    self.iterator = Some(next);
                    continue;
                }
                Ok(StreamAnswer::Described(_)) => continue,
                Err(error) => {
                    if let Some(reason) = self.note_failure(run, error).await? {
                        return Ok(ShardStep::Left(reason));
                    }
                    continue;
                }
            };
            (self.failures, self.gone) = (0, None);
            if !self.is_loss_checked {
                self.is_loss_checked = true;
                run.check_unread(records.first())?;
            }
            if !records.is_empty() {
                (self.count, self.idle) = (records.len(), 0);
                return Ok(ShardStep::Records(records));
            }
            run.report_progress(false);
            if self.is_over {
                continue;
            }
            let pauses = (SHORTEST_PAUSE, run.worker.settings.idle_pause());
            let pause = growing_pause(pauses, self.idle);
            self.idle += 1;
            if let Some(reason) = run.pause(pause).await {
                return Ok(ShardStep::Left(reason));
            }
        }
    }

    /// Saves the place after the records, of which the last ones were not handled if the worker must leave the shard.
    pub(super) async fn note_handled(
        &self,
        run: &mut ShardRun<'_>,
        left: Option<ShardStopReason>,
    ) -> Result<Option<ShardStopReason>> {
        if left.is_some() || run.saved != run.reached {
            let saved = run.save_now().await?;
            if let Some(reason) = saved.or(left) {
                return Ok(Some(reason));
            }
        }
        run.report_progress(true);
        // DynamoDB charges each request. Only a full page shows that more records are available at once.
        match self.is_over || self.count >= FULL_PAGE {
            true => Ok(None),
            false => Ok(run.pause(SHORTEST_PAUSE).await),
        }
    }

    /// Prepares the next request after a failure, and waits.
    async fn note_failure(
        &mut self,
        run: &mut ShardRun<'_>,
        error: Error,
    ) -> Result<Option<ShardStopReason>> {
        match FailureMeaning::of_error(&error) {
            FailureMeaning::Busy => {}
            FailureMeaning::Expired => self.iterator = None,
            FailureMeaning::Trimmed => {
                self.iterator = None;
                // In a new shard, only records from before `unread_since` can have been removed, which is no loss.
                if !run.is_fresh() {
                    run.note_loss(run.reached.at, None)?;
                    self.is_loss_checked = true;
                }
                // Only the reached place is reset: the saved one remains until a later one is saved.
                run.reached = ShardMark::default();
            }
            FailureMeaning::Gone => {
                self.iterator = None;
                let mut gone = self.gone.unwrap_or(GoneAnswers {
                    since: run.worker.now(),
                    count: 0,
                    omissions: 0,
                });
                gone.count += 1;
                // If the whole stream is gone, the worker ends.
                run.worker.hurry_survey();
                let is_gone = run.is_gone(&mut gone).await;
                self.gone = Some(gone);
                if is_gone {
                    // A young shard cannot be gone, unless the group began with it.
                    if !(run.is_fresh() && run.start.is_initial) {
                        run.note_loss(run.reached.at, None)?;
                    }
                    self.is_over = true;
                    return Ok(None);
                }
            }
            FailureMeaning::Fatal => return Err(error),
        }
        run.worker.report(&ConsumerEvent::RequestFailed(&error));
        let left = run.pause_after_failure(self.failures).await;
        self.failures += 1;
        Ok(left)
    }
}

impl ShardRun<'_> {
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
        let waited = self
            .worker
            .source
            .now()
            .saturating_sub(self.start.unread_since);
        self.saved.sequence.is_none() && self.reached.sequence.is_none() && waited <= RETENTION
    }

    /// Reports a loss if the shard was not read for longer than DynamoDB keeps records. Its first records may then be gone,
    /// and no error of DynamoDB shows that.
    fn check_unread(&self, first: Option<&StreamRecord>) -> Result<()> {
        let is_begun = self.reached.sequence.is_some();
        match is_begun || self.is_fresh() || self.worker.source.keeps_all() {
            true => Ok(()),
            false => self.note_loss(
                Some(self.start.unread_since),
                first.and_then(StreamRecord::at),
            ),
        }
    }

    /// Whether so many responses that the shard does not exist are believed.
    async fn is_gone(&self, gone: &mut GoneAnswers) -> bool {
        let time = self.worker.now().saturating_sub(gone.since);
        if gone.count >= DENIED_ANSWERS && time >= DENIED_TIME {
            return true;
        }
        if gone.count < GONE_ANSWERS || time < GONE_TIME {
            return false;
        }
        if let Ok((described, _)) = self.worker.source.describe().await {
            let is_omitted = described.iter().all(|shard| *shard.id != *self.name);
            gone.omissions = if is_omitted { gone.omissions + 1 } else { 0 };
        }
        gone.omissions >= GONE_ANSWERS
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
        self.worker.report(&ConsumerEvent::ChangesLost(&lost));
        Ok(())
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests;
