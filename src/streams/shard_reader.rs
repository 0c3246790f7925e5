//! Plans the requests that read a stream: a state machine that takes responses and returns requests, without sending.
//!
//! ```text
//! survey     the description of the stream, page by page, again and again: which shards exist
//! eligible   a shard whose parent has been read to its end, or no longer exists
//! iterator   requested from the place of a shard, again after it has expired
//! records    one request for each shard at a time, so the records of an item stay in order
//! ```
//!
//! Descriptions may be late and may contradict each other. So a parent that is not described is looked for by its ID
//! before its child is read, and a shard that is missing in a description is not given up because of that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::position::{FirstWanted, PlacedShard, ShardId, ShardPlace, StreamPosition};
use super::record::StreamRecord;
use super::shard_api::{
    DescribedShard, FailureMeaning, IteratorStart, ShardPage, StreamAnswer, StreamRequest,
};
use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// The pause between two surveys of a stream whose shards are all being read.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// The first and the longest pause before a survey that looks for the children of a shard that has ended.
const CHILD_PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));
/// The first pause after a response without records. It doubles.
const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// The first and the longest pause after a failure.
const FAILURE_PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));
/// The number of failures of one request in a row after which its error is returned.
const MOST_FAILURES: u32 = 10;
/// The number of responses in a row after which a shard is believed not to exist.
const GONE_ANSWERS: u32 = 3;
/// A shard is described some time after its first record, so an unread one may have lost records sooner than it has been
/// known for the retention.
const LATE: i64 = 3_600;
/// The time for which a shard that has been read is remembered after it was described last.
const MEMORY: Duration = Duration::from_secs(3_600);

/// The present time.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReaderTime {
    /// Since the reader was created. It never goes back.
    pub(super) now: Duration,
    /// Unix seconds, of the machine's clock.
    pub(super) wall: i64,
}

/// The next action of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReaderStep {
    Send(StreamRequest),
    /// Waits until this time, or for the response to a request that was sent.
    WaitUntil(Duration),
    /// Waits for the response to a request that was sent.
    Await,
    /// The stream is switched off, and all of it has been read.
    Ended,
}

/// An entry of the log of a reader. Entries are applied to the position when their turn comes, so that the position
/// shows what was delivered, not what was read.
#[derive(Debug, Clone)]
pub(super) enum ReaderEntry {
    /// A shard was found.
    Found { shard: ShardId, placed: PlacedShard },
    Record {
        shard: ShardId,
        record: StreamRecord,
        /// Whether it is not older than the first change that is wanted.
        is_wanted: bool,
    },
    Lost { shard: ShardId, lost: LostTimes },
    /// The end of a shard.
    End { shard: ShardId },
    /// A shard that is no longer described after its end.
    Forgotten { shard: ShardId },
}

impl ReaderEntry {
    /// Moves a position past this entry.
    pub(super) fn apply_to(&self, position: &mut StreamPosition) {
        match self {
            ReaderEntry::Found { shard, placed } => position.add_shard(shard.clone(), placed.clone()),
            ReaderEntry::Record { shard, record, .. } => {
                if let Some(place) = place_after(record) {
                    position.move_shard(shard, place);
                }
            }
            ReaderEntry::Lost { shard, lost } => {
                position.move_shard(shard, ShardPlace::Unread { since: lost.until });
            }
            ReaderEntry::End { shard } => position.move_shard(shard, ShardPlace::End),
            ReaderEntry::Forgotten { shard } => position.remove_shard(shard),
        }
    }
}

/// The place after a record.
fn place_after(record: &StreamRecord) -> Option<ShardPlace> {
    let sequence = record.sequence()?.clone();
    let at = record.at().map(Timestamp::seconds);
    Some(ShardPlace::After { sequence, at })
}

/// The times between which changes may be lost, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LostTimes {
    pub(super) after: Option<i64>,
    pub(super) until: i64,
}

#[derive(Debug)]
pub(super) struct ShardReader {
    first: FirstWanted,
    shards: BTreeMap<ShardId, Shard>,
    survey: Survey,
    /// Whether the shards of the first survey begin with their latest record.
    starts_latest: bool,
    /// Whether some shards were known before this survey, so that a gap in the lineage is a loss.
    is_continuing: bool,
    /// The seconds for which the stream keeps records. None if it keeps all.
    retention: Option<i64>,
    longest_idle: Duration,
}

