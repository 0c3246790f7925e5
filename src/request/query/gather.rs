//! Several lanes read side by side, their rows in one order.
//!
//! Of each lane that is not at its end something is known: its next row, or, as none is at hand, where
//! that is at the earliest. Whatever comes first of these is either the next row of all, or the lane to
//! ask.

use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::fetch::{Answer, Fetch};
use super::head::Head;
use super::trail::{Reached, Run};
use crate::codec::Fault;
use crate::error::{Error, Result};
use crate::key::rank::Rank;
use crate::request::raw_row::RawRow;
use crate::request::together::{CONCURRENCY, together};

/// In which order rows come.
#[derive(Debug, Clone)]
pub(crate) struct Merge {
    pub(super) entity: &'static str,
    /// The attributes of the sort key.
    pub(super) sort: Arc<[&'static str]>,
    pub(super) descending: bool,
    /// One lane after the other, instead of all by the sort key.
    pub(super) by_partition: bool,
    /// As answers come.
    pub(super) unordered: bool,
    /// Lanes are the segments of a scan.
    pub(super) segmented: bool,
    /// How many lanes have their rows between each other's.
    pub(super) width: usize,
}

/// The reads of all lanes of a query.
#[derive(Debug)]
pub(crate) struct Gather {
    lanes: Vec<Lane>,
    /// What comes next of each lane that is not at its end.
    heads: BinaryHeap<Head>,
    merge: Merge,
    /// Items that may still be looked at, of all lanes.
    budget: Option<usize>,
    /// How many lanes are asked at once: few at first, as they may do.
    ahead: usize,
}

#[derive(Debug)]
struct Lane {
    fetch: Fetch,
    /// The first stands for the lane.
    rows: VecDeque<RawRow>,
    /// Of those behind it.
    ranks: VecDeque<Rank>,
}

impl Gather {
    /// The reads come in the order of the lanes.
    pub(super) fn new(
        mut fetches: Vec<Fetch>,
        merge: Merge,
        budget: Option<usize>,
    ) -> Result<Self> {
        if merge.descending {
            fetches.reverse();
        }
        let lane = |fetch| Lane {
            fetch,
            rows: VecDeque::new(),
            ranks: VecDeque::new(),
        };
        let mut gather = Gather {
            lanes: fetches.into_iter().map(lane).collect(),
            heads: BinaryHeap::new(),
            merge,
            // Nothing would be found, and nothing left, by looking at nothing.
            budget: budget.map(|budget| budget.max(1)),
            ahead: 1,
        };
        if gather.is_merging() {
            for lane in &mut gather.lanes {
                lane.fetch.rank_by(&gather.merge.sort);
            }
            let lanes = gather.lanes.iter().enumerate();
            let heads = lanes.filter_map(|(at, lane)| lane.unknown(at, &gather.merge).transpose());
            gather.heads = heads.collect::<Result<_>>()?;
        }
        Ok(gather)
    }

    fn is_merging(&self) -> bool {
        self.lanes.len() > 1 && !self.merge.by_partition && !self.merge.unordered
    }

    /// Nothing more is there.
    pub(super) fn is_done(&self) -> bool {
        self.heads.is_empty() && self.lanes.iter().all(|lane| lane.fetch.is_done())
    }

