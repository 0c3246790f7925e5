//! The times and numbers by which the reader paces its requests.

use std::time::Duration;

/// The first pause after a response without records. It doubles.
pub(super) const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// The first and the longest pause after a failure.
pub(super) const FAILURE_PAUSE: (Duration, Duration) =
    (Duration::from_millis(200), Duration::from_secs(5));
/// The number of failures of one request in a row after which its error is returned.
pub(in crate::streams) const MOST_FAILURES: u32 = 10;
/// The number of consecutive surveys of which at least one describes each existing shard.
pub(super) const SURE_SURVEYS: u32 = 3;
/// The number of responses that a shard does not exist after which the reader gives up a shard that surveys omit.
pub(super) const GONE_RESPONSES: u32 = 3;

/// The first and the longest pause before a survey that looks for the children of a shard that has ended.
pub(super) const CHILD_PAUSE: (Duration, Duration) =
    (Duration::from_millis(500), Duration::from_secs(10));

/// The present time.
#[derive(Debug, Clone, Copy)]
pub(in crate::streams) struct ReaderTime {
    /// Since the reader was created. It never goes back.
    pub(in crate::streams) now: Duration,
    /// Unix seconds, of the service's clock if it is known.
    pub(in crate::streams) wall: i64,
}

/// The pause after this failure of a request, counted from one.
pub(in crate::streams) fn failure_pause(failures: u32) -> Duration {
    doubled(FAILURE_PAUSE, failures.saturating_sub(1))
}

/// The first pause, doubled this often, but not longer than the longest one.
pub(super) fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    first
        .saturating_mul(2_u32.saturating_pow(times))
        .min(longest)
}
