//! Plans the requests that read a stream: a state machine that takes responses and returns requests, and sends nothing.
//!
//! ```text
//! survey     requests the description of the stream, page by page, again and again, to find its shards
//! eligible   a shard whose parent was read to its end, or does not exist
//! iterator   is requested for the place of a shard, and again after it has expired
//! records    are requested once for each shard at a time, so the records of an item stay in order
//! ```
//!
//! Descriptions may be late and may omit a shard. Therefore, a shard is read only after its parent was read to its end, or
//! certainly does not exist: two more surveys omit it, and requests for its iterator are denied. A shard is *settled* if
//! its parent is settled or does not exist. All shards in a position are settled. Therefore, if the parent of such a shard
//! is not in the position, it need not be read.

mod entry;
mod known_shard;
mod lineage;
mod pace;
mod reader;
mod records;
mod steps;
mod survey;
mod surveys;

pub(super) use entry::{LostTimes, ReaderEntry};
pub(super) use pace::{MOST_FAILURES, ReaderTime, failure_pause};
pub(super) use reader::ShardReader;
pub(super) use steps::ReaderStep;

#[cfg(test)]
mod tests;
