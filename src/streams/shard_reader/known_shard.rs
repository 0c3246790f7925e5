//! A shard that the reader knows.

use std::sync::Arc;
use std::time::Duration;

use super::pace::{MOST_FAILURES, failure_pause};
use crate::streams::position::{PlacedShard, ShardId, ShardPlace};
use crate::streams::shard_api::IteratorStart;

#[derive(Debug)]
pub(super) struct KnownShard {
    pub(super) parent: Option<ShardId>,
    pub(super) place: ShardPlace,
    /// Whether its parent was read, is known and will be read before it, or does not exist.
    pub(super) is_settled: bool,
    pub(super) iterator: Option<Arc<str>>,
    pub(super) received: Duration,
    pub(super) is_awaited: bool,
    pub(super) due: Duration,
    pub(super) idle_responses: u32,
    pub(super) failures: u32,
    /// The number of consecutive responses that the shard does not exist, and the time of the first one.
    pub(super) gone: (u32, Duration),
    /// The time after which records are lost, if it is known. The loss is reported with the next records.
    pub(super) gap: Option<Option<i64>>,
    /// Whether the latest record must be found. This is done only once, because it would skip records later.
    pub(super) must_be_fixed: bool,
    /// Whether all further records are wanted.
    pub(super) is_live: bool,
    /// The number of consecutive surveys that omit the shard, and the time of the first one.
    pub(super) omissions: (u32, Duration),
    pub(super) ended: Option<Duration>,
}

impl KnownShard {
    pub(super) fn new(parent: Option<ShardId>, place: ShardPlace, now: Duration) -> Self {
        KnownShard {
            parent,
            place,
            is_settled: false,
            iterator: None,
            received: now,
            is_awaited: false,
            due: now,
            idle_responses: 0,
            failures: 0,
            gone: (0, now),
            gap: None,
            must_be_fixed: false,
            is_live: false,
            omissions: (0, now),
            ended: None,
        }
    }

    /// The entry of the shard in a position.
    pub(super) fn placed(&self) -> PlacedShard {
        PlacedShard {
            parent: self.parent.clone(),
            place: self.place.clone(),
        }
    }

    pub(super) fn is_read(&self) -> bool {
        self.place == ShardPlace::End
    }

    pub(super) fn iterator_start(&self) -> IteratorStart {
        match &self.place {
            ShardPlace::After { sequence, .. } => IteratorStart::After(sequence.clone()),
            _ if self.must_be_fixed => IteratorStart::Latest,
            _ => IteratorStart::Oldest,
        }
    }

    /// The time up to which no record can be lost.
    pub(super) fn known_until(&self) -> Option<i64> {
        match self.place {
            ShardPlace::Unread { since }
            | ShardPlace::Oldest { since }
            | ShardPlace::Latest { since } => Some(since),
            ShardPlace::After { at, .. } => at,
            ShardPlace::End => None,
        }
    }

    pub(super) fn note_gap(&mut self) {
        // An earlier gap that was not reported yet contains this one.
        if self.gap.is_none() {
            self.gap = Some(self.known_until());
        }
    }

    /// Counts a failure. Returns false after too many consecutive failures.
    pub(super) fn may_retry(&mut self, now: Duration) -> bool {
        self.failures += 1;
        self.due = now + failure_pause(self.failures);
        self.failures <= MOST_FAILURES
    }
}
