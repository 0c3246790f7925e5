//! The settings and the handler of a worker.

use std::fmt;
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::future::{Either, select};

use super::drive::drive_worker;
use super::each::EachHandler;
use super::each_in::EachInHandler;
use super::event::ConsumerEvent;
use super::lease::LeaseTable;
use super::limited::LimitTime;
use super::settings::Settings;
use super::store::LeaseStore;
use super::transaction::ChangeTransaction;
use super::worker::Worker;
use super::worker::joining::stream_of_group;
use crate::dynamo::Dynamo;
use crate::entity::DynamoTable;
use crate::error::{Error, Result};
use crate::plan::{Operation, check_transactions};
use crate::schema::StreamView;
use crate::streams::change::ItemChange;
use crate::streams::each::HandlerError;
use crate::streams::follow::{Followed, ItemChanges, Side};
use crate::streams::kind::KnownImages;
use crate::streams::parked::ParkedChange;
use crate::streams::stream_source::StreamSource;

/// The default lease time.
const LEASE_TIME: Duration = Duration::from_secs(30);
/// The shortest and the longest lease time. A shorter one would expire while its renewal is sent.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(86_400);

/// The number of seconds before the time of the server at which a new group starts that wants the latest changes. The times
/// of records are rounded, and the clocks of two servers differ.
const LATEST_MARGIN: i64 = 10;

/// The start of a new group. Changes before it are not handled.
#[derive(Debug, Clone, Copy)]
enum GroupStart {
    Oldest,
    Latest,
    /// Unix seconds.
    At(i64),
}

/// The settings of a worker of a group, which handles the changes of an entity or a collection; see
/// [`EntityChanges::consumer`](crate::streams::EntityChanges::consumer).
#[must_use = "nothing happens until `.each(..)` or `.each_in(..)` and `.run(&db, ..)`"]
pub struct Consumer<New, Old = New> {
    name: String,
    changes: ItemChanges<New, Old>,
    start: GroupStart,
    settings: Settings,
}

impl<New, Old> Consumer<New, Old> {
    pub(in crate::streams) fn of_table(
        name: String,
        followed: Followed,
        new: Side<New>,
        old: Side<Old>,
    ) -> Self {
        Consumer {
            name,
            changes: ItemChanges::of_stream(followed, new, old),
            start: GroupStart::Oldest,
            settings: Settings {
                lease_time: LEASE_TIME,
                longest_pause: Duration::from_secs(5),
                since: None,
                continues_after_loss: false,
                park_after: None,
                has_fewer_entities: false,
                listener: None,
            },
        }
    }

    /// Starts a new group with the changes after its first worker joins. By default, a new group starts with the oldest
    /// change that the stream still has, at most 24 hours ago. A group that already exists ignores this setting, and
    /// continues after the last handled changes.
    ///
    /// The clock of the server applies, and servers round the times of records, so a few earlier changes may be handled
    /// too. DynamoDB cannot search a stream by time. Therefore, a new group reads all records of the stream and skips the
    /// earlier ones.
    pub fn start_at_latest(mut self) -> Self {
        self.start = GroupStart::Latest;
        self
    }

    /// Starts a new group with the changes at or after a time; see [`start_at_latest`](Self::start_at_latest).
    pub fn start_at(mut self, time: impl crate::clock::Moment) -> Self {
        self.start = GroupStart::At(time.to_timestamp().seconds());
        self
    }

    /// Sets the time for which a worker owns a shard after a renewal of its lease. The default is 30 seconds, the minimum
    /// a second, and the maximum a day.
    ///
    /// A worker renews each lease three times in this time, which costs one write each. After a worker has died, the
    /// others wait until a lease was not renewed for this time and a tenth of it. All workers of a group should have the
    /// same lease time; otherwise, they wait for the longer one.
    pub fn lease_time(mut self, time: Duration) -> Self {
        self.settings.lease_time = time;
        self
    }

