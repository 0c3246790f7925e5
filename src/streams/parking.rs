//! Counts the failed attempts at a change, and parks the change after the last one.
//!
//! Each failed attempt has a random ID, which is added to a set in the row of the change. A retry after a lost response
//! therefore changes nothing, and the attempts of several invocations do not overwrite each other. The keys of the parts
//! contain the ID of the attempt that parks, so two invocations that park at once write different parts, and the row
//! names the valid ones. The row is changed last: after a crash before it, the change is not parked and is delivered
//! again.

use std::time::{Duration, SystemTime};

use super::parked::{ParkedChange, ParkedPart};
use super::record::StreamRecord;
use crate::batch::Batch;
use crate::dynamo::Dynamo;
use crate::entropy;
use crate::error::{Error, Result};
use crate::plan::{Operation, TransactWrite, TransactionMember};
use crate::transact::send_planned;
use crate::verbs::EntityExt;
use crate::write::ItemWrite;

/// The time for which the attempts at a change that was not parked are kept. No stream delivers a record for so long.
const KEPT: Duration = Duration::from_secs(400 * 24 * 3600);

/// The number of bytes of a part, far below the limit of an item.
const PART: usize = 300_000;

/// The number of characters of a reason that are stored.
const REASON: usize = 2_000;

/// The outcome of a counted attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedAttempt {
    Counted,
    Parked,
}

pub(super) struct Parking<'d> {
    pub(super) attempts: usize,
    pub(super) consumer: String,
    pub(super) db: &'d Dynamo,
}

impl Parking<'_> {
    /// Counts a failed attempt, and parks the change if it was the last one.
    pub(super) async fn count_attempt(
        &self,
        record: &StreamRecord,
        reason: &str,
    ) -> Result<CountedAttempt> {
        self.count_attempt_with(record, reason, Vec::new()).await
    }

    /// Counts a failed attempt. If it was the last one, parks the change in one transaction with other writes. The other
    /// writes do not take effect if the change was already parked.
    pub(super) async fn count_attempt_with(
        &self,
        record: &StreamRecord,
        reason: &str,
        others: Vec<TransactionMember>,
    ) -> Result<CountedAttempt> {
        let Some(event_id) = record.event_id() else {
            return Err(Error::config(
                "the record has no `eventID`, by which its attempts are counted",
            ));
        };
        let attempt = format!("{:016x}", entropy::random_half()?);
        let reason: String = reason.chars().take(REASON).collect();
        let now: SystemTime = self.db.now_as()?;
        let row = ParkedChange::key(&self.consumer, event_id)
            .upsert()
            .apply(|change| {
                (
                    change.attempts().insert(&attempt),
                    change.reason().set(&reason),
                    change.expires_at().set(now + KEPT),
                )
            })
            .when(|change| change.parked_at().missing())
            .retry_safe()
            .send(self.db)
            .await;
        match row {
            Ok(row) if row.attempts.len() < self.attempts => Ok(CountedAttempt::Counted),
            Ok(row) => self.park_change(record, row, attempt, others).await,
            // The change is already parked, and a late delivery of it has failed once more.
            Err(error) if error.is_conflict() => Ok(CountedAttempt::Parked),
            Err(error) => Err(error),
        }
    }

    async fn park_change(
        &self,
        record: &StreamRecord,
        row: ParkedChange,
        attempt: String,
        mut others: Vec<TransactionMember>,
    ) -> Result<CountedAttempt> {
        let chunks = record.record_parts().json.chunks(PART).zip(0..);
        let parts = chunks.map(|(json, number)| ParkedPart {
            consumer: row.consumer.clone(),
            event_id: row.event_id.clone(),
            attempt: attempt.clone(),
            number,
            json: json.to_vec(),
        });
        let parts: Vec<ParkedPart> = parts.collect();
        // The parts are stored before the row names them. A crash in between leaves the change
        // unparked, and it is delivered again.
        let stored = Batch::new().with_all(parts.iter().map(ParkedPart::put));
        stored.send(self.db).await?.complete()?;
        let now: SystemTime = self.db.now_as()?;
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let parked = row
            .key()
            .update()
            .apply(|change| {
                (
                    change.parked_at().set(now),
                    change.stored_by().set(&attempt),
                    change.parts().set(count),
                    record.table().map(|table| change.item_table().set(table)),
                    record.key().map(|key| change.item_key().set(key)),
                    record
                        .sequence()
                        .map(|number| change.sequence().set(number.as_str())),
                    change.expires_at().remove(),
                )
            })
            .when(|change| change.parked_at().missing())
            .returning_nothing();
        let parked = match others.is_empty() {
            true => parked.retry_safe().send(self.db).await.map(drop),
            false => {
                others.extend(parked.plan_members(self.db)?);
                send_planned(self.db, others).await
            }
        };
        let Err(error) = parked else {
            return Ok(CountedAttempt::Parked);
        };
        // Another invocation may have parked the change, or the response was lost. The row shows whether it is parked.
        let stored = row.key().get().consistent().send(self.db).await?;
        let parked = stored.filter(|stored| stored.parked_at.is_some());
        let is_certain = error.is_lost_race();
        // The parts are deleted only if the row certainly does not name them.
        if is_certain && parked.as_ref().is_none_or(|by| by.stored_by != attempt) {
            ParkedPart::discard_parts(parts.iter(), self.db).await?;
        }
        match parked {
            Some(_) => Ok(CountedAttempt::Parked),
            None => Err(error),
        }
    }
}
