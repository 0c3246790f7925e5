//! Replays parked changes: calls a handler for each, and deletes the changes for which it succeeds.

use std::fmt;

use super::each::HandlerError;
use super::event::StreamEvent;
use super::panics::{Panicked, without_panics};
use super::parked::ParkedChange;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};

/// The results of [`ParkedChange::replay_all`].
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "changes may have failed again"]
pub struct ReplayReport {
    /// The number of changes that were handled and deleted.
    pub replayed: usize,
    /// The changes that failed again. They stay parked.
    pub failed: Vec<FailedReplay>,
    /// The changes that were not replayed because an earlier change of the same item failed. They stay parked.
    pub waiting: Vec<ParkedChange>,
}

/// A parked change that failed again.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedReplay {
    /// The change.
    pub change: ParkedChange,
    /// The error of the handler or of the table of parked changes.
    pub error: HandlerError,
}

impl ReplayReport {
    /// Returns the number of handled changes, or the error of the first change that failed.
    pub fn complete(self) -> Result<usize, HandlerError> {
        match self.failed.into_iter().next() {
            None => Ok(self.replayed),
            Some(failed) => Err(failed.error),
        }
    }
}

impl fmt::Display for FailedReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.change.event_id, self.error)
    }
}

impl ParkedChange {
    /// Calls the handler with the record of the change, and deletes the parked change if the handler succeeds. Otherwise,
    /// the change stays parked.
    ///
    /// The handler runs before the change is deleted, so a change can be handled twice, for example if two programs replay
    /// it at once.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{HandlerError, ParkedChange, StreamEvent};
    /// # #[derive(Debug, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    ///
    /// async fn replay(db: &Dynamo) -> Result<(), HandlerError> {
    ///     for parked in ParkedChange::list("mailer", db).await? {
    ///         parked.replay(db, async |event: StreamEvent| -> Result<(), HandlerError> {
    ///             let response = Order::changes_of(&event).each(async |change| -> Result<()> {
    ///                 println!("{:?}", change.event);
    ///                 Ok(())
    ///             });
    ///             response.await.complete()
    ///         }).await?;
    ///     }
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::result::Result<(), HandlerError> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([dynamo_entity::streams::ParkedTable::schema()]).await?;
    /// # replay(&db).await }
    /// ```
    pub async fn replay<F, Fut, X>(&self, db: &Dynamo, handler: F) -> Result<(), X>
    where
        F: FnOnce(StreamEvent) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: From<Error>,
    {
        handler(self.event(db).await?).await?;
        Ok(self.discard(db).await?)
    }

    /// Replays all parked changes of a consumer, one after the other; see [`replay`](Self::replay).
    ///
    /// The changes of one item are replayed in their order. If one fails, the later changes of this item stay parked, and
    /// the changes of other items are replayed. A panic of the handler is a failure. An error of this function itself
    /// means that the parked changes could not be listed.
    ///
    /// The handler can be the function of the consumer itself, with [`BatchResponse::complete`]:
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{BatchResponse, HandlerError, ParkedChange, StreamEvent};
    /// # #[derive(Debug, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    ///
    /// async fn handle(db: &Dynamo, event: StreamEvent) -> BatchResponse {
    ///     let changes = Order::changes_of(&event).park_after(3, "mailer", db);
    ///     changes.each(async |change| -> Result<()> { Ok(println!("{:?}", change.event)) }).await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::result::Result<(), HandlerError> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([dynamo_entity::streams::ParkedTable::schema()]).await?;
    /// let replay = async |event| handle(&db, event).await.complete();
    /// let report = ParkedChange::replay_all("mailer", &db, replay).await?;
    /// assert_eq!(report.complete()?, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// [`BatchResponse::complete`]: super::BatchResponse::complete
    pub async fn replay_all<F, Fut, X>(
        consumer: &str,
        db: &Dynamo,
        handler: F,
    ) -> Result<ReplayReport>
    where
        F: FnMut(StreamEvent) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        let parked = ParkedChange::list(consumer, db).await?;
        Ok(ParkedChange::replay_these(parked, db, handler).await)
    }

    /// Replays these changes in their order; see [`replay_all`](Self::replay_all).
    pub async fn replay_these<F, Fut, X>(
        changes: impl IntoIterator<Item = ParkedChange>,
        db: &Dynamo,
        mut handler: F,
    ) -> ReplayReport
    where
        F: FnMut(StreamEvent) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        let mut report = ReplayReport::default();
        for change in changes {
            let has_failed = |failed: &FailedReplay| failed.change.is_of_item_of(&change);
            if report.failed.iter().any(has_failed) {
                report.waiting.push(change);
                continue;
            }
            match change.replay_once(db, &mut handler).await {
                Ok(()) => report.replayed += 1,
                Err(error) => report.failed.push(FailedReplay { change, error }),
            }
        }
        report
    }

    async fn replay_once<F, Fut, X>(&self, db: &Dynamo, handler: &mut F) -> Result<(), HandlerError>
    where
        F: FnMut(StreamEvent) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        let event = self.event(db).await?;
        match without_panics(|| handler(event)).await {
            Ok(handled) => handled.map_err(Into::into)?,
            Err(Panicked(reason)) => return Err(reason.into()),
        }
        Ok(self.discard(db).await?)
    }

    /// Whether both are changes of the same item.
    fn is_of_item_of(&self, other: &ParkedChange) -> bool {
        let item = |change: &ParkedChange| -> Option<(Option<String>, Item)> {
            let key = change.item_key.clone()?;
            Some((change.item_table.clone(), key))
        };
        item(self).is_some_and(|mine| item(other) == Some(mine))
    }
}
