//! The report of a job, during its run and at the end.

use std::fmt;
use std::ops::Deref;

use crate::codec::Item;
use crate::entity::{DynamoEntity, Key, in_error};
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::query::{Cursor, Places, RowSpot};

/// The results of the rows of a job, or of its writes, so far. A job with a checkpoint counts over all of its runs.
///
/// After a crash, rows that were done since the last save are found again and counted then; rows that the job changed
/// count as [`already_done`](Self::already_done). Rows that no longer match the query, for example deleted ones, are
/// not counted. Therefore a killed job may have written more than `written`. If its rows still match the query, it
/// has written `written + already_done`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BulkCounts {
    /// Rows of the query, or given writes, that were processed: the sum of all other counts.
    pub found: u64,
    /// Rows that were changed, deleted or stored.
    pub written: u64,
    /// Rows that were not changed because the closure returned no change.
    pub unchanged: u64,
    /// Rows that no longer existed when their turn came, according to a strong read.
    pub vanished: u64,
    /// Rows that still existed when their turn came, but no longer matched the query: others changed them, or they
    /// expired.
    pub left_query: u64,
    /// Rows that already had the mark of this job: after a crash, or because an index returned them twice.
    pub already_done: u64,
    /// Rows that were not done; the report contains the reasons.
    pub failed: u64,
}

impl BulkCounts {
    pub(super) fn add(&mut self, fate: RowOutcome) {
        *self.of(fate) += 1;
        self.found += 1;
    }

    /// Gives another fate to a row that failed in an earlier run.
    pub(super) fn mend(&mut self, fate: RowOutcome) {
        // The row is counted in `found` already, by the run in which it failed.
        self.failed = self.failed.saturating_sub(1);
        *self.of(fate) += 1;
    }

    fn of(&mut self, fate: RowOutcome) -> &mut u64 {
        match fate {
            RowOutcome::Written => &mut self.written,
            RowOutcome::Unchanged => &mut self.unchanged,
            RowOutcome::Vanished => &mut self.vanished,
            RowOutcome::LeftQuery => &mut self.left_query,
            RowOutcome::AlreadyDone => &mut self.already_done,
            RowOutcome::Failed => &mut self.failed,
        }
    }
}

/// The result of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowOutcome {
    Written,
    Unchanged,
    Vanished,
    LeftQuery,
    AlreadyDone,
    Failed,
}

/// The progress of a job; see [`Bulk::on_progress`](super::Bulk::on_progress). Its counts are fields:
/// `progress.written`.
#[derive(Debug)]
pub struct BulkProgress<'p> {
    pub(super) counts: BulkCounts,
    pub(super) place: Option<(&'p Places, &'p RowSpot)>,
}

impl BulkProgress<'_> {
    /// The position up to which all rows are done; `None` before the first row. It is created on demand.
    pub fn position(&self) -> Option<Cursor> {
        let (places, spot) = self.place?;
        places.cursor_at(spot)
    }
}

impl Deref for BulkProgress<'_> {
    type Target = BulkCounts;

    fn deref(&self) -> &BulkCounts {
        &self.counts
    }
}

/// A row, or a write, that was not done.
///
/// Its text identifies it by its position or by the names of its key, and contains the reason. It never shows a value:
/// [`key`](FailedRow::key) has those.
#[derive(thiserror::Error)]
#[error("{}: {error}", self.name())]
pub struct FailedRow {
    pub(super) key: Item,
    pub(super) number: Option<u64>,
    #[source]
    pub(super) error: Error,
}

impl FailedRow {
    /// A row with this primary key.
    pub(crate) fn of_key(key: Item, error: Error) -> Self {
        FailedRow {
            key,
            number: None,
            error,
        }
    }

    pub(crate) fn into_error(self) -> Error {
        self.error
    }

    /// The attributes of its primary key; empty for a write whose key cannot be stored.
    pub fn key(&self) -> &Item {
        &self.key
    }

    /// The primary key as a key of `E`. `None` for a row of another entity, and for a write whose key cannot be stored.
    pub fn key_of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        let key = self.key.to_dynamo_json();
        let key = key.map_err(|fault| Error::decode(E::ENTITY.type_name, fault))?;
        in_error::key_of(Some(&key[..]).filter(|_| !self.key.is_empty()), &self.error)
    }

    /// The position of a write in the input of [`put_each`](super::put_each), from 0.
    pub fn index(&self) -> Option<usize> {
        self.number.and_then(|number| usize::try_from(number).ok())
    }

    /// The reason why it was not done.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The beginning of its text.
    pub(crate) fn name(&self) -> String {
        if let Some(number) = self.number {
            return format!("write {number} of the job");
        }
        let names = self.key.iter().map(|(name, _)| format!("`{name}`"));
        match names.collect::<Vec<_>>()[..] {
            [] => "a row".to_owned(),
            ref names => format!("a row with the key {}", names.join(", ")),
        }
    }
}

/// Shows the key, because it names the item.
impl fmt::Debug for FailedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailedRow")
            .field("key", &self.key)
            .field("index", &self.number)
            .field("error", &self.error)
            .finish()
    }
}

