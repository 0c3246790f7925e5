//! The parents of shards. A shard is settled if its parent is settled, or does not exist.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::entry::ReaderEntry;
use super::known_shard::KnownShard;
use super::pace::{CHILD_PAUSE, ReaderTime, SURE_SURVEYS};
use super::reader::ShardReader;
use super::survey::MissingParent;
use crate::error::Result;
use crate::streams::position::{ShardId, ShardPlace};
use crate::streams::shard_api::FailureMeaning;

/// The number of denied requests for an iterator after which the reader assumes that a parent does not exist. Surveys
/// must omit this parent, too.
const DENIED_PROBES: u32 = 2;
/// The time within which an existing parent should be described. Otherwise, it is read without its own parent.
const HIDDEN_TIME: Duration = Duration::from_secs(600);
/// A shard that was read is removed after this many consecutive surveys that omit it, over more than this time.
const FORGET_SURVEYS: u32 = 5;
const FORGET_TIME: Duration = Duration::from_secs(3_600);

impl ShardReader {
    /// The unknown ancestors of settled shards. They need not be read.
    pub(super) fn ancestors(
        &self,
        described: &BTreeMap<ShardId, Option<ShardId>>,
    ) -> BTreeSet<ShardId> {
        let mut ancestors = BTreeSet::new();
        for shard in self.shards.values().filter(|shard| shard.is_settled) {
            let mut next = shard.parent.as_ref();
            while let Some(id) = next.filter(|id| !self.shards.contains_key(*id)) {
                if !ancestors.insert(id.clone()) {
                    break;
                }
                next = described.get(id).and_then(Option::as_ref);
            }
        }
        ancestors
    }

    /// Adds a shard that need not be read. It must be known, because a later survey may omit its descendants.
    pub(super) fn insert_passed(
        &mut self,
        id: &ShardId,
        parent: Option<&ShardId>,
        now: Duration,
        log: &mut Vec<ReaderEntry>,
    ) {
        let mut shard = KnownShard::new(parent.cloned(), ShardPlace::End, now);
        shard.is_settled = true;
        let placed = shard.placed();
        self.insert_shard(id.clone(), shard);
        let shard = id.clone();
        log.push(ReaderEntry::Found { shard, placed });
    }

    /// Sets the parent of a shard that was described without one before. If records of the shard were already requested
    /// or delivered, the parent is ignored, because the order can no longer be corrected.
    pub(super) fn note_parent(
        &mut self,
        id: &ShardId,
        parent: Option<&ShardId>,
        log: &mut Vec<ReaderEntry>,
    ) {
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        let is_unread = matches!(
            shard.place,
            ShardPlace::Unread { .. } | ShardPlace::Oldest { .. }
        );
        let (None, Some(parent), true) = (&shard.parent, parent, is_unread && !shard.is_awaited)
        else {
            return;
        };
        if shard.iterator.is_some() {
            return;
        }
        shard.parent = Some(parent.clone());
        self.children
            .entry(parent.clone())
            .or_default()
            .insert(id.clone());
        self.queue.remove(&(shard.due, id.clone()));
        if std::mem::take(&mut shard.is_settled) {
            log.push(ReaderEntry::Forgotten { shard: id.clone() });
        }
    }

    /// Counts the surveys that omit the parents of shards.
    pub(super) fn note_missing(&mut self, is_latest: bool, began: Duration, time: ReaderTime) {
        let shards = &self.shards;
        self.missing.retain(|id, _| !shards.contains_key(id));
        let mut hidden = Vec::new();
        for (id, parent) in &mut self.missing {
            parent.surveys += 1;
            parent.is_due = !parent.exists;
            if began.saturating_sub(parent.since) > HIDDEN_TIME {
                parent.late_surveys += 1;
            }
            if parent.exists && parent.late_surveys >= SURE_SURVEYS {
                hidden.push(id.clone());
            }
        }
        for id in hidden {
            self.missing.remove(&id);
            let children = self.children.get(&id).into_iter().flatten();
            let child = children.filter_map(|child| self.shards.get(child)).next();
            if let Some(place) = child.map(|child| child.place.clone()) {
                self.insert_shard(id, KnownShard::new(None, place, time.now));
            }
        }
        let pending = self
            .shards
            .values()
            .filter(|shard| !shard.is_settled && !is_latest);
        let parents = pending.filter_map(|shard| shard.parent.as_ref());
        for id in parents.filter(|id| !self.shards.contains_key(*id)) {
            self.missing.entry(id.clone()).or_insert(MissingParent {
                since: time.now,
                surveys: 0,
                late_surveys: 0,
                denials: 0,
                exists: false,
                is_due: false,
                is_awaited: false,
            });
        }
    }

