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
mod finding;
mod found;
mod indexes;
mod partitions;
mod replicas;
mod rule;
mod safeguards;
mod sort_keys;
mod uniques;
mod vectors;

use std::borrow::Borrow;

use crate::schema::TableSchema;
pub use finding::LintPlace;
pub use found::Lint;
pub use rule::LintRule;

impl TableSchema {
    /// Finds declarations that you are likely to regret: see the module [`lint`](crate::lint). It sends no request;
    /// schemas that were read from JSON have the same lints as declared ones.
    pub fn lints(&self) -> Vec<Lint> {
        let rules = LintRule::ALL.iter();
        let lints = rules.flat_map(|rule| found::lints_of(*rule, self));
        allowed::without_allowed(self, lints.collect())
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
        "the model has {} lints; the chapter \"Lints\" of the guide explains each\n\n{}\n",
        lints.len(),
        lints.join("\n\n"),
    );
}
