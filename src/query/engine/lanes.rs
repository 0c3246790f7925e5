//! The reads of a query, concurrently and within one budget: one for each partition, shard or segment.

use super::fetch::{Fetch, FetchedRows};
use crate::error::Result;
use crate::retry::run_together;

/// The responses of some lanes, each with the number of its lane.
pub(super) type LaneAnswers = Vec<(usize, Result<FetchedRows>)>;

#[derive(Debug)]
pub(super) struct Lanes {
    fetches: Vec<Fetch>,
    /// The number of items of all lanes that may still be read.
    budget: Option<usize>,
    /// The number of lanes that are queried at once: few at first, because these may be enough.
    ahead: usize,
}

impl Lanes {
    pub(crate) fn new(fetches: Vec<Fetch>, budget: Option<usize>) -> Self {
        Lanes {
            fetches,
            // A budget of 0 would find nothing and leave no position to continue from.
            budget: budget.map(|budget| budget.max(1)),
            ahead: 1,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.fetches.len()
    }

    pub(crate) fn lane_fetch(&self, lane: usize) -> Option<&Fetch> {
        self.fetches.get(lane)
    }

    pub(crate) fn get_mut(&mut self, lane: usize) -> Option<&mut Fetch> {
        self.fetches.get_mut(lane)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Fetch> {
        self.fetches.iter_mut()
    }

    /// Whether the number of items to read is limited.
    pub(super) fn has_budget(&self) -> bool {
        self.budget.is_some()
    }

    /// Whether no more items may be read.
    pub(super) fn is_poor(&self) -> bool {
        self.budget == Some(0)
    }

    pub(super) fn is_done(&self) -> bool {
        self.fetches.iter().all(Fetch::is_done)
    }

    /// The first lane that is not at its end.
    pub(super) fn first_open(&self) -> Option<&Fetch> {
        self.fetches.iter().find(|fetch| !fetch.is_done())
    }

    pub(crate) fn open_lanes(&self) -> Vec<usize> {
        let fetches = self.fetches.iter().enumerate();
        let open = fetches.filter(|(_, fetch)| !fetch.is_done());
        open.map(|(at, _)| at).collect()
    }

    /// The number of lanes that are queried at once: twice as many each time.
    pub(super) fn grow_ahead(&mut self) -> usize {
        let ahead = self.ahead;
        self.ahead = ahead.saturating_mul(2);
        ahead
    }

    /// The next response of each of these lanes, within the budget. At least one lane is queried in any case.
    pub(super) async fn fetch_lanes(
        &mut self,
        lanes: &[usize],
        wanted: Option<usize>,
    ) -> LaneAnswers {
        // Even with a spent budget one item is read: the caller asks only if it needs a position in
        // a lane that has not begun.
        let budget = self.budget.map(|budget| budget.max(1));
        let count = lanes.len().min(budget.unwrap_or(usize::MAX));
        let mut is_asked = vec![false; self.fetches.len()];
        for at in lanes.iter().take(count) {
            if let Some(is_asked) = is_asked.get_mut(*at) {
                *is_asked = true;
            }
        }
        // The budget is divided before the requests are sent, because they run concurrently and
        // cannot share a counter that limits them.
        let share = budget.map(|budget| budget / count.max(1));
        let asked = self.fetches.iter_mut().enumerate().zip(is_asked);
        let asked = asked.filter_map(|(fetch, is_asked)| is_asked.then_some(fetch));
        let answers = asked.map(|(at, fetch)| async move {
            fetch.allow_rows(share);
            let answer = fetch.next(wanted).await;
            let left = fetch.remaining_rows().unwrap_or_default();
            (at, answer, share.unwrap_or_default() - left)
        });
        let mut kept = Vec::new();
        for (at, answer, looked_at) in run_together(answers.collect()).await {
            self.budget = self.budget.map(|budget| budget.saturating_sub(looked_at));
            kept.push((at, answer));
        }
        kept
    }
}
