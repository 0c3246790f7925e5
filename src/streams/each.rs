//! Calls a handler for each change of an event, and returns the response that names the records to deliver again.

use std::error::Error as StdError;
use std::fmt;

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use super::change::ItemChange;
use super::follow::ItemChanges;
use super::form::EventForm;
use super::panics::{Panicked, without_panics};
use super::parking::{CountedAttempt, Parking};
use super::record::StreamRecord;
use crate::dynamo::Dynamo;
use crate::error::Error;

/// The error of a handler. Any error converts into it, for example `dynamo_entity::Error`.
pub type HandlerError = Box<dyn StdError + Send + Sync>;

/// The response of a function that handles a [`StreamEvent`](super::StreamEvent).
///
/// Serializes to `{"batchItemFailures": [{"itemIdentifier": ".."}]}`. Lambda reads it only if the event source mapping
/// has `ReportBatchItemFailures`; without that, every response counts as a success.
///
/// If Lambda reads the stream, the response names only the first failure, because Lambda delivers that record and all
/// records after it again. A pipe delivers only the named records again, so the response names the failed record and all
/// records after it.
#[derive(Debug, Default)]
pub struct BatchResponse {
    identifiers: Vec<String>,
    failed: Option<FailedChange>,
    parked: Vec<FailedChange>,
}

/// A change that failed, with the reason.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedChange {
    /// The record.
    pub record: StreamRecord,
    /// The error of the handler, or the [`UnreadChange`](super::UnreadChange).
    pub error: HandlerError,
    /// The reason why the attempt was not counted or the change was not parked, if that failed.
    pub not_counted: Option<Error>,
}

impl BatchResponse {
    /// Returns the change at which the handler stopped. Log it, because the response itself contains no reason.
    pub fn failed(&self) -> Option<&FailedChange> {
        self.failed.as_ref()
    }

    /// Returns the changes that were parked. The response reports them as handled.
    pub fn parked(&self) -> &[FailedChange] {
        &self.parked
    }

    /// Returns the first failure as an error, also that of a change that was parked. A replay of
    /// [parked changes](super::ParkedChange::replay_all) needs it, because the response reports parked changes as handled.
    pub fn complete(self) -> Result<(), HandlerError> {
        match self.parked.into_iter().chain(self.failed).next() {
            None => Ok(()),
            Some(failed) => Err(failed.error),
        }
    }

    /// Returns the identifiers of the records that must be delivered again.
    pub fn identifiers(&self) -> &[String] {
        &self.identifiers
    }
}

impl Serialize for BatchResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut response = serializer.serialize_struct("BatchResponse", 1)?;
        response.serialize_field("batchItemFailures", &Identifiers(&self.identifiers))?;
        response.end()
    }
}

struct Identifiers<'r>(&'r [String]);

impl Serialize for Identifiers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for identifier in self.0 {
            list.serialize_element(&Identifier(identifier))?;
        }
        list.end()
    }
}

struct Identifier<'r>(&'r str);

impl Serialize for Identifier<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut failure = serializer.serialize_struct("BatchItemFailure", 1)?;
        failure.serialize_field("itemIdentifier", self.0)?;
        failure.end()
    }
}

