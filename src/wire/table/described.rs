//! A table as the service describes it.

use std::collections::BTreeMap;

use crate::schema::TableSchema;

/// A table as the service describes it.
#[derive(Debug, Clone)]
pub(crate) struct DescribedTable {
    /// The schema without the TTL, which another operation returns.
    pub(crate) schema: TableSchema,
    pub(crate) status: Status,
    /// The indexes that are being added or removed.
    pub(crate) changing: Vec<String>,
    /// Unix seconds, by the service's clock.
    pub(crate) created: Option<i64>,
    /// Whether it is being changed, other than its warm throughput.
    pub(crate) is_updating: bool,
    /// The approximate number of its items.
    pub(crate) items: u64,
    /// The approximate size of its items together.
    pub(crate) bytes: u64,
    pub(crate) arn: Option<String>,
    /// The identity of the table, which a table with the same name that is created later does not have: its ID, or the time
    /// of its creation.
    pub(crate) id: Option<String>,
    /// The read and write units of the global indexes that have units.
    pub(crate) index_units: BTreeMap<String, (u64, u64)>,
    /// Whether the units of indexes can be changed.
    pub(crate) sets_index_units: bool,
    /// The limits and the warm throughput of the table.
    pub(crate) throughput: Throughput,
    /// Those of the global indexes, by their names.
    pub(crate) index_throughput: BTreeMap<String, Throughput>,
    /// Whether the limits of indexes can be changed.
    pub(crate) sets_index_maximum: bool,
    /// Whether the server supports global tables, so that a table without replicas is known not to be one.
    pub(crate) knows_replicas: bool,
    /// Whether the server supports vector indexes. DynamoDB Local accepts their declaration and drops it.
    pub(crate) knows_vectors: bool,
}

/// The throughput of a table or an index, besides its units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Throughput {
    /// The maximum of read and write request units, as far as there is one.
    pub(crate) maximum: (Option<u64>, Option<u64>),
    /// The read and write units that can be served at once; None if the server does not report them.
    pub(crate) warm: Option<(u64, u64)>,
    /// Whether DynamoDB is increasing the warm throughput, which prevents no other change.
    pub(crate) is_warming: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// Reads and writes work.
    Usable,
    Creating,
    Deleting,
    /// Neither reads nor writes work, and waiting does not help.
    Broken(String),
}