    /// Sets the longest pause between two requests for a shard that has no new records. The default is 5 seconds, and
    /// the minimum 100 milliseconds. A shorter pause delivers changes sooner. However, DynamoDB charges each request.
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.settings.longest_pause = pause;
        self
    }

    /// Parks a change after this many failed attempts in the [`ParkedTable`](crate::streams::ParkedTable), and continues
    /// with the next change. Without this setting, a change that always fails blocks its shard, because the worker retries
    /// it with growing pauses of up to ten seconds.
    ///
    /// The attempts are counted like those of a Lambda function; see
    /// [`ItemChanges::park_after`](crate::streams::ItemChanges::park_after). The name of the consumer is the name of the
    /// group.
    pub fn park_after(mut self, attempts: usize) -> Self {
        self.settings.park_after = Some(attempts);
        self
    }

    /// Continues with the oldest changes if changes may be lost, and reports the loss as [`ConsumerEvent::ChangesLost`]. Without
    /// this setting, [`run`](ConsumerEach::run) returns an error of kind
    /// [`ChangesLost`](crate::error::ErrorKind::ChangesLost).
    pub fn continue_after_loss(mut self) -> Self {
        self.settings.continues_after_loss = true;
        self
    }

    /// Lets the group handle changes of fewer entities than before, for example after an entity was retired. Without this,
    /// [`run`](ConsumerEach::run) ends with an error. The group skips changes of the other entities from then on, and a
    /// worker that handles them ends with an error when it joins.
    pub fn with_fewer_entities(mut self) -> Self {
        self.settings.has_fewer_entities = true;
        self
    }

    /// Sets a function that is called for each [`ConsumerEvent`], for example the progress of a shard or a failed attempt.
    /// The function should only count or log, because the handlers and the renewals wait for it.
    pub fn on_event(
        mut self,
        listener: impl Fn(&ConsumerEvent<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.listener = Some(Box::new(listener));
        self
    }

    /// Sets a handler for effects outside DynamoDB. **Each change is handled at least once.**
    ///
    /// A worker saves how far it has handled a shard after each page of records, and also between two handlers if a second
    /// has passed. If the worker dies, another one handles the later changes again, so use [`once`](crate::streams::once)
    /// for an effect that must not be repeated.
    ///
    /// The changes of one shard are handled one after the other, so those of one item are in order. The changes of
    /// several shards are handled concurrently. If the handler fails or panics, or if a record cannot be read, the worker
    /// retries the change after a pause, or [parks](Self::park_after) it.
    ///
    /// No handler begins after another worker can have become the owner of the shard, by the monotonic clock of this
    /// worker. However, a handler that is already running is not stopped. A handler must not block its thread, because
    /// the same future renews the leases.
    pub fn each<F, Fut, X>(self, handler: F) -> ConsumerEach<New, Old, F>
    where
        F: Fn(ItemChange<New, Old>) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        ConsumerEach {
            consumer: self,
            handler,
        }
    }

    /// Sets a function that adds the writes of a change to a transaction, for effects in DynamoDB. **The writes of each
    /// change take effect exactly once.**
    ///
    /// The transaction also saves how far the shard was handled. It has the condition that this worker still owns the
    /// shard and that no other transaction has handled the change.
    ///
    /// The writes of several changes share a transaction if they are on different items and at most 99. The function can
    /// be called several times for one change, so it should only add writes. If a condition of a write fails, the change
    /// counts as failed. The worker then retries it, or [parks](Self::park_after) it without its writes.
    ///
    /// Strongly consistent global tables have no transactions. Therefore, [`run`](ConsumerEachIn::run) returns an error of
    /// kind [`NoTransactions`](crate::error::ErrorKind::NoTransactions) if a write is on such a table.
    pub fn each_in<F, X>(self, write: F) -> ConsumerEachIn<New, Old, F>
    where
        F: Fn(&ItemChange<New, Old>, &mut ChangeTransaction<'_>) -> Result<(), X>,
        X: Into<HandlerError>,
    {
        ConsumerEachIn {
            consumer: self,
            write,
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Rejects a stream without the images that are read, because no change of it could be handled.
    fn check_view(&self, view: Option<StreamView>) -> Result<()> {
        let Some(known) = view.map(KnownImages::of_view) else {
            return Ok(());
        };
        if self.changes.is_satisfied(known) {
            return Ok(());
        }
        let function = match (known.new, known.old) {
            (true, _) => "new_image_consumer",
            (_, true) => "old_image_consumer",
            _ => "key_consumer",
        };
        let Followed { name, table, .. } = self.changes.followed;
        let message = format!(
            "the stream of table `{}` does not have the images that this consumer reads: call `{name}::{function}`, or \
             give the table a stream with more images",
            table.name
        );
        Err(Error::config(message))
    }

    async fn join(self, db: &Dynamo) -> Result<(Worker, ItemChanges<New, Old>)> {
        if !(SHORTEST..=LONGEST).contains(&self.settings.lease_time) {
            let message = "the lease time of a consumer must be between a second and a day";
            return Err(Error::config(message));
        }
        let store = LeaseStore::new(&self.name, self.settings.lease_time, db)?;
        let table = self.changes.followed.table.name;
        let newest = StreamSource::find(db, table, None).await?;
        let source = stream_of_group(newest, &self.settings, &store).await?;
        let view = self.settings.repeat_request(|| source.read_view()).await?;
        self.check_view(view)?;
        if self.settings.park_after.is_some() {
            // Otherwise, a missing table would be noticed at the first change that fails.
            let found = || async {
                let key = ParkedChange::key(&self.name, "none");
                key.get().send(db).limited().await.map(drop)
            };
            self.settings.repeat_request(found).await?;
        }
        let since = match self.start {
            GroupStart::Oldest => None,
            GroupStart::Latest => Some(source.now() - LATEST_MARGIN),
            GroupStart::At(time) => Some(time),
        };
        let settings = Settings {
            since,
            ..self.settings
        };
        let entities = (self.changes.followed.members)();
        let worker = Worker::join(source, settings, entities, store).await?;
        Ok((worker, self.changes))
    }
}

/// Waits for the beginning of a worker, unless the shutdown comes first.
async fn unless_shutdown<T>(
    join: impl Future<Output = Result<T>>,
    shutdown: Pin<&mut impl Future<Output = ()>>,
) -> Result<Option<T>> {
    match select(pin!(join), shutdown).await {
        Either::Left((joined, _)) => joined.map(Some),
        Either::Right(_) => Ok(None),
    }
}

impl<New, Old> fmt::Debug for Consumer<New, Old> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Consumer {:?} of {}",
            self.name, self.changes.followed.name
        )
    }
}

