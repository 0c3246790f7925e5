//! The table of the groups of consumers: who reads which shard, and how far.

use std::collections::BTreeSet;

use dynamo_entity_derive::{DynamoCollection, DynamoEntity, DynamoTable};

/// The table in which the workers of a group divide the shards of a stream. Create it with your tables:
/// `db.create_tables([LeaseTable::schema()])`.
///
/// It must have transactions, so it cannot be a strongly consistent global table. Do not change or delete its rows; use
/// [`StreamGroup::forget`] to begin again.
#[derive(Debug, DynamoTable)]
#[dynamo(crate = crate, name = "stream-leases", pk = "pk", sk = "sk", entities(StreamGroup, ShardLease, StreamReader))]
pub struct LeaseTable;

/// A group of workers: the stream that it reads, and its first shards.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "GROUP#{group}", sk = "GROUP"))]
#[non_exhaustive]
pub struct StreamGroup {
    /// The name of the group.
    pub group: String,
    /// The ARN of the stream.
    pub stream: String,
    /// The Unix time in seconds before which changes are not delivered.
    pub since: Option<i64>,
    /// The worker that looks for new shards, by a random ID.
    pub owner: Option<String>,
    /// Counts the owners.
    pub epoch: u64,
    /// Counts the renewals.
    pub beats: u64,
    /// The lease time of the owner, in milliseconds.
    pub lease_millis: u64,
    /// The shards whose parent has no row.
    #[dynamo(default)]
    pub roots: BTreeSet<String>,
    /// The time of the last description with all shards, in Unix seconds. Shards that are found later are not much older.
    pub surveyed_at: Option<i64>,
    /// The stored names of the entities whose changes it handles.
    #[dynamo(default)]
    pub entities: BTreeSet<String>,
}

/// A shard of a stream: its owner, and the place up to which its changes were handled.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "GROUP#{group}", sk = "SHARD#{shard}"))]
#[non_exhaustive]
pub struct ShardLease {
    /// The name of the group.
    pub group: String,
    /// The ID of the shard.
    pub shard: String,
    /// The shard that must be read before.
    pub parent: Option<String>,
    /// The known shards that follow this one.
    #[dynamo(default)]
    pub children: BTreeSet<String>,
    /// A time before the first change of the shard, or at which its older changes were not wanted, in Unix seconds.
    pub unread_since: i64,
    /// The worker that reads the shard, by a random ID.
    pub owner: Option<String>,
    /// Counts the owners.
    pub epoch: u64,
    /// Counts the renewals.
    pub beats: u64,
    /// The lease time of the owner, in milliseconds.
    pub lease_millis: u64,
    /// The worker to which the owner should hand the shard over.
    pub asked_by: Option<String>,
    /// The sequence number of the last record that was handled. `None` before the first one.
    pub place: Option<String>,
    /// The time of that record, in Unix seconds.
    pub place_at: Option<i64>,
    /// Whether all records of the shard were handled.
    pub is_finished: bool,
}

/// A reader of a stream: one row for each group, so that a second one can be noticed.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "STREAM#{stream}", sk = "READER#{group}"))]
#[non_exhaustive]
pub struct StreamReader {
    /// The ARN of the stream.
    pub stream: String,
    /// The name of the group.
    pub group: String,
}

/// The rows of a group.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(crate = crate, table = LeaseTable, partition(group))]
pub(super) enum GroupRow {
    Group(StreamGroup),
    Shard(ShardLease),
}
