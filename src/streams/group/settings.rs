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

/// The longest time between two rounds.
const LONGEST_PERIOD: Duration = Duration::from_secs(10);
/// The shortest pause between two requests for a shard.
pub(super) const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

impl Settings {
    /// The time between two rounds.
    pub(super) fn round_period(&self) -> Duration {
        (self.lease_time / 3).min(LONGEST_PERIOD)
    }

    /// The age at which a round renews a lease.
    pub(super) fn renewal_age(&self) -> Duration {
        self.lease_time / 4
    }

    /// The time between two renewals of a lease: that of the first round after it is old enough.
    pub(super) fn renewal_period(&self) -> Duration {
        let rounds = self
            .renewal_age()
            .as_nanos()
            .div_ceil(self.round_period().as_nanos().max(1));
        self.round_period() * u32::try_from(rounds.max(1)).unwrap_or(u32::MAX)
    }

    /// The pause between two requests for a shard that has had no new records for a while.
    pub(super) fn idle_pause(&self) -> Duration {
        self.longest_pause.max(SHORTEST_PAUSE)
    }

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