/// A worker with a handler; see [`Consumer::each`].
#[must_use = "nothing happens until `.run(&db, ..)`"]
pub struct ConsumerEach<New, Old, F> {
    consumer: Consumer<New, Old>,
    handler: F,
}

impl<New, Old, F> ConsumerEach<New, Old, F> {
    /// Joins the group and handles changes until `shutdown` is ready, for example a signal of the operating system. Then
    /// it waits for the running handlers, saves how far they have come, and releases the leases, so that other workers can
    /// continue at once.
    ///
    /// You can start any number of workers, in one process or in many. The library retries requests that are throttled or
    /// fail temporarily, and reports them as [`ConsumerEvent::RequestFailed`].
    ///
    /// # Errors
    ///
    /// An error ends the worker, after the running handlers have ended: for example, a table is missing or has no stream,
    /// the permissions do not suffice, changes may be lost, a row of the [`LeaseTable`](crate::streams::LeaseTable) was
    /// deleted, the stream was replaced, or another consumer uses the name of the group.
    pub async fn run<Fut, X>(self, db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()>
    where
        F: Fn(ItemChange<New, Old>) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        let mut shutdown = pin!(shutdown);
        let joined = unless_shutdown(self.consumer.join(db), shutdown.as_mut());
        let Some((worker, changes)) = joined.await? else {
            return Ok(());
        };
        let handler = EachHandler {
            changes,
            handler: self.handler,
        };
        drive_worker(&worker, |run| handler.run_shard(run), shutdown).await
    }
}

impl<New, Old, F> fmt::Debug for ConsumerEach<New, Old, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.consumer.fmt(f)
    }
}

/// A worker with a function that adds writes; see [`Consumer::each_in`].
#[must_use = "nothing happens until `.run(&db, ..)`"]
pub struct ConsumerEachIn<New, Old, F> {
    consumer: Consumer<New, Old>,
    write: F,
}

impl<New, Old, F> ConsumerEachIn<New, Old, F> {
    /// Joins the group and handles changes until `shutdown` is ready; see [`ConsumerEach::run`].
    pub async fn run<X>(self, db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()>
    where
        F: Fn(&ItemChange<New, Old>, &mut ChangeTransaction<'_>) -> Result<(), X>,
        X: Into<HandlerError>,
    {
        let leases = db.table_name(LeaseTable::TABLE.name);
        let join = async {
            check_transactions("`each_in`", &leases, db).await?;
            self.consumer.join(db).await
        };
        let mut shutdown = pin!(shutdown);
        let joined = unless_shutdown(join, shutdown.as_mut());
        let Some((worker, changes)) = joined.await? else {
            return Ok(());
        };
        let handler = EachInHandler {
            changes,
            write: self.write,
        };
        drive_worker(&worker, |run| handler.run_shard(run), shutdown).await
    }
}

impl<New, Old, F> fmt::Debug for ConsumerEachIn<New, Old, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.consumer.fmt(f)
    }
}