#[derive(Debug)]
struct Shard {
    parent: Option<ShardId>,
    place: ShardPlace,
    iterator: Option<Arc<str>>,
    is_awaited: bool,
    due: Duration,
    idle_answers: u32,
    failures: u32,
    gone_answers: u32,
    /// The loss that is reported with the next records: after this time, if it is known.
    gap: Option<Option<i64>>,
    /// Whether an iterator at the latest record was received. It is requested once, because a later one would skip
    /// records.
    is_fixed: bool,
    /// Whether its records come from that iterator, so that all of them are wanted.
    is_live: bool,
    guess: Option<Guess>,
    described: Duration,
    has_children: bool,
}

/// A shard that is known only as the parent of another one.
#[derive(Debug, Clone, Copy)]
struct Guess {
    /// Whether its children have missed it, if it does not exist.
    is_loss: bool,
}

#[derive(Debug, Default)]
struct Survey {
    shards: Vec<DescribedShard>,
    after: Option<ShardId>,
    is_awaited: bool,
    due: Duration,
    failures: u32,
    searches: u32,
    is_complete: bool,
    is_disabled: bool,
    /// Whether a shard has ended since the survey began, so that it may lack the children.
    is_outdated: bool,
}

impl Shard {
    fn new(parent: Option<ShardId>, place: ShardPlace, now: Duration) -> Self {
        Shard {
            parent,
            place,
            iterator: None,
            is_awaited: false,
            due: now,
            idle_answers: 0,
            failures: 0,
            gone_answers: 0,
            gap: None,
            is_fixed: false,
            is_live: false,
            guess: None,
            described: now,
            has_children: false,
        }
    }

    fn found_entry(&self, id: &ShardId) -> ReaderEntry {
        ReaderEntry::Found {
            shard: id.clone(),
            placed: PlacedShard {
                parent: self.parent.clone(),
                place: self.place.clone(),
            },
        }
    }

    fn is_read(&self) -> bool {
        self.place == ShardPlace::End
    }

    fn is_unread(&self) -> bool {
        matches!(
            self.place,
            ShardPlace::Unread { .. } | ShardPlace::Latest { .. }
        )
    }

    fn must_be_fixed(&self) -> bool {
        matches!(self.place, ShardPlace::Latest { .. }) && !self.is_fixed
    }

    fn iterator_start(&self) -> IteratorStart {
        match &self.place {
            ShardPlace::After { sequence, .. } => IteratorStart::After(sequence.clone()),
            ShardPlace::Latest { .. } if !self.is_fixed => IteratorStart::Latest,
            _ => IteratorStart::Oldest,
        }
    }

    /// The time up to which it has been delivered.
    fn known_until(&self) -> Option<i64> {
        match self.place {
            ShardPlace::Unread { since } | ShardPlace::Latest { since } => Some(since),
            ShardPlace::After { at, .. } => at,
            ShardPlace::End => None,
        }
    }

    fn note_gap(&mut self) {
        // An earlier gap that was not reported yet contains this one.
        if self.gap.is_none() {
            self.gap = Some(self.known_until());
        }
    }

    /// Counts a failure, and returns false if there were too many in a row.
    fn may_retry(&mut self, now: Duration) -> bool {
        self.failures += 1;
        self.due = now + doubled(FAILURE_PAUSE, self.failures - 1);
        self.failures <= MOST_FAILURES
    }
}

/// The first pause, doubled this often, but not longer than the longest one.
fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    first
        .saturating_mul(2_u32.saturating_pow(times))
        .min(longest)
}

impl ShardReader {
    /// A reader from the start of a stream.
    pub(super) fn at_start(first: FirstWanted, starts_latest: bool) -> Self {
        ShardReader {
            first,
            shards: BTreeMap::new(),
            survey: Survey::default(),
            starts_latest,
            is_continuing: false,
            retention: None,
            longest_idle: FAILURE_PAUSE.1,
        }
    }

    /// A reader that continues at a position.
    pub(super) fn at_position(position: &StreamPosition, wall: i64) -> Self {
        let now = Duration::ZERO;
        let mut reader = Self::at_start(position.first, false);
        reader.is_continuing = true;
        for (id, PlacedShard { parent, place }) in &position.shards {
            let mut shard = Shard::new(parent.clone(), place.clone(), now);
            // The latest record is now another one than at the start.
            shard.is_fixed = true;
            reader.shards.insert(id.clone(), shard);
        }
        let listed: Vec<ShardId> = position.shards.keys().cloned().collect();
        for id in listed {
            // Its parent was looked for before, so if it does not exist now, nothing is missing.
            reader.guess_parent(&id, false, ReaderTime { now, wall });
        }
        reader
    }

