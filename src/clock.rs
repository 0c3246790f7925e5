//! The time of managed fields and TTL.

mod moment;
mod source;
mod timestamp;

pub use moment::Moment;
pub(crate) use source::SharedClock;
pub use source::{Clock, SystemClock};
pub use timestamp::Timestamp;
