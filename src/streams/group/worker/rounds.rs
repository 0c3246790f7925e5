//! The rounds of a worker: it renews its leases, reads the rows, and takes and requests shards.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::{TakenLease, TakingEnd, Worker, WorkerState, lock};
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::retry::run_together;
use crate::runtime::sleep_for;
use crate::streams::group::balance::{BalanceStep, ReadyShard, balance_shards};
use crate::streams::group::book::{LeaseName, LeaseState};
use crate::streams::group::event::ConsumerEvent;
use crate::streams::group::lease::{ShardLease, StreamGroup};
use crate::streams::group::lineage;
use crate::streams::group::rejected::{other_entities, other_stream};
use crate::streams::group::store::{GroupRows, Written, is_transient};

/// The maximum number of free shards that a worker takes in a round, so that workers that join at once get their shares, and
/// of shards that it requests.
const TAKEN: usize = 64;

fn state_of_shard(row: &ShardLease) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        renewals: row.renewals,
        lease_time: Duration::from_millis(row.lease_millis),
    }
}

pub(super) fn state_of_group(row: &StreamGroup) -> LeaseState {
    LeaseState {
        owner: row.owner.clone(),
        epoch: row.epoch,
        renewals: row.renewals,
        lease_time: Duration::from_millis(row.lease_millis),
    }
}

impl Worker {
    /// Runs rounds and surveys concurrently, until an error that is not retried.
    pub(in crate::streams::group) async fn coordinate(&self) -> Result<()> {
        // A survey of a large stream may take longer than the time between two renewals.
        match select(pin!(self.run_rounds()), pin!(self.run_surveys())).await {
            Either::Left((ended, _)) | Either::Right((ended, _)) => ended,
        }
    }

