//! A worker of a group: keeps its leases, divides the shards with the others, and finds new shards.
//!
//! Everything runs in one future, without tasks of an executor: the rounds of the coordinator, and one run for each shard
//! of the worker.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use super::balance::{ReadyShard, balance_shards};
use super::book::{LeaseBook, LeaseName, LeaseState};
use super::event::{ConsumerEvent, LeftReason};
use super::lease::{ShardLease, StreamGroup, StreamReader};
use super::lineage::{self, HiddenParents, MissingShards, ShardRows};
use super::source::StreamSource;
use super::store::{LeaseStore, Written, is_transient};
use crate::dynamo::Dynamo;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::retry::run_together;
use crate::runtime::sleep_for;
use crate::streams::shard_api::{DescribedShard, FailureMeaning};
use crate::verbs::EntityExt;

/// The pause between two descriptions of the stream by the discoverer.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// The pause before the next description while shards wait for parents that are not described.
const SEARCH_PAUSE: Duration = Duration::from_secs(1);
/// The number of responses in a row that the stream does not exist, after which this is believed.
const GONE_STREAM: u32 = 3;
/// A shard is described at most this many seconds after its first record.
const DESCRIPTION_DELAY: i64 = 3_600;
/// The longest time of a write of a run.
const REQUEST_TIME: Duration = Duration::from_secs(60);

pub(super) type EventListener = Box<dyn Fn(&ConsumerEvent<'_>) + Send + Sync>;

/// The settings of a consumer.
pub(super) struct Settings {
    pub(super) lease_time: Duration,
    pub(super) longest_pause: Duration,
    pub(super) since: Option<i64>,
    pub(super) continues_after_loss: bool,
    pub(super) park_after: Option<usize>,
    pub(super) listener: Option<EventListener>,
}

/// A lease that was taken and is not read yet.
pub(super) struct TakenLease {
    pub(super) row: ShardLease,
    pub(super) epoch: u64,
}

#[derive(Default)]
struct WorkerState {
    taken: Vec<TakenLease>,
    /// The shards that are being read, also those whose last handler is still running.
    running: BTreeSet<LeaseName>,
    /// The workers that have asked for shards of this one.
    asked: BTreeMap<LeaseName, (u64, String)>,
    survey_due: Duration,
    missing: MissingShards,
    hidden: HiddenParents,
    gone_answers: u32,
    /// The time of the last whole description by any worker, in Unix seconds.
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
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn state_of_shard(row: &ShardLease) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        beats: row.beats,
    }
}

fn state_of_group(row: &StreamGroup) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        beats: row.beats,
    }
}

impl Worker {
    /// Joins a group, and creates it if it is new.
    pub(super) async fn join(
        name: &str,
        source: StreamSource,
        settings: Settings,
        db: &Dynamo,
    ) -> Result<Self> {
        let worker = format!("{:032x}", entropy::random_bits()?);
        let store = LeaseStore {
            db: db.clone(),
            group: name.to_owned(),
            worker: worker.clone(),
        };
        let group = StreamGroup {
            group: name.to_owned(),
            stream: source.arn().to_owned(),
            since: settings.since,
            owner: None,
            epoch: 0,
            beats: 0,
            roots: BTreeSet::new(),
            surveyed_at: None,
        };
        let group = store.open_group(group).await?;
        let state = WorkerState {
            surveyed_at: group.surveyed_at,
            ..WorkerState::default()
        };
        if group.stream != source.arn() {
            return Err(other_stream(&group, source.arn()));
        }
        let book = LeaseBook::new(worker, settings.lease_time);
        let worker = Worker {
            store,
            source,
            // The start of the group, which was set by its first worker.
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
        };
        worker.note_reader().await?;
        Ok(worker)
    }

