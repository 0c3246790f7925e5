//! A point in time.

use std::time::{SystemTime, UNIX_EPOCH};

/// A point in time: seconds since 1970 UTC and nanoseconds into that second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    seconds: i64,
    nanos: u32,
}

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Timestamp = Timestamp {
        seconds: 0,
        nanos: 0,
    };

    /// Creates a time from Unix seconds and the nanoseconds of that second. `None` for nanoseconds of two seconds or
    /// more; those of one second or more are for leap seconds.
    pub const fn from_unix(seconds: i64, nanos: u32) -> Option<Self> {
        if nanos < 2_000_000_000 {
            Some(Timestamp { seconds, nanos })
        } else {
            None
        }
    }

    /// Unix seconds, rounded down.
    pub const fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds of that second; a billion or more within a leap second.
    pub const fn nanos(self) -> u32 {
        self.nanos
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Timestamp {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: after.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).map_or(i64::MIN, |s| -s);
                match before.subsec_nanos() {
                    0 => Timestamp { seconds, nanos: 0 },
                    nanos => Timestamp {
                        seconds: seconds.saturating_sub(1),
                        nanos: 1_000_000_000 - nanos,
                    },
                }
            }
        }
    }
}