    pub(super) fn take_probe(
        &mut self,
        id: &ShardId,
        answer: Result<()>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let Some(parent) = self.missing.get_mut(id) else {
            return;
        };
        parent.is_awaited = false;
        match answer {
            Ok(()) => parent.exists = true,
            Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => {
                parent.denials += 1
            }
            // Another request follows the next survey.
            Err(_) => {}
        }
        let is_patient = parent.denials >= DENIED_PROBES && parent.surveys + 1 >= SURE_SURVEYS;
        if !parent.exists && is_patient {
            self.missing.remove(id);
            self.note_orphans(id);
            self.settle_shards(Some(id), false, log);
            self.survey.due = self.survey.due.min(time.now + CHILD_PAUSE.0);
        }
    }

    /// The children of a parent that does not exist may descend from any shard that was not read to its end. Therefore,
    /// changes may be lost since the earliest time to which these shards were delivered.
    fn note_orphans(&mut self, parent: &ShardId) {
        let unread = self.shards.values().filter(|shard| shard.is_settled);
        let Some(first) = unread.filter_map(KnownShard::known_until).min() else {
            return;
        };
        for id in self.children.get(parent).into_iter().flatten() {
            if let Some(shard) = self.shards.get_mut(id)
                && let ShardPlace::Unread { since } = &mut shard.place
            {
                *since = first.min(*since);
            }
        }
    }

    /// Settles the shards whose parent is settled or gone, and then their children.
    pub(super) fn settle_shards(
        &mut self,
        gone: Option<&ShardId>,
        is_latest: bool,
        log: &mut Vec<ReaderEntry>,
    ) {
        let mut ready: Vec<ShardId> = Vec::new();
        for (id, shard) in self.shards.iter().filter(|(_, shard)| !shard.is_settled) {
            let is_ready =
                shard
                    .parent
                    .as_ref()
                    .is_none_or(|parent| match self.shards.get(parent) {
                        Some(parent) => parent.is_settled,
                        None => is_latest || gone == Some(parent),
                    });
            if is_ready {
                ready.push(id.clone());
            }
        }
        while let Some(id) = ready.pop() {
            let Some(shard) = self.shards.get_mut(&id).filter(|shard| !shard.is_settled) else {
                continue;
            };
            shard.is_settled = true;
            log.push(ReaderEntry::Found {
                shard: id.clone(),
                placed: shard.placed(),
            });
            self.enqueue(&id);
            ready.extend(self.children.get(&id).into_iter().flatten().cloned());
        }
    }

    /// Removes shards that were read and are no longer described. Without this, the position would grow without limit.
    pub(super) fn forget_shards(&mut self, time: ReaderTime, log: &mut Vec<ReaderEntry>) {
        let mut forgotten = Vec::new();
        for (id, shard) in self.shards.iter().filter(|(_, shard)| shard.is_read()) {
            let (omissions, first) = shard.omissions;
            if omissions >= FORGET_SURVEYS && time.now.saturating_sub(first) > FORGET_TIME {
                forgotten.push(id.clone());
            }
        }
        for id in forgotten {
            if let Some(parent) = self.shards.remove(&id).and_then(|shard| shard.parent)
                && let Some(children) = self.children.get_mut(&parent)
            {
                children.remove(&id);
                if children.is_empty() {
                    self.children.remove(&parent);
                }
            }
            log.push(ReaderEntry::Forgotten { shard: id });
        }
    }
}