/// The result of a job. Its counts are fields: `report.written`.
#[derive(Debug)]
#[must_use = "rows may have failed: look at it, or write `.complete()?`"]
pub struct BulkReport {
    pub(super) counts: BulkCounts,
    pub(super) errors: Vec<FailedRow>,
    pub(super) stopped: Option<Error>,
    pub(super) in_doubt: Vec<FailedRow>,
    pub(super) position: Option<Cursor>,
    pub(super) was_finished: bool,
}

impl BulkReport {
    /// The number of rows with each outcome. Each count is a field of the report too: `report.written`.
    pub fn counts(&self) -> BulkCounts {
        self.counts
    }

    /// The rows that failed in this run. If the job [stopped](Self::stopped), more rows may not be done, because the
    /// job has not reached them.
    pub fn errors(&self) -> &[FailedRow] {
        &self.errors
    }

    /// The reason why the job ended early, if it did: DynamoDB rejected requests or was too busy for longer than the
    /// [budget](super::Bulk::budget), too many rows failed, or the checkpoint could not be written.
    pub fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// Rows whose writes were sent and not acknowledged when the job [stopped](Self::stopped): each may or may not
    /// have taken effect. There are at most as many as were in progress. They are not counted, and
    /// [`position`](Self::position) is before them, so the next run finds them again. Only writes without a
    /// condition, which may be done twice, can be in this state: deletes by key, and puts of entities without a
    /// version.
    pub fn in_doubt(&self) -> &[FailedRow] {
        &self.in_doubt
    }

    /// The position up to which all rows are done: a stopped job continues there with
    /// [`resume`](crate::query::QueryExt::resume). A job with a checkpoint does so automatically.
    pub fn position(&self) -> Option<&Cursor> {
        self.position.as_ref()
    }

    /// Whether an earlier run had finished the job, so that this one did nothing.
    pub fn was_finished(&self) -> bool {
        self.was_finished
    }

    /// Returns the counts, or an error if the job was stopped or a row failed. The error has the kind of the error
    /// that stopped the job, or of the first row that failed. It is [`RowsFailed`](ErrorKind::RowsFailed) if too many
    /// failed, or all in earlier runs.
    pub fn complete(self) -> Result<BulkCounts> {
        let counts = self.counts;
        if let Some(error) = self.stopped {
            return Err(error.within(|reason| {
                format!("the job was stopped after {} rows: {reason}", counts.found)
            }));
        }
        if counts.failed == 0 {
            return Ok(counts);
        }
        let failed = format!("{} of {} rows failed", counts.failed, counts.found);
        Err(match self.errors.into_iter().next() {
            Some(FailedRow { error, .. }) => {
                error.within(|reason| format!("{failed}, the first of them: {reason}"))
            }
            None => {
                let message = format!("{failed} in an earlier run, which reported why");
                Error::new(ErrorKind::RowsFailed, Stage::Request, message)
            }
        })
    }
}

impl Deref for BulkReport {
    type Target = BulkCounts;

    fn deref(&self) -> &BulkCounts {
        &self.counts
    }
}

/// The error of a job in which more rows failed than may.
pub(super) fn too_many(errors: &[FailedRow]) -> Error {
    let first = errors.first().map(|row| (row.name(), &row.error));
    too_many_failed("rows", errors.len(), first)
}

/// The error of a job in which more rows or lines failed than may. It tells the reason of the first one, because often all
/// have the same.
pub(crate) fn too_many_failed(rows: &str, count: usize, first: Option<(String, &Error)>) -> Error {
    let mut message = format!("it stopped early, because {count} {rows} failed");
    if let Some((name, error)) = &first {
        message += &format!("; the first is {name}: {}", error.reason());
    }
    let remedies = first.into_iter().flat_map(|(_, error)| error.remedies());
    Error::new(ErrorKind::RowsFailed, Stage::Request, message)
        .with_remedies(remedies.copied().chain([Remedy::MaxFailures]))
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn failed(key: &[&str], number: Option<u64>) -> FailedRow {
        let key = key.iter().map(|name| (*name, "secret")).collect();
        let error = Error::new(ErrorKind::Conflict, Stage::Service, "it differs").of("Note");
        FailedRow { key, number, error }
    }

    #[test]
    fn a_failed_row_is_told_by_its_place_or_its_key() {
        for (key, number, text) in [
            (&[][..], None, "a row: Note: it differs"),
            (&["pk"], None, "a row with the key `pk`: Note: it differs"),
            (
                &["pk", "sk"],
                None,
                "a row with the key `pk`, `sk`: Note: it differs",
            ),
            (&["pk"], Some(4), "write 4 of the job: Note: it differs"),
        ] {
            assert_eq!(failed(key, number).to_string(), text);
        }
    }

    #[test]
    fn a_failed_row_is_an_error_with_its_reason_as_source() {
        let failed = failed(&["pk"], None);
        let source = failed.source().and_then(|source| source.downcast_ref());
        assert_eq!(source.map(Error::kind), Some(ErrorKind::Conflict));
    }
}
