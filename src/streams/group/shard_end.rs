//! The end of a shard: finds its children, and marks it as finished.

use super::event::{ConsumerEvent, ShardStopReason};
use super::shard_run::ShardRun;
use super::store::{Written, is_transient};
use crate::error::Result;
use crate::streams::position::ShardId;
use crate::streams::shard_api::FailureMeaning;

/// The number of descriptions that are requested to find the children of a shard that has ended.
const CHILD_SEARCHES: u32 = 4;

impl ShardRun<'_> {
    /// Finds the children of the shard, and marks the shard as finished.
    pub(super) async fn end_shard(&mut self) -> Result<ShardStopReason> {
        let (mut searches, mut is_off) = (0, false);
        loop {
            let described = match self.worker.source.children_of(&self.name).await {
                Ok((children, is_disabled)) => {
                    is_off = is_disabled;
                    // A late description may still omit the children. The discoverer finds them later.
                    let is_last = is_disabled || searches + 1 >= CHILD_SEARCHES;
                    (!children.is_empty() || is_last).then_some(children)
                }
                Err(error) if is_transient(&error) => {
                    self.worker.report(&ConsumerEvent::RequestFailed(&error));
                    None
                }
                // The children of a shard that is no longer described cannot be found this way.
                Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => {
                    Some(Vec::new())
                }
                Err(error) => return Err(error),
            };
            if let Some(children) = described {
                match self.finish_lease(children).await {
                    Ok(Some(reason)) => {
                        if is_off {
                            // If this was the last shard, the table may have another stream.
                            self.worker.hurry_survey();
                        }
                        return Ok(reason);
                    }
                    Ok(None) => {}
                    Err(error) if is_transient(&error) => {
                        self.worker.report(&ConsumerEvent::RequestFailed(&error))
                    }
                    Err(error) => return Err(error),
                }
            }
            if let Some(reason) = self.pause_after_failure(searches).await {
                return Ok(reason);
            }
            searches += 1;
        }
    }

    async fn finish_lease(&mut self, children: Vec<ShardId>) -> Result<Option<ShardStopReason>> {
        let mut new = Vec::new();
        for child in children {
            if self.worker.store.read_shard(&child).await?.is_none() {
                new.push(child);
            }
        }
        let store = &self.worker.store;
        let start = self.worker.shard_start();
        match store
            .finish(&self.name, self.epoch, &self.saved, &new, start)
            .await
        {
            Ok(Written::Done) => Ok(Some(ShardStopReason::Finished)),
            // Another worker has created the row of a child, or the lease was lost, or the write took effect.
            Ok(Written::Refused) => self.read_end().await,
            Err(error) if error.is_outcome_unknown() => self.read_end().await,
            Err(error) => Err(error),
        }
    }

    async fn read_end(&self) -> Result<Option<ShardStopReason>> {
        let Some(row) = self.worker.store.read_shard(&self.name).await? else {
            return Err(self.worker.store.deleted_row(&self.name));
        };
        let is_mine = row.epoch == self.epoch && row.owner.as_deref() == Some(self.worker.id());
        Ok(match (row.is_finished, is_mine) {
            (true, _) => Some(ShardStopReason::Finished),
            // A late write of this run has moved the place, so the row must be read again.
            (false, true) if row.place != self.saved.sequence => Some(ShardStopReason::LeaseLost),
            (false, true) => None,
            (false, false) => Some(ShardStopReason::LeaseLost),
        })
    }
}
