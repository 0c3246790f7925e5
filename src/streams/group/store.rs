//! The requests on the rows of a group. Each write of an owner has the condition that this worker still owns the lease.

use std::collections::BTreeSet;
use std::time::Duration;

use super::book::LeaseState;
use super::lease::{GroupRoots, GroupRow, ShardLease, StreamGroup};
use super::limited::LimitTime;
use super::lineage::{NewShard, ShardRows};
use crate::dynamo::Dynamo;
use crate::entropy;
use crate::error::{Error, Result};
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::read::transact_get;
use crate::streams::position::ShardId;
use crate::streams::shard_api::FailureMeaning;
use crate::transact::Transaction;
use crate::verbs::EntityExt;
use crate::write::{ItemWrite, ReturningNothing, Update, Upsert};

/// The maximum number of rows that one transaction creates.
const CREATED: usize = 90;

/// The place up to which a shard was handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShardMark {
    pub(super) sequence: Option<String>,
    pub(super) at: Option<i64>,
}

/// The rows of a group.
#[derive(Debug)]
pub(super) struct GroupRows {
    pub(super) group: StreamGroup,
    /// The shards whose parents have no row.
    pub(super) roots: BTreeSet<String>,
    pub(super) shards: ShardRows,
}

/// The start of a shard that gets a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShardStart {
    pub(super) unread_since: i64,
    pub(super) is_initial: bool,
}

/// The effect of a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Done,
    /// The condition failed, because the row has changed.
    Refused,
}

/// The state of a place after a write whose outcome is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceState {
    Before,
    After,
    /// Another worker owns the lease, or the place is neither the old nor the new one.
    Lost,
}

#[derive(Debug, Clone)]
pub(super) struct LeaseStore {
    pub(super) db: Dynamo,
    pub(super) group: String,
    pub(super) worker: String,
    pub(super) lease_millis: u64,
}

/// Whether a request can be retried later.
pub(super) fn is_transient(error: &Error) -> bool {
    FailureMeaning::of_error(error) == FailureMeaning::Busy || error.is_outcome_unknown()
}

fn written(result: Result<()>) -> Result<Written> {
    match result {
        Ok(()) => Ok(Written::Done),
        Err(error) if error.is_lost_race() => Ok(Written::Refused),
        Err(error) => Err(error),
    }
}

