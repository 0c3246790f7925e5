//! A worker of a group: renews its leases, divides the shards with the other workers, and finds new shards.
//!
//! Everything runs in one future, without tasks of an executor: the rounds of the coordinator, its surveys for new shards,
//! and one run for each shard of the worker.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::{Notify, Semaphore};

use super::balance::{ReadyShard, balance_shards};
use super::book::{LeaseBook, LeaseName, LeaseState};
use super::event::{ConsumerEvent, LeftReason};
use super::lease::{ShardLease, StreamGroup, StreamReader};
use super::lineage::{self, HiddenParents, MissingShards, ShardRows};
use super::settings::Settings;
use super::store::{LeaseStore, Written, is_transient};
use crate::dynamo::Dynamo;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::retry::run_together;
use crate::runtime::sleep_for;
use crate::streams::shard_api::{DescribedShard, FailureMeaning};
use crate::streams::stream_source::StreamSource;
use crate::verbs::EntityExt;

/// The pause between two descriptions of the stream by the discoverer.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// The pause before the next description while shards wait for parents that are not described.
const SEARCH_PAUSE: Duration = Duration::from_secs(1);
/// The number of consecutive failed descriptions after which another worker may try, or the stream counts as gone.
const FAILED_SURVEYS: u32 = 3;
/// The maximum number of leases that a worker takes in a round, so that workers that join at once get their shares.
const TAKEN: usize = 64;
/// The number of requests for records that run concurrently.
const CONCURRENT: usize = 16;
/// A shard is described at most this many seconds after its first record.
const DESCRIPTION_DELAY: i64 = 3_600;
/// The longest time of a request that a run or a worker waits for.
const REQUEST_TIME: Duration = Duration::from_secs(60);

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
    /// The time of the last complete description by any worker, in Unix seconds.
    surveyed_at: Option<i64>,
}

pub(super) struct Worker {
    pub(super) store: LeaseStore,
    pub(super) source: StreamSource,
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

fn state_of_shard(row: &ShardLease) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        beats: row.beats,
        lease_time: Duration::from_millis(row.lease_millis),
    }
}

fn state_of_group(row: &StreamGroup) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        beats: row.beats,
        lease_time: Duration::from_millis(row.lease_millis),
    }
}

impl Worker {
    /// Joins a group, and creates the group if it does not exist.
    pub(super) async fn join(
        name: &str,
        source: StreamSource,
        settings: Settings,
        entities: BTreeSet<String>,
        db: &Dynamo,
    ) -> Result<Self> {
        let worker = format!("{:032x}", entropy::random_bits()?);
        let store = LeaseStore {
            db: db.clone(),
            group: name.to_owned(),
            worker: worker.clone(),
            lease_millis: u64::try_from(settings.lease_time.as_millis()).unwrap_or(u64::MAX),
        };
        let group = StreamGroup {
            group: name.to_owned(),
            stream: source.arn.to_string(),
            since: settings.since,
            owner: None,
            epoch: 0,
            beats: 0,
            roots: BTreeSet::new(),
            surveyed_at: None,
            lease_millis: 0,
            entities: entities.clone(),
        };
        let opened = settings.repeat_request(|| store.open_group(&group));
        let group = opened.await?;
        let state = WorkerState {
            surveyed_at: group.surveyed_at,
            ..WorkerState::default()
        };
        if *group.stream != *source.arn {
            return Err(other_stream(name, &group.stream, &source.arn));
        }
        // Each shard is read by one worker. If it followed other entities, it would move the place past changes that this
        // worker should handle.
        if !group.entities.is_subset(&entities) {
            return Err(other_entities(&group, &entities));
        }
        let book = LeaseBook::new(worker, settings.lease_time);
        let worker = Worker {
            store,
            source,
            // The first worker has set the start of the group.
            settings: Settings {
                since: group.since,
                ..settings
            },
            book: Mutex::new(book),
            state: Mutex::new(state),
            began: Instant::now(),
            changed: Notify::new(),
            is_stopping: AtomicBool::new(false),
            is_hurried: AtomicBool::new(false),
            is_taking: AtomicBool::new(false),
            reads: Semaphore::new(CONCURRENT),
        };
        if group.entities != entities {
            let added = || worker.store.add_entities(&entities);
            worker.settings.repeat_request(added).await?;
        }
        // The other groups are only reported, so a failure does not end the worker.
        if let Err(error) = worker.limit_time(worker.note_reader()).await {
            worker.report(&ConsumerEvent::RequestFailed(&error));
        }
        Ok(worker)
    }

