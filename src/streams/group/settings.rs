//! The settings of a worker.

use std::time::Duration;

use super::event::ConsumerEvent;
use super::store::is_transient;
use crate::error::Result;
use crate::runtime::sleep_for;
use crate::streams::shard_reader::{MOST_FAILURES, failure_pause};

pub(super) type EventListener = Box<dyn Fn(&ConsumerEvent<'_>) + Send + Sync>;

pub(super) struct Settings {
    pub(super) lease_time: Duration,
    pub(super) longest_pause: Duration,
    /// The start of the group in Unix seconds; `None` is the oldest change.
    pub(super) since: Option<i64>,
    pub(super) continues_after_loss: bool,
    pub(super) park_after: Option<usize>,
    /// Whether the group may have handled changes of more entities.
    pub(super) has_fewer_entities: bool,
    pub(super) listener: Option<EventListener>,
}

impl Settings {
    pub(super) fn report(&self, event: &ConsumerEvent<'_>) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }

    /// Sends a request again while its failure may be temporary. For the requests before a worker has joined its group.
    pub(super) async fn repeat_request<T, Fut>(&self, send: impl Fn() -> Fut) -> Result<T>
    where
        Fut: Future<Output = Result<T>>,
    {
        let mut failures = 0;
        loop {
            match send().await {
                Err(error) if is_transient(&error) && failures < MOST_FAILURES => {
                    self.report(&ConsumerEvent::RequestFailed(&error));
                    failures += 1;
                    sleep_for(failure_pause(failures)).await;
                }
                ended => return ended,
            }
        }
    }
}