    /// There may be more, and it may not be looked at.
    pub(super) fn is_spent(&self) -> bool {
        let is_known = self.heads.peek().is_some_and(|head| head.is_row);
        self.is_poor() && !self.is_done() && !is_known && !self.must_begin()
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
        match self.heads.peek() {
            Some(head) => self.lanes.get(head.lane),
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

    /// The next rows, of at least one answer. `wanted` is how many there is use for.
    pub(super) async fn next(&mut self, wanted: Option<usize>) -> Result<Vec<RawRow>> {
        if self.is_merging() {
            return self.next_merged(wanted).await;
        }
        let mut open = self.open_lanes();
        open.truncate(1);
        let answers = self.ask(&open, wanted).await?;
        Ok(answers
            .into_iter()
            .flat_map(|(_, answer)| answer.rows)
            .collect())
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
        for (segment, answer) in self.ask(&open, share).await? {
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
        let answers = self.ask(&open, wanted).await?;
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

    async fn next_merged(&mut self, wanted: Option<usize>) -> Result<Vec<RawRow>> {
        if !self.heads.peek().is_some_and(|head| head.is_row) {
            self.fill(wanted).await?;
        }
        let at_hand = self.lanes.iter().map(|lane| lane.rows.len()).sum();
        let mut rows = Vec::with_capacity(wanted.unwrap_or(at_hand).min(at_hand));
        while wanted.is_none_or(|wanted| rows.len() < wanted)
            && let Some(row) = self.pop()?
        {
            rows.push(row);
        }
        Ok(rows)
    }

    /// Asks the lanes that may come first, and some that come next.
    async fn fill(&mut self, wanted: Option<usize>) -> Result<()> {
        // No more than that: their rows wait in memory.
        let most = wanted.map_or(CONCURRENCY, |_| self.grow().min(CONCURRENCY));
        let mut unknown: Vec<Head> = Vec::new();
        while let Some(head) = self.heads.peek_mut() {
            let is_next = unknown.first().is_none_or(|first| head.stands_with(first));
            if head.is_row || !is_next && unknown.len() >= most {
                break;
            }
            unknown.push(PeekMut::pop(head));
        }
        let share = wanted.map(|wanted| {
            let share = wanted.saturating_mul(2).div_ceil(self.merge.width.max(1));
            share.saturating_add(1).min(wanted)
        });
        let lanes: Vec<usize> = unknown.iter().map(|head| head.lane).collect();
        let answers = self.ask(&lanes, share).await?;
        // The budget may leave some out.
        self.heads.extend(unknown.drain(answers.len()..));
        for (at, answer) in answers {
            if let Some(lane) = self.lanes.get_mut(at) {
                // Nothing of it was at hand.
                lane.rows = answer.rows.into();
                lane.ranks = answer.ranks.into();
                let head = lane.head(at, &self.merge)?;
                self.heads.extend(head);
            }
        }
        Ok(())
    }

    /// The next answer of each of these lanes: of the first ones, as far as the budget goes, and of one in
    /// any case.
    async fn ask(
        &mut self,
        lanes: &[usize],
        wanted: Option<usize>,
    ) -> Result<Vec<(usize, Answer)>> {
        let budget = self.budget.map(|budget| budget.max(1));
        let count = lanes.len().min(budget.unwrap_or(usize::MAX));
        let lanes: HashSet<usize> = lanes.iter().take(count).copied().collect();
        let share = budget.map(|budget| budget / count.max(1));
        let asked = self.lanes.iter_mut().enumerate();
        let asked = asked.filter(|(at, _)| lanes.contains(at));
        let answers = asked.map(|(at, lane)| async move {
            lane.fetch.allow(share);
            let answer = lane.fetch.next(wanted).await?;
            let left = lane.fetch.allowance().unwrap_or_default();
            Ok((at, answer, share.unwrap_or_default() - left))
        });
        let answers: Result<Vec<_>> = together(answers.collect()).await.into_iter().collect();
        let mut kept = Vec::new();
        for (at, answer, looked_at) in answers? {
            self.budget = self.budget.map(|budget| budget.saturating_sub(looked_at));
            kept.push((at, answer));
        }
        Ok(kept)
    }

    /// The next row of all, if it is known.
    fn pop(&mut self) -> Result<Option<RawRow>> {
        let Some(mut head) = self.heads.peek_mut().filter(|head| head.is_row) else {
            return Ok(None);
        };
        let Some(lane) = self.lanes.get_mut(head.lane) else {
            return Ok(None);
        };
        let row = lane.rows.pop_front();
        match lane.head(head.lane, &self.merge)? {
            Some(next) => *head = next,
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(row)
    }
}

impl Lane {
    /// How far it was read.
    fn reached(&self) -> Reached {
        match self.fetch.position() {
            _ if self.fetch.is_done() => Reached::End,
            Some(position) => Reached::Behind(position.into()),
            None => Reached::Nothing,
        }
    }

    /// What comes next of it.
    fn head(&mut self, at: usize, merge: &Merge) -> Result<Option<Head>> {
        let Some(rank) = self.ranks.pop_front() else {
            return self.unknown(at, merge);
        };
        Ok(Some(Head::new(rank, at, true, merge.descending)))
    }

    /// A row that is not at hand, unless there is none.
    fn unknown(&self, at: usize, merge: &Merge) -> Result<Option<Head>> {
        if self.fetch.is_done() {
            return Ok(None);
        }
        let horizon = self.fetch.horizon(&merge.sort);
        let rank = horizon.map_err(|fault| unsorted(merge, fault))?;
        Ok(Some(Head::new(rank, at, false, merge.descending)))
    }
}

fn unsorted(merge: &Merge, fault: Fault) -> Error {
    Error::decode(merge.entity, fault)
}