    /// Adds this group to the readers of the stream, and reports the others.
    async fn note_reader(&self) -> Result<()> {
        let stream = &*self.source.arn;
        let db = &self.store.db;
        let reader = StreamReader {
            stream: stream.to_owned(),
            group: self.store.group.clone(),
        };
        reader.put().send(db).await?;
        let readers = StreamReader::in_partition(stream)
            .consistent()
            .all(db)
            .await?;
        let others: Vec<String> = readers
            .into_iter()
            .map(|reader| reader.group)
            .filter(|group| *group != self.store.group)
            .collect();
        if !others.is_empty() {
            self.report(&ConsumerEvent::OtherGroups(&others));
        }
        Ok(())
    }

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
    pub(super) fn leave_reason(&self, name: &str, epoch: u64) -> Option<LeftReason> {
        if lock(&self.book).held_epoch(name) != Some(epoch) {
            return Some(LeftReason::Lost);
        }
        if self.is_stopping() {
            return Some(LeftReason::Stopped);
        }
        self.asker_of(name, epoch).map(|_| LeftReason::HandedOver)
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

    /// Releases the leases that this worker still owns. If that fails, they expire.
    pub(super) async fn leave_group(&self) {
        // They include the shards whose runs did not begin.
        let held = lock(&self.book).held_leases();
        for (name, epoch) in held {
            if let Err(error) = self
                .limit_time(self.store.release(&name, epoch, None))
                .await
            {
                self.report(&ConsumerEvent::RequestFailed(&error));
            }
        }
    }

    /// Waits a limited time for a request, because a half-open connection never returns a response, and the client may have
    /// no timeout.
    pub(super) async fn limit_time<T>(
        &self,
        request: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match select(pin!(request), pin!(sleep_for(REQUEST_TIME))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                let message = "a request of the worker to DynamoDB got no response within a minute";
                Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message))
            }
        }
    }

    /// A time before the first record of a shard that is found now. For the first shards of the group, the present time.
    pub(super) fn unread_since(&self) -> i64 {
        let surveyed = lock(&self.state).surveyed_at;
        surveyed.map_or_else(
            || self.source.now(),
            |at| at.saturating_sub(DESCRIPTION_DELAY),
        )
    }

    /// Runs rounds and surveys concurrently, until an error that is not retried.
    pub(super) async fn coordinate(&self) -> Result<()> {
        // A survey of a large stream may take longer than the time between two renewals.
        match select(pin!(self.run_rounds()), pin!(self.run_surveys())).await {
            Either::Left((ended, _)) | Either::Right((ended, _)) => ended,
        }
    }

    async fn run_rounds(&self) -> Result<()> {
        let period = self.settings.lease_time / 3;
        loop {
            let next = self.now() + period;
            self.is_hurried.store(false, Ordering::Relaxed);
            let round = pin!(self.run_round());
            // A request without a response must not prevent the next renewals.
            match select(round, pin!(sleep_for(period))).await {
                Either::Left((Ok(()), _)) => {}
                Either::Left((Err(error), _)) if is_transient(&error) => {
                    self.report(&ConsumerEvent::RequestFailed(&error));
                }
                Either::Left((Err(error), _)) => return Err(error),
                Either::Right(_) => {
                    let message = "a round of requests to `LeaseTable` took longer than a third of the lease time";
                    let error = Error::new(ErrorKind::Unavailable, Stage::Wire, message);
                    self.report(&ConsumerEvent::RequestFailed(&error));
                }
            }
            let is_hurried = || self.is_hurried.load(Ordering::Relaxed) && !self.is_stopping();
            loop {
                let rest = next.saturating_sub(self.now());
                if rest.is_zero() || is_hurried() {
                    break;
                }
                self.pause(rest, is_hurried).await;
            }
        }
    }

    async fn run_round(&self) -> Result<()> {
        self.renew_leases().await?;
        if self.is_stopping() {
            // The last handlers may take long, so another worker should become the discoverer.
            return self.release_discoverer().await;
        }
        let Some((group, rows)) = self.store.read_rows().await? else {
            return Err(self.store.deleted_row("its own"));
        };
        self.note_rows(&group, &rows);
        for (shard, lister) in lineage::missing_rows(&group.roots, &rows) {
            // The rows were read page by page, so a row may have been created or removed in between.
            if self.store.is_deleted(&shard, lister.as_deref()).await? {
                return Err(self.store.deleted_row(&shard));
            }
        }
        self.seek_discoverer(&group).await?;
        self.balance(&rows).await
    }

    async fn release_discoverer(&self) -> Result<()> {
        let Some(epoch) = lock(&self.book).held_epoch("") else {
            return Ok(());
        };
        lock(&self.book).note_lost("", epoch);
        self.store.release("", epoch, None).await.map(drop)
    }

    /// Becomes the discoverer if no worker is.
    async fn seek_discoverer(&self, group: &StreamGroup) -> Result<()> {
        let is_free = {
            let book = lock(&self.book);
            let owner = book.live_owner("", self.now());
            book.held_epoch("").is_none() && owner.is_none_or(|owner| owner == self.id())
        };
        // If this worker could not describe the stream, the others should try first.
        let is_able = lock(&self.state).failed_surveys < FAILED_SURVEYS || self.is_survey_due();
        if is_free && is_able && self.take_lease("", &state_of_group(group)).await?.is_some() {
            self.changed.notify_waiters();
        }
        Ok(())
    }

    fn is_survey_due(&self) -> bool {
        lock(&self.state).survey_due <= self.now()
    }

    /// Describes the stream soon, if this worker is the discoverer.
    pub(super) fn hurry_survey(&self) {
        lock(&self.state).survey_due = self.now();
        self.changed.notify_waiters();
    }

    /// Looks for new shards while this worker has the lease of the discoverer.
    async fn run_surveys(&self) -> Result<()> {
        loop {
            let held = lock(&self.book).held_epoch("");
            let is_due = || lock(&self.book).held_epoch("").is_some() && self.is_survey_due();
            let Some(epoch) = held.filter(|_| is_due() && !self.is_stopping()) else {
                self.pause(SEARCH_PAUSE, || is_due() && !self.is_stopping())
                    .await;
                if self.is_stopping() {
                    sleep_for(SEARCH_PAUSE).await;
                }
                continue;
            };
            let Err(error) = self.survey_shards(epoch).await else {
                lock(&self.state).failed_surveys = 0;
                continue;
            };
            let meaning = FailureMeaning::of_error(&error);
            // A single response that the stream does not exist may be wrong.
            let is_repeated = is_transient(&error) || meaning == FailureMeaning::Gone;
            let failures = {
                let mut state = lock(&self.state);
                state.failed_surveys += 1;
                state.survey_due = self.now() + SEARCH_PAUSE;
                state.failed_surveys
            };
            if !is_repeated || meaning == FailureMeaning::Gone && failures >= FAILED_SURVEYS {
                return Err(self.explain_gone(error).await);
            }
            self.report(&ConsumerEvent::RequestFailed(&error));
            if failures >= FAILED_SURVEYS {
                lock(&self.state).survey_due = self.now() + self.settings.lease_time;
                if let Err(error) = self.release_discoverer().await {
                    self.report(&ConsumerEvent::RequestFailed(&error));
                }
            }
        }
    }

    /// Returns the error for a stream that no longer exists. It names the new stream if the table has one.
    async fn explain_gone(&self, error: Error) -> Error {
        if FailureMeaning::of_error(&error) != FailureMeaning::Gone {
            return error;
        }
        self.check_replaced().await.err().unwrap_or(error)
    }

    /// Returns an error if the table has another stream than that of the group.
    async fn check_replaced(&self) -> Result<()> {
        let Ok(newest) = self.source.newest_arn().await else {
            return Ok(());
        };
        match newest == self.source.arn {
            true => Ok(()),
            false => Err(other_stream(&self.store.group, &self.source.arn, &newest)),
        }
    }

    async fn renew_leases(&self) -> Result<()> {
        let held = lock(&self.book).held_leases();
        let renewals = held
            .into_iter()
            .map(|(name, epoch)| self.renew_lease(name, epoch));
        let renewed = run_together(renewals.collect()).await;
        // The runs are woken, because they may wait for a renewal.
        self.changed.notify_waiters();
        renewed.into_iter().collect()
    }

    async fn renew_lease(&self, name: LeaseName, epoch: u64) -> Result<()> {
        // This time is before the request is sent, because the others may see its effect from then on.
        let sent = self.now();
        let renewal = pin!(self.store.renew(&name, epoch));
        // A renewal without a response must not delay those of the other leases.
        let limit = pin!(sleep_for(self.settings.lease_time / 6));
        let renewed = match select(renewal, limit).await {
            Either::Left((renewed, _)) => renewed,
            Either::Right(_) => return Ok(()),
        };
        match renewed {
            Ok(Written::Done) => lock(&self.book).note_renewed(&name, epoch, sent),
            Ok(Written::Refused) => {
                let is_held = lock(&self.book).held_epoch(&name) == Some(epoch);
                lock(&self.book).note_lost(&name, epoch);
                if is_held && !self.store.has_row(&name).await? {
                    return Err(self.store.deleted_row(match name.is_empty() {
                        true => "its own",
                        false => &name,
                    }));
                }
            }
            Err(error) if is_transient(&error) => {
                self.report(&ConsumerEvent::RequestFailed(&error))
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn note_rows(&self, group: &StreamGroup, rows: &ShardRows) {
        let now = self.now();
        let mut book = lock(&self.book);
        book.note_row(&LeaseName::from(""), &state_of_group(group), now);
        for (shard, row) in rows {
            book.note_row(&shard.as_str().into(), &state_of_shard(row), now);
        }
        book.keep_rows(|name| name.is_empty() || rows.contains_key(&**name));
        let mut state = lock(&self.state);
        state.surveyed_at = state.surveyed_at.max(group.surveyed_at);
        // A run that ends needs its asker until it has handed the shard over.
        let WorkerState { asked, running, .. } = &mut *state;
        asked.retain(|shard, _| running.contains(shard));
        for (shard, row) in rows {
            if let Some(asker) = row.asked_by.clone().filter(|asker| asker != self.id())
                && row.owner.as_deref() == Some(self.id())
            {
                state
                    .asked
                    .insert(shard.as_str().into(), (row.epoch, asker));
            }
        }
        drop((book, state));
        self.changed.notify_waiters();
    }

    /// Takes a lease. If the response is lost, a later round finds this worker as the owner, and takes the lease again.
    async fn take_lease(&self, name: &str, state: &LeaseState) -> Result<Option<u64>> {
        self.is_taking.store(true, Ordering::Relaxed);
        let _end = TakingEnd(&self.is_taking);
        let sent = self.now();
        if self.store.take(name, state).await? == Written::Refused {
            return Ok(None);
        }
        let epoch = state.epoch + 1;
        lock(&self.book).note_taken(&name.into(), epoch, sent);
        Ok(Some(epoch))
    }

    async fn survey_shards(&self, epoch: u64) -> Result<()> {
        let began = self.source.now();
        // The rows are read before the description. If a shard gets a row in between, creating it again fails.
        let Some((_, rows)) = self.store.read_rows().await? else {
            return Err(self.store.deleted_row("its own"));
        };
        let (mut described, is_disabled) = self.source.describe().await?;
        let sought = lock(&self.state)
            .hidden
            .note_survey(&described, &rows, self.now());
        for parent in sought {
            let exists = self.source.has_shard(&parent).await?;
            lock(&self.state).hidden.note_found(&parent, exists);
        }
        let (new, is_whole, is_sought) = {
            let hidden = &lock(&self.state).hidden;
            described.extend(hidden.undescribed(self.now()).map(|parent| DescribedShard {
                id: parent.into(),
                parent: None,
            }));
            let new = lineage::new_shards(&described, &rows, |parent| hidden.is_gone(parent));
            let without_rows = described
                .iter()
                .filter(|shard| !rows.contains_key(&*shard.id));
            (
                new.clone(),
                without_rows.count() == new.len(),
                hidden.are_sought(),
            )
        };
        if !is_whole && !is_sought {
            let message = "the description of the stream has a shard that is its own ancestor";
            return Err(Error::new(ErrorKind::Unavailable, Stage::Service, message));
        }
        let created = self
            .store
            .create_rows(epoch, &new, self.unread_since())
            .await?;
        if !new.is_empty() {
            self.is_hurried.store(true, Ordering::Relaxed);
            self.changed.notify_waiters();
        }
        if created == Written::Refused {
            // Another worker has created a row at the end of a shard, or the lease was lost.
            lock(&self.state).survey_due = self.now() + SEARCH_PAUSE;
            return Ok(());
        }
        // If shards still wait for their parents, the time is not stored: these shards would seem to be younger when they
        // are found again.
        if is_whole {
            self.store.note_survey(epoch, began).await?;
        }
        let removable = lock(&self.state)
            .missing
            .removable_rows(&described, &rows, self.now());
        for row in removable.iter().filter_map(|shard| rows.get(shard)) {
            self.store.remove_row(epoch, row).await?;
        }
        if is_disabled && new.is_empty() && rows.values().all(|row| row.is_finished) {
            self.check_replaced().await?;
        }
        let pause = if is_whole { SURVEY_PAUSE } else { SEARCH_PAUSE };
        lock(&self.state).survey_due = self.now() + pause;
        Ok(())
    }

    async fn balance(&self, rows: &ShardRows) -> Result<()> {
        let now = self.now();
        let salt = entropy::random_half()?;
        let random = |shard: &str| {
            let mixed = shard.bytes().fold(salt, |hash, byte| {
                hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
            });
            mixed ^ (mixed >> 29)
        };
        let step = {
            let (book, state) = (lock(&self.book), lock(&self.state));
            let ready = rows.values().filter(|row| lineage::is_ready(row, rows));
            let ready: Vec<ReadyShard<'_>> = ready
                .map(|row| ReadyShard {
                    shard: &row.shard,
                    // A row that names this worker counts as free until the worker has the lease, except while its run
                    // ends.
                    owner: book.live_owner(&row.shard, now).filter(|owner| {
                        let is_held = book.held_epoch(&row.shard) == Some(row.epoch);
                        *owner != self.id() || is_held || state.running.contains(&*row.shard)
                    }),
                    asked_by: row.asked_by.as_deref(),
                    is_waiting: book.is_waiting(&row.shard, now),
                })
                .collect();
            // This worker always takes the shards that others have handed over to it, and those whose run did not begin.
            let handed = ready.iter().filter(|shard| {
                let row = rows.get(shard.shard);
                let is_mine = row.is_some_and(|row| row.owner.as_deref() == Some(self.id()));
                is_mine && !state.running.contains(shard.shard)
            });
            let handed: Vec<String> = handed.map(|shard| shard.shard.to_owned()).collect();
            let mut step = balance_shards(self.id(), &ready, random);
            step.take.extend(handed);
            step.take.sort_unstable();
            step.take.dedup();
            // Two runs of one shard would handle its changes concurrently.
            step.take.retain(|shard| !state.running.contains(&**shard));
            step.take.truncate(TAKEN);
            step
        };
        for shard in step.take {
            if self.is_stopping() {
                return Ok(());
            }
            let Some(row) = rows.get(&shard) else {
                continue;
            };
            // A lease whose run did not begin, because the round had ended, is not taken again.
            let held = lock(&self.book)
                .held_epoch(&shard)
                .filter(|epoch| *epoch == row.epoch);
            let taken = match held {
                None => self.take_lease(&shard, &state_of_shard(row)).await?,
                held => held,
            };
            if let Some(epoch) = taken {
                // The row is read again, because the last owner may have moved the place.
                let Some(row) = self.store.read_shard(&shard).await? else {
                    return Err(self.store.deleted_row(&shard));
                };
                let mut state = lock(&self.state);
                if state.running.insert(shard.as_str().into()) {
                    state.taken.push(TakenLease { row, epoch });
                }
            }
        }
        for shard in step.ask {
            if let Some(row) = rows.get(&shard) {
                self.store.ask_for(&shard, row.epoch).await?;
            }
        }
        Ok(())
    }
}

#[cold]
fn other_entities(group: &StreamGroup, entities: &BTreeSet<String>) -> Error {
    let message = format!(
        "group `{}` handles changes of {:?}, but this consumer handles changes of {entities:?}: give each consumer of a \
         table its own name",
        group.group, group.entities
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

#[cold]
fn other_stream(group: &str, old: &str, arn: &str) -> Error {
    let message = format!(
        "group `{group}` reads the stream `{old}`, but the table has the stream `{arn}`: the stream was switched off and on \
         again, or the table was created again. To read the new stream, stop all workers and call `StreamGroup::forget`; \
         changes of the old stream that were not handled are lost"
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

impl StreamGroup {
    /// Deletes the rows of a group, so that its next worker creates the group again, with the start of its settings. A new
    /// group starts with the oldest change by default, so changes may be handled again.
    ///
    /// All workers must have stopped. A worker that is still running ends with an error. Does nothing if the row of the
    /// group does not exist.
    pub async fn forget(group: &str, db: &Dynamo) -> Result<()> {
        let store = LeaseStore {
            db: db.clone(),
            group: group.to_owned(),
            worker: String::new(),
            lease_millis: 0,
        };
        let Some((row, shards)) = store.read_rows().await? else {
            return Ok(());
        };
        let reader = StreamReader::key(&row.stream, group).delete();
        let deletes = shards.values().map(|shard| EntityExt::key(shard).delete());
        let batch = crate::batch::Batch::new()
            .with_all(deletes)
            .with_all([reader]);
        batch.send(db).await?.complete()?;
        // The row of the group is deleted last, so that a call after a failure still finds the others.
        row.delete().send(db).await.map(drop)
    }
}
