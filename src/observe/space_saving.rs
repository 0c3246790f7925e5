//! The most frequent of many things, in memory of a fixed size: the algorithm "space saving" (Metwally, Agrawal, El
//! Abbadi, 2005).
//!
//! The number of counters is fixed. A new thing takes over the lowest counter together with its count, so counts may
//! be too high and never too low. Everything that is more frequent than one in the number of counters has a counter.

use std::collections::HashMap;

/// Counters of the most frequent things.
pub(super) struct TopSketch<T> {
    counters: Vec<TopCounter<T>>,
    /// The position of a thing's counter, by its number.
    places: HashMap<u64, usize>,
    most: usize,
}

/// The count of a thing.
#[derive(Debug, Clone)]
pub(super) struct TopCounter<T> {
    id: u64,
    /// The maximum count.
    pub(super) count: u64,
    /// The part of the count that may belong to others.
    pub(super) over: u64,
    pub(super) what: T,
}

impl<T> TopSketch<T> {
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1);
        TopSketch {
            counters: Vec::with_capacity(most),
            places: HashMap::with_capacity(most),
            most,
        }
    }

    /// Counts the thing with this number; the thing itself is built only if it gets a counter.
    pub(super) fn add_id(&mut self, id: u64, what: impl FnOnce() -> T) {
        let known = self.places.get(&id).copied();
        if let Some(counter) = known.and_then(|at| self.counters.get_mut(at)) {
            counter.count += 1;
            return;
        }
        if self.counters.len() < self.most {
            self.places.insert(id, self.counters.len());
            self.counters.push(TopCounter {
                id,
                count: 1,
                over: 0,
                what: what(),
            });
            return;
        }
        let counters = self.counters.iter_mut().enumerate();
        if let Some((at, least)) = counters.min_by_key(|(_, counter)| counter.count) {
            self.places.remove(&least.id);
            self.places.insert(id, at);
            *least = TopCounter {
                id,
                count: least.count + 1,
                // The replaced counter may have belonged to this one before, so its count is the
                // largest possible error.
                over: least.count,
                what: what(),
            };
        }
    }

    /// The counters, those with the highest certain counts first.
    pub(super) fn top_counters(&self) -> Vec<&TopCounter<T>> {
        let mut top: Vec<_> = self.counters.iter().collect();
        // The certain part decides first: a newcomer inherits a large count that may belong to
        // others.
        top.sort_by_key(|counter| std::cmp::Reverse((counter.count - counter.over, counter.count)));
        top
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Beside counting all: no count is too low or wrong by more than it says, and frequent keys are included.
        #[test]
        fn counts_are_as_wrong_as_they_say(
            most in 1_usize..12,
            seen in prop::collection::vec(prop_oneof![0_u64..4, 0_u64..30], 0..400),
        ) {
            let (mut sketch, mut exact) = (TopSketch::new(most), HashMap::<u64, u64>::new());
            for id in &seen {
                sketch.add_id(*id, || *id);
                *exact.entry(*id).or_default() += 1;
            }
            let top = sketch.top_counters();
            prop_assert!(top.len() <= most);
            let all = seen.len() as u64;
            for counter in &top {
                let exact = exact[&counter.what];
                prop_assert!(counter.count - counter.over <= exact && exact <= counter.count);
                prop_assert!(counter.over <= all / most as u64);
            }
            prop_assert_eq!(top.iter().map(|counter| counter.count).sum::<u64>(), all);
            for (id, count) in exact {
                let is_there = top.iter().any(|counter| counter.what == id);
                prop_assert!(is_there || count <= all / most as u64, "{id} came {count} times");
            }
            if all <= most as u64 {
                prop_assert!(top.iter().all(|counter| counter.over == 0));
            }
        }
    }
}
