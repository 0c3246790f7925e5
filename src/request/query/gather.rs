//! Several lanes read side by side, their rows in one order.
//!
//! Of each lane that is not at its end something is known: its next row, or, as none is at hand, where
//! that is at the earliest. Whatever comes first of these is either the next row of all, or the lane to
//! ask.

use super::fetch::{Answer, Fetch};
use super::race::{Race, Track};
use super::trail::{Reached, Run};
use crate::error::{Error, Result};
use crate::key::rank::{Ranking, Ranks};
use crate::request::raw_row::{RawRow, RawRows};
use crate::request::together::{CONCURRENCY, together};

/// In which order rows come.
#[derive(Debug, Clone)]
pub(crate) struct Merge {
    pub(super) ranking: Ranking,
    /// One lane after the other, instead of all by the sort key.
    pub(super) by_partition: bool,
    /// The last lane comes first.
    pub(super) from_the_last: bool,
    /// As answers come.
    pub(super) unordered: bool,
    /// Lanes are the segments of a scan.
    pub(super) segmented: bool,
    /// How many lanes have their rows between each other's.
    pub(super) width: usize,
}

/// So many merged rows are handed over at once: those behind them may not be read yet.
const AT_ONCE: usize = 1024;

/// The reads of all lanes of a query.
#[derive(Debug)]
pub(crate) struct Gather {
    lanes: Vec<Lane>,
    /// Which lane comes next, if they are merged.
    race: Race,
    merge: Merge,
    /// Items that may still be looked at, of all lanes.
    budget: Option<usize>,
    /// How many lanes are asked at once: few at first, as they may do.
    ahead: usize,
    /// All rows are wanted, so lanes may be asked before their turn.
    until_the_end: bool,
    /// What comes behind the rows that were handed over.
    failed: Option<Error>,
}

#[derive(Debug)]
struct Lane {
    fetch: Fetch,
    rows: RawRows,
    /// What was answered, until it is its turn.
    next: Option<Result<Answer>>,
}

impl Gather {
    /// The reads come in the order of the lanes.
    pub(super) fn new(
        mut fetches: Vec<Fetch>,
        merge: Merge,
        budget: Option<usize>,
    ) -> Result<Self> {
        if merge.from_the_last {
            fetches.reverse();
        }
        let lane = |fetch| Lane {
            fetch,
            rows: RawRows::default(),
            next: None,
        };
        let mut gather = Gather {
            lanes: fetches.into_iter().map(lane).collect(),
            race: Race::default(),
            merge,
            // Nothing would be found, and nothing left, by looking at nothing.
            budget: budget.map(|budget| budget.max(1)),
            ahead: 1,
            until_the_end: false,
            failed: None,
        };
        if gather.is_merging() {
            let ranking = &gather.merge.ranking;
            let ranks = gather.lanes.iter_mut().map(|lane| lane.rank_by(ranking));
            gather.race = Race::new(ranks.collect::<Result<Vec<_>>>()?.into_iter());
        }
        Ok(gather)
    }

    /// All rows are going to be read.
    pub(super) fn until_the_end(mut self) -> Self {
        // Nothing is looked at that might be left over.
        self.until_the_end = self.budget.is_none();
        self
    }

    pub(super) fn is_merging(&self) -> bool {
        self.lanes.len() > 1 && !self.merge.by_partition && !self.merge.unordered
    }

    /// Nothing more is there.
    pub(super) fn is_done(&self) -> bool {
        self.race.first().is_none() && self.lanes.iter().all(|lane| lane.fetch.is_done())
    }

    /// There may be more, and it may not be looked at.
    pub(super) fn is_spent(&self) -> bool {
        self.is_poor() && !self.is_done() && !self.is_row_known() && !self.must_begin()
    }

    /// The next row of all is at hand, and no request is needed to have it.
    pub(super) fn is_row_known(&self) -> bool {
        let first = self.race.first().and_then(|lane| self.lanes.get(lane));
        first.is_some_and(|lane| lane.rows.len() > 0)
    }

    fn is_poor(&self) -> bool {
        self.budget == Some(0)
    }

    /// Whether the lane that is next was not looked at: a cursor needs a place in it, or a query that is
    /// resumed with the same budget would never end.
    fn must_begin(&self) -> bool {
        let next = self.next_lane();
        !self.merge.unordered && next.is_some_and(|lane| lane.fetch.is_fresh())
    }

    /// The lane that is asked next.
    fn next_lane(&self) -> Option<&Lane> {
        match self.race.first() {
            Some(lane) => self.lanes.get(lane),
            None => self.lanes.iter().find(|lane| !lane.fetch.is_done()),
        }
    }

    /// Up to where all was looked at; none in segments.
    pub(super) fn position(&self) -> Option<&[u8]> {
        if self.merge.segmented {
            return None;
        }
        self.next_lane().and_then(|lane| lane.fetch.position())
    }

