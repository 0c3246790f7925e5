//! What is to be done next: rows of a query, rows that failed before, or writes that were given.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::keeper::Keeper;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::request::bulk::job::{Verb, Work};
use crate::request::bulk::put::{Prepared, Writes};
use crate::request::bulk::write::{Action, Rows};
use crate::request::query::{Mark, Walk};
use crate::request::retry_budget::RetryBudget;

/// One thing to do.
pub(super) enum Task {
    Row {
        mark: Mark,
        item: Bytes,
    },
    /// A place without a row.
    Place(Mark),
    /// A row that failed in an earlier run: its key, in DynamoDB JSON.
    Again(String),
    Write {
        number: u64,
        is_again: bool,
        prepared: Result<Box<Prepared>>,
    },
}

pub(super) enum Feed<'j> {
    Rows {
        again: VecDeque<String>,
        /// None if an earlier run has come to the end.
        walk: Option<Box<Walk>>,
    },
    Writes {
        writes: Box<dyn Writes + 'j>,
        next: u64,
        /// Those before were dealt with by earlier runs,
        passed: u64,
        /// but for these.
        again: BTreeSet<u64>,
    },
}

/// Begins to read. Nothing is sent if this fails.
pub(super) fn begin<'j>(
    work: Work<'j>,
    keeper: Option<&Keeper<'_>>,
    db: &Dynamo,
    budget: RetryBudget,
) -> Result<(Feed<'j>, Option<Rows<'j>>)> {
    let again = keeper.map(Keeper::failed).unwrap_or_default();
    let (target, action) = match work {
        Work::Rows(target, Verb::Delete) => (*target, Action::Delete),
        Work::Rows(target, Verb::Change(decide)) => (*target, Action::Change(Mutex::new(decide))),
        Work::Writes(writes) => {
            let feed = Feed::Writes {
                writes,
                next: 0,
                passed: keeper.map_or(0, Keeper::rows),
                again: again
                    .iter()
                    .filter_map(|number| number.parse().ok())
                    .collect(),
            };
            return Ok((feed, None));
        }
    };
    let is_at_end = keeper.is_some_and(Keeper::is_at_end);
    let walk = match is_at_end {
        true => None,
        false => Some(Box::new(target.walk(db, budget)?)),
    };
    let feed = Feed::Rows {
        again: again.into(),
        walk,
    };
    let table = target.source().table;
    let rows = Rows {
        table: db.table_name(table.name),
        names: table.key_names().collect(),
        target,
        action,
    };
    Ok((feed, Some(rows)))
}

impl Feed<'_> {
    /// Looking stopped before the end.
    pub(super) fn is_spent(&self) -> bool {
        matches!(self, Feed::Rows { walk: Some(walk), .. } if walk.is_spent())
    }

    pub(super) fn poll_next(
        &mut self,
        db: &Dynamo,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Task>>> {
        match self {
            Feed::Rows { again, walk } => {
                if let Some(key) = again.pop_front() {
                    return Poll::Ready(Some(Ok(Task::Again(key))));
                }
                let Some(walk) = walk else {
                    return Poll::Ready(None);
                };
                walk.poll_next(cx).map(|step| {
                    Some(step?.map(|step| match step.item {
                        Some(item) => Task::Row {
                            mark: step.mark,
                            item,
                        },
                        None => Task::Place(step.mark),
                    }))
                })
            }
            Feed::Writes {
                writes,
                next,
                passed,
                again,
            } => {
                while *next < *passed && !again.contains(next) {
                    if !writes.skip() {
                        return Poll::Ready(None);
                    }
                    *next += 1;
                }
                let write = writes.next(db).map(|prepared| Task::Write {
                    number: *next,
                    is_again: *next < *passed,
                    prepared: prepared.map(Box::new),
                });
                *next += 1;
                Poll::Ready(write.map(Ok))
            }
        }
    }
}
