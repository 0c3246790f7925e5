//! What comes next of one lane, in the order of all.

use std::cmp::Ordering;
use std::fmt;

use crate::key::point::KeyPoint;
use crate::request::raw_row::RawRow;

/// The next row of a lane, or the earliest place where it can be. The greatest of several is the first.
pub(super) struct Head {
    /// The values of the sort key; of an unknown row perhaps the front of them only.
    pub(super) sort: Vec<KeyPoint>,
    pub(super) lane: usize,
    /// None is at hand.
    pub(super) row: Option<RawRow>,
    pub(super) descending: bool,
}

impl Head {
    pub(super) fn is_row(&self) -> bool {
        self.row.is_some()
    }

    /// Whether nothing tells which of the two has its rows first.
    pub(super) fn stands_with(&self, other: &Head) -> bool {
        self.by_sort(other) == Ordering::Equal
    }

    /// By the sort key as far as both are known.
    fn by_sort(&self, other: &Head) -> Ordering {
        let mut pairs = self.sort.iter().zip(&other.sort);
        let order =
            pairs.find_map(|(left, right)| left.compare(right).filter(|order| order.is_ne()));
        match order {
            Some(order) if self.descending => order.reverse(),
            Some(order) => order,
            None => Ordering::Equal,
        }
    }

    /// Which comes first. Whoever is not known as far comes before, as it may; among equals the earlier
    /// lane, which is the later one where all is reversed.
    fn precedence(&self, other: &Head) -> Ordering {
        self.by_sort(other)
            .then_with(|| self.sort.len().cmp(&other.sort.len()))
            .then_with(|| self.lane.cmp(&other.lane))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.precedence(other).reverse()
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
