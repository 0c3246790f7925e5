//! The age of a client token. DynamoDB forgets a token after ten minutes; a request that is sent later is another
//! write.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// The time for which a token is used. It is less than ten minutes, because DynamoDB's clock may be ahead of ours.
const LIFE: Duration = Duration::from_secs(8 * 60);

/// When any attempt first sent a token.
#[derive(Debug, Default)]
pub(crate) struct TokenLife(OnceLock<ClockReading>);

/// No single clock can be trusted: the monotonic one may stop while a machine is frozen, and the wall clock may be
/// set back. The client may sign with the clock of a test.
#[derive(Debug, Clone, Copy)]
struct ClockReading {
    steady: Instant,
    wall: SystemTime,
    client: SystemTime,
}

impl TokenLife {
    /// Whether DynamoDB still remembers the token according to all clocks.
    pub(super) fn is_remembered(&self, client: SystemTime) -> bool {
        let now = ClockReading {
            steady: Instant::now(),
            wall: SystemTime::now(),
            client,
        };
        self.is_young(now)
    }

    fn is_young(&self, now: ClockReading) -> bool {
        // The life begins with the first attempt and not when the token is made, because a write
        // may wait for a long time before it is sent, for example for its turn.
        let began = *self.0.get_or_init(|| now);
        let steady = now.steady.saturating_duration_since(began.steady);
        // A clock that was set back does not show how much time has passed, so it counts as zero.
        let others = [(now.wall, began.wall), (now.client, began.client)]
            .map(|(now, began)| now.duration_since(began).unwrap_or_default());
        others.into_iter().fold(steady, Duration::max) < LIFE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(moment: ClockReading, [steady, wall, client]: [i64; 3]) -> ClockReading {
        let step = |time: SystemTime, minutes: i64| {
            let by = Duration::from_secs(60 * minutes.unsigned_abs());
            if minutes < 0 { time - by } else { time + by }
        };
        ClockReading {
            steady: moment.steady + Duration::from_secs(60 * steady.unsigned_abs()),
            wall: step(moment.wall, wall),
            client: step(moment.client, client),
        }
    }

    /// Whichever of the three clocks shows the greatest age decides.
    #[test]
    fn the_oldest_age_counts() {
        let began = ClockReading {
            steady: Instant::now(),
            wall: SystemTime::now(),
            client: SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30),
        };
        for (minutes, is_young) in [
            ([0, 0, 0], true),
            ([7, 7, 7], true),
            ([8, 0, 0], false),
            // The machine was frozen and is awake again.
            ([0, 60, 60], false),
            ([0, 60, 0], false),
            ([0, 0, 8], false),
            // The wall clock was set back meanwhile.
            ([1, -30, -30], true),
            ([9, -30, 1], false),
            ([0, -30, 9], false),
        ] {
            let life = TokenLife::default();
            assert!(life.is_young(began));
            assert_eq!(
                life.is_young(later(began, minutes)),
                is_young,
                "{minutes:?}"
            );
        }
    }
}
