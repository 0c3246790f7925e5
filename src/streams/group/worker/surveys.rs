//! Describes the stream, and creates the rows of new shards, while this worker is the discoverer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Worker, WorkerState, lock};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::runtime::sleep_for;
use crate::streams::group::event::ConsumerEvent;
use crate::streams::group::lineage::{self, MissingShards};
use crate::streams::group::rejected::{ended_stream, other_stream};
use crate::streams::group::store::{GroupRows, Written, is_transient};
use crate::streams::shard_api::{DescribedShard, FailureMeaning};

/// The pause between two descriptions of the stream by the discoverer.
const SURVEY_PAUSE: Duration = Duration::from_secs(60);
/// The pause before the next description while shards wait for parents that are not described.
const SEARCH_PAUSE: Duration = Duration::from_secs(1);
/// The number of consecutive failed descriptions after which another worker may try, or the stream counts as gone.
const FAILED_SURVEYS: u32 = 3;
/// The number of consecutive descriptions of which one has each shard.
const SURE_SURVEYS: usize = 3;

impl WorkerState {
    /// Forgets the descriptions of an earlier time as the discoverer. The parents that were sought remain, because a shard
    /// that is gone stays gone, and a worker that often loses the lease would never find that out.
    pub(super) fn begin_discovery(&mut self) {
        self.missing = MissingShards::default();
        self.whole_surveys.clear();
        self.final_surveys = 0;
    }

    /// Notes a description with which all shards have rows. Returns the time before which all shards are known: that of the
    /// first of the last descriptions, because a single one may omit a shard.
    fn note_whole_survey(&mut self, began: i64) -> Option<i64> {
        self.whole_surveys.push_back(began);
        match self.whole_surveys.len() {
            ..SURE_SURVEYS => None,
            _ => self.whole_surveys.pop_front(),
        }
    }

    /// Notes whether a description shows the end of the stream. Returns whether this is certain.
    fn note_end(&mut self, is_over: bool) -> bool {
        self.final_surveys = if is_over { self.final_surveys + 1 } else { 0 };
        self.final_surveys >= SURE_SURVEYS
    }
}

impl Worker {
    /// Whether this worker could not describe the stream several times in a row.
    pub(super) fn has_failed_surveys(&self) -> bool {
        lock(&self.state).failed_surveys >= FAILED_SURVEYS
    }

    /// Looks for new shards while this worker has the lease of the discoverer.
    pub(super) async fn run_surveys(&self) -> Result<()> {
        loop {
            let held = lock(&self.book).held_epoch("");
            let is_due = || lock(&self.book).held_epoch("").is_some() && self.is_survey_due();
            let Some(epoch) = held.filter(|_| is_due() && !self.is_stopping()) else {
                self.pause(SEARCH_PAUSE, || is_due() && !self.is_stopping())
                    .await;
                if self.is_stopping() {
                    sleep_for(SEARCH_PAUSE).await;
                }
                continue;
            };
            let Err(error) = self.survey_shards(epoch).await else {
                lock(&self.state).failed_surveys = 0;
                continue;
            };
            let meaning = FailureMeaning::of_error(&error);
            // A single response that the stream does not exist may be wrong.
            let is_repeated = is_transient(&error) || meaning == FailureMeaning::Gone;
            let failures = {
                let mut state = lock(&self.state);
                state.failed_surveys += 1;
                state.survey_due = self.now() + SEARCH_PAUSE;
                state.failed_surveys
            };
            if !is_repeated || meaning == FailureMeaning::Gone && failures >= FAILED_SURVEYS {
                return Err(self.explain_gone(error).await);
            }
            self.report(&ConsumerEvent::RequestFailed(&error));
            if failures >= FAILED_SURVEYS {
                lock(&self.state).survey_due = self.now() + self.settings.lease_time;
                if let Err(error) = self.release_discoverer().await {
                    self.report(&ConsumerEvent::RequestFailed(&error));
                }
            }
        }
    }

    /// Returns the error for a stream that no longer exists. It names the new stream if the table has one.
    async fn explain_gone(&self, error: Error) -> Error {
        if FailureMeaning::of_error(&error) != FailureMeaning::Gone {
            return error;
        }
        self.find_replacement().await.unwrap_or(error)
    }

