//! The result of a batch.

use super::builder::Batch;
use super::error::BatchError;
use super::key::BatchKey;
use super::plan::{Ready, Write};
use super::settings::BatchCounts;
use crate::error::{Error, ErrorKind, Result, Stage};

/// The result of a batch. Every write of the input is counted once: in `done`, `superseded`, `left` or `errors`.
#[derive(Debug)]
#[must_use = "writes may be left: look at it, or write `.complete()?`"]
#[non_exhaustive]
pub struct BatchReport {
    /// The number of writes that DynamoDB has acknowledged.
    pub done: u64,
    /// The number of writes that were not sent because a later write of the input has the same key.
    pub superseded: u64,
    /// The number of completed writes that were sent more than once because the response to an earlier request was
    /// lost. That request may still arrive, and then it overwrites later writes of these items.
    pub sent_twice: u64,
    /// The writes that may not have taken effect, to be sent again byte for byte and to the same tables: that is
    /// harmless if they did. The settings of this batch are the defaults.
    pub left: Batch<'static>,
    /// The writes that failed and are not worth a retry, in the order of the input.
    pub errors: Vec<BatchError>,
    /// The reasons why writes are left, each once: DynamoDB was too busy for longer than the budget, rejected a whole
    /// request, or could not be reached. Empty for a batch that was stopped in progress.
    pub reasons: Vec<Error>,
}

impl BatchReport {
    /// The report of these counts. The writes are those that are left.
    pub(super) fn from_parts(
        counts: BatchCounts,
        sent_twice: u64,
        left: Vec<Write>,
        errors: Vec<BatchError>,
        reasons: Vec<Error>,
    ) -> Self {
        BatchReport {
            done: counts.done,
            superseded: counts.superseded,
            sent_twice,
            left: Batch::of_ready(Ready(left)),
            errors,
            reasons,
        }
    }

    /// The keys of the writes that are left, in the order of the input.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::testing::{Fault, Faults};
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # let faults = Faults::new([Fault::Reply(400, r#"{"__type":"AccessDeniedException"}"#.into())]);
    /// # let db = &db.with_faults(&faults)?;
    /// let report = Batch::new().with(Note::key("n1").delete()).send(db).await?;
    /// let left = report.left_keys().next().expect("the service denied it");
    /// assert_eq!((left.index(), left.entity(), left.is_delete()), (0, "Note", true));
    /// assert_eq!(left.key_of::<Note>()?, Some(Note::key("n1")));
    /// # Ok(()) }
    /// ```
    pub fn left_keys(&self) -> impl Iterator<Item = BatchKey<'_>> {
        self.left.ready_writes().map(BatchKey::of_write)
    }

    /// `Ok` if nothing is left and nothing failed; otherwise an error with the numbers. If writes are left, its kind
    /// is that of the first reason, because you may send them again; otherwise it is that of the first failed write.
    pub fn complete(&self) -> Result<()> {
        let (left, wrong) = (self.left.len(), self.errors.len());
        if left == 0 && wrong == 0 {
            return Ok(());
        }
        let lead = match left {
            // If writes are left, sending them again may help, so the reason for that decides the
            // kind of the error.
            0 => self.errors.first().map(|wrong| &wrong.error),
            _ => self.reasons.first(),
        };
        let counts = format!(
            "{} writes of a batch are done, {left} are left and {wrong} failed",
            self.done
        );
        let Some(lead) = lead else {
            let message = format!("{counts}: the batch was stopped before its end");
            return Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message));
        };
        let mut message = format!("{counts}: {lead}");
        if let Some(wrong) = self.errors.first().filter(|_| left > 0) {
            message.push_str(&format!("; {wrong}"));
        }
        let error = Error::new(lead.kind(), lead.stage(), message)
            .with_code(lead.code())
            .with_request_id(lead.request_id());
        Err(error.with_source(lead.again()))
    }
}
