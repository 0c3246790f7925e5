//! The table of groups: the owner of each shard, and how far it was handled.

use std::collections::BTreeSet;

use dynamo_entity_derive::{DynamoCollection, DynamoEntity, DynamoTable};

/// The table by which the workers of groups divide the shards of a stream. Create it with your tables:
/// `db.create_tables([LeaseTable::schema()])`.
///
/// The workers use transactions, so it cannot be a strongly consistent global table. Do not change or delete its rows. To
/// start a group again, use [`StreamGroup::forget`].
#[derive(Debug, DynamoTable)]
#[dynamo(crate = crate, name = "stream-leases", pk = "pk", sk = "sk", entities(StreamGroup, GroupRoots, ShardLease, StreamReader))]
pub struct LeaseTable;

/// The row of a group: its stream, its start, and the worker that looks for new shards.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "GROUP#{group}", sk = "GROUP"))]
#[non_exhaustive]
pub struct StreamGroup {
    /// The name of the group.
    pub group: String,
    /// The ARN of the stream.
    pub stream: String,
    /// The start of the group, in Unix seconds. Earlier changes are not handled.
    pub start_at: Option<i64>,
    /// The random ID of the worker that looks for new shards.
    pub owner: Option<String>,
    /// A counter that increases with each change of the owner.
    pub epoch: u64,
    /// A counter that increases with each renewal of the lease.
    pub renewals: u64,
    /// The lease time of the owner, in milliseconds.
    pub lease_millis: u64,
    /// The time of the last complete description of the stream, in Unix seconds. Shards that are found later cannot be much
    /// older.
    pub surveyed_at: Option<i64>,
    /// The stored names of the entities whose changes the group handles.
    #[dynamo(default)]
    pub entities: BTreeSet<String>,
}

/// The shards of a group whose parents have no row. They are apart from [`StreamGroup`], which is written more often.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "GROUP#{group}", sk = "ROOTS"))]
#[non_exhaustive]
pub struct GroupRoots {
    /// The name of the group.
    pub group: String,
    /// The IDs of the shards.
    #[dynamo(default)]
    pub shards: BTreeSet<String>,
}

/// The row of a shard: the worker that owns it, and the place up to which its changes were handled.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = LeaseTable, key(pk = "GROUP#{group}", sk = "SHARD#{shard}"))]
#[non_exhaustive]
pub struct ShardLease {
    /// The name of the group.
    pub group: String,
    /// The ID of the shard.
    pub shard: String,
    /// The shard whose records come before those of this shard.
    pub parent: Option<String>,
    /// The known shards whose parent is this shard.
    #[dynamo(default)]
    pub children: BTreeSet<String>,
    /// The time, in Unix seconds, before which no change of the shard can be lost: the shard did not exist, or the group
    /// does not need older changes.
    pub unread_since: i64,
    /// The random ID of the worker that owns the shard.
    pub owner: Option<String>,
    /// A counter that increases with each change of the owner.
    pub epoch: u64,
    /// A counter that increases with each renewal of the lease.
    pub renewals: u64,
    /// The lease time of the owner, in milliseconds.
    pub lease_millis: u64,
    /// The worker that requests the shard. The owner hands it over after the running handler.
    pub requested_by: Option<String>,
    /// The sequence number of the last record that was handled. `None` before the first one.
    pub place: Option<String>,
    /// The time of that record, in Unix seconds.
    pub place_at: Option<i64>,
    /// Whether all records of the shard were handled.
    pub is_finished: bool,
    /// Whether the stream had the shard when the group began. Older records of such a shard were not promised.
    #[dynamo(default)]
    pub is_initial: bool,
}

/// The row that registers a group as a reader of a stream, so that other groups of the stream find it.
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
    Roots(GroupRoots),
    Shard(ShardLease),
}
