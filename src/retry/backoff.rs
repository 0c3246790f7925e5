//! The pause before another attempt, so that requests that collided do not collide again.

use std::time::Duration;

use crate::runtime::sleep_for;

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(2);

/// Full jitter: each pause is random, between nothing and a bound that doubles.
///
/// The first bound is the time that an attempt took, because engines differ a lot in their speed.
pub(crate) struct Backoff {
    doublings: u32,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Backoff { doublings: 0 }
    }

    /// Waits after an attempt that took this long, but no longer than the time that is left.
    pub(crate) async fn wait_longer(&mut self, attempt: Duration, left: Option<Duration>) {
        let factor = 2_u32.saturating_pow(self.doublings);
        let bound = attempt.saturating_mul(factor).min(LONGEST);
        let bound = left.map_or(bound, |left| bound.min(left));
        let micros = u64::try_from(bound.as_micros()).unwrap_or(u64::MAX);
        // Full jitter: even pauses of zero are right, because what matters is that competitors do
        // not wait equally long.
        sleep_for(Duration::from_micros(fastrand::u64(0..=micros))).await;
        self.doublings += 1;
    }
}
