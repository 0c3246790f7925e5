//! A clock that stands still until it is moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use dynamo_entity::{Clock, Timestamp};

/// Milliseconds since 1970. All clones show the same time.
#[derive(Debug, Clone)]
pub struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub fn at(time: &str) -> Self {
        HandClock(Arc::new(AtomicI64::new(moment(time).timestamp_millis())))
    }

    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub fn time(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::SeqCst)).expect("a time")
    }

    pub fn seconds(&self) -> i64 {
        self.time().timestamp()
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        let time = self.time();
        Timestamp::from_unix(time.timestamp(), time.timestamp_subsec_nanos()).expect("a time")
    }
}

pub fn moment(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}