    /// The error that names the other stream of the table, if it has one.
    async fn find_replacement(&self) -> Option<Error> {
        let newest = self.source.newest_arn().await.ok()?;
        let is_other = newest != self.source.arn;
        is_other.then(|| other_stream(&self.store.group, &self.source.arn, &newest))
    }

    /// Describes the stream soon, if this worker is the discoverer.
    pub(in crate::streams::group) fn hurry_survey(&self) {
        lock(&self.state).survey_due = self.now();
        self.changed.notify_waiters();
    }

    pub(super) async fn survey_shards(&self, epoch: u64) -> Result<()> {
        let began = self.source.now();
        // The rows are read before the description. If a shard gets a row in between, creating it again fails.
        let Some(GroupRows { shards: rows, .. }) = self.store.read_rows().await? else {
            return Err(self.store.deleted_row("its own"));
        };
        let (mut described, is_disabled) = self.source.describe().await?;
        // Two pages may have the same shard.
        described.sort_by(|one, other| one.id.cmp(&other.id));
        described.dedup_by(|one, other| one.id == other.id);
        let sought = lock(&self.state)
            .hidden
            .note_survey(&described, &rows, self.now());
        for parent in sought {
            let exists = self.source.has_shard(&parent).await?;
            lock(&self.state).hidden.note_found(&parent, exists);
        }
        let (new, is_whole, is_sought) = {
            let hidden = &lock(&self.state).hidden;
            described.extend(hidden.undescribed(self.now()).map(|parent| DescribedShard {
                id: parent.into(),
                parent: None,
            }));
            let new = lineage::new_shards(&described, &rows, |parent| hidden.is_gone(parent));
            let without_rows = described
                .iter()
                .filter(|shard| !rows.contains_key(&*shard.id));
            (
                new.clone(),
                without_rows.count() == new.len(),
                hidden.are_sought(),
            )
        };
        if !is_whole && !is_sought {
            let message = "the description of the stream has a shard that is its own ancestor";
            return Err(Error::new(ErrorKind::Unavailable, Stage::Service, message));
        }
        let created = self
            .store
            .create_rows(epoch, &new, self.shard_start())
            .await?;
        if !new.is_empty() {
            self.is_hurried.store(true, Ordering::Relaxed);
            self.changed.notify_waiters();
        }
        if created == Written::Refused {
            // Another worker has created a row at the end of a shard, or the lease was lost.
            lock(&self.state).survey_due = self.now() + SEARCH_PAUSE;
            return Ok(());
        }
        // If shards still wait for their parents, they would seem to be younger when they are found again.
        if is_whole {
            let sure = lock(&self.state).note_whole_survey(began);
            if let Some(at) = sure {
                self.store.note_survey(epoch, at).await?;
            }
        }
        let removable = lock(&self.state)
            .missing
            .removable_rows(&described, &rows, self.now());
        for row in removable.iter().filter_map(|shard| rows.get(shard)) {
            // Without its row, a shard that exists would be read again.
            if !self.source.has_shard(&row.shard).await? {
                self.store.remove_row(epoch, row).await?;
            }
        }
        let is_over = is_disabled && new.is_empty() && rows.values().all(|row| row.is_finished);
        let is_final = lock(&self.state).note_end(is_over);
        if is_final {
            let other = self.find_replacement().await;
            let ended = || ended_stream(&self.store.group, &self.source.arn);
            return Err(other.unwrap_or_else(ended));
        }
        let is_calm = is_whole && !is_over;
        let pause = if is_calm { SURVEY_PAUSE } else { SEARCH_PAUSE };
        lock(&self.state).survey_due = self.now() + pause;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_third_last_description_is_noted() {
        let mut state = WorkerState::default();
        let noted: Vec<_> = (1..=5).map(|at| state.note_whole_survey(at)).collect();
        assert_eq!(noted, [None, None, Some(1), Some(2), Some(3)]);
        state.begin_discovery();
        assert_eq!(state.note_whole_survey(6), None);
    }

    #[test]
    fn the_end_of_a_stream_is_believed_after_three_descriptions() {
        let mut state = WorkerState::default();
        let shown = [true, true, false, true, true, true];
        let ends: Vec<_> = shown.map(|is_over| state.note_end(is_over)).into();
        assert_eq!(ends, [false, false, false, false, false, true]);
    }
}
