//! A stream as DynamoDB keeps it: shards that close and have children, and records that are trimmed. Its responses may be
//! late, empty, missing or wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::streams::form::EventForm;
use crate::streams::position::ShardId;
use crate::streams::record::StreamRecord;
use crate::streams::shard_api::{
    DescribedShard, IteratorStart, ShardPage, StreamAnswer, StreamRequest,
};

/// The Unix time at which the simulation begins.
const EPOCH: i64 = 1_700_000_000;
pub(super) const DAY: i64 = 86_400;
const ITERATOR_LIFE: Duration = Duration::from_secs(900);
pub(super) const ITEMS: usize = 6;

pub(super) struct SimRecord {
    pub(super) sequence: u64,
    pub(super) item: usize,
    pub(super) number: u64,
    pub(super) at: i64,
}

pub(super) struct SimShard {
    pub(super) id: ShardId,
    pub(super) parent: Option<ShardId>,
    pub(super) records: Vec<SimRecord>,
    /// The number of its records that are gone.
    pub(super) trimmed: usize,
    closed_at: Option<i64>,
    /// Whether it no longer exists.
    is_gone: bool,
    described_from: Duration,
    /// The number of descriptions in a row that omit it.
    hidden: u32,
    /// Whether the last request for it was denied, although it exists.
    is_denied: bool,
}

struct SimIterator {
    shard: usize,
    at: usize,
    created: Duration,
}

pub(super) struct Simulator {
    pub(super) rng: Rng,
    pub(super) now: Duration,
    pub(super) shards: Vec<SimShard>,
    /// The shard of each item.
    homes: [usize; ITEMS],
    /// The number of the next record of each item.
    pub(super) counts: [u64; ITEMS],
    sequence: u64,
    iterators: BTreeMap<String, SimIterator>,
    pub(super) is_disabled: bool,
    /// Whether responses fail and lie.
    pub(super) is_faulty: bool,
    /// Whether records and shards are removed after a day.
    pub(super) trims: bool,
}

impl Simulator {
    pub(super) fn new(seed: u64) -> Self {
        let mut simulator = Simulator {
            rng: Rng::with_seed(seed),
            now: Duration::ZERO,
            shards: Vec::new(),
            homes: [0; ITEMS],
            counts: [0; ITEMS],
            sequence: 0,
            iterators: BTreeMap::new(),
            is_disabled: false,
            is_faulty: true,
            trims: false,
        };
        for _ in 0..=simulator.rng.usize(0..2) {
            simulator.add_shard(None);
        }
        for item in 0..ITEMS {
            simulator.homes[item] = simulator.rng.usize(0..simulator.shards.len());
        }
        for shard in &mut simulator.shards {
            shard.described_from = Duration::ZERO;
        }
        simulator
    }

    pub(super) fn wall(&self) -> i64 {
        EPOCH + i64::try_from(self.now.as_secs()).expect("a time")
    }

    fn add_shard(&mut self, parent: Option<usize>) -> usize {
        let number = self.shards.len();
        // The IDs of children need not follow those of parents.
        let id = format!("shard-{:04}-{number}", self.rng.u32(0..10_000));
        let late = Duration::from_secs(self.rng.u64(0..300));
        let late = if self.rng.bool() {
            late
        } else {
            Duration::ZERO
        };
        // A shard is not described before its parent.
        let after = parent.map_or(Duration::ZERO, |parent| self.shards[parent].described_from);
        self.shards.push(SimShard {
            id: id.into(),
            parent: parent.map(|parent| self.shards[parent].id.clone()),
            records: Vec::new(),
            trimmed: 0,
            closed_at: None,
            is_gone: false,
            hidden: 0,
            is_denied: false,
            described_from: after.max(self.now + late),
        });
        number
    }

    pub(super) fn write(&mut self) {
        if self.is_disabled {
            return;
        }
        let item = self.rng.usize(0..ITEMS);
        self.sequence += self.rng.u64(1..20);
        let record = SimRecord {
            sequence: self.sequence,
            item,
            number: self.counts[item],
            at: self.wall(),
        };
        self.counts[item] += 1;
        self.shards[self.homes[item]].records.push(record);
    }