    /// Sets the time for which the stream keeps its records.
    pub(super) fn set_retention(&mut self, seconds: Option<i64>) {
        self.retention = seconds;
    }

    /// Sets the longest pause after a response without records.
    pub(super) fn set_longest_idle(&mut self, pause: Duration) {
        self.longest_idle = pause;
    }

    /// Whether the shards are known, and those that begin with the latest record have their place.
    pub(super) fn is_placed(&self) -> bool {
        self.survey.is_complete && !self.shards.values().any(Shard::must_be_fixed)
    }

    /// The next action. A request that is returned counts as sent.
    pub(super) fn next_step(&mut self, time: ReaderTime) -> ReaderStep {
        let now = time.now;
        if !self.survey.is_awaited && self.survey.due <= now {
            let after = self.survey.after.clone();
            if after.is_none() {
                self.survey.is_outdated = false;
            }
            self.survey.is_awaited = true;
            return ReaderStep::Send(StreamRequest::Describe { after });
        }
        let is_placed = self.is_placed();
        let mut next: Option<(Duration, ShardId)> = None;
        if self.survey.is_complete {
            for (id, shard) in &self.shards {
                let is_open = is_placed || shard.must_be_fixed();
                let is_later = next.as_ref().is_some_and(|(due, _)| *due <= shard.due);
                if is_open && !is_later && self.is_eligible(shard) {
                    next = Some((shard.due, id.clone()));
                }
            }
        }
        let survey = (!self.survey.is_awaited).then_some(self.survey.due);
        match next {
            Some((due, id)) if due <= now => match self.request_of(&id) {
                Some(request) => ReaderStep::Send(request),
                None => ReaderStep::WaitUntil(now),
            },
            _ if self.is_ended() => ReaderStep::Ended,
            Some((due, _)) => ReaderStep::WaitUntil(survey.map_or(due, |survey| survey.min(due))),
            None => survey.map_or(ReaderStep::Await, ReaderStep::WaitUntil),
        }
    }

    /// Whether a shard may be read: the records of its parent come before its own.
    fn is_eligible(&self, shard: &Shard) -> bool {
        let parent = shard.parent.as_ref().and_then(|id| self.shards.get(id));
        !shard.is_read() && !shard.is_awaited && parent.is_none_or(Shard::is_read)
    }

    fn request_of(&mut self, id: &ShardId) -> Option<StreamRequest> {
        let shard = self.shards.get_mut(id)?;
        shard.is_awaited = true;
        let (id, start) = (id.clone(), shard.iterator_start());
        Some(match &shard.iterator {
            Some(iterator) => StreamRequest::Records {
                shard: id,
                iterator: iterator.clone(),
            },
            None => StreamRequest::Iterator { shard: id, start },
        })
    }

    fn is_ended(&self) -> bool {
        let survey = &self.survey;
        let is_settled = !survey.is_awaited && survey.after.is_none() && !survey.is_outdated;
        survey.is_disabled && is_settled && self.shards.values().all(Shard::is_read)
    }

    /// Takes the response to a request, and appends to the log. Fails if the stream cannot be read any further.
    pub(super) fn take_answer(
        &mut self,
        request: &StreamRequest,
        answer: Result<StreamAnswer>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        match (request, answer) {
            (StreamRequest::Describe { after }, answer) => {
                self.survey.is_awaited = false;
                match answer {
                    Ok(StreamAnswer::Described(page)) => {
                        self.take_page(after.as_ref(), page, time, log);
                        Ok(())
                    }
                    Ok(_) => Ok(()),
                    Err(error) => self.survey.take_failure(error, time),
                }
            }
            (
                StreamRequest::Iterator { shard: id, .. } | StreamRequest::Records { shard: id, .. },
                answer,
            ) => {
                let Some(shard) = self.shards.get_mut(id) else {
                    return Ok(());
                };
                shard.is_awaited = false;
                match answer {
                    Ok(StreamAnswer::Iterator(iterator)) => {
                        self.take_iterator(id, request, iterator, time, log);
                    }
                    Ok(StreamAnswer::Records { records, next }) => {
                        self.take_records(id, records, next, time, log);
                    }
                    Ok(StreamAnswer::Described(_)) => {}
                    Err(error) => return self.take_failure(id, error, time, log),
                }
                Ok(())
            }
        }
    }

