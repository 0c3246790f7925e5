//! The sources of the current time.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::moment::Moment;
use super::timestamp::Timestamp;

/// The source of the current time. In tests, give a [`Dynamo`](crate::Dynamo) another one:
/// [`with_clock`](crate::dynamo::Dynamo::with_clock).
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }
}

/// Any function that returns a time is a clock: `db.with_clock(move || fixed)`. The time is a
/// [`Timestamp`], or one of `chrono`, `time` or `jiff`, with the feature of that name.
impl<F, M> Clock for F
where
    F: Fn() -> M + Send + Sync + 'static,
    M: Moment,
{
    fn now(&self) -> Timestamp {
        self().to_timestamp()
    }
}

/// The clock of a connection.
#[derive(Clone)]
pub(crate) struct SharedClock(Arc<dyn Clock>);

impl SharedClock {
    pub(crate) fn new(clock: impl Clock) -> Self {
        SharedClock(Arc::new(clock))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.now()
    }
}

impl fmt::Debug for SharedClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
