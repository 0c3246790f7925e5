//! Plans the requests that read a stream: a state machine that takes responses and returns requests, without sending.
//!
//! ```text
//! survey     the description of the stream, page by page, again and again: which shards exist
//! eligible   a shard whose parent has been read to its end, or no longer exists
//! iterator   requested from the place of a shard, again after it has expired
//! records    one request for each shard at a time, so the records of an item stay in order
//! ```
//!
//! Descriptions may be late and may omit a shard. So a shard is read only after its parent is settled: read to its end, or
//! known not to exist, because two more surveys lack it and requests for an iterator are denied. All shards in a position
//! are settled, therefore a parent of one of them that is not in the position need not be read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::position::{FirstWanted, PlacedShard, ShardId, ShardPlace, StreamPosition};
use super::record::StreamRecord;
use super::shard_api::{
    DescribedShard, FailureMeaning, IteratorStart, ShardPage, StreamAnswer, StreamRequest,
};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result, Stage};

/// The pause between two surveys of a stream whose shards are all being read.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// The first and the longest pause before a survey that looks for the children of a shard that has ended.
const CHILD_PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));
/// The first pause after a response without records. It doubles.
const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// The first and the longest pause after a failure.
const FAILURE_PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));
/// The number of failures of one request in a row after which its error is returned.
pub(super) const MOST_FAILURES: u32 = 10;
/// Of this many surveys in a row, one has each shard that exists.
const SURE_SURVEYS: u32 = 3;
/// The number of responses that a shard does not exist, and the time between the first and the last one, after which this is
/// believed of a shard that surveys lack.
const GONE_RESPONSES: u32 = 3;
const GONE_TIME: Duration = Duration::from_secs(30);
/// The same for a shard that is still described.
const DENIED_RESPONSES: u32 = 10;
const DENIED_TIME: Duration = Duration::from_secs(600);
/// The number of denied iterators of a parent that surveys lack after which it is believed not to exist.
const DENIED_PROBES: u32 = 2;
/// The time after which a parent that exists should be described. If it is not, it is read without its own parent.
const HIDDEN_TIME: Duration = Duration::from_secs(600);
/// Records of a shard that begins with the latest one are compared with a time that is this many seconds earlier: the
/// service rounds times, and the clock of this machine may differ.
const LATEST_MARGIN: i64 = 300;
/// A shard is described at most this many seconds after its first record.
const DESCRIPTION_DELAY: i64 = 3_600;
/// The number of surveys in a row that omit a shard that was read, and the time between them, after which it is forgotten.
const FORGET_SURVEYS: u32 = 5;
const FORGET_TIME: Duration = Duration::from_secs(3_600);
/// The pause between the surveys before a stream begins with its latest record.
const START_PAUSE: Duration = Duration::from_millis(300);
/// The shortest time between the beginnings of two surveys.
const SURVEY_FLOOR: Duration = Duration::from_secs(1);
/// The time for which the children of a shard are awaited after the stream was switched off.
const LAST_CHILDREN_TIME: Duration = Duration::from_secs(330);
/// An iterator that was received this long ago may expire without a failure of the service.
const ITERATOR_TIME: Duration = Duration::from_secs(60);
/// The number of records in a page that may have been cut by the limit of the service.
const FULL_PAGE: usize = 1_000;

/// The present time.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReaderTime {
    /// Since the reader was created. It never goes back.
    pub(super) now: Duration,
    /// Unix seconds, of the service's clock if it is known.
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
    /// A shard begins with its latest record.
    Fixed { shard: ShardId, place: ShardPlace },
    Record {
        shard: ShardId,
        record: StreamRecord,
        /// Whether it is not older than the start.
        is_requested: bool,
        /// Whether the position moves past it.
        moves: bool,
    },
    /// Changes of a shard, or of the whole stream, are lost.
    Lost {
        shard: Option<ShardId>,
        lost: LostTimes,
        /// Whether nothing more of the shard can be read.
        is_end: bool,
    },
    /// The end of a shard.
    End { shard: ShardId },
    /// A shard that is no longer described after its end.
    Forgotten { shard: ShardId },
    /// All shards of a survey that began at this time were found.
    Surveyed { at: i64 },
}