    /// Closes a shard; one or two children take its items.
    pub(super) fn split(&mut self) {
        let open: Vec<usize> = (0..self.shards.len())
            .filter(|shard| self.shards[*shard].closed_at.is_none())
            .collect();
        if self.is_disabled || open.is_empty() || self.shards.len() > 40 {
            return;
        }
        let parent = open[self.rng.usize(0..open.len())];
        self.shards[parent].closed_at = Some(self.wall());
        let children: Vec<usize> = (0..self.rng.usize(1..=2))
            .map(|_| self.add_shard(Some(parent)))
            .collect();
        for item in 0..ITEMS {
            if self.homes[item] == parent {
                self.homes[item] = children[self.rng.usize(0..children.len())];
            }
        }
    }

    /// Removes the records that are older than a day, and the shards that were closed before.
    fn trim(&mut self) {
        let oldest = self.wall() - DAY;
        for shard in &mut self.shards {
            let old = shard
                .records
                .iter()
                .take_while(|record| record.at < oldest)
                .count();
            shard.trimmed = shard.trimmed.max(old);
            shard.is_gone |= shard.closed_at.is_some_and(|closed| closed < oldest);
        }
    }

    pub(super) fn switch_off(&mut self) {
        self.is_disabled = true;
        let now = self.wall();
        for shard in &mut self.shards {
            shard.closed_at.get_or_insert(now);
        }
    }

    /// Whether a shard is another one or one of its descendants.
    pub(super) fn is_within(&self, shard: &str, other: &str) -> bool {
        let mut next = Some(shard);
        while let Some(id) = next {
            if id == other {
                return true;
            }
            let found = self.shards.iter().find(|shard| &*shard.id == id);
            next = found.and_then(|shard| shard.parent.as_deref());
        }
        false
    }

    /// Records that are kept.
    pub(super) fn kept(&self) -> impl Iterator<Item = &SimRecord> {
        self.shards
            .iter()
            .flat_map(|shard| shard.records.iter().skip(shard.trimmed))
    }

    pub(super) fn answer(&mut self, request: &StreamRequest) -> Result<StreamAnswer> {
        if self.trims {
            self.trim();
        }
        if self.is_faulty {
            match self.rng.u32(0..12) {
                0 => return Err(failure(ErrorKind::Throttled, "ThrottlingException")),
                1 => return Err(failure(ErrorKind::LimitExceeded, "LimitExceededException")),
                // The response was lost.
                2 => {
                    return Err(Error::new(
                        ErrorKind::Unavailable,
                        Stage::Wire,
                        "no response",
                    ));
                }
                _ => {}
            }
        }
        match request {
            StreamRequest::Describe { after } => {
                self.describe(after.as_deref()).map(StreamAnswer::Described)
            }
            StreamRequest::Iterator { shard, start } => self.iterator(shard, start),
            StreamRequest::Records { shard, iterator } => self.records(shard, iterator),
        }
    }

    fn describe(&mut self, after: Option<&str>) -> Result<ShardPage> {
        let is_unknown = |after: &str| {
            self.shards
                .iter()
                .any(|shard| &*shard.id == after && shard.is_gone)
        };
        if after.is_some_and(is_unknown)
            || after.is_some() && self.is_faulty && self.rng.u32(0..60) == 0
        {
            return Err(failure(
                ErrorKind::TableNotFound,
                "ResourceNotFoundException",
            ));
        }
        let mut ids: Vec<(ShardId, Option<ShardId>)> = Vec::new();
        for shard in &mut self.shards {
            if shard.described_from > self.now || shard.is_gone {
                continue;
            }
            // All pages of a description have the same shards.
            if after.is_none() {
                let is_hidden = self.is_faulty && shard.hidden < 2 && self.rng.u32(0..12) == 0;
                shard.hidden = if is_hidden { shard.hidden + 1 } else { 0 };
            }
            if shard.hidden == 0 {
                ids.push((shard.id.clone(), shard.parent.clone()));
            }
        }
        ids.sort();
        let rest: Vec<_> = ids
            .into_iter()
            .filter(|(id, _)| after.is_none_or(|after| &**id > after))
            .collect();
        let size = self.rng.usize(1..=3);
        let last = (rest.len() > size).then(|| rest[size - 1].0.clone());
        let page = rest.into_iter().take(size);
        Ok(ShardPage {
            shards: page
                .map(|(id, parent)| DescribedShard { id, parent })
                .collect(),
            last,
            is_disabled: self.is_disabled,
            view: None,
        })
    }

