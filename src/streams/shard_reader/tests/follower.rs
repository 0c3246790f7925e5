//! A program that follows the simulated stream, stops at any moment, and continues from its position; and the check that
//! it receives each record.

use std::time::Duration;

use super::simulator::{DAY, ITEMS, SimRecord, SimShard, Simulator};
use crate::streams::position::{FirstWanted, ShardId, StreamPosition};
use crate::streams::shard_api::StreamRequest;
use crate::streams::shard_reader::{LostTimes, ReaderEntry, ReaderStep, ReaderTime, ShardReader};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Oldest,
    Latest,
    Since,
}

/// The events of a schedule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    pub(super) start: Start,
    pub(super) restarts: bool,
    pub(super) trims: bool,
    pub(super) switches_off: bool,
    pub(super) skewed: bool,
}

/// Steps of a schedule, and steps within which all of its records must be delivered afterwards.
const STEPS: usize = 500;
const PATIENCE: usize = 60_000;

pub(super) struct Follower {
    world: Simulator,
    reader: ShardReader,
    began: Duration,
    position: StreamPosition,
    log: Vec<ReaderEntry>,
    delivered_entries: usize,
    sent: Vec<StreamRequest>,
    waits_until: Duration,
    has_ended: bool,
    /// The number of the next record of each item; None before the first one.
    next: [Option<u64>; ITEMS],
    /// The first record of each item that must be delivered.
    first: Option<[u64; ITEMS]>,
    since: i64,
    losses: Vec<(Option<ShardId>, LostTimes)>,
    /// The difference between the clock of the machine and that of the service.
    skew: i64,
    start: Start,
    traces: bool,
}

impl Follower {
    pub(super) fn run(seed: u64, schedule: Schedule) -> Result<(), String> {
        let mut world = Simulator::new(seed);
        world.trims = schedule.trims;
        // Records from before the start.
        for _ in 0..world.rng.usize(0..30) {
            world.write();
            if world.rng.u32(0..6) == 0 {
                world.split();
            }
            let most = if schedule.trims { 10_000 } else { 200 };
            world.now += Duration::from_secs(world.rng.u64(0..most));
        }
        // The first changes of a stream that begins with the latest one are found by time, with a tolerance.
        let most = if schedule.start == Start::Latest {
            200
        } else {
            3_600
        };
        let skew = match schedule.skewed {
            true => [most, -most][world.rng.usize(0..2)],
            false => 0,
        };
        let first = match schedule.start {
            Start::Oldest => FirstWanted::Oldest,
            Start::Latest => FirstWanted::Latest,
            Start::Since if schedule.trims => {
                FirstWanted::Since(world.wall() - world.rng.i64(0..100_000))
            }
            Start::Since => FirstWanted::Since(world.wall() - world.rng.i64(0..3_000)),
        };
        let since = match first {
            FirstWanted::Since(time) => time,
            FirstWanted::Oldest | FirstWanted::Latest => 0,
        };
        let mut reader = ShardReader::at_start(first);
        reader.set_retention(Some(DAY));
        let mut follower = Follower {
            began: world.now,
            reader,
            position: StreamPosition::at_start("arn".into(), first),
            log: Vec::new(),
            delivered_entries: 0,
            sent: Vec::new(),
            waits_until: Duration::ZERO,
            has_ended: false,
            next: [None; ITEMS],
            first: None,
            since,
            losses: Vec::new(),
            skew,
            start: schedule.start,
            traces: std::env::var("STREAM_TRACE").is_ok_and(|text| text == seed.to_string()),
            world,
        };
        follower.follow(schedule)
    }

    fn follow(&mut self, schedule: Schedule) -> Result<(), String> {
        for _ in 0..STEPS {
            match self.world.rng.u32(0..100) {
                0..25 => self.world.write(),
                25..28 => self.world.split(),
                28..30 if schedule.restarts && self.first.is_some() => self.restart(),
                30..38 => self.world.now += Duration::from_secs(self.world.rng.u64(0..30)),
                38..39 => self.world.now += Duration::from_secs(self.world.rng.u64(900..7_000)),
                39..41 if schedule.trims => {
                    self.world.now += Duration::from_secs(self.world.rng.u64(3_600..90_000))
                }
                41..70 => self.take_step()?,
                70..88 => self.take_answer()?,
                _ => self.deliver_entry(schedule.restarts)?,
            }
        }
        self.world.is_faulty = false;
        if schedule.switches_off {
            self.world.switch_off();
        }
        for _ in 0..PATIENCE {
            self.take_step()?;
            self.take_answer()?;
            self.deliver_entry(false)?;
            let is_idle = self.sent.is_empty() && self.delivered_entries == self.log.len();
            if is_idle && schedule.switches_off && self.has_ended {
                return self.check_all();
            }
            if is_idle && !schedule.switches_off && self.check_all().is_ok() {
                return Ok(());
            }
        }
        self.check_all()?;
        Err("the stream was switched off, and the reader has not ended".to_owned())
    }

