//! The findings of a rule, with their places.

use std::fmt;

use crate::schema::{EntitySchema, FieldSchema, IndexSchema, KeyPair, TableSchema};

/// The findings of a rule.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

pub(super) struct Finding {
    pub(super) place: LintPlace,
    pub(super) message: String,
    pub(super) fix: String,
}

impl Findings {
    pub(super) fn add(&mut self, place: LintPlace, message: String, fix: impl Into<String>) {
        let fix = fix.into();
        self.0.push(Finding {
            place,
            message,
            fix,
        });
    }
}

/// The declaration that a lint is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintPlace {
    /// A table of several entities.
    Table {
        /// Its name, without prefix.
        table: String,
    },
    /// An index of such a table.
    Index {
        /// The name of the table.
        table: String,
        /// Its name.
        index: String,
    },
    /// An entity, with its table if that is its own.
    Entity {
        /// Its name.
        entity: String,
    },
    /// A field.
    Field {
        /// The name of its entity.
        entity: String,
        /// Its name.
        field: String,
    },
    /// An access pattern, with its index if the table is that of the entity alone.
    Pattern {
        /// The name of its entity.
        entity: String,
        /// Its name.
        pattern: String,
    },
    /// A unique value.
    Unique {
        /// The name of its entity.
        entity: String,
        /// The name of its look-up.
        unique: String,
    },
    /// A list or a blob beside the item.
    Large {
        /// The name of its entity.
        entity: String,
        /// Its name.
        value: String,
    },
}

impl LintPlace {
    /// The entity that it is or belongs to; None for a table and its indexes.
    pub fn entity(&self) -> Option<&str> {
        match self {
            LintPlace::Table { .. } | LintPlace::Index { .. } => None,
            LintPlace::Entity { entity }
            | LintPlace::Field { entity, .. }
            | LintPlace::Pattern { entity, .. }
            | LintPlace::Unique { entity, .. }
            | LintPlace::Large { entity, .. } => Some(entity),
        }
    }

    /// The name of the index, field, access pattern, unique value, list or blob; None if it is a table or an entity.
    pub fn member(&self) -> Option<&str> {
        match self {
            LintPlace::Table { .. } | LintPlace::Entity { .. } => None,
            LintPlace::Index { index: name, .. }
            | LintPlace::Field { field: name, .. }
            | LintPlace::Pattern { pattern: name, .. }
            | LintPlace::Unique { unique: name, .. }
            | LintPlace::Large { value: name, .. } => Some(name),
        }
    }
}

/// `Order.by_status`, or `shop.gsi1` for what belongs to a table of several entities.
impl fmt::Display for LintPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LintPlace::Table { table } | LintPlace::Index { table, .. } => f.write_str(table)?,
            LintPlace::Entity { entity }
            | LintPlace::Field { entity, .. }
            | LintPlace::Pattern { entity, .. }
            | LintPlace::Unique { entity, .. }
            | LintPlace::Large { entity, .. } => f.write_str(entity)?,
        }
        self.member().map_or(Ok(()), |name| write!(f, ".{name}"))
    }
}

impl LintPlace {
    /// The place of the declaration of the table.
    pub(super) fn of_table(table: &TableSchema) -> LintPlace {
        match table.entities.first() {
            Some(entity) if !table.is_shared() => LintPlace::Entity {
                entity: entity.name.clone(),
            },
            _ => LintPlace::Table {
                table: table.name.clone(),
            },
        }
    }

    pub(super) fn of_field(entity: &EntitySchema, field: &FieldSchema) -> LintPlace {
        LintPlace::Field {
            entity: entity.name.clone(),
            field: field.name.clone(),
        }
    }

    /// The place where an index is declared: an entity with a table of its own declares it by the first pattern that fills it.
    pub(super) fn of_index(table: &TableSchema, index: &IndexSchema) -> LintPlace {
        match table.filling(index).next() {
            Some(keys) if !table.is_shared() => LintPlace::of_keys(&keys),
            _ => LintPlace::Index {
                table: table.name.clone(),
                index: index.name.clone(),
            },
        }
    }

    pub(super) fn of_keys(keys: &KeyPair<'_>) -> LintPlace {
        let entity = keys.entity.name.clone();
        match keys.pattern {
            Some(pattern) => LintPlace::Pattern {
                entity,
                pattern: pattern.name.clone(),
            },
            None => LintPlace::Entity { entity },
        }
    }
}
