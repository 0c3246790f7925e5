//! The state of a reader.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::known_shard::KnownShard;
use super::pace::{FAILURE_PAUSE, IDLE_PAUSE};
use super::survey::{MissingParent, Survey};
use crate::streams::position::{FirstWanted, PlacedShard, ShardId, StreamPosition};

/// The time for which the reader waits for the children of a shard after the stream was switched off.
const LAST_CHILDREN_TIME: Duration = Duration::from_secs(330);

#[derive(Debug)]
pub(in crate::streams) struct ShardReader {
    pub(super) first: FirstWanted,
    pub(super) shards: BTreeMap<ShardId, KnownShard>,
    pub(super) children: BTreeMap<ShardId, BTreeSet<ShardId>>,
    /// The shards that may be requested, by the time of the next request.
    pub(super) queue: BTreeSet<(Duration, ShardId)>,
    /// The shards that wait until the latest record was found in all shards.
    pub(super) held: Vec<ShardId>,
    /// The number of shards whose latest record was not found yet.
    pub(super) unfixed: usize,
    /// The number of shards that have not been read to their end.
    pub(super) unread: usize,
    /// The parents that are not described.
    pub(super) missing: BTreeMap<ShardId, MissingParent>,
    pub(super) survey: Survey,
    /// All shards from before this time are known. `None` before the first survey of a stream.
    pub(super) surveyed: Option<i64>,
    /// The times of the later surveys, which may omit shards.
    pub(super) unsure: VecDeque<i64>,
    /// The seconds for which the stream keeps records. `None` if it keeps all.
    pub(super) retention: Option<i64>,
    pub(super) longest_idle: Duration,
}

impl ShardReader {
    /// A reader from the start of a stream.
    pub(in crate::streams) fn at_start(first: FirstWanted) -> Self {
        ShardReader {
            first,
            shards: BTreeMap::new(),
            children: BTreeMap::new(),
            queue: BTreeSet::new(),
            held: Vec::new(),
            unfixed: 0,
            unread: 0,
            missing: BTreeMap::new(),
            survey: Survey::default(),
            surveyed: None,
            unsure: VecDeque::new(),
            retention: None,
            longest_idle: FAILURE_PAUSE.1,
        }
    }

    /// A reader that continues at a position.
    pub(in crate::streams) fn at_position(position: &StreamPosition) -> Self {
        let mut reader = Self::at_start(position.first);
        reader.surveyed = position.surveyed;
        for (id, PlacedShard { parent, place }) in &position.shards {
            let mut shard = KnownShard::new(parent.clone(), place.clone(), Duration::ZERO);
            shard.is_settled = true;
            reader.insert_shard(id.clone(), shard);
        }
        let known: Vec<ShardId> = position.shards.keys().cloned().collect();
        for id in known {
            reader.enqueue(&id);
        }
        reader
    }

    /// Sets the time for which the stream keeps its records.
    pub(in crate::streams) fn set_retention(&mut self, seconds: Option<i64>) {
        self.retention = seconds;
    }

    /// Sets the longest pause after a response without records.
    pub(in crate::streams) fn set_longest_idle(&mut self, pause: Duration) {
        self.longest_idle = pause.max(IDLE_PAUSE);
    }

    /// Whether the shards are known, and the latest record was found in those that begin with it.
    pub(in crate::streams) fn is_placed(&self) -> bool {
        self.survey.is_complete && self.unfixed == 0
    }

    pub(super) fn is_ended(&self, now: Duration) -> bool {
        let survey = &self.survey;
        let is_surveyed = survey.is_complete && survey.after.is_none() && !survey.is_awaited;
        let is_read = self.unread == 0 && self.missing.is_empty();
        survey.is_disabled
            && is_surveyed
            && is_read
            && survey.since_end >= 2
            && !self.awaits_children(now)
    }

    /// Whether a shard that was read recently may have children that are not described yet.
    fn awaits_children(&self, now: Duration) -> bool {
        // Servers that keep all records describe a new shard immediately.
        self.retention.is_some()
            && self.shards.iter().any(|(id, shard)| {
                let is_late =
                    now.saturating_sub(shard.ended.unwrap_or_default()) < LAST_CHILDREN_TIME;
                shard.is_read() && is_late && !self.children.contains_key(id)
            })
    }

    pub(super) fn insert_shard(&mut self, id: ShardId, shard: KnownShard) {
        if let Some(parent) = &shard.parent {
            self.children
                .entry(parent.clone())
                .or_default()
                .insert(id.clone());
        }
        self.unread += usize::from(!shard.is_read());
        self.unfixed += usize::from(shard.must_be_fixed);
        self.shards.insert(id, shard);
    }

    /// Adds a shard to the queue if its records may be requested, which is after those of its parent.
    pub(super) fn enqueue(&mut self, id: &ShardId) {
        let Some(shard) = self.shards.get(id) else {
            return;
        };
        let parent = shard
            .parent
            .as_ref()
            .and_then(|parent| self.shards.get(parent));
        let is_open = shard.is_settled && !shard.is_read() && !shard.is_awaited;
        if !is_open || !parent.is_none_or(KnownShard::is_read) {
            return;
        }
        match self.unfixed > 0 && !shard.must_be_fixed {
            true => self.held.push(id.clone()),
            false => {
                self.queue.insert((shard.due, id.clone()));
            }
        }
    }
}
