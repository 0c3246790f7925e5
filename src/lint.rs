//! Advice about a model, from its declarations alone, before anything is stored: declarations that you are likely to
//! regret.
//!
//! ```
//! use dynamo_entity::lint::LintRule;
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "orders", key(pk = number))]
//! #[dynamo(gsi(latest, pk = "ORDERS", sk = "{number}"))]
//! struct Order { number: u32 }
//!
//! let lints = Order::schema().lints();
//! assert_eq!(lints[0].rule, LintRule::ConstantPartition);
//! assert_eq!(lints[0].place.to_string(), "Order.latest");
//! ```
//!
//! A lint is silent where the declaration says `allow(constant_partition)`. The guide has
//! [a section for each](crate::guide::lints).

mod allowed;
mod attributes;
mod indexes;
mod model;
mod partitions;
mod replicas;
mod rule;
mod sort_keys;
mod uniques;

use std::borrow::Borrow;
use std::fmt;

use crate::schema::TableSchema;
use model::{Findings, LintModel};
pub use rule::LintRule;

/// Something about a model that is likely to be regretted. [`TableSchema::lints`] finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// Its kind.
    pub rule: LintRule,
    /// The declaration that it is about, which is also where an `allow(..)` makes it silent.
    pub place: LintPlace,
    /// The declaration, and its consequence.
    pub message: String,
    /// The remedy.
    pub fix: String,
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
}

impl LintPlace {
    /// The entity that it is or belongs to; None for a table and its indexes.
    pub fn entity(&self) -> Option<&str> {
        match self {
            LintPlace::Table { .. } | LintPlace::Index { .. } => None,
            LintPlace::Entity { entity }
            | LintPlace::Field { entity, .. }
            | LintPlace::Pattern { entity, .. }
            | LintPlace::Unique { entity, .. } => Some(entity),
        }
    }

    /// The name of the index, field, access pattern or unique value; None if it is a table or an entity.
    pub fn member(&self) -> Option<&str> {
        match self {
            LintPlace::Table { .. } | LintPlace::Entity { .. } => None,
            LintPlace::Index { index: name, .. }
            | LintPlace::Field { field: name, .. }
            | LintPlace::Pattern { pattern: name, .. }
            | LintPlace::Unique { unique: name, .. } => Some(name),
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
            | LintPlace::Unique { entity, .. } => f.write_str(entity)?,
        }
        self.member().map_or(Ok(()), |name| write!(f, ".{name}"))
    }
}

/// Three lines: the declaration, the remedy, and how to keep it as it is.
impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, rule) = (&self.place, self.rule);
        writeln!(f, "{place}: {rule}: {}", self.message)?;
        writeln!(f, "    fix: {}", self.fix)?;
        match place {
            LintPlace::Table { table } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on the table `{table}`"
                )
            }
            LintPlace::Entity { entity } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on `{entity}`"
                )
            }
            LintPlace::Field { field, .. } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on the field `{field}`"
                )
            }
            LintPlace::Index { index: name, .. }
            | LintPlace::Pattern { pattern: name, .. }
            | LintPlace::Unique { unique: name, .. } => {
                write!(
                    f,
                    "    or keep it: `allow({rule})` in the declaration of `{name}`"
                )
            }
        }
    }
}

impl TableSchema {
    /// Finds declarations that are likely to be regretted: see the module [`lint`](crate::lint). It sends no request; schemas
    /// that were read from JSON have the same lints as declared ones.
    pub fn lints(&self) -> Vec<Lint> {
        let model = LintModel::new(self);
        let mut findings = Findings::default();
        for rule in LintRule::ALL {
            findings.of_rule(*rule, &model);
        }
        allowed::without_allowed(self, findings.lints)
    }
}

/// A test that a model has no lints: it fails with all of them.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = number))]
/// # struct Order { number: u32 }
/// # /*
/// #[test]
/// fn model() {
/// # */
///     dynamo_entity::lint::check([Order::schema()]);
/// # /*
/// }
/// # */
/// ```
///
/// # Panics
///
/// If there are lints.
#[track_caller]
pub fn check<S: Borrow<TableSchema>>(schemas: impl IntoIterator<Item = S>) {
    let lints = schemas
        .into_iter()
        .flat_map(|schema| schema.borrow().lints());
    let lints: Vec<String> = lints.map(|lint| lint.to_string()).collect();
    assert!(
        lints.is_empty(),
        "the model has {} lints; the chapter \"Lints\" of the guide says more of each\n\n{}\n",
        lints.len(),
        lints.join("\n\n"),
    );
}
