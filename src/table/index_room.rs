//! Whether a table can take one more global index, by the rules of the service: each key attribute has one type, and there are
//! limits to how many indexes and projected attributes a table has.

use std::fmt;

use super::limits::{GLOBAL_INDEXES, included_attributes};
use crate::schema::{IndexSchema, KeyAttribute, KeyType, LISTED_ATTRIBUTES, TableSchema};

/// The indexes of a table while they come and go.
#[derive(Debug, Clone)]
pub(super) struct IndexRoom<'s> {
    table: &'s TableSchema,
    global: Vec<&'s IndexSchema>,
    /// How many global indexes there may be.
    most: usize,
}

/// Why a table cannot take an index as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexObstacle {
    /// A key attribute has another type in the key of the table or in an index.
    OtherType {
        attribute: String,
        wanted: KeyType,
        there: KeyType,
        holder: KeyHolder,
    },
    /// There are as many global indexes as there may be.
    Full,
    /// Its projected attributes are too many together with those of the other indexes.
    Projected,
}

/// The holder of a key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyHolder {
    Table,
    LocalIndex(String),
    GlobalIndex(String),
}

impl<'s> IndexRoom<'s> {
    pub(super) fn of_table(table: &'s TableSchema) -> Self {
        let global: Vec<&IndexSchema> = table.global_indexes.iter().collect();
        // An account may have a higher quota, whose value is not known.
        let most = match global.len() > GLOBAL_INDEXES {
            true => usize::MAX,
            false => GLOBAL_INDEXES,
        };
        IndexRoom {
            table,
            global,
            most,
        }
    }

    pub(super) fn add_index(&mut self, index: &'s IndexSchema) {
        self.global.push(index);
    }

    pub(super) fn remove_index(&mut self, name: &str) {
        self.global.retain(|index| index.name != name);
    }

    /// The first reason why this index cannot be added now.
    pub(super) fn find_obstacle(&self, index: &IndexSchema) -> Option<IndexObstacle> {
        if let Some(obstacle) = self.other_type(index) {
            return Some(obstacle);
        }
        if self.global.len() >= self.most {
            return Some(IndexObstacle::Full);
        }
        let all = self.global.iter().copied().chain(&self.table.local_indexes);
        let others: usize = all.map(included_attributes).sum();
        let is_over = included_attributes(index) > 0
            && others + included_attributes(index) > LISTED_ATTRIBUTES;
        is_over.then_some(IndexObstacle::Projected)
    }

    fn other_type(&self, index: &IndexSchema) -> Option<IndexObstacle> {
        index.keys().find_map(|key| {
            let (holder, there) = self.holder_of_other_type(key)?;
            Some(IndexObstacle::OtherType {
                attribute: key.name.clone(),
                wanted: key.ty,
                there,
                holder,
            })
        })
    }

    fn holder_of_other_type(&self, wanted: &KeyAttribute) -> Option<(KeyHolder, KeyType)> {
        let other =
            |key: &KeyAttribute| (key.name == wanted.name && key.ty != wanted.ty).then_some(key.ty);
        if let Some(there) = self.table.keys().find_map(other) {
            return Some((KeyHolder::Table, there));
        }
        let of_index = |index: &IndexSchema| index.keys().find_map(other);
        let local = self.table.local_indexes.iter();
        let mut local = local.filter_map(|index| Some((&index.name, of_index(index)?)));
        if let Some((name, there)) = local.next() {
            return Some((KeyHolder::LocalIndex(name.clone()), there));
        }
        let global = self.global.iter();
        let mut global = global.filter_map(|index| Some((&index.name, of_index(index)?)));
        let (name, there) = global.next()?;
        Some((KeyHolder::GlobalIndex(name.clone()), there))
    }
}

impl IndexObstacle {
    /// Whether it is less once this global index is gone.
    pub(super) fn is_lessened_by(&self, gone: &IndexSchema) -> bool {
        match self {
            IndexObstacle::OtherType { holder, .. } => {
                *holder == KeyHolder::GlobalIndex(gone.name.clone())
            }
            IndexObstacle::Full => true,
            IndexObstacle::Projected => included_attributes(gone) > 0,
        }
    }

    /// The obstacle in words, with the way out.
    pub(super) fn obstacle_text(&self, index: &str) -> String {
        match self {
            IndexObstacle::OtherType {
                attribute,
                wanted,
                there,
                holder: holder @ KeyHolder::GlobalIndex(old),
            } => format!(
                "index `{index}` cannot be added: its key attribute `{attribute}` is {wanted:?}, and {holder} has it as \
                 {there:?}. Remove `{old}` first, which a plan does if you allow it by name, or declare `{index}` on an \
                 attribute of another name"
            ),
            IndexObstacle::OtherType {
                attribute,
                wanted,
                there,
                holder,
            } => format!(
                "index `{index}` cannot be added: its key attribute `{attribute}` is {wanted:?}, and {holder} has it as \
                 {there:?}, which stays as long as the table: declare `{index}` on an attribute of another name"
            ),
            IndexObstacle::Full => format!(
                "index `{index}` cannot be added: the table has {GLOBAL_INDEXES} global indexes, which is all that DynamoDB \
                 allows: remove one first, which a plan does if that is allowed by name"
            ),
            IndexObstacle::Projected => format!(
                "index `{index}` cannot be added: the indexes of the table would project more than {LISTED_ATTRIBUTES} \
                 attributes together, which is all that DynamoDB allows: remove one first, which a plan does if that is \
                 allowed by name, or project less"
            ),
        }
    }
}

impl fmt::Display for KeyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyHolder::Table => f.write_str("the key of the table"),
            KeyHolder::LocalIndex(name) => write!(f, "local index `{name}`"),
            KeyHolder::GlobalIndex(name) => write!(f, "index `{name}`"),
        }
    }
}
