//! The typed changes of the stream of a table.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;

use super::change::ItemChange;
use super::follow::{Followed, ItemChanges, Side};
use super::follow_error::FollowError;
use super::position::StreamPosition;
use super::record_stream::{FollowRecords, RecordStream, StreamStart, follow_records};
use crate::dynamo::Dynamo;
use crate::error::Result;

/// The options for reading the changes of an entity or a collection from the stream of its table; see
/// [`EntityChanges::changes`](super::EntityChanges::changes).
#[must_use = "nothing is read until `.open(&db)`"]
pub struct FollowChanges<New, Old = New> {
    records: FollowRecords,
    changes: ItemChanges<New, Old>,
}

impl<New, Old> FollowChanges<New, Old> {
    pub(super) fn of_table(followed: Followed, new: Side<New>, old: Side<Old>) -> Self {
        FollowChanges {
            records: follow_records(followed.table.name),
            changes: ItemChanges::of_stream(followed, new, old),
        }
    }

    fn map_records(self, set: impl FnOnce(FollowRecords) -> FollowRecords) -> Self {
        FollowChanges {
            records: set(self.records),
            ..self
        }
    }

    /// Sets the first change to deliver. The default is [`StreamStart::Latest`].
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{HandlerError, StreamPosition, StreamStart};
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
    /// # struct Order { number: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), HandlerError> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Order::schema()]).await?;
    /// for number in 1..=2 {
    ///     Order { number }.put().send(&db).await?;
    /// }
    /// let mut changes = Order::changes().start(StreamStart::Oldest).open(&db).await?;
    /// changes.next().await.expect("the first order")?;
    /// let saved = changes.position().to_string(); // save it together with the results of this change
    ///
    /// let position: StreamPosition = saved.parse()?;
    /// let mut changes = Order::changes().start(StreamStart::Position(position)).open(&db).await?;
    /// let second = changes.next().await.expect("the second order")?;
    /// assert_eq!(second.event.after().unwrap().number, 2);
    /// # Ok(()) }
    /// ```
    pub fn start(self, start: StreamStart) -> Self {
        self.map_records(|records| records.start(start))
    }

    /// Continues after a [loss](super::LostChanges): `next` returns the error, and then the oldest changes that the stream
    /// still has. Without this option, the changes end with the error, each time that you start from the same position.
    pub fn continue_after_loss(self) -> Self {
        self.map_records(FollowRecords::continue_after_loss)
    }

    /// Sets the longest pause between two requests for a shard that has no new records. The default is 5 seconds, and
    /// the minimum 100 milliseconds. A shorter pause delivers changes sooner. However, DynamoDB charges each request.
    pub fn longest_pause(self, pause: Duration) -> Self {
        self.map_records(|records| records.longest_pause(pause))
    }

    /// Finds the stream and its shards, and returns the changes. With [`StreamStart::Latest`], they include all changes
    /// that begin after `open` has returned.
    ///
    /// Fails if the table has no stream, or with the kind [`InvalidCursor`](crate::error::ErrorKind::InvalidCursor) if the
    /// stream of the position no longer exists.
    pub async fn open(self, db: &Dynamo) -> Result<ChangeStream<New, Old>> {
        Ok(ChangeStream {
            records: self.records.open(db).await?,
            changes: self.changes,
        })
    }
}

impl<New, Old> fmt::Debug for FollowChanges<New, Old> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowChanges")
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}

/// The changes of a table as they arrive. Use `while let Some(change) = changes.next().await`, or the trait `Stream`.
///
/// The changes of one item arrive in the order of its writes. A record that cannot be read is an error, and the next
/// change follows it. The changes end when the stream of the table was switched off and all of it was read, or after an
/// error that ends them; see [`FollowError`].
///
/// Requests are sent only while the future of `next` is polled. Dropping this future loses no change.
#[must_use = "nothing is read until changes are requested"]
pub struct ChangeStream<New, Old = New> {
    records: RecordStream,
    changes: ItemChanges<New, Old>,
}

impl<New, Old> ChangeStream<New, Old> {
    /// Waits for the next change. Returns `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<ItemChange<New, Old>, FollowError>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the position after the changes that `next` has returned. If you start from it with
    /// [`StreamStart::Position`], in this process or another one, you receive each later change. You should save the
    /// position together with the results of the changes, so that no change is handled twice after a crash.
    pub fn position(&self) -> StreamPosition {
        self.records.position()
    }
}

impl<New, Old> Stream for ChangeStream<New, Old> {
    type Item = Result<ItemChange<New, Old>, FollowError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let record = match ready!(Pin::new(&mut self.records).poll_next(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(record)) => record,
            };
            if let Some(change) = self.changes.read_record(&record) {
                return Poll::Ready(Some(change.map_err(FollowError::Unread)));
            }
        }
    }
}

impl<New, Old> fmt::Debug for ChangeStream<New, Old> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.records.fmt(f)
    }
}
