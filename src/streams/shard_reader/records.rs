//! The responses to requests for the records of a shard.

use std::sync::Arc;
use std::time::Duration;

use super::entry::{LostTimes, ReaderEntry, place_after};
use super::pace::{GONE_RESPONSES, IDLE_PAUSE, ReaderTime, SURE_SURVEYS, doubled, failure_pause};
use super::reader::ShardReader;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::streams::position::{FirstWanted, ShardId, ShardPlace};
use crate::streams::record::StreamRecord;
use crate::streams::shard_api::{FailureMeaning, IteratorStart, StreamRequest};

/// If a shard begins with its latest record, records that are older than the start by this many seconds are not wanted. The
/// margin allows for rounded times and for the clock of this machine.
const LATEST_MARGIN: i64 = 300;
/// The shortest time between the first and the last of the `GONE_RESPONSES`.
const GONE_TIME: Duration = Duration::from_secs(30);
/// The number of these responses, and their shortest time, for a shard that surveys still describe.
const DENIED_RESPONSES: u32 = 10;
const DENIED_TIME: Duration = Duration::from_secs(600);
/// An iterator that was received this long ago may expire without counting as a failure.
const ITERATOR_TIME: Duration = Duration::from_secs(60);
/// The number of records in a page that has reached the limit of the service, so that more records may be available.
const FULL_PAGE: usize = 1_000;

impl ShardReader {
    pub(super) fn take_iterator(
        &mut self,
        id: &ShardId,
        request: &StreamRequest,
        iterator: Arc<str>,
        time: ReaderTime,
    ) {
        let retention = self.retention;
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        // The shard remains due, so that its records are requested before the iterator expires.
        (shard.iterator, shard.received) = (Some(iterator), time.now);
        let StreamRequest::Iterator { start, .. } = request else {
            return;
        };
        shard.is_live = *start == IteratorStart::Latest;
        // No record of this shard was read, so DynamoDB cannot report by a sequence number that records were trimmed. Only
        // the time shows that they may be.
        let is_late =
            |since: i64| retention.is_some_and(|kept| time.wall.saturating_sub(since) > kept);
        if *start == IteratorStart::Oldest
            && shard.gap.is_none()
            && shard.known_until().is_some_and(is_late)
        {
            shard.note_gap();
        }
    }

    /// Counts a shard whose latest record was found. After the last one, the shards that wait for it can be read.
    pub(super) fn end_fixing(&mut self) {
        self.unfixed -= 1;
        if self.unfixed == 0 {
            for held in std::mem::take(&mut self.held) {
                self.enqueue(&held);
            }
        }
    }

    pub(super) fn take_records(
        &mut self,
        id: &ShardId,
        records: Vec<StreamRecord>,
        next: Option<Arc<str>>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let (first, longest_idle) = (self.first, self.longest_idle);
        let has_children = self.children.contains_key(id);
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        // The first response shows whether the shard was already closed.
        let is_fixed = std::mem::take(&mut shard.must_be_fixed);
        if is_fixed {
            let since = time.wall.saturating_sub(LATEST_MARGIN);
            shard.place = ShardPlace::Latest { since };
            let place = match records.is_empty() && next.is_none() {
                true => ShardPlace::End,
                false => shard.place.clone(),
            };
            let shard = id.clone();
            log.push(ReaderEntry::Fixed { shard, place });
        }
        let second = |record: &StreamRecord| record.at().map(Timestamp::seconds);
        if let Some(after) = shard.gap.take() {
            let until = records.first().and_then(second).unwrap_or(time.wall);
            let lost = LostTimes { after, until };
            log.push(ReaderEntry::Lost {
                shard: Some(id.clone()),
                lost,
                is_end: records.is_empty() && next.is_none(),
            });
        }
        (shard.failures, shard.gone.0) = (0, 0);
        shard.due = time.now;
        match records.len() {
            0 => {
                // A shard with children is closed, and may have empty pages before its last records, so the pause stays
                // short.
                let longest = if has_children {
                    IDLE_PAUSE
                } else {
                    longest_idle
                };
                shard.due += doubled((IDLE_PAUSE, longest), shard.idle_responses);
                shard.idle_responses = shard.idle_responses.saturating_add(1);
            }
            count => {
                shard.idle_responses /= 2;
                if count < FULL_PAGE {
                    shard.due += IDLE_PAUSE;
                }
            }
        }
        for record in records {
            let at = second(&record);
            let is_requested = match (first, &shard.place, at) {
                (FirstWanted::Since(time), _, Some(at)) => at >= time,
                (_, ShardPlace::Latest { since }, Some(at)) => shard.is_live || at >= *since,
                _ => true,
            };
            // If the start is the latest change, the place moves with the first wanted record, so that no later record is
            // compared with the clock.
            let moves = is_requested || matches!(first, FirstWanted::Since(_));
            if let (true, Some(place)) = (moves, place_after(&record)) {
                shard.place = place;
            }
            log.push(ReaderEntry::Record {
                shard: id.clone(),
                record,
                is_requested,
                moves,
            });
        }
        shard.iterator = next;
        if shard.iterator.is_none() {
            self.end_shard(id, time.now, log);
        }
        if is_fixed {
            self.end_fixing();
        }
    }

