//! A survey: the description of the stream, and the parents that it omits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::pace::{GONE_RESPONSES, MOST_FAILURES, ReaderTime, SURE_SURVEYS, failure_pause};
use crate::error::{Error, Result};
use crate::streams::position::ShardId;
use crate::streams::shard_api::{FailureMeaning, StreamRequest};

/// The shortest time between the starts of two surveys.
const SURVEY_FLOOR: Duration = Duration::from_secs(1);

/// The maximum number of surveys before a stream begins with its latest record.
const MOST_STARTS: u32 = 20;

#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The shards that were described since the survey began, with their parents.
    pub(super) shards: BTreeMap<ShardId, Option<ShardId>>,
    pub(super) after: Option<ShardId>,
    /// The number of surveys before a stream begins with its latest record.
    pub(super) starts: u32,
    /// The number of these surveys that consecutively found the same shards, and the number of shards.
    pub(super) same: (u32, usize),
    pub(super) is_awaited: bool,
    pub(super) due: Duration,
    pub(super) began: Option<ReaderTime>,
    pub(super) failures: u32,
    pub(super) searches: u32,
    pub(super) is_complete: bool,
    pub(super) is_disabled: bool,
    /// Whether a shard has ended since the survey began, so that the survey may omit its children.
    pub(super) is_outdated: bool,
    /// The number of complete surveys that began after the last shard has ended.
    pub(super) since_end: u32,
}

impl Survey {
    pub(super) fn next_request(&mut self, time: ReaderTime) -> StreamRequest {
        if self.after.is_none() {
            self.is_outdated = false;
            // A survey that is repeated keeps the shards that were found.
            if self.shards.is_empty() {
                self.began = Some(time);
            }
        }
        self.is_awaited = true;
        StreamRequest::Describe {
            after: self.after.clone(),
        }
    }

    /// Counts a survey before a stream begins with its latest record. Returns whether no further survey is needed. The
    /// count starts again if a survey finds another number of shards, because it may omit the parent of a new one.
    pub(super) fn end_start(&mut self) -> bool {
        let found = self.shards.len();
        self.starts += 1;
        self.same = match self.same {
            (surveys, known) if known == found => (surveys + 1, found),
            _ => (1, found),
        };
        self.same.0 >= SURE_SURVEYS || self.starts >= MOST_STARTS
    }

    /// The earliest time of the next survey.
    pub(super) fn soonest(&self, now: Duration) -> Duration {
        self.began
            .map_or(now, |began| now.max(began.now + SURVEY_FLOOR))
    }

    pub(super) fn take_failure(&mut self, error: Error, time: ReaderTime) -> Result<()> {
        self.failures += 1;
        self.due = time.now + failure_pause(self.failures);
        let most = match FailureMeaning::of_error(&error) {
            FailureMeaning::Busy => MOST_FAILURES,
            // The shard after which a page begins may have been removed.
            _ if self.after.take().is_some() => MOST_FAILURES,
            FailureMeaning::Gone => GONE_RESPONSES - 1,
            _ => 0,
        };
        match self.failures <= most {
            true => Ok(()),
            false => Err(error),
        }
    }
}

/// A shard that is known only as the parent of another one.
#[derive(Debug)]
pub(super) struct MissingParent {
    pub(super) since: Duration,
    pub(super) surveys: u32,
    /// The number of surveys at a time at which it should have been described.
    pub(super) late_surveys: u32,
    pub(super) denials: u32,
    pub(super) exists: bool,
    pub(super) is_due: bool,
    pub(super) is_awaited: bool,
}
