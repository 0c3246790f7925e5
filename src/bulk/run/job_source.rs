//! The next work: rows of a query, rows that failed before, or given writes.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::catch_up::catch_up;
use super::checkpoint_writer::CheckpointWriter;
use crate::batch::RowDeletes;
use crate::bulk::input::Input;
use crate::bulk::job::{JobWork, Verb};
use crate::bulk::put::Writes;
use crate::bulk::write::deletes::SharedDeletes;
use crate::bulk::write::rows::{RowAction, RowWrites};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::query::{JobRows, PositionChange, Walk};
use crate::retry::RetryBudget;
use crate::schema::is_identified_by_type;

/// One thing to do.
pub(super) enum JobTask {
    Row {
        mark: PositionChange,
        item: Bytes,
    },
    /// A place without a row.
    Place(PositionChange),
    /// A row that failed in an earlier run: its key, in DynamoDB JSON.
    Again(String),
    Write {
        given: Input,
        is_again: bool,
    },
}

pub(super) enum JobSource<'j> {
    Rows {
        again: VecDeque<String>,
        /// `None` if an earlier run has come to the end.
        walk: Option<Box<Walk>>,
    },
    Writes {
        /// The writes that failed in earlier runs.
        again: VecDeque<Input>,
        writes: Box<dyn Writes + 'j>,
        next: u64,
    },
}

/// Begins to read. Nothing is sent if this fails.
pub(super) async fn begin<'j>(
    work: JobWork<'j>,
    keeper: Option<&CheckpointWriter<'_>>,
    db: &Dynamo,
    budget: RetryBudget,
) -> Result<(JobSource<'j>, Option<RowWrites<'j>>)> {
    match work {
        JobWork::Rows(target, verb) => {
            let (feed, rows) = begin_rows(*target, verb, keeper, db, budget)?;
            Ok((feed, Some(rows)))
        }
        JobWork::Writes(mut writes) => {
            let again = match keeper {
                Some(keeper) => catch_up(&mut *writes, keeper, db).await?,
                None => VecDeque::new(),
            };
            let next = keeper.map_or(0, CheckpointWriter::rows);
            let feed = JobSource::Writes {
                again,
                writes,
                next,
            };
            Ok((feed, None))
        }
    }
}

fn begin_rows<'j>(
    target: JobRows,
    verb: Verb<'j>,
    keeper: Option<&CheckpointWriter<'_>>,
    db: &Dynamo,
    budget: RetryBudget,
) -> Result<(JobSource<'j>, RowWrites<'j>)> {
    let pattern = verb.pattern(target.query_source());
    // A batch checks no types, and an item of another entity may have taken the key since the row was read.
    let is_unchecked = matches!(verb, Verb::DeleteUnchecked)
        && !is_identified_by_type(target.query_source().table);
    let refill = match verb {
        Verb::Refill(_, refill) => Some(refill),
        _ => None,
    };
    let is_comparing = matches!(verb, Verb::Transact(_));
    let action = match verb {
        Verb::Delete | Verb::DeleteUnchecked => RowAction::Delete,
        Verb::Change(decide)
        | Verb::Transact(decide)
        | Verb::Refill(decide, _)
        | Verb::Touch(decide) => RowAction::Change(Mutex::new(decide)),
    };
    let is_at_end = keeper.is_some_and(CheckpointWriter::is_at_end);
    let walk = match is_at_end {
        true => None,
        false => Some(Box::new(target.start_walk(db, budget)?)),
    };
    let feed = JobSource::Rows {
        again: keeper
            .map(CheckpointWriter::failed)
            .unwrap_or_default()
            .into(),
        walk,
    };
    let table = target.query_source().table;
    let (name, names) = (
        db.table_name(table.name),
        table.key_names().collect::<Vec<_>>(),
    );
    let unchecked = is_unchecked.then(|| {
        let (name, names) = (name.clone(), names.clone());
        SharedDeletes::new(RowDeletes::new(
            name,
            names,
            target.entity_name(),
            pattern,
            // The rows of the job wait for a busy service themselves, so the shared request gives up after one round.
            RetryBudget::rounds(1),
        ))
    });
    let rows = RowWrites {
        unchecked,
        is_comparing,
        refill,
        table: name,
        names,
        target,
        pattern,
        action,
    };
    Ok((feed, rows))
}

impl JobSource<'_> {
    /// Whether reading stopped before the end of the query, at `max_scanned`.
    pub(super) fn is_spent(&self) -> bool {
        matches!(self, JobSource::Rows { walk: Some(walk), .. } if walk.is_spent())
    }

    pub(super) fn poll_next(
        &mut self,
        db: &Dynamo,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<JobTask>>> {
        match self {
            JobSource::Rows { again, walk } => {
                // Failed rows come first, because the position of the checkpoint is already after
                // them.
                if let Some(key) = again.pop_front() {
                    return Poll::Ready(Some(Ok(JobTask::Again(key))));
                }
                let Some(walk) = walk else {
                    return Poll::Ready(None);
                };
                walk.poll_next(cx).map(|step| {
                    Some(step?.map(|step| match step.item {
                        Some(item) => JobTask::Row {
                            mark: step.mark,
                            item,
                        },
                        None => JobTask::Place(step.mark),
                    }))
                })
            }
            JobSource::Writes {
                again,
                writes,
                next,
            } => {
                let is_again = !again.is_empty();
                let given = again.pop_front().or_else(|| {
                    let given = Input::next(&mut **writes, *next, db)?;
                    *next += 1;
                    Some(given)
                });
                Poll::Ready(given.map(|given| Ok(JobTask::Write { given, is_again })))
            }
        }
    }
}