    fn take_page(
        &mut self,
        after: Option<&ShardId>,
        page: ShardPage,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let survey = &mut self.survey;
        survey.failures = 0;
        survey.shards.extend(page.shards);
        survey.is_disabled = page.is_disabled;
        match page.last {
            // A page that ends where it began would be requested for ever.
            Some(last) if Some(&last) != after => {
                survey.after = Some(last);
                survey.due = time.now;
            }
            _ => self.end_survey(time, log),
        }
    }

    fn end_survey(&mut self, time: ReaderTime, log: &mut Vec<ReaderEntry>) {
        let described = std::mem::take(&mut self.survey.shards);
        self.survey.after = None;
        let parents: BTreeSet<&ShardId> = described.iter().filter_map(|shard| shard.parent.as_ref()).collect();
        let since = time.wall;
        let mut found = Vec::new();
        for DescribedShard { id, parent } in &described {
            if let Some(shard) = self.shards.get_mut(id) {
                // A later description without the parent does not remove it.
                shard.parent = parent.clone().or(shard.parent.take());
                shard.described = time.now;
                if shard.guess.take().is_some() {
                    log.push(shard.found_entry(id));
                    found.push(id.clone());
                }
                continue;
            }
            let place = match (self.starts_latest, parents.contains(id)) {
                (false, _) => ShardPlace::Unread { since },
                (true, false) => ShardPlace::Latest { since },
                // It was closed before the start, so all of its records are older.
                (true, true) => ShardPlace::End,
            };
            let shard = Shard::new(parent.clone(), place, time.now);
            log.push(shard.found_entry(id));
            self.shards.insert(id.clone(), shard);
            found.push(id.clone());
        }
        for id in &found {
            // The ancestors of a shard at its latest record are older than the start.
            if !self.starts_latest {
                self.guess_parent(id, self.is_continuing, time);
            }
        }
        self.note_children();
        self.forget_shards(&described, time, log);
        self.starts_latest = false;
        self.is_continuing = true;
        self.schedule_survey(&described, time);
    }

    /// Adds the parent of a shard that is not described, so that it is read first if it exists.
    fn guess_parent(&mut self, id: &ShardId, is_loss: bool, time: ReaderTime) {
        let Some(shard) = self.shards.get(id).filter(|shard| shard.is_unread()) else {
            return;
        };
        let Some(parent) = shard.parent.clone() else {
            return;
        };
        if !self.shards.contains_key(&parent) {
            let place = ShardPlace::Unread { since: time.wall };
            let mut guessed = Shard::new(None, place, time.now);
            guessed.guess = Some(Guess { is_loss });
            self.shards.insert(parent, guessed);
        }
    }

    fn note_children(&mut self) {
        let parents: Vec<ShardId> = self.shards.values().filter_map(|shard| shard.parent.clone()).collect();
        for parent in parents {
            if let Some(shard) = self.shards.get_mut(&parent) {
                shard.has_children = true;
            }
        }
    }

    /// Forgets shards that were read and are no longer described. Without this, the position would grow for ever.
    fn forget_shards(
        &mut self,
        described: &[DescribedShard],
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let described: BTreeSet<&ShardId> = described.iter().map(|shard| &shard.id).collect();
        self.shards.retain(|id, shard| {
            // A description may omit a shard once, and a shard that was forgotten would be read again.
            let is_old = time.now.saturating_sub(shard.described) > MEMORY;
            let is_kept = !shard.is_read() || described.contains(id) || !is_old;
            if !is_kept {
                log.push(ReaderEntry::Forgotten { shard: id.clone() });
            }
            is_kept
        });
    }

    fn schedule_survey(&mut self, described: &[DescribedShard], time: ReaderTime) {
        let lacks_children = described.iter().any(|described| {
            let shard = self.shards.get(&described.id);
            shard.is_some_and(|shard| shard.is_read() && !shard.has_children)
        });
        let survey = &mut self.survey;
        survey.is_complete = true;
        survey.due = match lacks_children && !survey.is_disabled {
            _ if survey.is_outdated => time.now,
            true => {
                survey.searches += 1;
                time.now + doubled(CHILD_PAUSE, survey.searches - 1)
            }
            false => {
                survey.searches = 0;
                time.now + SURVEY_PAUSE
            }
        };
    }

    fn take_iterator(
        &mut self,
        id: &ShardId,
        request: &StreamRequest,
        iterator: Arc<str>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let retention = self.retention;
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        if shard.guess.take().is_some() {
            log.push(shard.found_entry(id));
        }
        shard.iterator = Some(iterator);
        shard.due = time.now;
        shard.gone_answers = 0;
        let StreamRequest::Iterator { start, .. } = request else {
            return;
        };
        shard.is_live = *start == IteratorStart::Latest;
        shard.is_fixed |= shard.is_live;
        // Nothing was read of this shard, so no number can show that its oldest records are gone. The time does.
        let is_late = |since: i64| retention.is_some_and(|kept| time.wall.saturating_sub(since) > kept - LATE);
        if *start == IteratorStart::Oldest && shard.known_until().is_some_and(is_late) {
            shard.note_gap();
        }
    }

