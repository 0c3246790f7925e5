//! Where an item is: its key in the table, and in each index its key there, or why it is not in that index.

use std::fmt;

use crate::codec::Item;

/// Where an item is; see [`TableSchema::place`](super::TableSchema::place).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placement {
    /// The attributes of the primary key.
    pub key: Item,
    /// Each index of the table, global ones first.
    pub indexes: Vec<IndexPlacement>,
    /// The items beside it that keep its unique values.
    pub sentinels: Vec<Placement>,
}

/// Whether an item is in an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexPlacement {
    /// The name of the index.
    pub index: String,
    /// The attributes of its key in the index, or why it is not there.
    pub place: Result<Item, NotIndexed>,
}

/// Why an item is not in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotIndexed {
    /// The item has no attribute of this name, which is a key of the index, and its entity has no access pattern there.
    NoPattern {
        /// The key attribute.
        attribute: String,
    },
    /// A key of the index is not there.
    Missing {
        /// The key attribute.
        attribute: String,
        /// The fields that are missing and that keys of the index are made of; empty if the item is of no entity that is
        /// known.
        fields: Vec<String>,
    },
    /// The condition of the access pattern does not hold, as it is written.
    Condition(String),
}

impl Placement {
    /// The place in the index of this name; None if there is no such index.
    pub fn index(&self, name: &str) -> Option<&Result<Item, NotIndexed>> {
        let mut indexes = self.indexes.iter();
        indexes
            .find(|found| found.index == name)
            .map(|found| &found.place)
    }
}

/// `the field `due` is missing, which the key `gsi1sk` is made of`
impl fmt::Display for NotIndexed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotIndexed::NoPattern { attribute } => {
                write!(
                    f,
                    "the entity has no access pattern there, nor an attribute `{attribute}`"
                )
            }
            NotIndexed::Missing { attribute, fields } if fields.is_empty() => {
                write!(f, "the key `{attribute}` is missing")
            }
            NotIndexed::Missing { attribute, fields } => {
                let fields = fields.join("`, `");
                write!(
                    f,
                    "missing is `{fields}`, which the key `{attribute}` is made of"
                )
            }
            NotIndexed::Condition(condition) => write!(f, "`when({condition})` does not hold"),
        }
    }
}
