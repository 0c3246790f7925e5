//! The roles of key attributes, and their limits.

use crate::schema::{TableDef, name_or_empty, same_text};

/// The maximum size of a partition key in bytes.
pub const MAX_PK_SIZE: usize = 2048;
/// The maximum size of a sort key in bytes.
pub const MAX_SK_SIZE: usize = 1024;

/// The role of a key attribute, which determines its maximum size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The partition key.
    Partition,
    /// The sort key.
    Sort,
}

impl Role {
    /// The role of an attribute that is a partition key: it has the limit of a sort key if it is also one, of the table
    /// or of an index.
    pub const fn of_partition(attribute: &str, table: &TableDef) -> Role {
        if same_text(attribute, name_or_empty(table.sk)) {
            // An attribute that is a sort key elsewhere has the smaller limit everywhere: DynamoDB
            // rejects the item otherwise.
            return Role::Sort;
        }
        let mut index = 0;
        while index < table.indexes.len() {
            let keys = table.indexes[index].sk;
            let mut at = 0;
            while at < keys.len() {
                if same_text(attribute, keys[at]) {
                    return Role::Sort;
                }
                at += 1;
            }
            index += 1;
        }
        Role::Partition
    }

    pub(crate) const fn max_size(self) -> usize {
        match self {
            Role::Partition => MAX_PK_SIZE,
            Role::Sort => MAX_SK_SIZE,
        }
    }
}
