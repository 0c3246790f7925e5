//! Types that are a point in time, of the standard library and of others.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::timestamp::Timestamp;

/// A type that is a point in time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a point in time",
    label = "expected `SystemTime` or a timestamp of chrono, time or jiff",
    note = "timestamps of `chrono`, `time` and `jiff` need the feature of that name"
)]
pub trait Moment: Sized {
    /// The point in time.
    fn to_timestamp(&self) -> Timestamp;

    /// The value for a point in time, if it is in the range of the type.
    fn from_timestamp(timestamp: Timestamp) -> Option<Self>;
}

impl Moment for Timestamp {
    fn to_timestamp(&self) -> Timestamp {
        *self
    }

    fn from_timestamp(timestamp: Timestamp) -> Option<Self> {
        Some(timestamp)
    }
}

impl Moment for SystemTime {
    fn to_timestamp(&self) -> Timestamp {
        Timestamp::from(*self)
    }

    fn from_timestamp(time: Timestamp) -> Option<Self> {
        let nanos = Duration::from_nanos(time.nanos().into());
        let seconds = Duration::from_secs(time.seconds().unsigned_abs());
        let whole = if time.seconds() < 0 {
            UNIX_EPOCH.checked_sub(seconds)
        } else {
            UNIX_EPOCH.checked_add(seconds)
        };
        whole?.checked_add(nanos)
    }
}
