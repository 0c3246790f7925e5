//! Whether DynamoDB's clock and ours agree.
//!
//! The SDK measures the difference on every answer and signs accordingly, but keeps the measure private. Small
//! differences do not matter, because DynamoDB tolerates minutes. While a response shows a large one, the SDK signs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

/// The tolerance is well below the difference that DynamoDB allows, and well above the delay of a slow response.
pub(super) const TOLERATED: Duration = Duration::from_secs(60);

/// Whether a difference is known that has to be corrected.
#[derive(Debug, Default)]
pub(super) struct ClockSkew(pub(super) AtomicBool);

impl ClockSkew {
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `date` is the time at which the response was written, according to its header.
    pub(super) fn follow_answer(&self, date: &str, now: SystemTime) {
        if let Some(far) = is_far(date, now) {
            self.0.store(far, Ordering::Relaxed);
        }
    }
}

fn is_far(date: &str, now: SystemTime) -> Option<bool> {
    let date = DateTime::from_str(date, Format::HttpDate).ok()?;
    let date = SystemTime::try_from(date).ok()?;
    let difference = match date.duration_since(now) {
        Ok(ahead) => ahead,
        Err(behind) => behind.duration(),
    };
    Some(difference > TOLERATED)
}
