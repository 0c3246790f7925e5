//! The next lane: a tournament tree that keeps the losers.
//!
//! Every lane has a rank: that of its next row, or the lowest rank that this row can have. Two lanes meet at each
//! node of the tree: the first of them moves on to the next node, and the other stays. When the first lane advances,
//! it meets only the lanes that stayed on its path, six of 64. Ranks are compared by one number: the bytes after the
//! front that all available ranks share.

use crate::key::rank::Ranks;

/// Lanes whose rows interleave.
#[derive(Debug, Default)]
pub(super) struct MergeTree {
    tracks: Vec<Track>,
    first: Option<TreeNode>,
    /// The loser at each node; the first position is not used. Below the node `n` are `2n` and `2n + 1`; numbers
    /// after the last node are the lanes.
    losers: Vec<TreeNode>,
    /// The common beginning of all available ranks.
    front: Vec<u8>,
    is_measured: bool,
    /// The number of lanes that got new ranks since the front was measured.
    entered: usize,
}

/// The ranks of one lane, and which of them is the current one.
#[derive(Debug, Default)]
pub(super) struct Track {
    ranks: Ranks,
    at: usize,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    lane: usize,
    /// The bytes of its rank that follow the front.
    next: u64,
}

/// The `next` of a lane without a rank. Few ranks have it too.
const LAST: u64 = u64::MAX;

impl MergeTree {
    pub(crate) fn new(lanes: impl Iterator<Item = Ranks>) -> Self {
        let mut tree = MergeTree {
            tracks: lanes.map(Track::new).collect(),
            ..MergeTree::default()
        };
        tree.build_tree();
        tree
    }

    /// The first lane, if any lane has a rank.
    #[inline]
    pub(crate) fn first_lane(&self) -> Option<usize> {
        let first = self.first.as_ref()?;
        // A rank may begin with eight bytes of 0xff, so `LAST` alone does not prove that the lane has no rank.
        let is_there = first.next < LAST || lane_rank(&self.tracks, first.lane).is_some();
        is_there.then_some(first.lane)
    }

    /// Whether the known bytes do not determine the order of the first lane and one that was removed before.
    pub(super) fn first_stands_with(&self, other: &Track) -> bool {
        let first = self
            .first
            .and_then(|first| lane_rank(&self.tracks, first.lane));
        let (first, other) = (
            first.unwrap_or_default(),
            other.first_rank().unwrap_or_default(),
        );
        first.starts_with(other) || other.starts_with(first)
    }

    /// The last known rank of a lane: its last row, or the bound of the next one.
    pub(super) fn end_of(&self, lane: usize) -> Option<&[u8]> {
        self.tracks.get(lane)?.ranks.last_rank()
    }

    /// Advances the first lane to its next rank.
    #[inline]
    pub(super) fn advance_first(&mut self) {
        if let Some(TreeNode { lane, .. }) = self.first
            && let Some(track) = self.tracks.get_mut(lane)
        {
            track.at += 1;
            let next = track.next(self.front.len());
            self.replay_path(TreeNode { lane, next });
        }
    }

    /// Gives the first lane other ranks, none of which is before its current one.
    pub(crate) fn go_on(&mut self, track: Track) {
        let Some(TreeNode { lane, .. }) = self.first else {
            return;
        };
        let next = track.next(self.front.len());
        self.enter_lane(lane, track);
        // The bytes of the other nodes follow the old front, so they cannot be compared with bytes after a new one. All
        // lanes then meet again.
        match self.is_measured {
            true => self.replay_path(TreeNode { lane, next }),
            false => self.build_tree(),
        }
    }

    /// Removes the ranks of the first lane.
    pub(super) fn withdraw_first(&mut self) -> Option<Track> {
        let TreeNode { lane, .. } = self.first?;
        let track = self.tracks.get_mut(lane).map(std::mem::take);
        self.replay_path(TreeNode { lane, next: LAST });
        track
    }

    /// Sets the ranks of a lane. After that, `build_tree` must be called again, unless it is the first lane and runs
    /// again.
    pub(super) fn enter_lane(&mut self, lane: usize, track: Track) {
        // The front is measured again from time to time, because the current ranks may share a longer one.
        self.entered += 1;
        if self.entered >= self.tracks.len() || !track.begins_with(&self.front) {
            self.is_measured = false;
        }
        if let Some(entered) = self.tracks.get_mut(lane) {
            *entered = track;
        }
    }

    /// Lets all lanes meet.
    pub(crate) fn build_tree(&mut self) {
        if !std::mem::replace(&mut self.is_measured, true) {
            self.front = shared_prefix(&self.tracks).to_vec();
            self.entered = 0;
        }
        let front = self.front.len();
        let tracks = self.tracks.iter().enumerate();
        let runners = tracks.map(|(lane, track)| TreeNode {
            lane,
            next: track.next(front),
        });
        // The lane that reaches each node. The first half is overwritten.
        let runners: Vec<TreeNode> = runners.collect();
        // This is the array of a binary heap: the lanes are its second half, so no node needs a pointer.
        let mut winners = [&*runners, &*runners].concat();
        self.losers = runners;
        for node in (1..self.losers.len()).rev() {
            let below = winners.get(2 * node..);
            let Some(&[mut one, mut other]) = below.and_then(|below| below.first_chunk()) else {
                continue;
            };
            compare_nodes(&self.tracks, &mut one, &mut other);
            if let (Some(winner), Some(loser)) = (winners.get_mut(node), self.losers.get_mut(node))
            {
                (*winner, *loser) = (one, other);
            }
        }
        self.first = winners.get(1).copied();
    }

