//! A group: workers that divide the shards of a stream.
//!
//! ```text
//! worker       rounds: renews leases, reads the rows, finds new shards, balances
//! shard run    one for each lease: reads records, calls the handler, saves the place
//! rows         one for each shard: owner, epoch, renewals, place; and one for the group
//! ```
//!
//! A *lease* makes a worker the owner of a shard for a limited time. The *place* of a shard is the sequence number of its
//! last handled record. One worker of the group is the *discoverer*: it has the lease of the row of the group, and looks
//! for new shards.
//!
//! `book`, `balance` and `lineage` decide without requests; `store` and `shard_lists` send the requests.

mod attempts;
mod balance;
mod book;
mod consumer;
mod drive;
mod each;
mod each_in;
mod event;
mod forget;
mod idle_cost;
mod lease;
mod limited;
mod lineage;
mod rejected;
mod settings;
mod shard_end;
mod shard_lists;
mod shard_reading;
mod shard_run;
mod store;
mod transaction;
mod worker;

pub use consumer::{Consumer, ConsumerEach, ConsumerEachIn};
pub use event::{ConsumerEvent, ShardProgress, ShardStopReason};
pub use idle_cost::IdleCost;
pub use lease::{GroupRoots, LeaseTable, ShardLease, StreamGroup, StreamReader};
pub use transaction::ChangeTransaction;

/// The number of random schedules of a simulation, which `GROUP_SCHEDULES` sets.
#[cfg(test)]
fn schedules(usual: u32) -> proptest::prelude::ProptestConfig {
    let number = std::env::var("GROUP_SCHEDULES").ok();
    let number = number.and_then(|number| number.parse().ok());
    proptest::prelude::ProptestConfig::with_cases(number.unwrap_or(usual))
}
