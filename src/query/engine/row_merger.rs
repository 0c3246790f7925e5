//! The rows of several lanes in one order.
//!
//! For each lane that is not at its end, either its next row is available, or the lowest rank that this row can have
//! is known. The first of these is either the next row of all, or the lane to query.

use super::fetch::{Fetch, FetchedRows};
use super::lanes::Lanes;
use super::merge_tree::{MergeTree, Track};
use crate::error::{Error, Result};
use crate::key::rank::{Ranking, Ranks};
use crate::read::{RawRow, RawRows};
use crate::retry::CONCURRENCY;

/// The number of merged rows that are delivered at once. The rows after them may not have been decoded yet.
const AT_ONCE: usize = 1024;

#[derive(Debug)]
pub(super) struct RowMerger {
    lanes: Vec<MergeLane>,
    /// The next lane.
    tree: MergeTree,
    /// The number of lanes with interleaving rows.
    width: usize,
    /// Whether all rows are needed, so that lanes may be queried before their turn.
    until_the_end: bool,
    /// The error after the delivered rows.
    failed: Option<Error>,
}

/// The available rows of a lane.
#[derive(Debug, Default)]
struct MergeLane {
    rows: RawRows,
    /// The response, kept until its turn.
    next: Option<Result<FetchedRows>>,
}

impl RowMerger {
    /// Merges these lanes, and ranks their rows for that.
    pub(crate) fn new(reads: &mut Lanes, ranking: &Ranking, width: usize) -> Result<Self> {
        let ranks = reads.iter_mut().map(|fetch| {
            fetch.rank_by(ranking.clone());
            // Before the first response, only the lower bound of the range is known. It is the lowest rank of the first
            // row.
            let mut ranks = Ranks::default();
            fetch.rank_next(&mut ranks)?;
            Ok(ranks)
        });
        let ranks = ranks.collect::<Result<Vec<_>>>()?;
        Ok(RowMerger {
            lanes: ranks.iter().map(|_| MergeLane::default()).collect(),
            tree: MergeTree::new(ranks.into_iter()),
            width,
            until_the_end: false,
            failed: None,
        })
    }

    /// Declares that all rows will be read.
    pub(super) fn go_to_the_end(&mut self) {
        self.until_the_end = true;
    }

    /// The next lane.
    pub(crate) fn first_lane(&self) -> Option<usize> {
        self.tree.first_lane()
    }

    /// Whether the next row of all lanes is available without another request.
    pub(super) fn is_row_known(&self) -> bool {
        let first = self.tree.first_lane().and_then(|lane| self.lanes.get(lane));
        first.is_some_and(|lane| lane.rows.len() > 0)
    }