    /// Adds this group to the readers of the stream, and reports the others.
    async fn note_reader(&self) -> Result<()> {
        let stream = self.source.arn();
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

    /// The time since the worker began, by the monotonic clock.
    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub(super) fn report(&self, event: &ConsumerEvent<'_>) {
        if let Some(listener) = &self.settings.listener {
            listener(event);
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Waits for this long, or until something has changed.
    pub(super) async fn pause(&self, time: Duration, is_over: impl Fn() -> bool) {
        let mut changed = pin!(self.changed.notified());
        // Enabled before the check, so that no change in between is missed.
        changed.as_mut().enable();
        if !is_over() {
            select(changed, pin!(sleep_for(time))).await;
        }
    }

    pub(super) fn may_begin(&self, name: &str, epoch: u64) -> bool {
        lock(&self.book).may_begin(name, epoch, self.now())
    }

    /// The reason why the worker has to leave a shard, if there is one.
    pub(super) fn leave_reason(&self, name: &str, epoch: u64) -> Option<LeftReason> {
        if lock(&self.book).held_epoch(name) != Some(epoch) {
            return Some(LeftReason::Lost);
        }
        if self.is_stopping() {
            return Some(LeftReason::Stopped);
        }
        self.asker_of(name, epoch).map(|_| LeftReason::HandedOver)
    }

    /// The worker that has asked for a shard.
    pub(super) fn asker_of(&self, name: &str, epoch: u64) -> Option<String> {
        let state = lock(&self.state);
        let (asked, asker) = state.asked.get(name)?;
        (*asked == epoch).then(|| asker.clone())
    }

    /// Begins no more handlers for a shard.
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

    /// Lets each run end after its handler.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    /// The leases that were taken and are not read yet.
    pub(super) fn take_started(&self) -> Vec<TakenLease> {
        std::mem::take(&mut lock(&self.state).taken)
    }

    /// Gives up the leases that this worker still has. If that fails, they run out.
    pub(super) async fn leave_group(&self) {
        // Also the shards whose runs did not begin.
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

    /// Waits for a request for a limited time. A connection that is half open never answers, and the client may have no
    /// timeout.
    pub(super) async fn limit_time<T>(
        &self,
        request: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match select(pin!(request), pin!(sleep_for(REQUEST_TIME))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                let message = "a request about the leases was not answered within a minute";
                Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message))
            }
        }
    }

    /// A time before the first record of a shard that is found now, if it is not one of the first shards of the group.
    pub(super) fn unread_since(&self) -> i64 {
        let surveyed = lock(&self.state).surveyed_at;
        surveyed.map_or_else(
            || self.source.unix_time(),
            |at| at.saturating_sub(DESCRIPTION_DELAY),
        )
    }

    /// Runs rounds until an error that cannot be repeated.
    pub(super) async fn coordinate(&self) -> Result<()> {
        let period = self.settings.lease_time / 3;
        loop {
            let next = self.now() + period;
            self.is_hurried.store(false, Ordering::Relaxed);
            let round = pin!(self.run_round());
            // A request without a response must not prevent the next renewals.
            match select(round, pin!(sleep_for(period))).await {
                Either::Left((Ok(()), _)) | Either::Right(_) => {}
                Either::Left((Err(error), _)) if is_transient(&error) => {
                    self.report(&ConsumerEvent::RequestFailed(&error));
                }
                Either::Left((Err(error), _)) => return Err(error),
            }
            let is_hurried = || self.is_hurried.load(Ordering::Relaxed);
            loop {
                let rest = next.saturating_sub(self.now());
                if rest.is_zero() || (is_hurried() && !self.is_stopping()) {
                    break;
                }
                self.pause(rest, || is_hurried() && !self.is_stopping())
                    .await;
            }
        }
    }

    async fn run_round(&self) -> Result<()> {
        self.renew_leases().await?;
        if self.is_stopping() {
            return Ok(());
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
        self.discover_shards(&group, &rows).await?;
        self.balance(&rows).await
    }

    async fn renew_leases(&self) -> Result<()> {
        let held = lock(&self.book).held_leases();
        let renewals = held
            .into_iter()
            .map(|(name, epoch)| self.renew_lease(name, epoch));
        let renewed = run_together(renewals.collect()).await;
        // Woken, because a run may wait for its renewal.
        self.changed.notify_waiters();
        renewed.into_iter().collect()
    }

    async fn renew_lease(&self, name: LeaseName, epoch: u64) -> Result<()> {
        // Taken before the request is sent, because the others may see its effect from then on.
        let sent = self.now();
        match self.store.renew(&name, epoch).await {
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
        state.asked.clear();
        for (shard, row) in rows {
            if let Some(asker) = row.asked_by.clone().filter(|asker| asker != self.id())
                && book.held_epoch(shard) == Some(row.epoch)
            {
                state
                    .asked
                    .insert(shard.as_str().into(), (row.epoch, asker));
            }
        }
        drop((book, state));
        self.changed.notify_waiters();
    }

    /// Takes a lease. Without a clear response, a later round finds this worker as the owner, and takes it again.
    async fn take_lease(&self, name: &str, state: &LeaseState) -> Result<Option<u64>> {
        let sent = self.now();
        if self.store.take(name, state).await? == Written::Refused {
            return Ok(None);
        }
        let epoch = state.epoch + 1;
        lock(&self.book).note_taken(&name.into(), epoch, sent);
        Ok(Some(epoch))
    }

    async fn discover_shards(&self, group: &StreamGroup, rows: &ShardRows) -> Result<()> {
        let held = lock(&self.book).held_epoch("");
        let epoch = match held {
            Some(epoch) => epoch,
            None => {
                let owner = lock(&self.book)
                    .live_owner("", self.now())
                    .map(str::to_owned);
                if owner.is_some_and(|owner| owner != self.id()) {
                    return Ok(());
                }
                let Some(epoch) = self.take_lease("", &state_of_group(group)).await? else {
                    return Ok(());
                };
                epoch
            }
        };
        if lock(&self.state).survey_due > self.now() {
            return Ok(());
        }
        let began = self.source.unix_time();
        let mut described = match self.source.describe().await {
            Ok((described, _)) => described,
            Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => {
                return self.note_gone(error);
            }
            Err(error) => return Err(error),
        };
        lock(&self.state).gone_answers = 0;
        let sought = lock(&self.state)
            .hidden
            .note_survey(&described, rows, self.now());
        for parent in sought {
            let exists = self.source.has_shard(&parent).await?;
            lock(&self.state).hidden.note_found(&parent, exists);
        }
        let (new, is_whole) = {
            let hidden = &lock(&self.state).hidden;
            described.extend(hidden.undescribed(self.now()).map(|parent| DescribedShard {
                id: parent.into(),
                parent: None,
            }));
            let new = lineage::new_shards(&described, rows, |parent| hidden.is_gone(parent));
            let without_rows = described
                .iter()
                .filter(|shard| !rows.contains_key(&*shard.id));
            let is_whole = without_rows.count() == new.len();
            (new, is_whole)
        };
        if self
            .store
            .create_rows(epoch, &new, self.unread_since())
            .await?
            == Written::Refused
        {
            return Ok(());
        }
        // Shards that still wait for their parents must not seem to be younger when they are found again.
        if is_whole && self.store.note_survey(epoch, began).await? == Written::Refused {
            return Ok(());
        }
        let removable = lock(&self.state)
            .missing
            .removable_rows(&described, rows, self.now());
        for shard in removable {
            if let Some(row) = rows.get(&shard) {
                self.store.remove_row(epoch, row).await?;
            }
        }
        let pause = if is_whole { SURVEY_PAUSE } else { SEARCH_PAUSE };
        lock(&self.state).survey_due = self.now() + pause;
        if !new.is_empty() {
            self.is_hurried.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A single response that the stream does not exist is not believed.
    fn note_gone(&self, error: Error) -> Result<()> {
        let mut state = lock(&self.state);
        state.gone_answers += 1;
        if state.gone_answers >= GONE_STREAM {
            return Err(error);
        }
        state.survey_due = self.now() + SEARCH_PAUSE;
        drop(state);
        self.report(&ConsumerEvent::RequestFailed(&error));
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
                    // A row that names this worker counts as free until it has the lease, except while its run ends.
                    owner: book.live_owner(&row.shard, now).filter(|owner| {
                        let is_held = book.held_epoch(&row.shard) == Some(row.epoch);
                        *owner != self.id() || is_held || state.running.contains(&*row.shard)
                    }),
                    asked_by: row.asked_by.as_deref(),
                })
                .collect();
            // The shards that the others have handed to this worker, and those whose run did not begin, are taken in any
            // case.
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
            step
        };
        for shard in step.take {
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
                // Read again: the last owner may have moved the place since.
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
fn other_stream(group: &StreamGroup, arn: &str) -> Error {
    let message = format!(
        "group `{}` reads the stream `{}`, and the table has the stream `{arn}`: the stream was switched off and on again, \
         or the table was created again. The changes of the old stream that were not handled are lost; to begin with the \
         new one, call `StreamGroup::forget`",
        group.group, group.stream
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

impl StreamGroup {
    /// Deletes the rows of a group, so that its next worker begins with the start of its settings. All workers must have
    /// stopped; a worker that is running ends with an error.
    pub async fn forget(group: &str, db: &Dynamo) -> Result<()> {
        let store = LeaseStore {
            db: db.clone(),
            group: group.to_owned(),
            worker: String::new(),
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
        // The row of the group goes last, because it leads to the others.
        row.delete().send(db).await.map(drop)
    }
}
