//! A worker of a group: renews its leases, divides the shards with the other workers, and finds new shards.
//!
//! Everything runs in one future, without tasks of an executor: the rounds of the coordinator, its surveys for new shards,
//! and one run for each shard of the worker.

pub(super) mod joining;
mod rounds;
mod surveys;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::select;
use tokio::sync::{Notify, Semaphore};

use super::book::{LeaseBook, LeaseName};
use super::event::{ConsumerEvent, ShardStopReason};
use super::lease::ShardLease;
use super::lineage::{HiddenParents, MissingShards};
use super::settings::Settings;
use super::store::{GroupRows, LeaseStore, ShardStart};
use crate::retry::run_together;
use crate::runtime::sleep_for;
use crate::streams::stream_source::StreamSource;

/// A shard is described at most this many seconds after its first record.
const DESCRIPTION_DELAY: i64 = 3_600;

/// A lease that was taken, and whose shard is not read yet.
pub(super) struct TakenLease {
    pub(super) row: ShardLease,
    pub(super) epoch: u64,
}

#[derive(Default)]
struct WorkerState {
    taken: Vec<TakenLease>,
    /// The shards that are being read, including those whose last handler is still running.
    running: BTreeSet<LeaseName>,
    /// The shards of this worker that others request, with the epoch and the other worker.
    asked: BTreeMap<LeaseName, (u64, String)>,
    survey_due: Duration,
    missing: MissingShards,
    hidden: HiddenParents,
    failed_surveys: u32,
    /// The times of the last complete descriptions by this worker, in Unix seconds.
    whole_surveys: VecDeque<i64>,
    /// The number of consecutive descriptions that show the end of the stream.
    final_surveys: usize,
    /// The time of the last complete description by any worker, in Unix seconds.
    surveyed_at: Option<i64>,
}

pub(super) struct Worker {
    pub(super) store: LeaseStore,
    pub(super) source: StreamSource,
    /// The stored names of the entities whose changes are handled.
    entities: BTreeSet<String>,
    pub(super) settings: Settings,
    book: Mutex<LeaseBook>,
    state: Mutex<WorkerState>,
    began: Instant,
    changed: Notify,
    is_stopping: AtomicBool,
    /// Whether the coordinator should begin its next round at once.
    is_hurried: AtomicBool,
    /// Whether a request that takes a lease is in progress.
    is_taking: AtomicBool,
    /// Limits the requests for records that run concurrently.
    pub(super) reads: Semaphore,
}

/// Notes the end of a request that takes a lease, even if its future is dropped.
struct TakingEnd<'w>(&'w AtomicBool);

impl Drop for TakingEnd<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    pub(super) fn id(&self) -> &str {
        &self.store.worker
    }

    /// The time since the worker started, by the monotonic clock.
    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub(super) fn report(&self, event: &ConsumerEvent<'_>) {
        self.settings.report(event);
    }

    /// Whether a request that takes a lease is in progress. If the worker ended now, no other worker could read the shard
    /// until the lease expires.
    pub(super) fn is_taking(&self) -> bool {
        self.is_taking.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Waits for this time, or until the state of the worker has changed.
    pub(super) async fn pause(&self, time: Duration, is_over: impl Fn() -> bool) {
        let mut changed = pin!(self.changed.notified());
        // The notification is enabled before the check, so that no change in between is missed.
        changed.as_mut().enable();
        if !is_over() {
            select(changed, pin!(sleep_for(time))).await;
        }
    }

    pub(super) fn may_begin(&self, name: &str, epoch: u64) -> bool {
        lock(&self.book).may_begin(name, epoch, self.now())
    }

    /// The reason why the worker must leave a shard, if any.
    pub(super) fn leave_reason(&self, name: &str, epoch: u64) -> Option<ShardStopReason> {
        if lock(&self.book).held_epoch(name) != Some(epoch) {
            return Some(ShardStopReason::LeaseLost);
        }
        if self.is_stopping() {
            return Some(ShardStopReason::Stopped);
        }
        self.asker_of(name, epoch)
            .map(|_| ShardStopReason::HandedOver)
    }

    /// The worker that requests a shard of this worker.
    pub(super) fn asker_of(&self, name: &str, epoch: u64) -> Option<String> {
        let state = lock(&self.state);
        let (asked, asker) = state.asked.get(name)?;
        (*asked == epoch).then(|| asker.clone())
    }

    /// Makes sure that no more handlers begin for a shard.
    pub(super) fn give_up(&self, name: &str, epoch: u64) {
        lock(&self.book).note_lost(name, epoch);
    }

    /// Notes that a run has ended.
    pub(super) fn end_run(&self, name: &LeaseName) {
        let mut state = lock(&self.state);
        state.running.remove(name);
        state.asked.remove(name);
        drop(state);
        self.is_hurried.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    /// Makes each run end after its running handler.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    /// Takes the leases whose shards are not read yet.
    pub(super) fn take_started(&self) -> Vec<TakenLease> {
        std::mem::take(&mut lock(&self.state).taken)
    }

    /// Releases the leases of this worker. If that fails, they expire.
    pub(super) async fn leave_group(&self) {
        let held = match self.store.read_rows().await {
            // They include the shards that others have handed over, and those whose runs did not begin.
            Ok(Some(rows)) => self.owned_leases(&rows),
            _ => lock(&self.book).held_leases(),
        };
        let releases = held.iter().map(|(name, epoch)| async move {
            if let Err(error) = self.store.release(name, *epoch, None).await {
                self.report(&ConsumerEvent::RequestFailed(&error));
            }
        });
        run_together(releases.collect()).await;
    }

    fn owned_leases(&self, rows: &GroupRows) -> Vec<(LeaseName, u64)> {
        let group = (LeaseName::from(""), &rows.group.owner, rows.group.epoch);
        let shards = rows.shards.values();
        let shards = shards.map(|row| (LeaseName::from(&*row.shard), &row.owner, row.epoch));
        shards
            .chain([group])
            .filter(|(_, owner, _)| owner.as_deref() == Some(self.id()))
            .map(|(name, _, epoch)| (name, epoch))
            .collect()
    }

    /// The start of a shard that is found now.
    pub(super) fn shard_start(&self) -> ShardStart {
        let surveyed = lock(&self.state).surveyed_at;
        match surveyed {
            // The first shards of a group.
            None => ShardStart {
                unread_since: self
                    .settings
                    .since
                    .unwrap_or(i64::MAX)
                    .min(self.source.now()),
                is_initial: true,
            },
            Some(at) => ShardStart {
                unread_since: at.saturating_sub(DESCRIPTION_DELAY),
                is_initial: false,
            },
        }
    }

    fn is_survey_due(&self) -> bool {
        lock(&self.state).survey_due <= self.now()
    }
}

#[cfg(all(test, feature = "embedded"))]
pub(super) mod tests;
