//! Deletes of rows whose keys were read, by requests of many.

use std::sync::Arc;

use super::plan::{BatchPlan, BatchTable, Write};
use super::send::BatchSend;
use super::settings::BatchSettings;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::retry::RetryBudget;
use crate::schema::Pattern;

/// How many rows one request deletes.
pub(crate) const MOST_DELETES: usize = super::request::MOST_WRITES;

/// Deletes rows of one table, whatever they hold by then.
pub(crate) struct RowDeletes {
    table: Arc<BatchTable>,
    entity: &'static str,
    pattern: &'static Pattern,
    budget: RetryBudget,
}

/// The outcome of a delete.
pub(crate) enum DeleteOutcome {
    Done,
    /// The service refuses to delete this row.
    Failed(Error),
    /// The service is too busy, or rejects whole requests. The delete may have taken effect.
    Left(Error),
}

impl RowDeletes {
    pub(crate) fn new(
        table: String,
        names: Vec<&'static str>,
        entity: &'static str,
        pattern: &'static Pattern,
        budget: RetryBudget,
    ) -> Self {
        RowDeletes {
            table: Arc::new(BatchTable { name: table, names }),
            entity,
            pattern,
            budget,
        }
    }

    /// Deletes the rows with these keys, objects of DynamoDB JSON. Returns what became of each.
    pub(crate) async fn send_deletes(
        &self,
        keys: &[&[u8]],
        db: &Dynamo,
    ) -> Result<Vec<DeleteOutcome>> {
        let writes = keys.iter().enumerate();
        let writes = writes.map(|(index, key)| {
            Write::delete_row(index, key, self.entity, self.pattern, self.table.clone())
        });
        let plan = BatchPlan {
            writes: writes.collect(),
            errors: Vec::new(),
            superseded: 0,
            total: keys.len(),
        };
        let settings = BatchSettings {
            concurrency: 1,
            budget: self.budget,
            on_progress: None,
        };
        let report = BatchSend::new(db, plan, settings).await?;
        // A batch reports only the writes that are not done, so all others are.
        let mut outcomes: Vec<_> = keys.iter().map(|_| DeleteOutcome::Done).collect();
        for left in report.left_keys() {
            let reason = report
                .reasons
                .first()
                .map_or_else(unexplained_failure, Error::again);
            set_outcome(&mut outcomes, left.index(), DeleteOutcome::Left(reason));
        }
        for failed in report.errors {
            set_outcome(
                &mut outcomes,
                failed.index,
                DeleteOutcome::Failed(failed.error),
            );
        }
        Ok(outcomes)
    }
}

fn set_outcome(outcomes: &mut [DeleteOutcome], index: usize, outcome: DeleteOutcome) {
    if let Some(place) = outcomes.get_mut(index) {
        *place = outcome;
    }
}

fn unexplained_failure() -> Error {
    use crate::error::{ErrorKind, Stage};
    let message = "a delete was not acknowledged";
    Error::new(ErrorKind::Unavailable, Stage::Service, message)
}