    /// The index of a shard. A shard is denied for once, although it exists.
    fn shard_of(&mut self, id: &str) -> Result<usize> {
        let denied = || failure(ErrorKind::TableNotFound, "ResourceNotFoundException");
        let found = self
            .shards
            .iter()
            .position(|shard| &*shard.id == id)
            .ok_or_else(denied)?;
        let is_lie = self.is_faulty && !self.shards[found].is_denied && self.rng.u32(0..25) == 0;
        self.shards[found].is_denied = is_lie;
        match is_lie || self.shards[found].is_gone {
            true => Err(denied()),
            false => Ok(found),
        }
    }

    fn iterator(&mut self, id: &str, start: &IteratorStart) -> Result<StreamAnswer> {
        let shard = self.shard_of(id)?;
        let SimShard {
            records, trimmed, ..
        } = &self.shards[shard];
        let at = match start {
            IteratorStart::Oldest => *trimmed,
            IteratorStart::Latest => records.len(),
            IteratorStart::After(sequence) => {
                let after = sequence
                    .as_str()
                    .parse::<u64>()
                    .expect("a number of the stream");
                let at = records
                    .iter()
                    .take_while(|record| record.sequence <= after)
                    .count();
                // The record of the number itself must be kept.
                if at.saturating_sub(1) < *trimmed {
                    return Err(failure(ErrorKind::Service, "TrimmedDataAccessException"));
                }
                at
            }
        };
        Ok(StreamAnswer::Iterator(self.add_iterator(shard, at).into()))
    }

    fn add_iterator(&mut self, shard: usize, at: usize) -> String {
        let name = format!("iterator-{}", self.iterators.len());
        let created = self.now;
        self.iterators
            .insert(name.clone(), SimIterator { shard, at, created });
        name
    }

    fn records(&mut self, id: &str, iterator: &str) -> Result<StreamAnswer> {
        self.shard_of(id)?;
        let SimIterator { shard, at, created } = &self.iterators[iterator];
        let (shard, at) = (*shard, *at);
        if self.now > *created + ITERATOR_LIFE {
            return Err(failure(ErrorKind::Service, "ExpiredIteratorException"));
        }
        if at < self.shards[shard].trimmed {
            return Err(failure(ErrorKind::Service, "TrimmedDataAccessException"));
        }
        let most = if self.is_faulty {
            self.rng.usize(0..4)
        } else {
            4
        };
        let SimShard {
            records, closed_at, ..
        } = &self.shards[shard];
        let page: Vec<StreamRecord> = records
            .iter()
            .skip(at)
            .take(most)
            .map(stream_record)
            .collect();
        let end = at + page.len();
        let next = match end == records.len() && closed_at.is_some() {
            true => None,
            false => Some(self.add_iterator(shard, end).into()),
        };
        Ok(StreamAnswer::Records {
            records: page,
            next,
        })
    }
}

fn stream_record(record: &SimRecord) -> StreamRecord {
    let SimRecord {
        sequence,
        item,
        number,
        at,
    } = record;
    let json = format!(
        r#"{{"eventID":"{item}-{number}","dynamodb":{{"Keys":{{"id":{{"N":"{item}"}}}},"SequenceNumber":"{sequence}",
            "ApproximateCreationDateTime":{at}}}}}"#
    );
    StreamRecord::read_record(json.as_bytes(), EventForm::Lambda)
}

fn failure(kind: ErrorKind, code: &str) -> Error {
    Error::new(kind, Stage::Service, code).with_code(Some(code))
}