    /// Shows what happens in a schedule, if its seed is that of `STREAM_TRACE`.
    fn trace(&self, what: &str, value: &dyn std::fmt::Debug) {
        if self.traces {
            println!("{} {what} {value:?}", self.world.wall());
        }
    }

    fn time(&self) -> ReaderTime {
        ReaderTime {
            now: self.world.now - self.began,
            wall: self.world.wall() + self.skew,
        }
    }

    fn take_step(&mut self) -> Result<(), String> {
        if self.sent.len() >= 4 {
            return Ok(());
        }
        match self.reader.next_step(self.time()) {
            ReaderStep::Send(request) => {
                self.trace("send", &request);
                self.sent.push(request);
            }
            ReaderStep::WaitUntil(time) => {
                self.waits_until = time;
                if !self.world.is_faulty && self.sent.is_empty() {
                    self.world.now = self.world.now.max(self.began + time);
                }
            }
            ReaderStep::Await if self.sent.is_empty() => {
                return Err("the reader waits for nothing".to_owned());
            }
            ReaderStep::Await => {}
            ReaderStep::Ended => self.has_ended = true,
        }
        if self.has_ended && !self.world.is_disabled {
            return Err("the reader has ended, and the stream has not".to_owned());
        }
        Ok(())
    }

    fn take_answer(&mut self) -> Result<(), String> {
        if self.sent.is_empty() {
            return Ok(());
        }
        let sent = self
            .sent
            .swap_remove(self.world.rng.usize(0..self.sent.len()));
        let answer = self.world.answer(&sent);
        self.trace("answer", &(&sent, &answer));
        let time = self.time();
        let taken = self.reader.take_answer(&sent, answer, time, &mut self.log);
        if self.first.is_none() && self.reader.is_placed() {
            // Later records must be delivered, whatever the start.
            self.first = Some(self.world.counts);
            // The first position has the shards.
            let rest = self.log.split_off(self.delivered_entries);
            self.log
                .extend(ReaderEntry::apply_surveys(rest, &mut self.position));
        }
        // Many failures in a row are an error, after which the program opens the stream again.
        if taken.is_err() {
            match self.first {
                Some(_) => self.restart(),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The process ends, and another one continues at the position of the delivered records.
    fn restart(&mut self) {
        let position = self.position.to_string();
        self.position = position.parse().expect("a position");
        self.trace("restart", &self.position.shards);
        self.reader = ShardReader::at_position(&self.position);
        self.reader.set_retention(Some(DAY));
        self.began = self.world.now;
        self.log.clear();
        self.delivered_entries = 0;
        self.sent.clear();
        self.has_ended = false;
    }

    fn deliver_entry(&mut self, restarts: bool) -> Result<(), String> {
        let Some(entry) = self.log.get(self.delivered_entries) else {
            return Ok(());
        };
        self.delivered_entries += 1;
        self.trace("deliver", entry);
        entry.apply_to(&mut self.position);
        match entry {
            ReaderEntry::Lost { shard, lost, .. } => {
                let (shard, lost) = (shard.clone(), *lost);
                self.check_loss(shard.as_deref(), lost)?;
                self.losses.push((shard, lost));
            }
            ReaderEntry::Record {
                record,
                is_requested,
                ..
            } => {
                let id = record.event_id().expect("an ID");
                let (item, number) = id.split_once('-').expect("an item and a number");
                let (item, number) = (
                    item.parse().expect("an item"),
                    number.parse().expect("a number"),
                );
                if *is_requested {
                    self.check_record(item, number)?;
                }
            }
            _ => {}
        }
        // Each entry of the log may be the last one of a process.
        if restarts && self.first.is_some() && self.world.rng.u32(0..12) == 0 {
            self.restart();
        }
        Ok(())
    }

    /// A loss must be real, unless the reader cannot know better: the last thing that it knows is half a day old.
    fn check_loss(&self, shard: Option<&str>, lost: LostTimes) -> Result<(), String> {
        let now = self.world.wall();
        let is_old = lost.after.is_some_and(|after| now - after > DAY / 2);
        let is_real = self.world.shards.iter().any(|other| {
            let is_concerned = shard.is_none_or(|shard| self.world.is_within(shard, &other.id));
            let gone = other.records.iter().take(other.trimmed);
            is_concerned
                && gone
                    .into_iter()
                    .any(|record| self.is_missing(record) && self.includes(lost, record.at))
        });
        match is_old || is_real {
            true => Ok(()),
            false => Err(format!(
                "a loss was reported that did not happen: {lost:?} in {shard:?} at {now}"
            )),
        }
    }

    fn is_missing(&self, record: &SimRecord) -> bool {
        record.number >= self.next[record.item].unwrap_or_else(|| self.first_number(record.item))
    }

    fn check_record(&mut self, item: usize, number: u64) -> Result<(), String> {
        // A stream that begins with the latest change may deliver earlier ones before.
        let is_early = self.first.is_none_or(|first| number < first[item]);
        if is_early && self.start == Start::Latest && self.next[item].is_none() {
            return Ok(());
        }
        let next = self.next[item].unwrap_or_else(|| self.first_number(item));
        if self.next[item].is_some_and(|next| number < next) {
            return Err(format!(
                "record {number} of item {item} was delivered twice or late"
            ));
        }
        for skipped in next..number {
            self.check_skipped(item, skipped)?;
        }
        self.next[item] = Some(number + 1);
        Ok(())
    }

    /// The first record of an item that must be delivered.
    fn first_number(&self, item: usize) -> u64 {
        let wanted = |number: &u64| match self.start {
            Start::Oldest => true,
            Start::Latest => self.first.is_some_and(|first| *number >= first[item]),
            Start::Since => self.time_of(item, *number) >= self.since,
        };
        (0..self.world.counts[item])
            .find(wanted)
            .unwrap_or(self.world.counts[item])
    }

    fn written(&self, item: usize, number: u64) -> (&SimShard, &SimRecord) {
        let all = self
            .world
            .shards
            .iter()
            .flat_map(|shard| shard.records.iter().map(move |record| (shard, record)));
        let mut found = all.filter(|(_, record)| (record.item, record.number) == (item, number));
        found.next().expect("a record that was written")
    }

    fn time_of(&self, item: usize, number: u64) -> i64 {
        self.written(item, number).1.at
    }

    /// A record that was not delivered must be gone, and its loss reported for its shard and its time, unless it is older
    /// than the start.
    fn check_skipped(&self, item: usize, number: u64) -> Result<(), String> {
        let is_older = self.first.is_none_or(|first| number < first[item]);
        if is_older && self.start == Start::Latest {
            return Ok(());
        }
        if self
            .world
            .kept()
            .any(|record| (record.item, record.number) == (item, number))
        {
            return Err(format!("record {number} of item {item} was skipped"));
        }
        let (shard, record) = self.written(item, number);
        let is_reported = |(lost_in, lost): &(Option<ShardId>, LostTimes)| {
            lost_in
                .as_ref()
                .is_none_or(|lost_in| self.world.is_within(lost_in, &shard.id))
                && self.includes(*lost, record.at)
        };
        match is_older && self.start != Start::Since || self.losses.iter().any(is_reported) {
            true => Ok(()),
            false => Err(format!(
                "record {number} of item {item} in {} at {} was lost, and no error says so: {:?}",
                shard.id, record.at, self.losses
            )),
        }
    }

    /// Times of a loss may be those of the machine.
    fn includes(&self, lost: LostTimes, at: i64) -> bool {
        let skew = self.skew.abs();
        lost.after.is_none_or(|after| after - skew <= at) && at <= lost.until + skew
    }

    /// Whether all records were delivered.
    fn check_all(&self) -> Result<(), String> {
        for item in 0..ITEMS {
            let next = self.next[item].unwrap_or_else(|| self.first_number(item));
            for number in next..self.world.counts[item] {
                self.check_skipped(item, number)?;
            }
        }
        Ok(())
    }
}
