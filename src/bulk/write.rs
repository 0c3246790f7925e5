//! Writes one row, or one given write, until it is done. It tries again after a lost race and, as far as that is safe,
//! after a lost answer.

pub(crate) mod deletes;
pub(crate) mod given;
pub(crate) mod rows;
mod second_rows;
mod values;

use std::time::Instant;

use bytes::Bytes;

use super::mark::JobMark;
use super::report::{FailedRow, RowOutcome};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::{WriteRequest, read_item};
use crate::retry::{Rate, Rounds, SharedBudget};
use crate::schema::Pattern;
use crate::write::PlannedWrite;

/// The data that all rows of a job share.
pub(super) struct JobContext<'j> {
    pub(super) db: &'j Dynamo,
    pub(super) mark: Option<JobMark>,
    pub(super) rate: Option<Rate>,
    /// The budget for a service that is busy.
    pub(super) shared_budget: SharedBudget,
    /// The budget for rows that others write at the same time.
    pub(super) races: SharedBudget,
}

/// The items that belong to a row, as a refill compares them with it.
trait ItemsBeside {
    /// Whether an item of the scan is one of these, and not a row.
    fn is_beside(&self, item: &[u8]) -> bool;

    /// The write of a row together with its items; `None` if nothing is to be written.
    fn claim(
        &self,
        item: &[u8],
        key: &[u8],
        write: WriteRequest,
    ) -> impl Future<Output = Result<Option<PlannedWrite>, RowError>> + Send;

    /// The delete of such an item; `None` if it remains.
    fn sweep(
        &self,
        item: &[u8],
        key: &[u8],
    ) -> impl Future<Output = Result<Option<PlannedWrite>, RowError>> + Send;
}

/// Why a row was not done.
#[derive(Debug)]
pub(super) enum RowError {
    /// This row alone failed.
    Row(FailedRow),
    /// This write alone failed, and its turn is over: a later write of its item was done before.
    Overtaken(FailedRow),
    /// This write alone failed. It may have taken effect, and nothing tells any more: if it was tried again, it might
    /// be done twice.
    Doubtful(FailedRow),
    /// All rows that follow would fail for the same reason. The write of this row may have taken effect.
    Job(Error, Option<FailedRow>),
}

/// The meaning of a failed write for the row.
enum RowFailure {
    Unknown,
    Busy,
    Lasting,
    Own,
}

fn classify(error: &Error) -> RowFailure {
    match error.kind() {
        // Only these kinds say something about other rows. A failed condition, for example,
        // concerns its own row only.
        ErrorKind::OutcomeUnknown => RowFailure::Unknown,
        ErrorKind::Throttled | ErrorKind::Unavailable => RowFailure::Busy,
        ErrorKind::TableNotFound
        | ErrorKind::NoTransactions
        | ErrorKind::AccessDenied
        | ErrorKind::Config => RowFailure::Lasting,
        _ => RowFailure::Own,
    }
}

impl JobContext<'_> {
    fn is_marked(&self, item: &[u8]) -> bool {
        self.mark.as_ref().is_some_and(|mark| mark.is_on(item))
    }

    /// Waits until another write may be sent.
    async fn turn(&self) {
        if let Some(rate) = &self.rate {
            rate.wait_turn().await;
        }
    }
}

/// The item as it is now.
async fn read(
    tools: &JobContext<'_>,
    pattern: &'static Pattern,
    table: &str,
    key: &[u8],
    number: Option<u64>,
) -> Result<Option<Bytes>, RowError> {
    let mut busy = tools.shared_budget.begin_rounds();
    loop {
        let began = Instant::now();
        match read_item(tools.db, pattern, table, key).await {
            Ok(item) => return Ok(item),
            Err(error) => pause(&mut busy, began, error, (key, number)).await?,
        }
    }
}

/// Adds the mark to the write.
fn marked(mut planned_write: PlannedWrite, mark: &JobMark) -> Result<PlannedWrite> {
    mark.onto(planned_write.main())?;
    Ok(planned_write)
}

/// Waits for a service that is busy. One that stays busy stops the job, because the rows that follow would fail too.
async fn pause(
    busy: &mut Rounds<'_>,
    began: Instant,
    error: Error,
    (key, number): (&[u8], Option<u64>),
) -> Result<(), RowError> {
    match classify(&error) {
        RowFailure::Busy => {}
        RowFailure::Lasting => return Err(RowError::Job(error, None)),
        _ => return Err(failed(key, number, error)),
    }
    busy.in_vain();
    if busy.begin_another(began.elapsed()).await {
        Ok(())
    } else {
        Err(RowError::Job(error, None))
    }
}

/// Pauses after a write; `may_be_done` if the write may have taken effect.
async fn pause_write(
    busy: &mut Rounds<'_>,
    began: Instant,
    error: Error,
    row: (&[u8], Option<u64>),
    may_be_done: bool,
) -> Result<(), RowError> {
    let paused = pause(busy, began, error, row).await;
    paused.map_err(|trouble| match may_be_done {
        true => trouble.in_doubt(row),
        false => trouble,
    })
}

/// The outcome of a row that has the mark of this run.
fn own(was_unknown: bool) -> RowOutcome {
    match was_unknown {
        true => RowOutcome::Written,
        false => RowOutcome::AlreadyDone,
    }
}

/// A write was rejected after an attempt that may have taken effect, or may still do so. The mark does not exist, but that
/// does not prove that the attempt failed: others who replace an item take its mark away. The item comes along.
fn doubtful(error: Error) -> Error {
    let message = "an earlier attempt may have taken effect or still be under way, and the item carries no mark of it, which others may have taken away: read before deciding";
    let met = error.again();
    error
        .with_kind(ErrorKind::OutcomeUnknown, message)
        .with_source(met)
}

fn failed(key: &[u8], number: Option<u64>, error: Error) -> RowError {
    RowError::Row(row(key, number, error))
}

fn row(key: &[u8], number: Option<u64>, error: Error) -> FailedRow {
    let key = Item::from_dynamo_json(key).unwrap_or_default();
    FailedRow { key, number, error }
}

impl RowError {
    /// Adds this row, if the job stops while no one knows whether its write took effect.
    fn in_doubt(self, (key, number): (&[u8], Option<u64>)) -> Self {
        let message = "the job was stopped before this write was acknowledged";
        let doubt = Error::new(ErrorKind::OutcomeUnknown, Stage::Service, message);
        match self {
            RowError::Job(error, None) => RowError::Job(error, Some(row(key, number, doubt))),
            other => other,
        }
    }
}
