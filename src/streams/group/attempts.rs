//! The attempts at a change: repeated, counted and parked.

use super::event::{ConsumerEvent, ShardStopReason};
use super::limited::LimitTime;
use super::shard_run::ShardRun;
use super::store::is_transient;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::plan::TransactionMember;
use crate::streams::each::HandlerError;
use crate::streams::parking::{CountedAttempt, Parking};
use crate::streams::record::StreamRecord;

/// The result of an attempt at a change.
pub(super) enum ChangeAttempt {
    Done,
    Failed(HandlerError),
    /// A request failed for a reason that does not depend on the change, so the attempt is not counted.
    Interrupted(Error),
    Left(ShardStopReason),
}

/// Whether a record is older than the start of the group. DynamoDB rounds times down to a second; DynamoDB Local, to a
/// minute.
pub(super) fn is_before(record: &StreamRecord, since: Option<i64>) -> bool {
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
        match counted.limited().await {
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
    worker.report(&ConsumerEvent::AttemptFailed {
        record,
        error,
        attempts,
    });
    Ok(false)
}

/// The next step after an attempt.
pub(super) enum NextStep {
    Repeat,
    /// The change is handled or parked.
    Continue,
    Leave(ShardStopReason),
}

/// The attempts at a change.
#[derive(Default)]
pub(super) struct Attempts {
    failed: usize,
    pauses: u32,
}

impl Attempts {
    /// `others` are writes for the transaction that parks the change.
    pub(super) async fn next_step(
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