    /// Lets the first lane go up the tree again after its rank has changed.
    #[inline]
    fn replay_path(&mut self, mut runner: TreeNode) {
        let mut node = (self.tracks.len() + runner.lane) / 2;
        while node > 0
            && let Some(met) = self.losers.get_mut(node)
        {
            compare_nodes(&self.tracks, &mut runner, met);
            node /= 2;
        }
        self.first = Some(runner);
    }
}

impl Track {
    pub(crate) fn new(ranks: Ranks) -> Self {
        Track { ranks, at: 0 }
    }

    fn first_rank(&self) -> Option<&[u8]> {
        self.ranks.rank_at(self.at)
    }

    /// The bytes of the current rank after the first `behind` bytes.
    #[inline]
    fn next(&self, behind: usize) -> u64 {
        self.ranks.next(self.at, behind).unwrap_or(LAST)
    }

    /// The first and the last of the remaining ranks. They are sorted, so those between have the same beginning.
    fn run_ends(&self) -> impl Iterator<Item = &[u8]> {
        let last = self.first_rank().and(self.ranks.last_rank());
        [self.first_rank(), last].into_iter().flatten()
    }

    fn begins_with(&self, front: &[u8]) -> bool {
        self.run_ends().all(|rank| rank.starts_with(front))
    }
}

/// The common beginning of the ranks of all lanes.
fn shared_prefix(tracks: &[Track]) -> &[u8] {
    let mut ranks = tracks.iter().flat_map(Track::run_ends);
    let first = ranks.next().unwrap_or_default();
    ranks.fold(first, |front, rank| {
        if rank.starts_with(front) {
            return front;
        }
        let pairs = front.iter().zip(rank);
        let count = pairs.take_while(|(one, other)| one == other).count();
        front.get(..count).unwrap_or_default()
    })
}

/// Swaps the two nodes if the second one comes first.
#[inline]
fn compare_nodes(tracks: &[Track], first: &mut TreeNode, second: &mut TreeNode) {
    if second.next < first.next || second.next == first.next && comes_first(tracks, *second, *first)
    {
        std::mem::swap(first, second);
    }
}

/// Among equal ranks, that of the earlier lane comes first.
#[cold]
fn comes_first(tracks: &[Track], runner: TreeNode, other: TreeNode) -> bool {
    let place = |runner: TreeNode| {
        let rank = lane_rank(tracks, runner.lane);
        (rank.is_none(), rank, runner.lane)
    };
    place(runner) < place(other)
}

fn lane_rank(tracks: &[Track], lane: usize) -> Option<&[u8]> {
    tracks.get(lane).and_then(Track::first_rank)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::key::point::KeyPoint;
    use crate::key::rank::Ranking;

    /// Many of these texts are equal, and many share a longer front than is compared.
    fn lane() -> impl Strategy<Value = Vec<String>> {
        let text = "(same-front-of-all-)?(|[abA]|0123456789|0123456789ab)[\\x00\\x01 a\u{e9}]{0,3}";
        proptest::collection::vec(text, 0..5)
    }

    fn ranks(mut texts: Vec<String>, descending: bool) -> Ranks {
        texts.sort();
        if descending {
            texts.reverse();
        }
        let ranking = Ranking {
            sort: Arc::new(["k"]),
            descending,
        };
        let mut ranks = Ranks::default();
        for text in texts {
            let point = KeyPoint::S(text);
            ranks.push_bound(&ranking, &[point]).expect("a rank");
        }
        ranks
    }

    /// The lane with the least rank: the earliest of several.
    fn least(tree: &MergeTree) -> Option<usize> {
        let lanes = tree.tracks.iter().enumerate();
        let ranks = lanes.filter_map(|(lane, track)| Some((track.first_rank()?, lane)));
        ranks.min().map(|(_, lane)| lane)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::random_cases(1_000)))]

        /// Lanes move on, on their own ranks or on others, are taken out and come back.
        #[test]
        fn the_first_is_the_least(
            lanes in proptest::collection::vec(lane(), 1..20),
            mut more in proptest::collection::vec(lane(), 0..40),
            mut taken in proptest::collection::vec(0..4usize, 1..100),
            descending: bool,
        ) {
            let lanes = lanes.into_iter().map(|texts| ranks(texts, descending));
            let mut tree = MergeTree::new(lanes);
            prop_assert_eq!(tree.first_lane(), least(&tree));
            while let Some(count) = taken.pop() {
                let mut out = Vec::new();
                for _ in 0..count {
                    if let Some(lane) = tree.first_lane() {
                        out.extend(tree.withdraw_first().map(|track| (lane, track)));
                        prop_assert_eq!(tree.first_lane(), least(&tree));
                    }
                }
                for (lane, track) in out {
                    let track = match more.pop() {
                        Some(texts) => Track::new(ranks(texts, descending)),
                        None => track,
                    };
                    tree.enter_lane(lane, track);
                }
                tree.build_tree();
                prop_assert_eq!(tree.first_lane(), least(&tree));
                for _ in 0..5 {
                    tree.advance_first();
                    prop_assert_eq!(tree.first_lane(), least(&tree));
                }
                if let Some(texts) = more.pop() {
                    tree.go_on(Track::new(ranks(texts, descending)));
                    prop_assert_eq!(tree.first_lane(), least(&tree));
                }
            }
        }
    }
}