impl ReaderEntry {
    /// Moves a position past the first entries that deliver nothing, and returns the others. A loss must be delivered before
    /// the shards that were found after it.
    pub(super) fn apply_surveys<C>(entries: C, position: &mut StreamPosition) -> C
    where
        C: IntoIterator<Item = ReaderEntry> + FromIterator<ReaderEntry>,
    {
        let mut is_lost = false;
        let mut is_applied = |entry: &ReaderEntry| {
            is_lost |= matches!(entry, ReaderEntry::Lost { .. });
            let is_survey = match entry {
                ReaderEntry::Found { .. }
                | ReaderEntry::Fixed { .. }
                | ReaderEntry::Surveyed { .. } => true,
                _ => false,
            };
            if is_survey && !is_lost {
                entry.apply_to(position);
            }
            is_survey && !is_lost
        };
        let entries = entries.into_iter();
        entries.filter(|entry| !is_applied(entry)).collect()
    }

    /// Moves a position past this entry.
    pub(super) fn apply_to(&self, position: &mut StreamPosition) {
        match self {
            ReaderEntry::Found { shard, placed } => {
                position.add_shard(shard.clone(), placed.clone())
            }
            ReaderEntry::Fixed { shard, place } => position.move_shard(shard, place.clone()),
            ReaderEntry::Record {
                shard,
                record,
                moves,
                ..
            } => {
                if let (true, Some(place)) = (*moves, place_after(record)) {
                    position.move_shard(shard, place);
                }
            }
            ReaderEntry::Lost {
                shard,
                lost,
                is_end,
            } => {
                let place = match is_end {
                    true => ShardPlace::End,
                    false => ShardPlace::Oldest { since: lost.until },
                };
                if let Some(shard) = shard {
                    position.move_shard(shard, place);
                }
            }
            ReaderEntry::End { shard } => position.move_shard(shard, ShardPlace::End),
            ReaderEntry::Forgotten { shard } => position.remove_shard(shard),
            ReaderEntry::Surveyed { at } => position.surveyed = Some(*at),
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
    shards: BTreeMap<ShardId, KnownShard>,
    children: BTreeMap<ShardId, BTreeSet<ShardId>>,
    /// The shards that may be requested, by the time of the next request.
    queue: BTreeSet<(Duration, ShardId)>,
    /// Shards that have their latest record, and wait until all others have it, too.
    held: Vec<ShardId>,
    /// The number of shards without the iterator at their latest record.
    unfixed: usize,
    /// The number of shards that have not been read to their end.
    unread: usize,
    /// Parents that are not described.
    missing: BTreeMap<ShardId, MissingParent>,
    survey: Survey,
    /// All shards of before this time are known. None before the first survey of a stream.
    surveyed: Option<i64>,
    /// The times of the surveys after it, which may lack shards.
    unsure: VecDeque<i64>,
    /// The seconds for which the stream keeps records. None if it keeps all.
    retention: Option<i64>,
    longest_idle: Duration,
}

#[derive(Debug)]
struct KnownShard {
    parent: Option<ShardId>,
    place: ShardPlace,
    /// Whether its parent was read, is known and will be read before it, or does not exist.
    is_settled: bool,
    iterator: Option<Arc<str>>,
    received: Duration,
    is_awaited: bool,
    due: Duration,
    idle_responses: u32,
    failures: u32,
    /// The number of responses in a row that it does not exist, and the time of the first one.
    gone: (u32, Duration),
    /// The loss that is reported with the next records: after this time, if it is known.
    gap: Option<Option<i64>>,
    /// Whether its latest record must be found. This is done once, because it would skip records later.
    must_be_fixed: bool,
    /// Whether all of its records from now on are requested.
    is_live: bool,
    /// The number of surveys in a row that omit it, and the time of the first one.
    omissions: (u32, Duration),
    ended: Option<Duration>,
}

/// A shard that is known only as the parent of another one.
#[derive(Debug)]
struct MissingParent {
    since: Duration,
    surveys: u32,
    /// The number of surveys at a time at which it should have been described.
    late_surveys: u32,
    denials: u32,
    exists: bool,
    is_due: bool,
    is_awaited: bool,
}

#[derive(Debug, Default)]
struct Survey {
    /// The shards that were described since it began, with their parents.
    shards: BTreeMap<ShardId, Option<ShardId>>,
    after: Option<ShardId>,
    /// The number of surveys before the first shard was read.
    starts: u32,
    is_awaited: bool,
    due: Duration,
    began: Option<ReaderTime>,
    failures: u32,
    searches: u32,
    is_complete: bool,
    is_disabled: bool,
    /// Whether a shard has ended since the survey began, so that it may lack the children.
    is_outdated: bool,
    /// The number of complete surveys that began after the last shard has ended.
    since_end: u32,
}

impl KnownShard {
    fn new(parent: Option<ShardId>, place: ShardPlace, now: Duration) -> Self {
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

    fn is_read(&self) -> bool {
        self.place == ShardPlace::End
    }

    fn iterator_start(&self) -> IteratorStart {
        match &self.place {
            ShardPlace::After { sequence, .. } => IteratorStart::After(sequence.clone()),
            _ if self.must_be_fixed => IteratorStart::Latest,
            _ => IteratorStart::Oldest,
        }
    }

    /// The time up to which it has been delivered.
    fn known_until(&self) -> Option<i64> {
        match self.place {
            ShardPlace::Unread { since }
            | ShardPlace::Oldest { since }
            | ShardPlace::Latest { since } => Some(since),
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
        self.due = now + failure_pause(self.failures);
        self.failures <= MOST_FAILURES
    }
}

/// The pause after this failure of a request, counted from one.
pub(super) fn failure_pause(failures: u32) -> Duration {
    doubled(FAILURE_PAUSE, failures.saturating_sub(1))
}

/// The first pause, doubled this often, but not longer than the longest one.
fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    first
        .saturating_mul(2_u32.saturating_pow(times))
        .min(longest)
}

impl ShardReader {
    /// A reader from the start of a stream.
    pub(super) fn at_start(first: FirstWanted) -> Self {
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
    pub(super) fn at_position(position: &StreamPosition) -> Self {
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
    pub(super) fn set_retention(&mut self, seconds: Option<i64>) {
        self.retention = seconds;
    }

    /// Sets the longest pause after a response without records.
    pub(super) fn set_longest_idle(&mut self, pause: Duration) {
        self.longest_idle = pause.max(IDLE_PAUSE);
    }

    /// Whether the shards are known, and those that begin with the latest record have their place.
    pub(super) fn is_placed(&self) -> bool {
        self.survey.is_complete && self.unfixed == 0
    }

    /// The next action. A request that is returned counts as sent.
    pub(super) fn next_step(&mut self, time: ReaderTime) -> ReaderStep {
        let now = time.now;
        if !self.survey.is_awaited && self.survey.due <= now {
            return ReaderStep::Send(self.survey.next_request(time));
        }
        let probed = self
            .missing
            .iter_mut()
            .find(|(_, parent)| parent.is_due && !parent.is_awaited);
        if let Some((id, parent)) = probed {
            (parent.is_due, parent.is_awaited) = (false, true);
            let (shard, start) = (id.clone(), IteratorStart::Oldest);
            return ReaderStep::Send(StreamRequest::Iterator { shard, start });
        }
        let next = self
            .queue
            .first()
            .filter(|_| self.survey.is_complete)
            .cloned();
        if let Some((due, id)) = &next
            && *due <= now
        {
            self.queue.pop_first();
            if let Some(request) = self.request_of(id) {
                return ReaderStep::Send(request);
            }
        }
        if self.is_ended(now) {
            return ReaderStep::Ended;
        }
        let survey = (!self.survey.is_awaited).then_some(self.survey.due);
        let due = next.map(|(due, _)| due).into_iter().chain(survey).min();
        due.map_or(ReaderStep::Await, ReaderStep::WaitUntil)
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

    fn is_ended(&self, now: Duration) -> bool {
        let survey = &self.survey;
        let is_surveyed = survey.is_complete && survey.after.is_none() && !survey.is_awaited;
        let is_read = self.unread == 0 && self.missing.is_empty();
        survey.is_disabled
            && is_surveyed
            && is_read
            && survey.since_end >= 2
            && !self.awaits_children(now)
    }

    /// Whether a shard that was read lately may have children that are not described yet.
    fn awaits_children(&self, now: Duration) -> bool {
        // Servers that keep all records describe a shard at once.
        self.retention.is_some()
            && self.shards.iter().any(|(id, shard)| {
                let is_late =
                    now.saturating_sub(shard.ended.unwrap_or_default()) < LAST_CHILDREN_TIME;
                shard.is_read() && is_late && !self.children.contains_key(id)
            })
    }

    fn insert_shard(&mut self, id: ShardId, shard: KnownShard) {
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

    /// Enters a shard in the queue if it may be requested: the records of its parent come before its own.
    fn enqueue(&mut self, id: &ShardId) {
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

    /// Takes the response to a request, and appends to the log. Fails if the stream cannot be read any further.
    pub(super) fn take_answer(
        &mut self,
        request: &StreamRequest,
        answer: Result<StreamAnswer>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        let id = match request {
            StreamRequest::Describe { after } => {
                self.survey.is_awaited = false;
                return match answer {
                    Ok(StreamAnswer::Described(page)) => {
                        self.take_page(after.as_ref(), page, time, log)
                    }
                    Ok(_) => Ok(()),
                    Err(error) => self.survey.take_failure(error, time),
                };
            }
            StreamRequest::Iterator { shard: id, .. }
            | StreamRequest::Records { shard: id, .. } => id,
        };
        if self.missing.get(id).is_some_and(|parent| parent.is_awaited) {
            self.take_probe(id, answer.map(|_| ()), time, log);
            return Ok(());
        }
        match self.shards.get_mut(id) {
            Some(shard) if shard.is_awaited => shard.is_awaited = false,
            _ => return Ok(()),
        }
        let taken = match answer {
            Ok(StreamAnswer::Iterator(iterator)) => {
                self.take_iterator(id, request, iterator, time);
                Ok(())
            }
            Ok(StreamAnswer::Records { records, next }) => {
                self.take_records(id, records, next, time, log);
                Ok(())
            }
            Ok(StreamAnswer::Described(_)) => Ok(()),
            Err(error) => self.take_failure(id, error, time, log),
        };
        self.enqueue(id);
        taken
    }

    fn take_page(
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
            // A page that ends where it began would be requested for ever.
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
        // Which shard is the latest one is known only if no shard is omitted.
        if is_latest && self.retention.is_some() && self.survey.starts < SURE_SURVEYS {
            self.survey.starts += 1;
            if self.survey.starts < SURE_SURVEYS {
                self.survey.due = time.now + START_PAUSE;
                return Ok(());
            }
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
            // They were closed before the start, so all of their records are older.
            ancestors.extend(described.values().flatten().cloned());
        }
        for (id, shard) in &mut self.shards {
            // The time begins with the first survey that omits it, because a process may have paused before.
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
                // A parent that an earlier survey has omitted is as old as its child.
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

    /// The shards that are not known, and were settled before a known one: they need not be read.
    fn ancestors(&self, described: &BTreeMap<ShardId, Option<ShardId>>) -> BTreeSet<ShardId> {
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

    /// Adds a shard that need not be read. It must be known, because a later survey may omit the shards after it.
    fn insert_passed(
        &mut self,
        id: &ShardId,
        parent: Option<&ShardId>,
        now: Duration,
        log: &mut Vec<ReaderEntry>,
    ) {
        let mut shard = KnownShard::new(parent.cloned(), ShardPlace::End, now);
        shard.is_settled = true;
        let placed = PlacedShard {
            parent: shard.parent.clone(),
            place: ShardPlace::End,
        };
        self.insert_shard(id.clone(), shard);
        let shard = id.clone();
        log.push(ReaderEntry::Found { shard, placed });
    }

    /// Takes the parent of a shard that was described without it before. A shard of which records were delivered keeps its
    /// parent, because the order cannot be mended.
    fn note_parent(&mut self, id: &ShardId, parent: Option<&ShardId>, log: &mut Vec<ReaderEntry>) {
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

    /// Counts the surveys that lack the parent of a shard.
    fn note_missing(&mut self, is_latest: bool, began: Duration, time: ReaderTime) {
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

    fn take_probe(
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
            // The next survey is followed by another request.
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

    /// The children of a parent that does not exist may descend from any shard that has not been read to its end, so changes
    /// may be missed since the first of these was read.
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
    fn settle_shards(
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
            let placed = PlacedShard {
                parent: shard.parent.clone(),
                place: shard.place.clone(),
            };
            log.push(ReaderEntry::Found {
                shard: id.clone(),
                placed,
            });
            self.enqueue(&id);
            ready.extend(self.children.get(&id).into_iter().flatten().cloned());
        }
    }

    /// Forgets shards that were read and are no longer described. Without this, the position would grow for ever.
    fn forget_shards(&mut self, time: ReaderTime, log: &mut Vec<ReaderEntry>) {
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

    fn take_iterator(
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
        // It stays due, so that the records are requested before the iterator expires.
        (shard.iterator, shard.received) = (Some(iterator), time.now);
        let StreamRequest::Iterator { start, .. } = request else {
            return;
        };
        shard.is_live = *start == IteratorStart::Latest;
        // Nothing was read of this shard, so no number can show that its oldest records are gone. The time does.
        let is_late =
            |since: i64| retention.is_some_and(|kept| time.wall.saturating_sub(since) > kept);
        if *start == IteratorStart::Oldest
            && shard.gap.is_none()
            && shard.known_until().is_some_and(is_late)
        {
            shard.note_gap();
        }
    }

    /// Counts a shard whose latest record was found, and reads the other shards when it was found in all.
    fn end_fixing(&mut self) {
        self.unfixed -= 1;
        if self.unfixed == 0 {
            for held in std::mem::take(&mut self.held) {
                self.enqueue(&held);
            }
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
        let has_children = self.children.contains_key(id);
        let Some(shard) = self.shards.get_mut(id) else {
            return;
        };
        // The first response shows whether the shard was closed before.
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
                // A closed shard may have empty pages before its last records, so the pause stays short.
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
            // A shard of a stream that begins with the latest change has its place with its first requested record, so
            // that no later one is compared with the clock.
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

    fn take_failure(
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
        // At the start of a stream, records and shards may be removed at any time.
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

impl Survey {
    fn next_request(&mut self, time: ReaderTime) -> StreamRequest {
        if self.after.is_none() {
            self.is_outdated = false;
            // A survey that is repeated keeps what was found.
            if self.shards.is_empty() {
                self.began = Some(time);
            }
        }
        self.is_awaited = true;
        StreamRequest::Describe {
            after: self.after.clone(),
        }
    }

    /// The soonest time of the next survey.
    fn soonest(&self, now: Duration) -> Duration {
        self.began
            .map_or(now, |began| now.max(began.now + SURVEY_FLOOR))
    }

    fn take_failure(&mut self, error: Error, time: ReaderTime) -> Result<()> {
        self.failures += 1;
        self.due = time.now + failure_pause(self.failures);
        let most = match FailureMeaning::of_error(&error) {
            FailureMeaning::Busy => MOST_FAILURES,
            // The shard after which a page begins may have been removed.
            _ if self.after.take().is_some() => MOST_FAILURES,
            FailureMeaning::Gone => GONE_RESPONSES - 1,
            _ => 0,
        };
        match self.failures <= most {
            true => Ok(()),
            false => Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