impl<New, Old> ItemChanges<New, Old> {
    /// Calls the handler for one change after the other, and stops at the first failure: an error or a panic of the
    /// handler, or a record that cannot be read. The failed change and all changes after it are delivered again, but no
    /// change before it.
    ///
    /// Therefore, a change that always fails blocks its shard until Lambda reaches the limit of its retries or of its age.
    /// [`park_after`](Self::park_after) prevents this.
    pub async fn each<F, Fut, X>(self, handler: F) -> BatchResponse
    where
        F: FnMut(ItemChange<New, Old>) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        handle_each(self, None, handler).await
    }

    /// Parks a change after this many failed attempts, and continues with the next change.
    ///
    /// To park a change means to store its record, with its images, in the [`ParkedTable`](super::ParkedTable). The
    /// response reports it as handled. Later changes of the same item are then handled before the parked one, so a handler
    /// that depends on the order should read the item.
    ///
    /// The table also counts the attempts, by the name of the consumer and the ID of the record, because an event does not
    /// contain the number of its deliveries. Only failed attempts are counted, and each costs one write. If that write
    /// fails, the change is reported as failed.
    ///
    /// An attempt is not counted if the process ends during it, for example because the function reaches its timeout.
    /// Therefore, the handler should have a time limit of its own.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{ParkedChange, ParkedTable, StreamEvent};
    ///
    /// #[derive(Debug, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = number))]
    /// struct Order { number: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// db.create_tables([ParkedTable::schema()]).await?;
    /// let event = StreamEvent::from_json(br#"{"Records": [{"eventID": "c81e", "dynamodb": {
    ///     "Keys": {"number": {"N": "7"}}, "NewImage": {"number": {"N": "7"}},
    ///     "SequenceNumber": "100", "StreamViewType": "NEW_AND_OLD_IMAGES"}}]}"#)?;
    ///
    /// for delivery in 1..=2 {
    ///     let changes = Order::changes_of(&event).park_after(2, "mailer", &db);
    ///     let response = changes.each(async |_| Err::<(), _>("no such address")).await;
    ///     assert_eq!(response.identifiers().is_empty(), delivery == 2);
    /// }
    /// let parked = ParkedChange::list("mailer", &db).await?;
    /// assert_eq!(parked[0].reason, "no such address");
    /// # Ok(()) }
    /// ```
    pub fn park_after<'d>(
        self,
        attempts: usize,
        consumer: impl Into<String>,
        db: &'d Dynamo,
    ) -> EachParking<'d, New, Old> {
        EachParking {
            changes: self,
            parking: Parking {
                attempts,
                consumer: consumer.into(),
                db,
            },
        }
    }
}

/// The changes of an event, which are parked after several failed attempts; see [`ItemChanges::park_after`].
#[must_use = "nothing happens until `.each(..)`"]
pub struct EachParking<'d, New, Old = New> {
    changes: ItemChanges<New, Old>,
    parking: Parking<'d>,
}

impl<New, Old> EachParking<'_, New, Old> {
    /// Calls the handler for one change after the other; see [`ItemChanges::each`].
    pub async fn each<F, Fut, X>(self, handler: F) -> BatchResponse
    where
        F: FnMut(ItemChange<New, Old>) -> Fut,
        Fut: Future<Output = Result<(), X>>,
        X: Into<HandlerError>,
    {
        handle_each(self.changes, Some(self.parking), handler).await
    }
}

impl<New, Old> fmt::Debug for EachParking<'_, New, Old> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (attempts, consumer) = (self.parking.attempts, &self.parking.consumer);
        write!(
            f,
            "{:?}, parked for {consumer:?} after {attempts} attempts",
            self.changes
        )
    }
}

async fn handle_each<New, Old, F, Fut, X>(
    mut changes: ItemChanges<New, Old>,
    parking: Option<Parking<'_>>,
    mut handler: F,
) -> BatchResponse
where
    F: FnMut(ItemChange<New, Old>) -> Fut,
    Fut: Future<Output = Result<(), X>>,
    X: Into<HandlerError>,
{
    let mut response = BatchResponse::default();
    while let Some(record) = changes.records.next() {
        let handled = match changes.read_record(&record) {
            None => continue,
            Some(Err(unread)) => Err(unread.into()),
            Some(Ok(change)) => match without_panics(|| handler(change)).await {
                Ok(handled) => handled.map_err(Into::into),
                Err(Panicked(reason)) => Err(reason.into()),
            },
        };
        let Err(error) = handled else { continue };
        let attempt = match &parking {
            Some(parking) => parking.count_attempt(&record, &error.to_string()).await,
            None => Ok(CountedAttempt::Counted),
        };
        let is_parked = matches!(attempt, Ok(CountedAttempt::Parked));
        let failed = FailedChange {
            record,
            error,
            not_counted: attempt.err(),
        };
        if is_parked {
            response.parked.push(failed);
            continue;
        }
        let behind = changes.records.as_slice().iter();
        // Lambda delivers the reported record and everything after it again, and a pipe only the reported records.
        // Therefore, the later records are reported too: a pipe would otherwise not deliver them again.
        let behind = behind.filter(|_| changes.form == EventForm::Pipe);
        let all = std::iter::once(&failed.record).chain(behind);
        response.identifiers = all
            .map(|record| record.record_parts().identifier.clone())
            .collect();
        response.failed = Some(failed);
        break;
    }
    response
}