impl LeaseStore {
    /// The requests of a new worker of a group.
    pub(super) fn new(group: &str, lease_time: Duration, db: &Dynamo) -> Result<Self> {
        Ok(LeaseStore {
            db: db.clone(),
            group: group.to_owned(),
            worker: format!("{:032x}", entropy::random_bits()?),
            lease_millis: u64::try_from(lease_time.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// All rows, by a strong read. `None` if the row of the group itself is missing.
    pub(super) async fn read_rows(&self) -> Result<Option<GroupRows>> {
        let mut group = None;
        let mut roots = BTreeSet::new();
        let mut shards = ShardRows::new();
        for row in self.read_partition().await? {
            match row {
                GroupRow::Group(row) => group = Some(row),
                GroupRow::Roots(row) => roots = row.shards,
                GroupRow::Shard(row) => {
                    shards.insert(row.shard.clone(), row);
                }
            }
        }
        Ok(group.map(|group| GroupRows {
            group,
            roots,
            shards,
        }))
    }

    pub(super) async fn read_partition(&self) -> Result<Vec<GroupRow>> {
        let rows = GroupRow::in_partition(&self.group).consistent();
        rows.all(&self.db).limited().await
    }

    pub(super) async fn read_group(&self) -> Result<Option<StreamGroup>> {
        let key = StreamGroup::key(&self.group);
        key.get().consistent().send(&self.db).limited().await
    }

    /// Returns the row of the group. Creates it if the group has no rows.
    pub(super) async fn open_group(&self, new: &StreamGroup) -> Result<StreamGroup> {
        let rows = self.read_partition().await?;
        let is_group = |row: &GroupRow| matches!(row, GroupRow::Group(_));
        if !rows.is_empty() && !rows.iter().any(is_group) {
            return Err(self.deleted_row("its own"));
        }
        let mut attempts = 0;
        loop {
            let error = match new.create().send(&self.db).limited().await {
                Ok(group) => return Ok(group),
                Err(error) if error.is_lost_race() || error.is_outcome_unknown() => error,
                Err(error) => return Err(error),
            };
            if let Some(group) = self.read_group().await? {
                return Ok(group);
            }
            attempts += 1;
            if attempts > 3 {
                return Err(error);
            }
        }
    }

    /// Sets the entities whose changes the group handles.
    pub(super) async fn set_entities(&self, entities: &BTreeSet<String>) -> Result<()> {
        let set = StreamGroup::key(&self.group)
            .update()
            .apply(|group| group.entities().set(entities))
            .returning_nothing()
            .send(&self.db);
        set.limited().await.map(drop)
    }

    pub(super) async fn read_shard(&self, shard: &str) -> Result<Option<ShardLease>> {
        let key = ShardLease::key(&self.group, shard);
        key.get().consistent().send(&self.db).limited().await
    }

    /// Whether the row of a lease exists. The name of the discoverer's lease is empty.
    pub(super) async fn has_row(&self, name: &str) -> Result<bool> {
        Ok(match name.is_empty() {
            true => self.read_group().await?.is_some(),
            false => self.read_shard(name).await?.is_some(),
        })
    }

    pub(super) async fn renew(&self, name: &str, epoch: u64) -> Result<Written> {
        let (db, worker) = (&self.db, &*self.worker);
        written(match name.is_empty() {
            true => StreamGroup::key(&self.group)
                .update()
                .apply(|row| row.renewals().add(1))
                .when(|row| row.owner().eq(worker) & row.epoch().eq(epoch))
                .returning_nothing()
                .retry_safe()
                .send(db)
                .limited()
                .await
                .map(drop),
            false => ShardLease::key(&self.group, name)
                .update()
                .apply(|row| row.renewals().add(1))
                .when(|row| row.owner().eq(worker) & row.epoch().eq(epoch))
                .returning_nothing()
                .retry_safe()
                .send(db)
                .limited()
                .await
                .map(drop),
        })
    }

    /// Makes this worker the owner, if the row still has these counters.
    pub(super) async fn take(&self, name: &str, seen: &LeaseState) -> Result<Written> {
        let (db, worker, next) = (&self.db, &*self.worker, seen.epoch + 1);
        written(match name.is_empty() {
            true => StreamGroup::key(&self.group)
                .update()
                .apply(|row| {
                    (
                        row.owner().set(worker),
                        row.epoch().set(next),
                        row.renewals().add(1),
                        row.lease_millis().set(self.lease_millis),
                    )
                })
                .when(|row| row.epoch().eq(seen.epoch) & row.renewals().eq(seen.renewals))
                .returning_nothing()
                .send(db)
                .limited()
                .await
                .map(drop),
            false => ShardLease::key(&self.group, name)
                .update()
                .apply(|row| {
                    let owner = row.owner().set(worker);
                    (
                        owner,
                        row.epoch().set(next),
                        row.renewals().add(1),
                        row.lease_millis().set(self.lease_millis),
                        row.requested_by().remove(),
                    )
                })
                .when(|row| row.epoch().eq(seen.epoch) & row.renewals().eq(seen.renewals))
                .returning_nothing()
                .send(db)
                .limited()
                .await
                .map(drop),
        })
    }

    /// Requests a shard from its owner.
    pub(super) async fn ask_for(&self, shard: &str, epoch: u64) -> Result<Written> {
        let asked = ShardLease::key(&self.group, shard)
            .update()
            .apply(|row| row.requested_by().set(&*self.worker))
            .when(|row| row.epoch().eq(epoch) & row.requested_by().missing())
            .returning_nothing()
            .send(&self.db)
            .limited()
            .await;
        written(asked.map(drop))
    }

    /// Releases a lease. If `next` is a worker, hands the lease over to it.
    pub(super) async fn release(
        &self,
        name: &str,
        epoch: u64,
        next: Option<&str>,
    ) -> Result<Written> {
        let (db, worker) = (&self.db, &*self.worker);
        written(match name.is_empty() {
            true => StreamGroup::key(&self.group)
                .update()
                .apply(|row| (row.owner().remove(), row.epoch().set(epoch + 1)))
                .when(|row| row.owner().eq(worker) & row.epoch().eq(epoch))
                .returning_nothing()
                .send(db)
                .limited()
                .await
                .map(drop),
            false => ShardLease::key(&self.group, name)
                .update()
                .apply(|row| {
                    let owner = match next {
                        Some(next) => row.owner().set(next),
                        None => row.owner().remove(),
                    };
                    (
                        owner,
                        row.epoch().set(epoch + 1),
                        row.requested_by().remove(),
                    )
                })
                .when(|row| row.owner().eq(worker) & row.epoch().eq(epoch))
                .returning_nothing()
                .send(db)
                .limited()
                .await
                .map(drop),
        })
    }

    /// The write that moves a place, if this worker still owns the shard and no other write has moved the place.
    pub(super) fn move_place(
        &self,
        shard: &str,
        epoch: u64,
        before: &ShardMark,
        after: &ShardMark,
    ) -> Update<ShardLease, ReturningNothing> {
        let key = ShardLease::key(&self.group, shard);
        key.update()
            .apply(|row| {
                let place = after
                    .sequence
                    .as_ref()
                    .map(|sequence| row.place().set(sequence));
                let at = after.at.map(|at| row.place_at().set(at));
                (place, at)
            })
            .when(|row| {
                let is_mine = row.owner().eq(&*self.worker) & row.epoch().eq(epoch);
                is_mine
                    & match &before.sequence {
                        Some(sequence) => row.place().eq(sequence),
                        None => row.place().missing(),
                    }
            })
            .returning_nothing()
    }

    /// Saves a place. After a lost response, the row shows whether the write took effect.
    pub(super) async fn save_place(
        &self,
        shard: &str,
        epoch: u64,
        before: &ShardMark,
        after: &ShardMark,
    ) -> Result<PlaceState> {
        match self
            .move_place(shard, epoch, before, after)
            .send(&self.db)
            .limited()
            .await
        {
            Ok(_) => Ok(PlaceState::After),
            Err(error) if error.is_lost_race() || error.is_outcome_unknown() => {
                self.read_place(shard, epoch, before, after).await
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether a write that moves a place took effect, by a strong read.
    pub(super) async fn read_place(
        &self,
        shard: &str,
        epoch: u64,
        before: &ShardMark,
        after: &ShardMark,
    ) -> Result<PlaceState> {
        let Some(row) = self.read_shard(shard).await? else {
            return Err(self.deleted_row(shard));
        };
        let is_mine = row.owner.as_ref() == Some(&self.worker) && row.epoch == epoch;
        Ok(match is_mine {
            // Only this worker moves the place in this epoch.
            true if row.place == after.sequence => PlaceState::After,
            true if row.place == before.sequence => PlaceState::Before,
            _ => PlaceState::Lost,
        })
    }

    fn new_row(&self, shard: &str, parent: Option<&str>, start: ShardStart) -> ShardLease {
        ShardLease {
            group: self.group.clone(),
            shard: shard.to_owned(),
            parent: parent.map(str::to_owned),
            children: BTreeSet::new(),
            unread_since: start.unread_since,
            owner: None,
            epoch: 0,
            renewals: 0,
            lease_millis: 0,
            requested_by: None,
            place: None,
            place_at: None,
            is_finished: false,
            is_initial: start.is_initial,
        }
    }

    /// Creates the rows of new shards. Each transaction also adds them to the list of the parent or of the group, so that the
    /// workers notice if a row is deleted by hand. Stops if another worker has created one of the rows, or is the
    /// discoverer.
    pub(super) async fn create_rows(
        &self,
        epoch: u64,
        new: &[NewShard],
        start: ShardStart,
    ) -> Result<Written> {
        let mut rest = new;
        while let Some(first) = rest.first() {
            let is_same = |other: &&NewShard| other.lister() == first.lister();
            let count = rest.iter().take(CREATED).take_while(is_same).count();
            let (these, later) = rest.split_at(count);
            rest = later;
            let ids = these.iter().map(|new| new.shard.clone());
            let rows = these
                .iter()
                .map(|new| self.new_row(&new.shard, new.parent.as_deref(), start));
            let creates = rows.map(EntityExt::into_create);
            let group = StreamGroup::key(&self.group);
            let worker = &*self.worker;
            let owned = group
                .check()
                .when(|row| row.owner().eq(worker) & row.epoch().eq(epoch));
            let listed = match first.lister() {
                Some(parent) => Transaction::new().with(owned).with(
                    ShardLease::key(&self.group, parent)
                        .update()
                        .apply(|row| row.children().insert_all(ids)),
                ),
                None => Transaction::new().with(owned).with(self.list_roots(ids)),
            };
            if written(
                listed
                    .with_all(creates)
                    .send(&self.db)
                    .limited()
                    .await
                    .map(drop),
            )? == Written::Refused
            {
                return Ok(Written::Refused);
            }
        }
        Ok(Written::Done)
    }

    fn list_roots(&self, shards: impl IntoIterator<Item = String>) -> Upsert<GroupRoots> {
        GroupRoots::key(&self.group)
            .upsert()
            .apply(|roots| roots.shards().insert_all(shards))
    }

    /// Notes that all shards that were described at this time have rows.
    pub(super) async fn note_survey(&self, epoch: u64, at: i64) -> Result<Written> {
        let noted = StreamGroup::key(&self.group)
            .update()
            .apply(|row| row.surveyed_at().set(at))
            .when(|row| row.owner().eq(&*self.worker) & row.epoch().eq(epoch))
            .returning_nothing()
            .send(&self.db)
            .limited()
            .await;
        written(noted.map(drop))
    }

    /// Marks a shard as finished, and creates the rows of its children.
    pub(super) async fn finish(
        &self,
        shard: &str,
        epoch: u64,
        before: &ShardMark,
        children: &[ShardId],
        start: ShardStart,
    ) -> Result<Written> {
        let rows = children
            .iter()
            .map(|child| self.new_row(child, Some(shard), start));
        let ids: Vec<String> = children.iter().map(|child| child.to_string()).collect();
        let finished = ShardLease::key(&self.group, shard)
            .update()
            .apply(|row| {
                let listed = (!ids.is_empty()).then(|| row.children().insert_all(ids));
                let finished = row.is_finished().set(true);
                (
                    finished,
                    listed,
                    row.owner().remove(),
                    row.epoch().set(epoch + 1),
                    row.requested_by().remove(),
                )
            })
            .when(|row| {
                let is_mine = row.owner().eq(&*self.worker) & row.epoch().eq(epoch);
                is_mine
                    & match &before.sequence {
                        Some(sequence) => row.place().eq(sequence),
                        None => row.place().missing(),
                    }
            });
        let finish = Transaction::new()
            .with(finished)
            .with_all(rows.map(EntityExt::into_create));
        written(finish.send(&self.db).limited().await.map(drop))
    }

    /// Deletes the row of a finished shard. Its children become shards of the group.
    pub(super) async fn remove_row(&self, epoch: u64, row: &ShardLease) -> Result<Written> {
        let owned = || {
            StreamGroup::key(&self.group)
                .check()
                .when(|group| group.owner().eq(&*self.worker) & group.epoch().eq(epoch))
        };
        if !row.children.is_empty() {
            // One update cannot both add to a set and remove from it, so this is a request of its own. If the next one
            // fails, the shards are listed twice, which is harmless.
            let listed = Transaction::new()
                .with(owned())
                .with(self.list_roots(row.children.iter().cloned()));
            if written(listed.send(&self.db).limited().await.map(drop))? == Written::Refused {
                return Ok(Written::Refused);
            }
        }
        let removed = Transaction::new()
            .with(owned())
            .with(
                GroupRoots::key(&self.group)
                    .update()
                    .apply(|roots| roots.shards().discard(&row.shard)),
            )
            .with(
                row.key()
                    .delete()
                    .when(|stored| stored.is_finished().eq(true)),
            );
        written(removed.send(&self.db).limited().await.map(drop))
    }

    /// Whether a listed shard has no row. Reads the list and the row in one snapshot.
    pub(super) async fn is_deleted(&self, shard: &str, lister: Option<&str>) -> Result<bool> {
        let shard_row = ShardLease::key(&self.group, shard).get();
        let is_listed =
            |listed: Option<BTreeSet<String>>| listed.is_some_and(|listed| listed.contains(shard));
        Ok(match lister {
            None => {
                let roots = GroupRoots::key(&self.group).get();
                let (row, roots) = transact_get((shard_row, roots))
                    .send(&self.db)
                    .limited()
                    .await?;
                row.is_none() && is_listed(roots.map(|roots| roots.shards))
            }
            Some(parent) => {
                let parent = ShardLease::key(&self.group, parent).get();
                let (row, parent) = transact_get((shard_row, parent))
                    .send(&self.db)
                    .limited()
                    .await?;
                row.is_none() && is_listed(parent.map(|parent| parent.children))
            }
        })
    }

    /// Whether the group has a row of its roots, by a strong read.
    pub(super) async fn has_roots(&self) -> Result<bool> {
        let roots = GroupRoots::key(&self.group).get().consistent();
        Ok(roots.send(&self.db).limited().await?.is_some())
    }

    #[cold]
    pub(super) fn deleted_row(&self, shard: &str) -> Error {
        Error::config(format!(
            "the row of {} was deleted from `LeaseTable` while group `{}` uses it, so the group no longer knows which \
             changes were handled. To start the group again, stop all workers and call `StreamGroup::forget`",
            match shard {
                "its own" => "the group".to_owned(),
                "its first shards" => "the first shards of the group".to_owned(),
                shard => format!("shard `{shard}`"),
            },
            self.group
        ))
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests;
