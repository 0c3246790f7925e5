//! Divides the shards among the workers. It sends no requests.
//!
//! A worker takes free shards up to its share. It never takes a shard from a live owner. Instead, it requests shards from
//! the owner of the most shards, if that worker has at least two more. Therefore, the differences only become smaller, and
//! the division ends.

use std::collections::BTreeMap;

/// A shard that can be read, with its owner if that worker is alive.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadyShard<'r> {
    pub(super) shard: &'r str,
    pub(super) owner: Option<&'r str>,
    pub(super) requested_by: Option<&'r str>,
    /// Whether it has been free for longer than a lease time.
    pub(super) is_waiting: bool,
}

/// The next action of a worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BalanceStep {
    /// The free shards to take.
    pub(super) take: Vec<String>,
    /// The shards to request from their owner.
    pub(super) ask: Vec<String>,
}

/// Plans the next action of a worker. `random` determines the order of the shards, so that two workers rarely take the same
/// one.
pub(super) fn balance_shards(
    worker: &str,
    shards: &[ReadyShard<'_>],
    random: impl Fn(&str) -> u64,
) -> BalanceStep {
    let mut loads: BTreeMap<&str, Vec<&str>> = BTreeMap::from([(worker, Vec::new())]);
    let mut free = Vec::new();
    for shard in shards {
        match shard.owner {
            // A requested shard counts as one of its next owner, so that it is requested only once.
            Some(owner) => loads
                .entry(shard.requested_by.unwrap_or(owner))
                .or_default()
                .push(shard.shard),
            None => free.push(shard.shard),
        }
    }
    let mine = loads.get(worker).map_or(0, Vec::len);
    let share = shards.len().div_ceil(loads.len());
    let pick = |mut shards: Vec<&str>, count: usize| -> Vec<String> {
        shards.sort_by_cached_key(|shard| random(shard));
        shards.into_iter().take(count).map(str::to_owned).collect()
    };
    if !free.is_empty() {
        let mut take = pick(free, share.saturating_sub(mine));
        // Workers that stop count too: they keep their last shards for a while, and take no others.
        let waiting = shards
            .iter()
            .filter(|shard| shard.owner.is_none() && shard.is_waiting);
        take.extend(waiting.map(|shard| shard.shard.to_owned()));
        return BalanceStep {
            take,
            ask: Vec::new(),
        };
    }
    let others = loads.iter().filter(|(owner, _)| **owner != worker);
    let most = others.max_by_key(|(_, shards)| shards.len());
    let Some((owner, theirs)) = most.filter(|(_, theirs)| theirs.len() >= mine + 2) else {
        return BalanceStep::default();
    };
    let count = (theirs.len() - mine) / 2;
    // The owner can hand over only shards that it still owns.
    let has = |shard: &&str| {
        let ready = shards.iter().find(|ready| ready.shard == *shard);
        ready.is_some_and(|ready| ready.owner == Some(*owner) && ready.requested_by.is_none())
    };
    BalanceStep {
        take: Vec::new(),
        ask: pick(theirs.iter().copied().filter(has).collect(), count),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The shards of a group, in which a worker may die.
    #[derive(Debug, Clone)]
    struct Fleet {
        shards: Vec<(String, Option<usize>, Option<usize>)>,
        living: Vec<bool>,
    }

    impl Fleet {
        fn name(worker: usize) -> String {
            format!("w{worker}")
        }

        /// One round of a worker: its own view, and its effects. Returns whether anything has changed.
        fn run_round(&mut self, worker: usize, salt: u64) -> bool {
            let names: Vec<String> = (0..self.living.len()).map(Fleet::name).collect();
            let living = &self.living;
            let name_of = |worker: Option<usize>| worker.map(|worker| &*names[worker]);
            let views: Vec<ReadyShard<'_>> = self
                .shards
                .iter()
                .map(|(shard, owner, requested_by)| ReadyShard {
                    shard,
                    owner: name_of(owner.filter(|owner| living[*owner])),
                    requested_by: name_of(*requested_by),
                    is_waiting: false,
                })
                .collect();
            let random = |shard: &str| {
                shard
                    .bytes()
                    .fold(salt, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte))
            };
            let step = balance_shards(&names[worker], &views, random);
            let mut is_changed = false;
            for (shard, owner, requested_by) in &mut self.shards {
                if step.take.contains(shard) {
                    (*owner, *requested_by, is_changed) = (Some(worker), None, true);
                }
                if step.ask.contains(shard) {
                    (*requested_by, is_changed) = (Some(worker), true);
                }
                // The owner hands over at its next round, also to a worker that has died.
                if *owner == Some(worker) && requested_by.is_some_and(|by| by != worker) {
                    (*owner, *requested_by, is_changed) = (*requested_by, None, true);
                }
            }
            is_changed
        }

        fn loads(&self) -> Vec<usize> {
            let workers = (0..self.living.len()).filter(|worker| self.living[*worker]);
            workers
                .map(|worker| {
                    self.shards
                        .iter()
                        .filter(|shard| shard.1 == Some(worker))
                        .count()
                })
                .collect()
        }
    }

    proptest! {
        #![proptest_config(crate::streams::group::schedules(256))]

        #[test]
        fn the_division_comes_to_rest_and_is_even(
            owners in prop::collection::vec(prop::option::of(0..6_usize), 0..30),
            asks in prop::collection::vec(prop::option::of(0..6_usize), 30),
            living in prop::collection::vec(any::<bool>(), 6),
            turns in prop::collection::vec(0..6_usize, 0..40),
            salt in any::<u64>(),
        ) {
            let mut living = living;
            living[0] = true;
            let shards = owners.iter().zip(asks).enumerate();
            let shards = shards.map(|(at, (owner, asked))| (format!("s{at}"), *owner, owner.and(asked).filter(|asked| Some(*asked) != *owner)));
            let mut fleet = Fleet { shards: shards.collect(), living };
            for (at, worker) in turns.into_iter().enumerate() {
                if fleet.living[worker] {
                    fleet.run_round(worker, salt ^ at as u64);
                }
            }
            let mut rest = 0;
            for round in 0..100 {
                let workers: Vec<usize> = (0..6).filter(|worker| fleet.living[*worker]).collect();
                let changes = workers.into_iter().filter(|worker| fleet.run_round(*worker, salt ^ round)).count();
                rest = if changes == 0 { rest + 1 } else { 0 };
            }
            prop_assert!(rest > 50, "it did not come to rest: {fleet:?}");
            let loads = fleet.loads();
            prop_assert_eq!(loads.iter().sum::<usize>(), fleet.shards.len(), "forgotten: {:?}", fleet);
            let most = loads.iter().max().copied().unwrap_or_default();
            let least = loads.iter().min().copied().unwrap_or_default();
            prop_assert!(most - least <= 1, "uneven: {loads:?}");
        }
    }
}
