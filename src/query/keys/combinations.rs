//! Combinations of given values, each once.

use std::collections::HashSet;
use std::hash::Hash;

use crate::key::GivenPart;

/// All combinations, the last part changing fastest.
pub(super) fn part_combinations(parts: &[Vec<GivenPart>]) -> Vec<Vec<&GivenPart>> {
    let count = parts.iter().map(Vec::len).product();
    let at = |number: usize, part: usize| {
        let behind = parts.iter().skip(part + 1).map(Vec::len).product::<usize>();
        parts
            .get(part)
            .and_then(|values| values.get(number / behind.max(1) % values.len().max(1)))
    };
    let combination = |number: usize| {
        (0..parts.len())
            .filter_map(|part| at(number, part))
            .collect()
    };
    (0..count).map(combination).collect()
}

/// Values in their original order, without duplicates.
pub(super) struct Distinct<T> {
    pub(crate) values: Vec<T>,
    seen: HashSet<T>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Distinct {
            values: Vec::new(),
            seen: HashSet::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Distinct<T> {
    pub(crate) fn push_distinct(&mut self, value: T) {
        if self.seen.insert(value.clone()) {
            self.values.push(value);
        }
    }
}