    /// The next rows, of at least one answer, as whoever asks has them. `wanted` is how many there is use for.
    pub(super) async fn next<Row: From<RawRow>>(
        &mut self,
        wanted: Option<usize>,
    ) -> Result<Vec<Row>> {
        if self.is_merging() {
            return self.next_merged(wanted).await;
        }
        let mut open = self.open_lanes();
        open.truncate(1);
        let answer = self.ask(&open, wanted).await.pop();
        let answer = answer.map(|(_, answer)| answer).transpose()?;
        let rows = answer.map(|answer| answer.rows).unwrap_or_default();
        Ok(rows.map(Row::from).collect())
    }

    pub(super) fn is_segmented(&self) -> bool {
        self.merge.segmented
    }

    /// The next rows of a scan in segments: those of one answer after the other, a run of rows each.
    pub(super) async fn next_runs(
        &mut self,
        wanted: Option<usize>,
    ) -> Result<(Vec<RawRow>, Vec<Run>)> {
        let mut open = self.open_lanes();
        // All that is asked for at once waits in memory.
        open.truncate(wanted.unwrap_or(CONCURRENCY).clamp(1, CONCURRENCY));
        let share = wanted.map(|wanted| wanted.div_ceil(open.len().max(1)));
        let (mut rows, mut runs) = (Vec::new(), Vec::new());
        for (segment, answer) in all(self.ask(&open, share).await)? {
            runs.push(Run {
                segment,
                rows: answer.rows.len(),
                ends: self.lanes.get(segment).map(Lane::reached),
            });
            rows.extend(answer.rows);
        }
        Ok((rows, runs))
    }

    /// The number of rows in the next answers.
    pub(super) async fn next_count(&mut self, wanted: Option<usize>) -> Result<usize> {
        let mut open = self.open_lanes();
        if wanted.is_some() {
            open.truncate(self.grow());
        }
        let answers = all(self.ask(&open, wanted).await)?;
        Ok(answers.iter().map(|(_, answer)| answer.count).sum())
    }

    fn open_lanes(&self) -> Vec<usize> {
        let lanes = self.lanes.iter().enumerate();
        let open = lanes.filter(|(_, lane)| !lane.fetch.is_done());
        open.map(|(at, _)| at).collect()
    }

    /// How many lanes are asked at once: twice as many each time.
    fn grow(&mut self) -> usize {
        let ahead = self.ahead;
        self.ahead = ahead.saturating_mul(2);
        ahead
    }

    async fn next_merged<Row: From<RawRow>>(&mut self, wanted: Option<usize>) -> Result<Vec<Row>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.is_row_known() {
            self.fill(wanted).await?;
        }
        let at_hand: usize = self.lanes.iter().map(|lane| lane.rows.len()).sum();
        let most = wanted.unwrap_or(AT_ONCE).min(AT_ONCE);
        let mut rows = Vec::with_capacity(most.min(at_hand));
        while let Some(lane) = self.race.first().and_then(|at| self.lanes.get_mut(at)) {
            if rows.len() < most
                && let Some(row) = lane.rows.next()
            {
                rows.push(Row::from(row));
                if lane.rows.len() > 0 || !lane.is_unread() {
                    self.race.advance();
                    continue;
                }
            }
            if lane.rows.len() > 0 {
                break;
            }
            match lane.go_on() {
                Some(Ok(track)) => self.race.go_on(track),
                Some(Err(error)) if rows.is_empty() => return Err(error),
                Some(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                None => break,
            }
        }
        Ok(rows)
    }

    /// Asks the lanes that may come first, and some that come next.
    async fn fill(&mut self, wanted: Option<usize>) -> Result<()> {
        let dry = self.withdraw_dry(wanted);
        let share = wanted.map(|wanted| {
            let share = wanted.saturating_mul(2).div_ceil(self.merge.width.max(1));
            share.saturating_add(1).min(wanted)
        });
        let mut lanes: Vec<usize> = dry.iter().map(|(at, _)| *at).collect();
        if lanes.is_empty() {
            return Ok(());
        }
        lanes.extend(self.soon_dry(CONCURRENCY.saturating_sub(lanes.len())));
        // The budget may leave some out.
        for (at, answer) in self.ask(&lanes, share).await {
            let answer = match self.until_the_end {
                true => answer,
                false => Ok(answer?),
            };
            if let Some(lane) = self.lanes.get_mut(at) {
                lane.next = Some(answer);
            }
        }
        for (at, track) in dry {
            let track = match self.lanes.get_mut(at) {
                Some(lane) => lane.begin(track)?,
                None => track,
            };
            self.race.enter(at, track);
        }
        self.race.start();
        Ok(())
    }

    /// The lanes that are dry next, at most so many: they are asked together with one that is, instead of one after the
    /// other.
    fn soon_dry(&self, most: usize) -> Vec<usize> {
        if !self.until_the_end || most == 0 {
            return Vec::new();
        }
        let ahead = self.lanes.iter().filter(|lane| lane.next.is_some()).count();
        let lanes = self.lanes.iter().enumerate();
        let soon = lanes.filter(|(_, lane)| lane.is_nearly_dry());
        let mut soon: Vec<(&[u8], usize)> = soon
            .filter_map(|(at, _)| Some((self.race.end_of(at)?, at)))
            .collect();
        soon.sort_unstable();
        let soon = soon.into_iter().map(|(_, at)| at);
        // No more than that: their rows wait in memory.
        soon.take(most.min(CONCURRENCY.saturating_sub(ahead)))
            .collect()
    }

