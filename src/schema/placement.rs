//! The places of an item: its key in the table, and in each index its key there, or why it is not in that index.

use crate::codec::Item;

/// The places of an item; see [`TableSchema::place`](super::TableSchema::place).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placement {
    /// The attributes of the primary key.
    pub key: Item,
    /// Each index of the table: global ones first, then local ones and vector indexes.
    pub indexes: Vec<IndexPlacement>,
    /// The items that store its unique values.
    pub sentinels: Vec<Placement>,
}

/// Whether an item is in an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexPlacement {
    /// The name of the index.
    pub index: String,
    /// The attributes of its key in the index, or the reason why it is not in the index. A vector index has no key, but maybe
    /// an attribute whose value each search names.
    pub place: Result<Item, NotIndexed>,
}

/// The reason why an item is not in an index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotIndexed {
    /// The item has no attribute of this name, which is a key of the index, and its entity has no access pattern there.
    #[error("the entity has neither an access pattern there nor an attribute `{attribute}`")]
    NoPattern {
        /// The key attribute.
        attribute: String,
    },
    /// A key of the index does not exist.
    #[error("{}", missing(.attribute, .fields))]
    Missing {
        /// The key attribute.
        attribute: String,
        /// The fields that are missing and that keys of the index are made of; empty if the item is of no entity that is
        /// known.
        fields: Vec<String>,
    },
    /// The item has no vector, so it is not in a vector index.
    #[error("the vector `{attribute}` is missing")]
    NoVector {
        /// The attribute of the vector.
        attribute: String,
    },
    /// The condition of the access pattern does not hold, as it is written.
    #[error("`when({0})` does not hold")]
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

fn missing(attribute: &str, fields: &[String]) -> String {
    match fields {
        [] => format!("the key `{attribute}` is missing"),
        fields => {
            let fields = fields.join("`, `");
            format!("missing is `{fields}`, which the key `{attribute}` is made of")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_text() {
        let missing = |fields: &[&str]| NotIndexed::Missing {
            attribute: "gsi1sk".into(),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        };
        let no_pattern = NotIndexed::NoPattern {
            attribute: "gsi1pk".into(),
        };
        for (reason, text) in [
            (
                no_pattern,
                "the entity has neither an access pattern there nor an attribute `gsi1pk`",
            ),
            (missing(&[]), "the key `gsi1sk` is missing"),
            (
                missing(&["due"]),
                "missing is `due`, which the key `gsi1sk` is made of",
            ),
            (
                missing(&["due", "owner"]),
                "missing is `due`, `owner`, which the key `gsi1sk` is made of",
            ),
            (
                NotIndexed::Condition("state = Open".into()),
                "`when(state = Open)` does not hold",
            ),
        ] {
            let error: Box<dyn std::error::Error> = reason.into();
            assert_eq!(error.to_string(), text);
        }
    }
}
