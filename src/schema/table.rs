//! A table's schema, as the service sees it.

use super::{KeyType, StreamView};

/// A table: its keys, indexes, TTL attribute and stream. It comes from
/// [`DynamoTable::schema`](crate::DynamoTable::schema); its name is still without a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSchema {
    /// The table's name, without the prefix of the connection.
    pub name: String,
    /// The partition key.
    pub pk: KeyAttribute,
    /// The sort key.
    pub sk: Option<KeyAttribute>,
    /// Global secondary indexes.
    pub global_indexes: Vec<IndexSchema>,
    /// Local secondary indexes, which can only be created with the table.
    pub local_indexes: Vec<IndexSchema>,
    /// The attribute that holds when an item expires, in epoch seconds.
    pub ttl: Option<String>,
    /// The stream of changes.
    pub stream: Option<StreamView>,
    /// What declares the table; `None` if the service described it.
    pub(crate) declared: Option<Declaration>,
}

/// What declares a table: a table of several entities, or an entity with a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// Module path and name.
    pub(crate) id: &'static str,
    /// Whether it lists its entities, and is not an entity itself.
    pub(crate) is_shared: bool,
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: KeyType,
}

/// An index of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexSchema {
    /// Its name.
    pub name: String,
    /// Partition key attributes: one, or up to four of a multi-attribute key. A local index has those of its
    /// table.
    pub pk: Vec<KeyAttribute>,
    /// Sort key attributes, up to four.
    pub sk: Vec<KeyAttribute>,
    /// Which attributes the index holds.
    pub projection: ProjectionSchema,
}

/// Which attributes an index holds, besides the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectionSchema {
    /// All.
    All,
    /// None.
    Keys,
    /// These, sorted and without key attributes.
    Include(Vec<String>),
}
