//! Changes that failed too often: the table in which they are parked, and its entities.

use std::collections::BTreeSet;
use std::time::SystemTime;

use dynamo_entity_derive::{DynamoEntity, DynamoTable};

use super::event::StreamEvent;
use crate::batch::Batch;
use crate::dynamo::Dynamo;
use crate::entity::Key;
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::verbs::EntityExt;

/// The table of the attempts at changes and of the changes that were parked, of all consumers. Create it with your
/// tables: `db.create_tables([ParkedTable::schema()])`.
#[derive(Debug, DynamoTable)]
#[dynamo(crate = crate, name = "parked-changes", pk = "pk", sk = "sk", entities(ParkedChange, ParkedPart))]
pub struct ParkedTable;

/// A change at which attempts have failed. [`list`](Self::list) returns those that are parked.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = ParkedTable, key(pk = "CONSUMER#{consumer}", sk = "CHANGE#{event_id}"))]
#[non_exhaustive]
pub struct ParkedChange {
    /// The name of the consumer.
    pub consumer: String,
    /// The id of the record.
    pub event_id: String,
    /// The failed attempts, each with an id of its own.
    pub attempts: BTreeSet<String>,
    /// The reason for the last failure: the text of its error.
    pub reason: String,
    /// The time at which it was parked. `None` while attempts are left.
    pub parked_at: Option<SystemTime>,
    /// The attempt that parked it and stored its parts.
    #[dynamo(default)]
    pub stored_by: String,
    /// The number of its parts.
    #[dynamo(default)]
    pub parts: u32,
    /// The time after which the attempts are forgotten. A parked change does not expire.
    #[dynamo(ttl)]
    pub expires_at: Option<SystemTime>,
}

/// A part of the record of a parked change: JSON, because two images may be larger than an item.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = ParkedTable, key(pk = "CONSUMER#{consumer}", sk = "PART#{event_id}#{attempt}#{number:06}"))]
#[non_exhaustive]
pub struct ParkedPart {
    /// The name of the consumer.
    pub consumer: String,
    /// The id of the record.
    pub event_id: String,
    /// The attempt that stored the part.
    pub attempt: String,
    /// Its number among the parts.
    pub number: u32,
    /// The bytes.
    pub json: Vec<u8>,
}

impl ParkedPart {
    /// Deletes parts.
    pub(super) async fn discard(
        parts: impl Iterator<Item = &ParkedPart>,
        db: &Dynamo,
    ) -> Result<()> {
        let deletes = parts.map(|part| part.key().delete());
        Batch::new().with_all(deletes).send(db).await?.complete()
    }
}

impl ParkedChange {
    /// The parked changes of a consumer, by strong reads.
    pub async fn list(consumer: &str, db: &Dynamo) -> Result<Vec<ParkedChange>> {
        ParkedChange::in_partition(consumer)
            .filter(|change| change.parked_at().exists())
            .consistent()
            .all(db)
            .await
    }

    /// The record of the change, with its images, as an event.
    pub async fn event(&self, db: &Dynamo) -> Result<StreamEvent> {
        let parts = ParkedPart::get_many(self.part_keys());
        let mut json = b"[".to_vec();
        for part in parts.consistent().send(db).await? {
            json.extend(part.ok_or_else(|| self.lacks_parts())?.json);
        }
        json.push(b']');
        StreamEvent::from_json(&json)
    }

    /// Calls the handler with the record of the change, and deletes the change if the handler succeeds. Otherwise the
    /// change stays parked. Two concurrent replays of one change may both call their handlers.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{ParkedChange, StreamEvent};
    /// # #[derive(Debug, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    ///
    /// async fn replay(db: &Dynamo) -> Result<()> {
    ///     for parked in ParkedChange::list("mailer", db).await? {
    ///         parked.replay(db, async |event: StreamEvent| -> Result<()> {
    ///             for change in Order::changes_of(&event) {
    ///                 let change = change.map_err(|unread| unread.into_error())?;
    ///                 println!("{:?}", change.event);
    ///             }
    ///             Ok(())
    ///         }).await?;
    ///     }
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
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

    /// Deletes the change without handling it. Nothing happens if it was parked again since it was listed.
    pub async fn discard(&self, db: &Dynamo) -> Result<()> {
        let delete = EntityExt::key(self).delete();
        // The row goes first: parts without a row are garbage, but a row without parts could not be
        // replayed.
        let delete = delete.when(|change| change.stored_by().eq(&self.stored_by));
        match delete.send(db).await {
            Err(error) if !error.is_lost_race() => return Err(error),
            _ => {}
        }
        let deletes = self.part_keys().map(Key::delete);
        Batch::new().with_all(deletes).send(db).await?.complete()
    }

    fn part_keys(&self) -> impl Iterator<Item = Key<ParkedPart>> + '_ {
        (0..self.parts)
            .map(|number| ParkedPart::key(&self.consumer, &self.event_id, &self.stored_by, number))
    }

    #[cold]
    fn lacks_parts(&self) -> Error {
        let fault = CodecError::new("a part of its record is missing: it was discarded meanwhile");
        Error::decode("ParkedChange", fault.at("parts"))
    }
}
