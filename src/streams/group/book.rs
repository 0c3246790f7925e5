//! The leases that a worker owns, and the leases of others that it has seen. It sends no requests.
//!
//! Each row of a lease has two counters: `epoch` increases with each change of the owner, and `renewals` with each renewal.
//! The clocks of two machines are never compared:
//!
//! ```text
//! the owner    counts the lease time from before it sent its last successful renewal
//! the others   count the lease time and a margin from after they first saw the present counters
//! ```
//!
//! A renewal takes effect between these two times. Therefore, the owner begins no more handlers before another worker
//! becomes the owner.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The name of a lease: the ID of the shard, or an empty text for the lease of the discoverer.
pub(super) type LeaseName = Arc<str>;

/// The counters and the owner of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseState {
    pub(super) owner: Option<String>,
    pub(super) epoch: u64,
    pub(super) renewals: u64,
    /// The lease time of the owner, whose settings may differ.
    pub(super) lease_time: Duration,
}

/// The state of a lease, with the time at which these counters were first seen.
#[derive(Debug, Clone)]
struct Sighting {
    state: LeaseState,
    since: Duration,
}

#[derive(Debug, Clone)]
struct HeldLease {
    epoch: u64,
    /// The time before the last successful renewal was sent.
    renewed: Duration,
}

/// All times are those of the worker's monotonic clock, since its start.
#[derive(Debug)]
pub(super) struct LeaseBook {
    worker: String,
    lease: Duration,
    held: BTreeMap<LeaseName, HeldLease>,
    seen: BTreeMap<LeaseName, Sighting>,
}

impl LeaseBook {
    pub(super) fn new(worker: String, lease: Duration) -> Self {
        LeaseBook {
            worker,
            lease,
            held: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn worker(&self) -> &str {
        &self.worker
    }

    /// Notes the state of a row. `now` must be a time after the response was received, so that it is after the renewal.
    pub(super) fn note_row(&mut self, name: &LeaseName, state: &LeaseState, now: Duration) {
        let is_same = |seen: &Sighting| {
            (seen.state.epoch, seen.state.renewals) == (state.epoch, state.renewals)
        };
        match self.seen.get_mut(name) {
            // The time of the first sighting remains, because the owner may have died right after it.
            Some(seen) if is_same(seen) => seen.state.owner.clone_from(&state.owner),
            _ => {
                let state = state.clone();
                self.seen
                    .insert(name.clone(), Sighting { state, since: now });
            }
        }
    }

    /// Removes the rows that no longer exist.
    pub(super) fn keep_rows(&mut self, exists: impl Fn(&LeaseName) -> bool) {
        self.seen.retain(|name, _| exists(name));
    }

    /// The owner of a lease, if it can still be alive.
    pub(super) fn live_owner(&self, name: &str, now: Duration) -> Option<&str> {
        let seen = self.seen.get(name)?;
        let owner = seen.state.owner.as_deref()?;
        let is_over =
            owner != self.worker && now.saturating_sub(seen.since) >= self.patience(&seen.state);
        (!is_over).then_some(owner)
    }

    /// The time after which another worker may take a lease. The margin allows for clocks with different rates.
    fn patience(&self, state: &LeaseState) -> Duration {
        let lease = self.lease.max(state.lease_time);
        lease + lease / 10
    }

    /// Whether a lease has been free for so long that the workers with fewer shards are unlikely to take it.
    pub(super) fn is_waiting(&self, name: &str, now: Duration) -> bool {
        let seen = self.seen.get(name);
        seen.is_some_and(|seen| {
            let patience = self.patience(&seen.state);
            let free_after = if seen.state.owner.is_some() {
                patience
            } else {
                Duration::ZERO
            };
            now.saturating_sub(seen.since) >= free_after + patience
        })
    }

    /// Notes that this worker has become the owner. `sent` is the time before the request was sent.
    pub(super) fn note_taken(&mut self, name: &LeaseName, epoch: u64, sent: Duration) {
        let held = HeldLease {
            epoch,
            renewed: sent,
        };
        self.held.insert(name.clone(), held);
    }

    /// Notes a successful renewal.
    pub(super) fn note_renewed(&mut self, name: &str, epoch: u64, sent: Duration) {
        if let Some(held) = self.held.get_mut(name).filter(|held| held.epoch == epoch) {
            held.renewed = held.renewed.max(sent);
        }
    }

    /// Notes that the lease of this epoch is lost, or will be released. From now on, no handler begins.
    pub(super) fn note_lost(&mut self, name: &str, epoch: u64) {
        if self.held_epoch(name) == Some(epoch) {
            self.held.remove(name);
        }
    }

    /// The epoch of a lease, if this worker owns it.
    pub(super) fn held_epoch(&self, name: &str) -> Option<u64> {
        self.held.get(name).map(|held| held.epoch)
    }

    /// The leases that this worker owns, with their epochs.
    pub(super) fn held_leases(&self) -> Vec<(LeaseName, u64)> {
        let held = self.held.iter();
        held.map(|(name, held)| (name.clone(), held.epoch))
            .collect()
    }

    /// The leases whose last renewal has at least this age.
    pub(super) fn due_leases(&self, now: Duration, age: Duration) -> Vec<(LeaseName, u64)> {
        let held = self.held.iter();
        let due = held.filter(|(_, held)| now.saturating_sub(held.renewed) >= age);
        due.map(|(name, held)| (name.clone(), held.epoch)).collect()
    }

    /// Whether a handler may begin: no other worker can have taken the lease yet.
    pub(super) fn may_begin(&self, name: &str, epoch: u64, now: Duration) -> bool {
        let held = self.held.get(name).filter(|held| held.epoch == epoch);
        held.is_some_and(|held| now < held.renewed + self.lease)
    }
}

#[cfg(test)]
pub(super) mod tests;
