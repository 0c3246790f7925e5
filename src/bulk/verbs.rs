//! The verbs that change each row of a query.

use super::{Bulk, RowChange, WholeRow};
use crate::query::{JobRows, QueryVerbs};

/// What can be done to each row of a query.
pub trait BulkVerbs: QueryVerbs {
    /// Changes each row, by a conditional write of its own: an "update where".
    ///
    /// The closure gets the row and returns its [`update`](crate::verbs::EntityVerbs::update), `None` to leave it
    /// alone, or a `Result` of these. A write takes effect only while its row is still one of the query: of the index
    /// and of the [`filter`](QueryVerbs::filter) too. If somebody else has written the row meanwhile, it is read again
    /// and the closure runs again, so it may run several times for a row; what it returned last is written, once.
    /// Whether another write is noticed depends on the entity: a [`Version`](crate::Version) notices each one; without
    /// a version only what the update itself asks for counts. After a lost answer a row is reported as
    /// [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), and it is not written again.
    ///
    /// See [`Bulk`] for the pace, the progress, and a checkpoint that survives a crash.
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
        Bulk::update(JobRows::of(self.query()), change)
    }

    /// Deletes each row by its key: only keys are read. A row of an index, or of a query with a
    /// [`filter`](QueryVerbs::filter), is deleted only while it is still one of the query. A row of the table itself is
    /// deleted whatever it holds by then.
    ///
    /// If the entity has unique values, their fields are read too, and each row is deleted only while it has the values
    /// that the delete gives up.
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
    fn delete_each<'j>(self) -> Bulk<'j> {
        Bulk::delete(JobRows::of(self.query()))
    }
}

impl<Q: QueryVerbs> BulkVerbs for Q {}
