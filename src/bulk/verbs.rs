//! The verbs that change each row of a query.

use super::refill::RefillMode;
use super::{Bulk, JobRow, RowChange, RowToDelete, RowTransaction, WholeRow};
use crate::dynamo::Dynamo;
use crate::entity::AllChangeable;
use crate::error::Result;
use crate::plan::Steps;
use crate::query::{JobRows, QueryExt, StrongReads};

/// The operations on each row of a query.
pub trait BulkExt: QueryExt {
    /// Changes each row, by a conditional write of its own: an "update where".
    ///
    /// The closure gets the row and returns its [`update`](crate::verbs::EntityExt::update), `None` to skip it, or
    /// a `Result` of these. A write takes effect only while its row is still a row of the query: of the index and of
    /// the [`filter`](QueryExt::filter) too. If another writer has changed the row in the meantime, it is read
    /// again and the closure runs again. Therefore the closure may run several times for a row; its last result is
    /// written, once. Whether another write is detected depends on the entity: a [`Version`](crate::Version) detects
    /// each one; without a version, only the conditions of the update itself do. After a lost response, a row is
    /// reported as [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), and it is not written again.
    ///
    /// See [`Bulk`] for the rate, the progress, and a checkpoint that survives a crash.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "tasks", key(pk = owner, sk = number))]
    /// # struct Task { owner: String, number: u32, is_open: bool, priority: u8, #[dynamo(version)] version: Version }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Task::schema()]).await?;
    /// # for number in 0..10 {
    /// #     Task { owner: "ann".into(), number, is_open: number < 6, priority: 1, version: Version::default() }.create().send(&db).await?;
    /// # }
    /// let report = Task::in_partition("ann")
    ///     .filter(|t| t.is_open().eq(true))
    ///     .update_each(|task| match task.number {
    ///         0 => None, // stays as it is
    ///         number => Some(task.update().apply(move |t| t.priority().set(if number < 3 { 9 } else { 5 }))),
    ///     })
    ///     .send(&db)
    ///     .await?
    ///     .complete()?;
    /// assert_eq!((report.written, report.unchanged), (5, 1));
    /// # Ok(()) }
    /// ```
    fn update_each<'j, C>(self, change: impl FnMut(&Self::Row) -> C + Send + 'j) -> Bulk<'j>
    where
        Self::Row: WholeRow,
        C: RowChange<Self::Row>,
    {
        Bulk::update(JobRows::of_query(self.query()), change)
    }

    /// Deletes each row by its key: only keys are read. A row of an index, or of a query with a
    /// [`filter`](QueryExt::filter), is deleted only while it is still a row of the query. A row of the table
    /// itself is deleted whatever it contains at that time.
    ///
    /// If the entity has unique values, their fields are read too, and each row is deleted only while it has the
    /// values that the delete releases. The lists and blobs of each row are deleted with it; their parts are left to a
    /// [`Sweep`](crate::large::Sweep).
    ///
    /// `Order::in_partition(..).delete_each()` deletes a whole partition, and a [collection](crate::DynamoCollection)
    /// deletes one with all its entities. See [`Bulk`].
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = owner, sk = number))]
    /// # struct Note { owner: String, number: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for number in 0..10 { Note { owner: "ann".into(), number }.put().send(&db).await?; }
    /// let report = Note::in_partition("ann").number().lt(7).delete_each().send(&db).await?.complete()?;
    /// assert_eq!(report.written, 7);
    /// # Ok(()) }
    /// ```
    fn delete_each<'j, Kind>(self) -> Bulk<'j>
    where
        Self::Row: RowToDelete<Kind>,
        <Self::Row as RowToDelete<Kind>>::Entities: AllChangeable,
    {
        Bulk::delete(JobRows::of_query(self.query()))
    }

    /// Deletes each row like [`delete_each`](Self::delete_each), but by requests of 25 and without conditions: a row
    /// that was found is deleted, even if others have changed it in the meantime. Use it if no other client writes the
    /// rows, or if they should be deleted in any case. It needs fewer requests, and the same write units.
    ///
    /// The [`concurrency`](Bulk::concurrency) counts requests here, and the [`rate`](Bulk::rate) counts rows. A row with
    /// unique values, lists or blobs is deleted by a transaction of its own, as `delete_each` does, and a row of a table with
    /// `identify_by = type` by a delete that checks its type.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = owner, sk = number))]
    /// # struct Note { owner: String, number: u32, is_old: bool }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for number in 0..60 { Note { owner: "ann".into(), number, is_old: number < 50 }.put().send(&db).await?; }
    /// let old = Note::in_partition("ann").filter(|n| n.is_old().eq(true));
    /// let report = old.delete_each_unchecked().send(&db).await?.complete()?;
    /// assert_eq!(report.written, 50);
    /// # Ok(()) }
    /// ```
    fn delete_each_unchecked<'j, Kind>(self) -> Bulk<'j>
    where
        Self::Row: RowToDelete<Kind>,
        <Self::Row as RowToDelete<Kind>>::Entities: AllChangeable,
    {
        Bulk::delete_unchecked(JobRows::of_query(self.query()))
    }

    /// Writes each row together with other items, by a transaction of its own: for example the row and its counters, or
    /// the same row under another key.
    ///
    /// The closure gets the row and returns a [`Transaction`](crate::Transaction), `None` to skip the row, or a
    /// `Result` of these. One operation is on the row itself: an update, a delete, or an update without a change if the
    /// others must only take effect once for the row. The others are any operations. They must own the entities that
    /// they store ([`into_put`](crate::EntityExt::into_put)), because the row no longer exists in memory when they are
    /// sent.
    ///
    /// The transaction takes effect only while the row is unchanged since the closure saw it, and still a row of the
    /// query. If another writer has changed it, it is read again and the closure runs again. If a condition of
    /// another operation does not hold, the row fails, with an error whose [`failures`](crate::Error::failures) name
    /// the operation.
    ///
    /// After a lost response, the transaction is sent again with its token, which shows whether it took effect. If no
    /// response arrives within the [budget](Bulk::budget), the row is reported as
    /// [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown). With a [checkpoint](Bulk::checkpoint), the mark is
    /// part of the transaction, and a deleted row cannot be deleted again, so each transaction takes effect once, also
    /// after a crash.
    ///
    /// The rows are entities, or those of a [collection](crate::DynamoCollection): then one job can change and delete
    /// rows of several entities, each in its own way. A transaction of one operation is sent as that operation, at
    /// single cost.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "comments", key(pk = ticket, sk = number))]
    /// # struct Comment { ticket: u32, number: u32, is_spam: bool }
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "tickets", key(pk = id))]
    /// # struct Ticket { id: u32, comments: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Comment::schema(), Ticket::schema()]).await?;
    /// # Ticket { id: 1, comments: 10 }.put().send(&db).await?;
    /// # for number in 0..10 { Comment { ticket: 1, number, is_spam: number < 3 }.put().send(&db).await?; }
    /// let report = Comment::in_partition(1u32)
    ///     .filter(|c| c.is_spam().eq(true))
    ///     .transact_each(|comment| {
    ///         Transaction::new()
    ///             .with(comment.delete())
    ///             .with(Ticket::key(comment.ticket).update().apply(|t| t.comments().sub(1)))
    ///     })
    ///     .send(&db)
    ///     .await?
    ///     .complete()?;
    /// assert_eq!(report.written, 3);
    /// assert_eq!(Ticket::key(1u32).get().send(&db).await?.map(|t| t.comments), Some(7));
    /// # Ok(()) }
    /// ```
    fn transact_each<'j, Kind, T>(
        self,
        transaction: impl FnMut(&Self::Row) -> T + Send + 'j,
    ) -> Bulk<'j>
    where
        Self::Row: JobRow<Kind>,
        <Self::Row as JobRow<Kind>>::Changed: AllChangeable,
        T: RowTransaction,
    {
        Bulk::transact(JobRows::of_query(self.query()), transaction)
    }

    /// Stores in each row what a fresh `put` of the same entity would store, and nothing else: a backfill.
    ///
    /// Rows that older programs wrote do not have the keys of an index that was declared later, or the defaults of
    /// later fields. A refill compares each row with the row that this program would write, and writes only the
    /// difference: the keys of all indexes, with their shards and their `when`, the type of the entity, and missing
    /// fields with a default. An existing value remains as it is stored. Version, `updated_at` and the other managed
    /// fields remain, because the entity is the same. Therefore programs that have loaded a row get no conflict.
    ///
    /// Each write takes effect only while the fields from which it is derived are unchanged since they were read, and
    /// while the row exists. If another writer has changed them, the row is read and compared again. Therefore you can
    /// run a refill beside other programs, as often as you want, and stop it at any time: correct rows are
    /// [`unchanged`](crate::bulk::BulkCounts::unchanged) and cost only the read. It stores no mark in any row, even
    /// with a [checkpoint](Bulk::checkpoint). Expired rows are not changed. A row that this program cannot read, for
    /// example of another program or of a newer shape, is not changed, and is reported with its key.
    ///
    /// If the entity has unique values, each row also claims those that it does not own yet, in one transaction. If two
    /// rows have one value, the second one fails, and the error contains the key of the owner. A scan also finds the
    /// items that store unique values, counts them as rows, and deletes those whose owner no longer exists or has
    /// another value.
    ///
    /// A program of the older declaration still writes rows without the new keys. Therefore deploy the new one
    /// everywhere, then run the refill, then check with [`unfilled`](Self::unfilled).
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// mod before {
    /// #   use dynamo_entity::prelude::*;
    ///     #[derive(DynamoEntity)]
    ///     #[dynamo(table = "orders", key(pk = id))]
    ///     pub struct Order { pub id: u32, pub region: String }
    /// }
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = id), gsi(by_region, pk = "REGION#{region}", sk = "{id}"))]
    /// struct Order { id: u32, region: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Order::schema()]).await?;
    /// for id in 0..10 {
    ///     before::Order { id, region: "EU".into() }.put().send(&db).await?;
    /// }
    /// assert_eq!(Order::by_region("EU").count(&db).await?, 0);
    ///
    /// let report = Order::scan().refill().send(&db).await?.complete()?;
    /// assert_eq!(report.written, 10);
    /// assert_eq!(Order::by_region("EU").count(&db).await?, 10);
    ///
    /// let again = Order::scan().refill().send(&db).await?.complete()?;
    /// assert_eq!((again.written, again.unchanged), (0, 10));
    /// # Ok(()) }
    /// ```
    fn refill<'j>(self) -> Bulk<'j>
    where
        Self::Row: WholeRow,
        Self::Reach: StrongReads,
    {
        Bulk::refill::<Self::Row>(JobRows::of_query(self.query()), RefillMode::Write)
    }

    /// Sends each row through the stream of its table again, for consumers that are new or that have lost their own
    /// data.
    ///
    /// Each row is written, but only a mark changes: the attribute `_job.+touch` gets the name of this run. Entities do
    /// not see it; version, `updated_at`, expiry and all other attributes remain, so programs that have loaded a row
    /// get no conflict. The stream has a record for each row, and with the feature `streams`, `changes_of` shows it as
    /// a change whose values before and after are equal. **Every consumer of the stream gets it**, so a consumer that
    /// sends mails or charges payments must compare the values or use
    /// [`once`](crate::guide::streams#effects-that-take-place-once).
    ///
    /// A row that belongs to another entity or to none, because of its type, its constants or the format of its key, gets no
    /// mark, and is reported with its key.
    ///
    /// A row costs a write of the whole item, and of each index that projects all attributes. The mark adds 27 bytes to each
    /// item until a `put` replaces it. Use the [`rate`](Bulk::rate) to leave capacity for others and for the consumers.
    ///
    /// Each row is written once in a run, with a [checkpoint](Bulk::checkpoint) after a crash too. A later run writes
    /// it again. If others write a row while the job runs, that write has its own record. Therefore nothing is lost if
    /// the query misses a row that enters or leaves it.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = id), stream = new_and_old_images)]
    /// # struct Order { id: u32, #[dynamo(version)] version: Version }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Order::schema()]).await?;
    /// let order = Order { id: 7, version: Version::default() }.create().send(&db).await?;
    /// let report = Order::scan().touch_each().rate(200).send(&db).await?.complete()?;
    /// assert_eq!(report.written, 1);
    /// assert_eq!(Order::key(7u32).get().send(&db).await?, Some(order)); // with the same version
    /// # Ok(()) }
    /// ```
    fn touch_each<'j, Kind>(self) -> Bulk<'j>
    where
        Self::Row: RowToDelete<Kind>,
        <Self::Row as RowToDelete<Kind>>::Entities: AllChangeable,
    {
        Bulk::touch(JobRows::of_query(self.query()))
    }

    /// Counts the rows that a [`refill`](Self::refill) would write, by strong reads. 0 means that the refill is done, if no
    /// program of an older declaration writes any more.
    ///
    /// It writes nothing. A row that cannot be read is an error, because the library cannot know whether it is filled.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = id), gsi(by_region, pk = "REGION#{region}", sk = "{id}"))]
    /// # struct Order { id: u32, region: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Order::schema()]).await?;
    /// Order { id: 1, region: "EU".into() }.put().send(&db).await?;
    /// assert_eq!(Order::scan().unfilled(&db).await?, 0);
    /// # Ok(()) }
    /// ```
    fn unfilled<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<u64>>
    where
        Self::Row: WholeRow,
        Self::Reach: StrongReads,
    {
        let rows = JobRows::of_query(self.query().consistent());
        let counted = Bulk::refill::<Self::Row>(rows, RefillMode::Count).send(db);
        Steps(Box::pin(
            async move { Ok(counted.await?.complete()?.written) },
        ))
    }
}

impl<Q: QueryExt> BulkExt for Q {}
