//! Plans the requests that read a stream: a state machine that takes responses and returns requests, without sending.
//!
//! ```text
//! survey     the description of the stream, page by page, again and again: which shards exist
//! eligible   a shard whose parent has been read to its end, or no longer exists
//! iterator   requested from the place of a shard, again after it has expired
//! records    one request for each shard at a time, so the records of an item stay in order
//! ```
//!
//! Descriptions may be late and may omit a shard. Therefore, a shard is read only after its parent was read to its end,
//! or is known not to exist, because two more surveys omit it and requests for an iterator are denied. A shard is
//! *settled* if its parent is settled or does not exist. All shards in a position are settled, so a parent of one of
//! them that is not in the position need not be read.

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
