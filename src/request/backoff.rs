//! Waiting before another attempt, so that those who collided do not collide again.

use std::time::Duration;

/// The first pause is at most this long.
const FIRST: Duration = Duration::from_millis(4);
/// And none is longer.
const LONGEST: Duration = Duration::from_millis(100);

/// Full jitter: each pause is anything between nothing and a bound that doubles.
pub(super) struct Backoff {
    bound: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Backoff { bound: FIRST }
    }

    pub(super) async fn wait(&mut self) {
        let micros = u64::try_from(self.bound.as_micros()).unwrap_or(u64::MAX);
        tokio::time::sleep(Duration::from_micros(fastrand::u64(0..=micros))).await;
        self.bound = (self.bound * 2).min(LONGEST);
    }
}