    fn take_records(
        &mut self,
        id: &ShardId,
        records: Vec<StreamRecord>,
        next: Option<Arc<str>>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) {
        let (first, longest_idle) = (self.first, self.longest_idle);
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        let second = |record: &StreamRecord| record.at().map(Timestamp::seconds);
        if let Some(after) = shard.gap.take() {
            let until = records.first().and_then(second).unwrap_or(time.wall);
            let lost = LostTimes { after, until };
            log.push(ReaderEntry::Lost {
                shard: id.clone(),
                lost,
            });
        }
        (shard.failures, shard.gone_answers) = (0, 0);
        shard.due = time.now;
        match records.is_empty() {
            true => {
                // A closed shard may have empty pages before its last records, so the pause stays short.
                let longest = if shard.has_children { IDLE_PAUSE } else { longest_idle };
                shard.due += doubled((IDLE_PAUSE, longest), shard.idle_answers);
                shard.idle_answers = shard.idle_answers.saturating_add(1);
            }
            false => shard.idle_answers = 0,
        }
        for record in records {
            let at = second(&record);
            let is_wanted = match (first, at) {
                (FirstWanted::Since(time), Some(at)) => shard.is_live || at >= time,
                _ => true,
            };
            if let Some(place) = place_after(&record) {
                shard.place = place;
            }
            log.push(ReaderEntry::Record {
                shard: id.clone(),
                record,
                is_wanted,
            });
        }
        shard.iterator = next;
        if shard.iterator.is_none() {
            self.end_shard(id, time, log);
        }
    }

    fn end_shard(&mut self, id: &ShardId, time: ReaderTime, log: &mut Vec<ReaderEntry>) {
        if let Some(shard) = self.shards.get_mut(id) {
            shard.place = ShardPlace::End;
            shard.iterator = None;
            log.push(ReaderEntry::End { shard: id.clone() });
        }
        self.survey.is_outdated = true;
        self.survey.due = time.now;
    }

    fn take_failure(
        &mut self,
        id: &ShardId,
        error: Error,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        let Some(shard) = self.shards.get_mut(id) else {
            return Ok(());
        };
        match FailureMeaning::of_error(&error) {
            FailureMeaning::Busy => {}
            FailureMeaning::Expired => shard.iterator = None,
            FailureMeaning::Trimmed => {
                shard.note_gap();
                shard.iterator = None;
                shard.place = ShardPlace::Unread { since: time.wall };
            }
            FailureMeaning::Gone => {
                shard.iterator = None;
                shard.gone_answers += 1;
                if let Some(Guess { is_loss }) = shard.guess {
                    self.end_guess(id, is_loss, time);
                    return Ok(());
                }
                if shard.gone_answers >= GONE_ANSWERS {
                    shard.note_gap();
                    let after = shard.gap.take().flatten();
                    let lost = LostTimes { after, until: time.wall };
                    let lost = ReaderEntry::Lost { shard: id.clone(), lost };
                    log.push(lost);
                    self.end_shard(id, time, log);
                    return Ok(());
                }
                self.survey.due = time.now;
            }
            FailureMeaning::Fatal => return Err(error),
        }
        match shard.may_retry(time.now) {
            true => Ok(()),
            false => Err(error),
        }
    }

    /// The parent of a shard does not exist, so the shard is read.
    fn end_guess(&mut self, id: &ShardId, is_loss: bool, time: ReaderTime) {
        self.shards.remove(id);
        for child in self.shards.values_mut() {
            if is_loss && child.parent.as_ref() == Some(id) && child.is_unread() {
                // It and its records were never seen, so the time of the first lost change is unknown.
                child.gap = Some(None);
            }
            child.due = child.due.max(time.now);
        }
    }
}

impl Survey {
    fn take_failure(&mut self, error: Error, time: ReaderTime) -> Result<()> {
        self.failures += 1;
        self.due = time.now + doubled(FAILURE_PAUSE, self.failures - 1);
        let is_busy = FailureMeaning::of_error(&error) == FailureMeaning::Busy;
        match is_busy && self.failures <= MOST_FAILURES {
            true => Ok(()),
            false => Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