    pub(crate) async fn next<Row: From<RawRow>>(
        &mut self,
        reads: &mut Lanes,
        wanted: Option<usize>,
    ) -> Result<Vec<Row>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.is_row_known() {
            self.fill_lanes(reads, wanted).await?;
        }
        let at_hand: usize = self.lanes.iter().map(|lane| lane.rows.len()).sum();
        let most = wanted.unwrap_or(AT_ONCE).min(AT_ONCE);
        let mut rows = Vec::with_capacity(most.min(at_hand));
        while let Some(at) = self.tree.first_lane()
            && let Some(lane) = self.lanes.get_mut(at)
        {
            if rows.len() < most
                && let Some(row) = lane.rows.next()
            {
                rows.push(Row::from(row));
                // A response that is not completely decoded has more rows. Their ranks must be known before the lane
                // advances.
                if lane.rows.len() > 0 || !lane.is_unread(reads.lane_fetch(at)) {
                    self.tree.advance_first();
                    continue;
                }
            }
            if lane.rows.len() > 0 {
                break;
            }
            match reads.get_mut(at).and_then(|fetch| lane.go_on(fetch)) {
                Some(Ok(track)) => self.tree.go_on(track),
                // Rows before an error are delivered first, because they are valid, and the next call returns the
                // error.
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

    /// Queries the lanes that may be first, and some that come next.
    async fn fill_lanes(&mut self, reads: &mut Lanes, wanted: Option<usize>) -> Result<()> {
        // More lanes at once would only fill the memory, because their rows wait for their turn.
        let most = wanted.map_or(CONCURRENCY, |_| reads.grow_ahead().min(CONCURRENCY));
        let dry = self.withdraw_dry(most);
        // Twice an even share: rows are rarely spread evenly, and another request costs more than a few rows.
        let share = wanted.map(|wanted| {
            let share = wanted.saturating_mul(2).div_ceil(self.width.max(1));
            share.saturating_add(1).min(wanted)
        });
        let mut lanes: Vec<usize> = dry.iter().map(|(at, _)| *at).collect();
        if lanes.is_empty() {
            return Ok(());
        }
        lanes.extend(self.soon_dry(reads, CONCURRENCY.saturating_sub(lanes.len())));
        // The budget may omit some of these lanes, so only the received responses are used.
        for (at, answer) in reads.fetch_lanes(&lanes, share).await {
            // If all rows are read, the rows before an error are delivered first: it waits for the turn of its lane.
            let answer = match self.until_the_end {
                true => answer,
                false => Ok(answer?),
            };
            if let Some(lane) = self.lanes.get_mut(at) {
                lane.next = Some(answer);
            }
        }
        for (at, track) in dry {
            let track = match self.lanes.get_mut(at).zip(reads.lane_fetch(at)) {
                Some((lane, fetch)) => lane.begin_track(fetch, track)?,
                None => track,
            };
            self.tree.enter_lane(at, track);
        }
        // Several lanes have new ranks, so all lanes meet again. One by one, each would need the
        // tree to be valid in between.
        self.tree.build_tree();
        Ok(())
    }

    /// Up to `most` lanes that run dry next. They are queried together with a lane that is dry, instead of one after
    /// the other.
    fn soon_dry(&self, reads: &Lanes, most: usize) -> Vec<usize> {
        if !self.until_the_end || most == 0 {
            return Vec::new();
        }
        let ahead = self.lanes.iter().filter(|lane| lane.next.is_some()).count();
        let lanes = self.lanes.iter().enumerate();
        let soon = lanes.filter(|(at, lane)| lane.is_nearly_dry(reads.lane_fetch(*at)));
        let mut soon: Vec<(&[u8], usize)> = soon
            .filter_map(|(at, _)| Some((self.tree.end_of(at)?, at)))
            .collect();
        // The lane whose last known row comes first runs dry first.
        soon.sort_unstable();
        let soon = soon.into_iter().map(|(_, at)| at);
        // More lanes at once would only fill the memory, because their rows wait for their turn.
        soon.take(most.min(CONCURRENCY.saturating_sub(ahead)))
            .collect()
    }

    /// Whether no row of the lane is available.
    fn is_dry(&self, lane: usize) -> bool {
        let lane = self.lanes.get(lane);
        lane.is_some_and(|lane| lane.rows.len() == 0 && lane.next.is_none())
    }

    /// Removes the lanes without available rows from the tree, in their order, if they come before every available
    /// row.
    fn withdraw_dry(&mut self, most: usize) -> Vec<(usize, Track)> {
        let mut dry: Vec<(usize, Track)> = Vec::new();
        while let Some(lane) = self.tree.first_lane().filter(|lane| self.is_dry(*lane)) {
            // If several lanes have the same lower bound, as at the start with shards, each may have the next row, so
            // all are queried.
            let mut first = dry.iter().take(1);
            let is_next = first.all(|(_, first)| self.tree.first_stands_with(first));
            if !is_next && dry.len() >= most {
                break;
            }
            dry.extend(self.tree.withdraw_first().map(|track| (lane, track)));
        }
        dry
    }
}

impl MergeLane {
    /// Whether its response has more rows, and no newer response waits.
    fn is_unread(&self, fetch: Option<&Fetch>) -> bool {
        self.next.is_none() && fetch.is_some_and(Fetch::is_unread)
    }

    /// Whether half of the last rows are consumed and more have to be requested.
    fn is_nearly_dry(&self, fetch: Option<&Fetch>) -> bool {
        let is_at_end = |fetch: &Fetch| !fetch.is_done() && !fetch.is_unread();
        let is_at_end = self.next.is_none() && fetch.is_some_and(is_at_end);
        is_at_end && self.rows.len() <= self.rows.taken_rows()
    }

    /// Takes the rows of a response, and returns their ranks.
    fn take_answer(&mut self, fetch: &Fetch, answer: FetchedRows) -> Result<Track> {
        let mut ranks = answer.ranks;
        fetch.rank_next(&mut ranks)?;
        self.rows = answer.rows;
        Ok(Track::new(ranks))
    }

    /// Begins with the rows of the received response. Without one, or with an error, the lane does not move.
    fn begin_track(&mut self, fetch: &Fetch, track: Track) -> Result<Track> {
        match self.next.take() {
            Some(Ok(answer)) => self.take_answer(fetch, answer),
            other => {
                self.next = other;
                Ok(track)
            }
        }
    }

    /// The ranks of the next rows: those of the received response, or the rest of the current one.
    fn go_on(&mut self, fetch: &mut Fetch) -> Option<Result<Track>> {
        let answer = match self.next.take() {
            Some(answer) => answer,
            None if fetch.is_unread() => fetch.read_on(),
            None => return None,
        };
        Some(answer.and_then(|answer| self.take_answer(fetch, answer)))
    }
}