    fn end_shard(&mut self, id: &ShardId, now: Duration, log: &mut Vec<ReaderEntry>) {
        if let Some(shard) = self.shards.get_mut(id) {
            shard.place = ShardPlace::End;
            shard.iterator = None;
            shard.ended = Some(now);
            self.unread -= 1;
            log.push(ReaderEntry::End { shard: id.clone() });
        }
        let children: Vec<ShardId> = self
            .children
            .get(id)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        for child in children {
            self.enqueue(&child);
        }
        self.survey.is_outdated = true;
        self.survey.since_end = 0;
        self.survey.searches = 0;
        self.survey.due = self.survey.due.min(self.survey.soonest(now));
    }

    pub(super) fn take_failure(
        &mut self,
        id: &ShardId,
        error: Error,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        let retention = self.retention;
        let Some(shard) = self.shards.get_mut(id) else {
            return Ok(());
        };
        // At the start of a stream, DynamoDB may remove the oldest records and shards at any time, which is no loss.
        let is_excused = match shard.place {
            ShardPlace::Oldest { since } | ShardPlace::Latest { since } => {
                retention.is_none_or(|kept| time.wall.saturating_sub(since) <= kept)
            }
            _ => false,
        };
        match FailureMeaning::of_error(&error) {
            FailureMeaning::Busy => {}
            FailureMeaning::Expired => {
                shard.iterator = None;
                // A program that handles records slowly lets iterators expire.
                if time.now.saturating_sub(shard.received) > ITERATOR_TIME {
                    return Ok(());
                }
            }
            FailureMeaning::Trimmed => {
                shard.iterator = None;
                if !is_excused {
                    shard.note_gap();
                    shard.place = ShardPlace::Oldest { since: time.wall };
                }
            }
            FailureMeaning::Gone => {
                shard.iterator = None;
                if shard.gone.0 == 0 {
                    shard.gone.1 = time.now;
                }
                shard.gone.0 += 1;
                shard.due = time.now + failure_pause(shard.gone.0);
                let denied = time.now.saturating_sub(shard.gone.1);
                let is_missing = shard.omissions.0 >= SURE_SURVEYS;
                let (responses, least) = match is_missing {
                    true => (GONE_RESPONSES, GONE_TIME),
                    false => (DENIED_RESPONSES, DENIED_TIME),
                };
                if shard.gone.0 >= responses && denied >= least {
                    if !is_excused {
                        shard.note_gap();
                    }
                    if let Some(after) = shard.gap.take() {
                        let lost = LostTimes {
                            after,
                            until: time.wall,
                        };
                        log.push(ReaderEntry::Lost {
                            shard: Some(id.clone()),
                            lost,
                            is_end: true,
                        });
                    }
                    if std::mem::take(&mut shard.must_be_fixed) {
                        self.end_fixing();
                    }
                    self.end_shard(id, time.now, log);
                    return Ok(());
                }
                self.survey.due = self.survey.due.min(self.survey.soonest(time.now));
                return Ok(());
            }
            FailureMeaning::Fatal => return Err(error),
        }
        match shard.may_retry(time.now) {
            true => Ok(()),
            false => Err(error),
        }
    }
}
