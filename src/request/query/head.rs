//! What comes next of one lane, in the order of all.

use std::cmp::Ordering;
use std::fmt;

use crate::key::rank::Rank;

/// The next row of a lane, or the earliest place where it can be. The greatest of several is the first.
pub(super) struct Head {
    /// What it begins with, in the order in which they come: most heads are told apart by a look at it.
    front: u128,
    /// Of an unknown row perhaps the front of its sort key only.
    rank: Rank,
    pub(super) lane: usize,
    /// It is at hand: the first of its lane.
    pub(super) is_row: bool,
    descending: bool,
}

impl Head {
    pub(super) fn new(rank: Rank, lane: usize, is_row: bool, descending: bool) -> Self {
        let front = match descending {
            // Whoever is not known at all comes first.
            true if rank.len() > 0 => !rank.front(),
            _ => rank.front(),
        };
        Head {
            front,
            rank,
            lane,
            is_row,
            descending,
        }
    }

    /// Whether nothing tells which of the two has its rows first.
    pub(super) fn stands_with(&self, other: &Head) -> bool {
        self.by_sort(other) == Ordering::Equal
    }

    /// By the sort key as far as both are known.
    #[inline]
    fn by_sort(&self, other: &Head) -> Ordering {
        let order = self.rank.compare(&other.rank);
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }

    /// Which comes first. Whoever is not known as far comes before, as it may; among equals the earlier
    /// lane, which is the later one where all is reversed.
    #[inline(never)]
    fn precedence(&self, other: &Head) -> Ordering {
        self.by_sort(other)
            .then_with(|| self.rank.len().cmp(&other.rank.len()))
            .then_with(|| self.lane.cmp(&other.lane))
    }
}

impl Ord for Head {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match other.front.cmp(&self.front) {
            Ordering::Equal => self.precedence(other).reverse(),
            order => order,
        }
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

/// Keys stay out.
impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Head({})", self.lane)
    }
}
