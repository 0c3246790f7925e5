//! The table of parked changes, and its entities.

use std::collections::BTreeSet;
use std::time::SystemTime;

use dynamo_entity_derive::{DynamoEntity, DynamoTable};

use super::event::StreamEvent;
use super::sequence::SequenceNumber;
use crate::batch::Batch;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::Key;
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::verbs::EntityExt;

/// The table that stores the parked changes and counts the failed attempts of all consumers. Create it with your tables:
/// `db.create_tables([ParkedTable::schema()])`.
#[derive(Debug, DynamoTable)]
#[dynamo(crate = crate, name = "parked-changes", pk = "pk", sk = "sk", entities(ParkedChange, ParkedPart))]
pub struct ParkedTable;

/// A change that has failed at least once. [`list`](Self::list) returns the changes that are parked.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = ParkedTable, key(pk = "CONSUMER#{consumer}", sk = "CHANGE#{event_id}"))]
#[non_exhaustive]
pub struct ParkedChange {
    /// The name of the consumer.
    pub consumer: String,
    /// The ID of the record.
    pub event_id: String,
    /// The failed attempts, as random IDs.
    pub attempts: BTreeSet<String>,
    /// The text of the last error.
    #[dynamo(personal)]
    pub reason: String,
    /// The stored name of the table of the item, if the record contains it.
    pub item_table: Option<String>,
    /// The key of the item as stored, if it can be read.
    #[dynamo(personal)]
    pub item_key: Option<Item>,
    /// The sequence number of the record, if it has one.
    pub sequence: Option<String>,
    /// The time at which the change was parked. `None` if attempts remain.
    pub parked_at: Option<SystemTime>,
    /// The attempt that parked the change and stored its parts.
    #[dynamo(default)]
    pub stored_by: String,
    /// The number of parts.
    #[dynamo(default)]
    pub parts: u32,
    /// The time at which the counted attempts expire. A parked change does not expire.
    #[dynamo(ttl)]
    pub expires_at: Option<SystemTime>,
}

/// A part of the record of a parked change. The record is stored in parts, because two images can be larger than an item.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = ParkedTable, key(pk = "CONSUMER#{consumer}", sk = "PART#{event_id}#{attempt}#{number:06}"))]
#[non_exhaustive]
pub struct ParkedPart {
    /// The name of the consumer.
    pub consumer: String,
    /// The ID of the record.
    pub event_id: String,
    /// The attempt that stored the part.
    pub attempt: String,
    /// The number of the part, counted from zero.
    pub number: u32,
    /// A part of the JSON of the record.
    #[dynamo(personal)]
    pub json: Vec<u8>,
}

impl ParkedPart {
    /// Deletes parts.
    pub(super) async fn discard_parts(
        parts: impl Iterator<Item = &ParkedPart>,
        db: &Dynamo,
    ) -> Result<()> {
        let deletes = parts.map(|part| part.key().delete());
        Batch::new().with_all(deletes).send(db).await?.complete()
    }
}

impl ParkedChange {
    /// Returns the parked changes of a consumer, by a query with strong reads. The changes of one item are in their order.
    pub async fn list(consumer: &str, db: &Dynamo) -> Result<Vec<ParkedChange>> {
        let parked = ParkedChange::in_partition(consumer)
            .filter(|change| change.parked_at().exists())
            .consistent()
            .all(db)
            .await?;
        Ok(in_order(parked))
    }

    /// Returns the parked changes of all consumers, by a scan of the table with strong reads.
    pub async fn list_all(db: &Dynamo) -> Result<Vec<ParkedChange>> {
        let parked = ParkedChange::scan().filter(|change| change.parked_at().exists());
        Ok(in_order(parked.consistent().all(db).await?))
    }

    /// Returns a parked change by the ID of its record, by a strong read.
    pub async fn find(consumer: &str, event_id: &str, db: &Dynamo) -> Result<Option<ParkedChange>> {
        let found = ParkedChange::key(consumer, event_id).get().consistent();
        let found = found.send(db).await?;
        Ok(found.filter(|change| change.parked_at.is_some()))
    }

    /// Returns the record of the change, with its images, as an event. Fails if the change was discarded in the meantime.
    pub async fn event(&self, db: &Dynamo) -> Result<StreamEvent> {
        let parts = ParkedPart::get_many(self.part_keys());
        let mut json = b"[".to_vec();
        for part in parts.consistent().send(db).await? {
            json.extend(part.ok_or_else(|| self.lacks_parts())?.json);
        }
        json.push(b']');
        StreamEvent::from_json(&json)
    }

    /// Deletes the change without handling it. Does nothing if the change was parked again after it was listed.
    pub async fn discard(&self, db: &Dynamo) -> Result<()> {
        let delete = EntityExt::key(self).delete();
        // The row is deleted first: parts without a row are harmless, but a row without parts could not be replayed.
        let delete = delete.when(|change| change.stored_by().eq(&self.stored_by));
        match delete.send(db).await {
            Err(error) if !error.is_lost_race() => return Err(error),
            _ => {}
        }
        let deletes = self.part_keys().map(Key::delete);
        Batch::new().with_all(deletes).send(db).await?.complete()
    }

    /// Deletes all parked changes of a consumer without handling them, and returns their number. Attempts at changes that
    /// are not parked remain counted.
    pub async fn discard_all(consumer: &str, db: &Dynamo) -> Result<usize> {
        let parked = ParkedChange::list(consumer, db).await?;
        for change in &parked {
            change.discard(db).await?;
        }
        Ok(parked.len())
    }

    fn part_keys(&self) -> impl Iterator<Item = Key<ParkedPart>> + '_ {
        (0..self.parts)
            .map(|number| ParkedPart::key(&self.consumer, &self.event_id, &self.stored_by, number))
    }

    #[cold]
    fn lacks_parts(&self) -> Error {
        let fault = CodecError::new(
            "a part of the record is missing: the change was discarded in the meantime",
        );
        Error::decode("ParkedChange", fault.at("parts"))
    }
}

/// Sorts by consumer and sequence number. Changes without a sequence number are in the order in which they were parked.
fn in_order(mut parked: Vec<ParkedChange>) -> Vec<ParkedChange> {
    parked.sort_by_cached_key(|change| {
        (
            change.consumer.clone(),
            change.sequence.as_deref().map(SequenceNumber::new),
            change.parked_at,
            change.event_id.clone(),
        )
    });
    parked
}
