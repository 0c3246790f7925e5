//! Limits the number of requests per second, at even distances.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::runtime::sleep_until;

/// Allows this number per second.
#[derive(Debug)]
pub(crate) struct Rate {
    distance: Duration,
    /// The time of the next turn.
    next: Mutex<Option<Instant>>,
}

impl Rate {
    pub(crate) fn per_second(count: u32) -> Self {
        Rate {
            distance: Duration::from_secs(1) / count.max(1),
            next: Mutex::new(None),
        }
    }

    /// Waits for the next turn. Unused turns are not saved up: requests are not faster after a pause.
    pub(crate) async fn wait_turn(&self) {
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let turn = next.map_or(now, |next| next.max(now));
            // The turn is reserved before waiting for it, so concurrent callers get consecutive
            // turns without holding the lock.
            *next = turn.checked_add(self.distance);
            turn
        };
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hundred_a_second_come_ten_milliseconds_apart() {
        let rate = Rate::per_second(100);
        let began = Instant::now();
        for _ in 0..6 {
            rate.wait_turn().await;
        }
        let took = began.elapsed();
        assert!(took >= Duration::from_millis(50), "{took:?}");
        assert!(took < Duration::from_millis(500), "{took:?}");
    }
}
