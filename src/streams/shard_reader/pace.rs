//! The pauses between requests, and the numbers of retries.

use std::time::Duration;

/// The first pause after a response without records. The pauses double.
pub(super) const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// The first and the longest pause after a failure.
pub(super) const FAILURE_PAUSE: (Duration, Duration) =
    (Duration::from_millis(200), Duration::from_secs(5));
/// The number of consecutive failures of a request that are retried. After the next one, the error is returned.
pub(in crate::streams) const MOST_FAILURES: u32 = 10;
/// The number of consecutive surveys of which at least one describes each existing shard.
pub(super) const SURE_SURVEYS: u32 = 3;
/// The reader gives up a shard that surveys omit after this many responses that it does not exist.
pub(super) const GONE_RESPONSES: u32 = 3;

/// The first and the longest pause before a survey that looks for the children of a shard that has ended.
pub(super) const CHILD_PAUSE: (Duration, Duration) =
    (Duration::from_millis(500), Duration::from_secs(10));

/// The present time, by two clocks.
#[derive(Debug, Clone, Copy)]
pub(in crate::streams) struct ReaderTime {
    /// The time since the reader was created, by a monotonic clock.
    pub(in crate::streams) now: Duration,
    /// Unix seconds, by the clock of the server if it is known.
    pub(in crate::streams) wall: i64,
}

/// The pause after a failure with this number, counted from one.
pub(in crate::streams) fn failure_pause(failures: u32) -> Duration {
    doubled(FAILURE_PAUSE, failures.saturating_sub(1))
}

/// The first pause, doubled this many times, but not longer than the longest one.
pub(super) fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    first
        .saturating_mul(2_u32.saturating_pow(times))
        .min(longest)
}
