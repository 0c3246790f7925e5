//! Rows that are deleted together: those that are at work at the same time share requests.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use super::{JobContext, RowError, failed, pause_write};
use crate::batch::{DeleteOutcome, MOST_DELETES, RowDeletes};
use crate::bulk::report::RowOutcome;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Stage};

/// The rows that wait for a request.
pub(in crate::bulk) struct SharedDeletes {
    deletes: RowDeletes,
    waiting: Mutex<VecDeque<WaitingDelete>>,
}

struct WaitingDelete {
    key: Vec<u8>,
    outcome: oneshot::Sender<DeleteOutcome>,
}

impl SharedDeletes {
    pub(in crate::bulk) fn new(deletes: RowDeletes) -> Self {
        SharedDeletes {
            deletes,
            waiting: Mutex::default(),
        }
    }

    /// Deletes the row with this key, by a request that deletes others too. While the service is busy, the row waits as
    /// each row of a job does, because deleting it twice is deleting it once.
    pub(super) async fn delete(
        &self,
        tools: &JobContext<'_>,
        key: &[u8],
    ) -> Result<RowOutcome, RowError> {
        let mut busy = tools.shared_budget.begin_rounds();
        loop {
            let began = Instant::now();
            match self.attempt(tools, key).await {
                DeleteOutcome::Done => {
                    busy.note_progress();
                    return Ok(RowOutcome::Written);
                }
                DeleteOutcome::Failed(error) => return Err(failed(key, None, error)),
                DeleteOutcome::Left(error) => {
                    pause_write(&mut busy, began, error, (key, None), true).await?;
                }
            }
        }
    }

    async fn attempt(&self, tools: &JobContext<'_>, key: &[u8]) -> DeleteOutcome {
        tools.turn().await;
        let (sender, outcome) = oneshot::channel();
        self.waiting().push_back(WaitingDelete {
            key: key.to_vec(),
            outcome: sender,
        });
        // The other rows of this turn join here. Each row then sends a request unless others have taken all waiting
        // rows, so none is left behind.
        tokio::task::yield_now().await;
        let batch = self.take_batch();
        if !batch.is_empty() {
            self.send(batch, tools.db).await;
        }
        let outcome = outcome.await;
        outcome.unwrap_or_else(|_| DeleteOutcome::Left(unanswered()))
    }

    /// The rows that waited longest. A key that comes twice waits for another request, because none may have it twice.
    fn take_batch(&self) -> Vec<WaitingDelete> {
        let mut waiting = self.waiting();
        let mut batch: Vec<WaitingDelete> = Vec::with_capacity(MOST_DELETES);
        while batch.len() < MOST_DELETES
            && let Some(next) = waiting.pop_front()
        {
            if batch.iter().any(|other| other.key == next.key) {
                // DynamoDB rejects a batch with two writes of one key.
                waiting.push_front(next);
                break;
            }
            batch.push(next);
        }
        batch
    }

    async fn send(&self, batch: Vec<WaitingDelete>, db: &Dynamo) {
        let keys: Vec<&[u8]> = batch.iter().map(|delete| &*delete.key).collect();
        let outcomes = match self.deletes.send_deletes(&keys, db).await {
            Ok(outcomes) => outcomes,
            Err(error) => {
                let left = keys.iter().map(|_| DeleteOutcome::Left(error.again()));
                left.collect()
            }
        };
        for (delete, outcome) in batch.into_iter().zip(outcomes) {
            // The future of the row may have been dropped, and then nothing waits for the outcome.
            drop(delete.outcome.send(outcome));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<WaitingDelete>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unanswered() -> Error {
    let message = "the request with this delete got no response";
    Error::new(ErrorKind::Unavailable, Stage::Wire, message)
}