    async fn run_rounds(&self) -> Result<()> {
        let limit = self.settings.lease_time / 3;
        loop {
            let next = self.now() + self.settings.round_period();
            self.is_hurried.store(false, Ordering::Relaxed);
            let round = pin!(self.run_round());
            // A request without a response must not prevent the next renewals.
            match select(round, pin!(sleep_for(limit))).await {
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

    pub(super) async fn run_round(&self) -> Result<()> {
        self.renew_leases().await?;
        if self.is_stopping() {
            // The last handlers may take long, so another worker should become the discoverer.
            return self.release_discoverer().await;
        }
        let Some(rows) = self.store.read_rows().await? else {
            return Err(self.store.deleted_row("its own"));
        };
        self.check_group(&rows.group)?;
        self.note_rows(&rows);
        if rows.roots.is_empty() && !rows.shards.is_empty() && !self.store.has_roots().await? {
            return Err(self.store.deleted_row("its first shards"));
        }
        for (shard, lister) in lineage::missing_rows(&rows.roots, &rows.shards) {
            // The rows were read page by page, so a row may have been created or removed in between.
            if self.store.is_deleted(&shard, lister.as_deref()).await? {
                return Err(self.store.deleted_row(&shard));
            }
        }
        self.report_transient(self.seek_discoverer(&rows.group).await)?;
        self.balance(&rows).await
    }

    /// The group may have been created again, or have got a worker that handles more entities.
    fn check_group(&self, group: &StreamGroup) -> Result<()> {
        if *group.stream != *self.source.arn {
            return Err(other_stream(&group.group, &self.source.arn, &group.stream));
        }
        match group.entities.is_subset(&self.entities) {
            true => Ok(()),
            false => Err(other_entities(group, &self.entities)),
        }
    }

    /// Reports a failure that a later round can retry, and returns others.
    fn report_transient(&self, ended: Result<()>) -> Result<()> {
        match ended {
            Err(error) if is_transient(&error) => {
                self.report(&ConsumerEvent::RequestFailed(&error));
                Ok(())
            }
            ended => ended,
        }
    }

    /// Renews the leases and does nothing else, until it is dropped.
    pub(in crate::streams::group) async fn keep_leases(&self) {
        loop {
            if let Err(error) = self.renew_leases().await {
                self.report(&ConsumerEvent::RequestFailed(&error));
            }
            sleep_for(self.settings.lease_time / 3).await;
        }
    }

    pub(super) async fn release_discoverer(&self) -> Result<()> {
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
        let is_able = !self.has_failed_surveys() || self.is_survey_due();
        if is_free && is_able && self.take_lease("", &state_of_group(group)).await?.is_some() {
            lock(&self.state).begin_discovery();
            self.changed.notify_waiters();
        }
        Ok(())
    }

    async fn renew_leases(&self) -> Result<()> {
        // Rounds may follow each other quickly, and each renewal is a write.
        let held = lock(&self.book).due_leases(self.now(), self.settings.renewal_age());
        let renewals = held
            .into_iter()
            .map(|(name, epoch)| self.renew_lease(name, epoch));
        let renewed = run_together(renewals.collect()).await;
        // The runs are woken, because they may wait for a renewal.
        self.changed.notify_waiters();
        renewed.into_iter().collect()
    }

    pub(super) async fn renew_lease(&self, name: LeaseName, epoch: u64) -> Result<()> {
        // This time is before the request is sent, because the others may see its effect from then on.
        let sent = self.now();
        let renewal = pin!(self.store.renew(&name, epoch));
        // A renewal without a response must not delay those of the other leases.
        let limit = pin!(sleep_for(self.settings.lease_time / 6));
        let renewed = match select(renewal, limit).await {
            Either::Left((renewed, _)) => renewed,
            Either::Right(_) => {
                let message = "the renewal of a lease took longer than a sixth of the lease time";
                let error = Error::new(ErrorKind::Unavailable, Stage::Wire, message);
                self.report(&ConsumerEvent::RequestFailed(&error));
                return Ok(());
            }
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

    pub(super) fn note_rows(&self, rows: &GroupRows) {
        let (group, rows) = (&rows.group, &rows.shards);
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
            if let Some(asker) = row.requested_by.clone().filter(|asker| asker != self.id())
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
    pub(super) async fn take_lease(&self, name: &str, state: &LeaseState) -> Result<Option<u64>> {
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

    pub(super) async fn balance(&self, rows: &GroupRows) -> Result<()> {
        let step = self.plan_balance(rows)?;
        // The next round takes the rest.
        if step.take.len() > TAKEN {
            self.is_hurried.store(true, Ordering::Relaxed);
        }
        let taken = step.take.iter().take(TAKEN);
        let rows = &rows.shards;
        for row in step
            .handed
            .iter()
            .chain(taken)
            .filter_map(|shard| rows.get(shard))
        {
            if self.is_stopping() {
                return Ok(());
            }
            self.report_transient(self.take_shard(row).await)?;
        }
        for row in step
            .ask
            .iter()
            .take(TAKEN)
            .filter_map(|shard| rows.get(shard))
        {
            let asked = self.store.ask_for(&row.shard, row.epoch).await;
            self.report_transient(asked.map(drop))?;
        }
        Ok(())
    }

    fn plan_balance(&self, rows: &GroupRows) -> Result<ShardsToTake> {
        let now = self.now();
        let salt = entropy::random_half()?;
        let random = |shard: &str| {
            let mixed = shard.bytes().fold(salt, |hash, byte| {
                hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
            });
            mixed ^ (mixed >> 29)
        };
        let (book, state) = (lock(&self.book), lock(&self.state));
        let is_ready = |row: &&ShardLease| lineage::is_ready(row, &rows.shards, &rows.roots);
        let ready: Vec<ReadyShard<'_>> = rows
            .shards
            .values()
            .filter(is_ready)
            .map(|row| ReadyShard {
                shard: &row.shard,
                // A row that names this worker counts as free until the worker has the lease, except while its run ends.
                owner: book.live_owner(&row.shard, now).filter(|owner| {
                    let is_held = book.held_epoch(&row.shard) == Some(row.epoch);
                    *owner != self.id() || is_held || state.running.contains(&*row.shard)
                }),
                requested_by: row.requested_by.as_deref(),
                is_waiting: book.is_waiting(&row.shard, now),
            })
            .collect();
        // Two runs of one shard would handle its changes concurrently.
        let is_idle = |shard: &str| !state.running.contains(shard);
        let is_mine = |shard: &str| {
            let row = rows.shards.get(shard);
            row.is_some_and(|row| row.owner.as_deref() == Some(self.id()))
        };
        // This worker always takes the shards that others have handed over to it, and those whose run did not begin.
        let names = ready.iter().map(|shard| shard.shard);
        let handed = names.filter(|shard| is_mine(shard) && is_idle(shard));
        let handed: Vec<String> = handed.map(str::to_owned).collect();
        let BalanceStep { mut take, ask } = balance_shards(self.id(), &ready, random);
        take.retain(|shard| is_idle(shard) && !is_mine(shard));
        // Workers that join at once should not all want the same shards.
        take.sort_by_cached_key(|shard| random(shard));
        take.dedup();
        Ok(ShardsToTake { handed, take, ask })
    }

    pub(super) async fn take_shard(&self, row: &ShardLease) -> Result<()> {
        // A lease whose run did not begin, because the round had ended, is not taken again.
        let held = lock(&self.book)
            .held_epoch(&row.shard)
            .filter(|epoch| *epoch == row.epoch);
        let taken = match held {
            None => self.take_lease(&row.shard, &state_of_shard(row)).await?,
            held => held,
        };
        let Some(epoch) = taken else {
            return Ok(());
        };
        // The row is read again, because the last owner may have moved the place.
        let Some(row) = self.store.read_shard(&row.shard).await? else {
            return Err(self.store.deleted_row(&row.shard));
        };
        let mut state = lock(&self.state);
        if state.running.insert(row.shard.as_str().into()) {
            state.taken.push(TakenLease { row, epoch });
        }
        Ok(())
    }
}

/// The shards that a worker takes and requests.
struct ShardsToTake {
    /// The shards that belong to it, and are not read yet.
    handed: Vec<String>,
    /// Free shards.
    take: Vec<String>,
    /// Shards of others.
    ask: Vec<String>,
}
