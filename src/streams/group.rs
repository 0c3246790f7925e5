//! A group of consumers: workers that divide the shards of a stream.
//!
//! ```text
//! worker       rounds: renew leases, read the rows, find new shards, balance
//! shard run    one for each lease: read records, call the handler, save the place
//! rows         a row for each shard: owner, epoch, beats, place; and one for the group
//! ```
//!
//! `book`, `balance` and `lineage` decide without requests, `store` and `source` send them.

mod attempts;
mod balance;
mod book;
mod consumer;
mod drive;
mod each;
mod each_in;
mod event;
mod lease;
mod lineage;
mod settings;
mod shard_end;
mod shard_lists;
mod shard_reading;
mod shard_run;
mod store;
mod transaction;
mod worker;

pub use consumer::{Consumer, ConsumerEach, ConsumerEachIn};
pub use event::{ConsumerEvent, LeftReason, ShardProgress};
pub use lease::{LeaseTable, ShardLease, StreamGroup, StreamReader};
pub use transaction::ChangeTransaction;
