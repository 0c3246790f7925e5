//! The consumer of a group: its settings, and its handler.

use std::fmt;
use std::time::Duration;

use super::drive::drive_worker;
use super::each::EachHandler;
use super::each_in::EachInHandler;
use super::event::ConsumerEvent;
use super::lease::LeaseTable;
use super::settings::Settings;
use super::transaction::ChangeTransaction;
use super::worker::Worker;
use crate::dynamo::Dynamo;
use crate::entity::DynamoTable;
use crate::error::{Error, Result};
use crate::plan::check_transactions;
use crate::schema::StreamView;
use crate::streams::change::ItemChange;
use crate::streams::each::HandlerError;
use crate::streams::follow::{Followed, ItemChanges, Side};
use crate::streams::kind::KnownImages;
use crate::streams::stream_source::StreamSource;

/// The default lease time.
const LEASE_TIME: Duration = Duration::from_secs(30);
/// The shortest lease time, because renewals take time, too, and the longest one.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(86_400);

/// The start of a new group, in Unix seconds: changes before it are not delivered. DynamoDB rounds the times of records, and
/// some servers round them to a minute.
#[derive(Debug, Clone, Copy)]
enum GroupStart {
    Oldest,
    Latest,
    At(i64),
}

/// A worker of a group that handles the changes of an entity or a collection; see
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
                listener: None,
            },
        }
    }

    /// Begins a new group with the changes after its first worker has started. Without this, it begins with the oldest
    /// change that the stream has, at most 24 hours ago. A group that exists continues at its places.
    ///
    /// The clock of the server decides, and the times of records are rounded, so a few earlier changes may be delivered
    /// too. DynamoDB cannot search a stream by time: a new group reads all records of the stream and skips the earlier
    /// ones.
    pub fn start_at_latest(mut self) -> Self {
        self.start = GroupStart::Latest;
        self
    }

    /// Begins a new group with the changes since a time; see [`start_at_latest`](Self::start_at_latest).
    pub fn start_at(mut self, time: impl crate::clock::Moment) -> Self {
        self.start = GroupStart::At(time.to_timestamp().seconds());
        self
    }

    /// Sets the time for which a worker owns a shard without a renewal, 30 seconds by default. After a worker has died,
    /// its shards rest for this time and a tenth. Renewals are sent three times as often. All workers of a group should
    /// have the same lease time; otherwise, the longer one counts.
    pub fn lease_time(mut self, time: Duration) -> Self {
        self.settings.lease_time = time;
        self
    }

    /// Sets the longest pause between two requests for a shard that has no new records, 5 seconds by default. DynamoDB
    /// charges each request. A shorter pause delivers changes sooner.
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.settings.longest_pause = pause;
        self
    }

    /// Parks a change after this many failed attempts in the [`ParkedTable`](crate::streams::ParkedTable), and continues
    /// after it. Without this, a change that always fails blocks its shard; the attempts are repeated with growing pauses
    /// of up to ten seconds.
    ///
    /// Attempts are counted as those of a Lambda function; see
    /// [`ItemChanges::park_after`](crate::streams::ItemChanges::park_after). The name of the group is that of the
    /// consumer.
    pub fn park_after(mut self, attempts: usize) -> Self {
        self.settings.park_after = Some(attempts);
        self
    }

    /// Continues if the stream no longer has changes that were not handled, and reports them as
    /// [`ConsumerEvent::Lost`]. Without this, [`run`](ConsumerEach::run) ends with an error of kind
    /// [`ChangesLost`](crate::error::ErrorKind::ChangesLost).
    pub fn continue_after_loss(mut self) -> Self {
        self.settings.continues_after_loss = true;
        self
    }

    /// Calls a function for each event: progress and lag of each shard, failed attempts, parked changes. It should only
    /// count or log.
    pub fn on_event(
        mut self,
        listener: impl Fn(&ConsumerEvent<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.listener = Some(Box::new(listener));
        self
    }

    /// Sets a handler for effects outside of DynamoDB. **Each change is handled at least once**: changes after the last
    /// saved place of a shard are handled again if a worker dies, so use [`once`](crate::streams::once) for an effect that
    /// must not be repeated.
    ///
    /// Changes of one item are handled in order, and those of several shards concurrently. An error or a panic of the
    /// handler is repeated after a pause. No handler begins after another worker can have taken the shard, by the
    /// monotonic clock of this worker; however, a handler that is already running is not stopped. A handler must not block
    /// its thread, because the leases are renewed by the same future.
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

    /// Sets a function that adds the writes of a change to a transaction, for effects in DynamoDB. **Each change takes
    /// effect exactly once**: the place in the shard is saved in the same transaction, on the condition that this worker
    /// still has the shard and that the place is the expected one.
    ///
    /// The writes of several changes share a transaction as long as they are on different items and at most 99. The
    /// function may be called several times for one change, so it should do nothing else. If a condition of a write
    /// fails, the change counts as failed, and is repeated or [parked](Self::park_after).
    ///
    /// It is not possible with strongly consistent global tables, which have no transactions.
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
        let table = self.changes.followed.table.name;
        let source = StreamSource::find(db, table, None).await?;
        let view = self.settings.repeat_request(|| source.read_view()).await?;
        self.check_view(view)?;
        let since = match self.start {
            GroupStart::Oldest => None,
            // Times are rounded to a second, those of the server's clock too.
            GroupStart::Latest => Some(source.now() - 1),
            GroupStart::At(time) => Some(time),
        };
        let settings = Settings {
            since,
            ..self.settings
        };
        let entities = (self.changes.followed.members)();
        let worker = Worker::join(&self.name, source, settings, entities, db).await?;
        Ok((worker, self.changes))
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
    /// the running handlers end, the places are saved, and the other workers can take the shards at once.
    ///
    /// Start as many workers as you like, in one process or in many: they divide the shards. Returns an error if the
    /// stream or the leases cannot be used. Requests that fail for a while are repeated.
    pub async fn run<Fut, X>(self, db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()>
    where
        F: Fn(ItemChange<New, Old>) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        let (worker, changes) = self.consumer.join(db).await?;
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

/// A worker with a function that writes; see [`Consumer::each_in`].
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
        check_transactions("`each_in`", &leases, db).await?;
        let (worker, changes) = self.consumer.join(db).await?;
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
