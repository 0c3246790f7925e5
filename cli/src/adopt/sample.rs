//! The sample of a table: its description, and some of its items.

use dynamo_entity::Item;
use dynamo_entity::schema::KeyType;

/// The description of a table, and the items that were read.
#[derive(Debug, Clone)]
pub(crate) struct TableSample {
    /// The name, without the prefix of the connection.
    pub(crate) name: String,
    pub(crate) pk: SampleColumn,
    pub(crate) sk: Option<SampleColumn>,
    pub(crate) indexes: Vec<SampleIndex>,
    /// The attribute of the TTL.
    pub(crate) ttl: Option<String>,
    pub(crate) rows: Vec<Item>,
    /// Whether the table has no other items.
    pub(crate) is_whole: bool,
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SampleColumn {
    pub(crate) name: String,
    pub(crate) ty: KeyType,
}

/// An index of the table.
#[derive(Debug, Clone)]
pub(crate) struct SampleIndex {
    pub(crate) name: String,
    pub(crate) is_local: bool,
    /// Empty for a local index, which has the partition key of its table.
    pub(crate) pk: Vec<SampleColumn>,
    pub(crate) sk: Vec<SampleColumn>,
    pub(crate) project: SampleProjection,
}

/// The attributes in an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SampleProjection {
    All,
    Keys,
    Only(Vec<String>),
}

impl TableSample {
    /// The attributes of the primary key.
    pub(crate) fn primary(&self) -> impl Iterator<Item = &SampleColumn> {
        [&self.pk].into_iter().chain(&self.sk)
    }

    /// Whether the attribute is part of the primary key, or of the key of an index.
    pub(crate) fn is_key(&self, attribute: &str) -> bool {
        let of_indexes = self.indexes.iter().flat_map(SampleIndex::columns);
        let mut columns = self.primary().chain(of_indexes);
        columns.any(|column| column.name == attribute)
    }
}

impl SampleIndex {
    /// The attributes of its key.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &SampleColumn> {
        self.pk.iter().chain(&self.sk)
    }
}

impl SampleColumn {
    /// Whether the name says that the attribute exists only as a key, as `PK`, `gsi1sk` and `GSI1_PK` do. Other names are
    /// those of attributes with a meaning of their own.
    pub(crate) fn is_generic(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let Some(front) = name.strip_suffix("pk").or_else(|| name.strip_suffix("sk")) else {
            return [
                "hash",
                "range",
                "hash_key",
                "range_key",
                "sort",
                "partition",
            ]
            .contains(&name.as_str());
        };
        // What remains without marks and numbers tells whether the name means anything else.
        let front = front.trim_end_matches(['_', '-', '.']);
        let front = front.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = ["", "gsi", "lsi", "gs", "ls", "index", "idx", "i"].contains(&front);
        is_word || name.ends_with("_pk") || name.ends_with("_sk")
    }
}
