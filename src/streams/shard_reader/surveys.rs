//! Takes the responses of surveys, which are descriptions of the stream, and schedules the next survey.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::entry::{LostTimes, ReaderEntry};
use super::known_shard::KnownShard;
use super::pace::{CHILD_PAUSE, ReaderTime, SURE_SURVEYS, doubled};
use super::reader::ShardReader;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::streams::position::{FirstWanted, ShardId, ShardPlace};
use crate::streams::shard_api::{DescribedShard, ShardPage};

/// The pause between two surveys of a stream whose shards are all being read.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// A shard is described at most this many seconds after its first record.
const DESCRIPTION_DELAY: i64 = 3_600;
/// The pause between the surveys before a stream begins with its latest record.
const START_PAUSE: Duration = Duration::from_millis(300);

impl ShardReader {
    pub(super) fn take_page(
        &mut self,
        after: Option<&ShardId>,
        page: ShardPage,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        let survey = &mut self.survey;
        for DescribedShard { id, parent } in page.shards {
            let described = survey.shards.entry(id).or_default();
            *described = described.take().or(parent);
        }
        survey.is_disabled = page.is_disabled;
        match page.last {
            // A server that returns the same last shard again would be queried without end.
            Some(last) if Some(&last) != after => {
                survey.after = Some(last);
                survey.due = time.now;
                Ok(())
            }
            _ => self.end_survey(time, log),
        }
    }

    fn end_survey(&mut self, time: ReaderTime, log: &mut Vec<ReaderEntry>) -> Result<()> {
        self.survey.after = None;
        let is_first = self.surveyed.is_none() && !self.survey.is_complete;
        let is_latest = is_first && self.first == FirstWanted::Latest;
        // If a survey omitted a shard, its parent could seem to be the latest shard.
        if is_latest && self.retention.is_some() && !self.survey.end_start() {
            self.survey.due = time.now + START_PAUSE;
            return Ok(());
        }
        let described = std::mem::take(&mut self.survey.shards);
        if has_cycle(&described) {
            let message = "the description of the stream has a shard that is its own ancestor";
            let error = Error::new(ErrorKind::Unavailable, Stage::Service, message);
            return self.survey.take_failure(error, time);
        }
        let began = self.survey.began.unwrap_or(time);
        let place = self.place_of_found(is_first, began.wall, log);
        let mut ancestors = self.ancestors(&described);
        if is_latest {
            // Parents were closed before the start, so all of their records are older.
            ancestors.extend(described.values().flatten().cloned());
        }
        for (id, shard) in &mut self.shards {
            // The time counts from the first survey that omits the shard, because the process may have paused before.
            match described.contains_key(id) {
                true => shard.omissions = (0, time.now),
                false if shard.omissions.0 == 0 => shard.omissions = (1, time.now),
                false => shard.omissions.0 += 1,
            }
        }
        for (id, parent) in &described {
            if self.shards.contains_key(id) {
                self.note_parent(id, parent.as_ref(), log);
            } else if ancestors.contains(id) {
                self.insert_passed(id, parent.as_ref(), time.now, log);
            } else {
                // A parent that an earlier survey has omitted gets the place of its child.
                let children = self.children.get(id).into_iter().flatten();
                let child = children.filter_map(|child| self.shards.get(child)).next();
                let place = child.map_or_else(|| place.clone(), |child| child.place.clone());
                let mut shard = KnownShard::new(parent.clone(), place, time.now);
                shard.must_be_fixed = is_latest;
                self.insert_shard(id.clone(), shard);
            }
        }
        self.note_missing(is_latest, began.now, time);
        self.settle_shards(None, is_latest, log);
        // Shards that are not settled are found again after a restart, and must not seem to be younger.
        match place {
            ShardPlace::Oldest { since } if is_first => self.note_surveyed(since, log),
            _ if self.shards.values().all(|shard| shard.is_settled) => {
                self.unsure.push_back(began.wall);
                if self.unsure.len() >= SURE_SURVEYS as usize
                    && let Some(at) = self.unsure.pop_front()
                {
                    self.note_surveyed(at, log);
                }
            }
            _ => {}
        }
        self.forget_shards(time, log);
        self.schedule_survey(time);
        Ok(())
    }

    fn note_surveyed(&mut self, at: i64, log: &mut Vec<ReaderEntry>) {
        self.surveyed = Some(at);
        log.push(ReaderEntry::Surveyed { at });
    }

    /// The place of a shard that is found by this survey.
    fn place_of_found(&self, is_first: bool, wall: i64, log: &mut Vec<ReaderEntry>) -> ShardPlace {
        if let Some(surveyed) = self.surveyed {
            return ShardPlace::Unread {
                since: surveyed.saturating_sub(DESCRIPTION_DELAY),
            };
        }
        let mut since = wall;
        if let (FirstWanted::Since(time), true) = (self.first, is_first) {
            since = since.min(time);
            let oldest = self.retention.map(|kept| wall.saturating_sub(kept));
            if let Some(until) = oldest.filter(|oldest| since < *oldest) {
                let lost = LostTimes {
                    after: Some(since),
                    until,
                };
                log.push(ReaderEntry::Lost {
                    shard: None,
                    lost,
                    is_end: false,
                });
                since = until;
            }
        }
        ShardPlace::Oldest { since }
    }

    fn schedule_survey(&mut self, time: ReaderTime) {
        let is_awaiting = self.shards.iter().any(|(id, shard)| {
            let is_described = shard.omissions.0 == 0;
            shard.is_read() && is_described && !self.children.contains_key(id)
        });
        let is_searching = is_awaiting || !self.missing.is_empty() || self.shards.is_empty();
        let survey = &mut self.survey;
        survey.is_complete = true;
        survey.failures = 0;
        survey.since_end = if survey.is_outdated {
            0
        } else {
            survey.since_end.saturating_add(1)
        };
        survey.due = match is_searching {
            _ if survey.is_outdated => survey.soonest(time.now),
            true => {
                survey.searches += 1;
                time.now + doubled(CHILD_PAUSE, survey.searches - 1)
            }
            false if survey.is_disabled => time.now + CHILD_PAUSE.1,
            false => {
                survey.searches = 0;
                time.now + SURVEY_PAUSE
            }
        };
    }
}

/// Whether a shard is its own ancestor.
fn has_cycle(described: &BTreeMap<ShardId, Option<ShardId>>) -> bool {
    let mut checked: BTreeSet<&ShardId> = BTreeSet::new();
    for id in described.keys() {
        let mut path = BTreeSet::new();
        let mut next = Some(id);
        while let Some(id) = next.filter(|id| !checked.contains(id)) {
            if !path.insert(id) {
                return true;
            }
            next = described.get(id).and_then(Option::as_ref);
        }
        checked.extend(path);
    }
    false
}