    /// Nothing of it is at hand.
    fn is_dry(&self, lane: usize) -> bool {
        let lane = self.lanes.get(lane);
        lane.is_some_and(|lane| lane.rows.len() == 0 && lane.next.is_none())
    }

    /// Takes those lanes out of the race of which no row is at hand, in their order, as far as they come before all rows
    /// that are.
    fn withdraw_dry(&mut self, wanted: Option<usize>) -> Vec<(usize, Track)> {
        // No more than that: their rows wait in memory.
        let most = wanted.map_or(CONCURRENCY, |_| self.grow().min(CONCURRENCY));
        let mut dry: Vec<(usize, Track)> = Vec::new();
        while let Some(lane) = self.race.first().filter(|lane| self.is_dry(*lane)) {
            let mut first = dry.iter().take(1);
            let is_next = first.all(|(_, first)| self.race.first_stands_with(first));
            if !is_next && dry.len() >= most {
                break;
            }
            dry.extend(self.race.withdraw().map(|track| (lane, track)));
        }
        dry
    }

    /// The next answer of each of these lanes: of the first ones, as far as the budget goes, and of one in
    /// any case.
    async fn ask(
        &mut self,
        lanes: &[usize],
        wanted: Option<usize>,
    ) -> Vec<(usize, Result<Answer>)> {
        let budget = self.budget.map(|budget| budget.max(1));
        let count = lanes.len().min(budget.unwrap_or(usize::MAX));
        let mut is_asked = vec![false; self.lanes.len()];
        for at in lanes.iter().take(count) {
            if let Some(is_asked) = is_asked.get_mut(*at) {
                *is_asked = true;
            }
        }
        let share = budget.map(|budget| budget / count.max(1));
        let asked = self.lanes.iter_mut().enumerate().zip(is_asked);
        let asked = asked.filter_map(|(lane, is_asked)| is_asked.then_some(lane));
        let answers = asked.map(|(at, lane)| async move {
            lane.fetch.allow(share);
            let answer = lane.fetch.next(wanted).await;
            let left = lane.fetch.allowance().unwrap_or_default();
            (at, answer, share.unwrap_or_default() - left)
        });
        let mut kept = Vec::new();
        for (at, answer, looked_at) in together(answers.collect()).await {
            self.budget = self.budget.map(|budget| budget.saturating_sub(looked_at));
            kept.push((at, answer));
        }
        kept
    }
}

/// Unless one is an error.
fn all(answers: Vec<(usize, Result<Answer>)>) -> Result<Vec<(usize, Answer)>> {
    let answers = answers.into_iter();
    answers.map(|(at, answer)| Ok((at, answer?))).collect()
}

impl Lane {
    /// Its rows are handed over, and more are left of their answer.
    fn is_unread(&self) -> bool {
        self.next.is_none() && self.fetch.is_unread()
    }

    /// Half of the rows that came last are gone, and more have to be asked for.
    fn is_nearly_dry(&self) -> bool {
        let is_at_end = self.next.is_none() && !self.fetch.is_done() && !self.fetch.is_unread();
        is_at_end && self.rows.len() <= self.rows.gone()
    }

    /// How far it was read.
    fn reached(&self) -> Reached {
        match self.fetch.position() {
            _ if self.fetch.is_done() => Reached::End,
            Some(position) => Reached::Behind(position.into()),
            None => Reached::Nothing,
        }
    }

    /// Rows to be handed over, and where they stand.
    fn take(&mut self, answer: Answer) -> Result<Track> {
        let mut ranks = answer.ranks;
        self.fetch.rank_next(&mut ranks)?;
        self.rows = answer.rows;
        Ok(Track::new(ranks))
    }

    /// The rows that were answered; where it was, if there are none or that is an error.
    fn begin(&mut self, track: Track) -> Result<Track> {
        match self.next.take() {
            Some(Ok(answer)) => self.take(answer),
            other => {
                self.next = other;
                Ok(track)
            }
        }
    }

    /// The next rows of the answer that it has, or of the next one, if that is there.
    fn go_on(&mut self) -> Option<Result<Track>> {
        let answer = match self.next.take() {
            Some(answer) => answer,
            None if self.fetch.is_unread() => self.fetch.read_on(),
            None => return None,
        };
        Some(answer.and_then(|answer| self.take(answer)))
    }

    /// Has its rows ranked, and says where the first one is at the earliest.
    fn rank_by(&mut self, ranking: &Ranking) -> Result<Ranks> {
        self.fetch.rank_by(ranking.clone());
        let mut ranks = Ranks::default();
        self.fetch.rank_next(&mut ranks)?;
        Ok(ranks)
    }
}
