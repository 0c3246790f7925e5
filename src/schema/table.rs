//! A table's schema, as the service sees it.

use super::{KeyType, StreamView};

/// A table: its keys, indexes, TTL attribute and stream. Comes from
/// [`DynamoTable::schema`](crate::DynamoTable::schema); the name is still without a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSchema {
    /// The table's name, before the prefix of the connection.
    pub name: String,
    /// The partition key.
    pub pk: KeyAttribute,
    /// The sort key.
    pub sk: Option<KeyAttribute>,
    /// Global secondary indexes.
    pub global_indexes: Vec<IndexSchema>,
    /// Local secondary indexes; they can only be made with the table.
    pub local_indexes: Vec<IndexSchema>,
    /// The attribute whose epoch seconds expire an item.
    pub ttl: Option<String>,
    /// The stream of changes.
    pub stream: Option<StreamView>,
    /// Who declares it; nobody where the service described it.
    pub(crate) declared: Option<Declaration>,
}

/// A table or an entity with one of its own, as what declares a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// Module path and name.
    pub(crate) id: &'static str,
    /// It lists its entities, and is not one itself.
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
    /// Partition key attributes: one, or up to four of a multi-attribute key. For a local index the
    /// table's own.
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
    /// These; sorted, without key attributes.
    Include(Vec<String>),
}
