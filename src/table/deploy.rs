//! Plans: what would be done to tables, seen before it is done, and then done: [`Dynamo::plan`](crate::Dynamo::plan).
//!
//! ```
//! use dynamo_entity::deploy::{Deletion, TableChange};
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "orders", key(pk = customer, sk = number))]
//! #[dynamo(gsi(by_status, pk = status, sk = number))]
//! struct Order { customer: String, number: u32, status: String }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let db = Dynamo::connect("embedded:memory").await?;
//! let plan = db.plan([Order::schema()]).await?; // reads only
//! println!("{plan}");
//! assert_eq!(plan.steps().next().map(|step| &step.change), Some(&TableChange::CreateTable));
//!
//! plan.apply(&db).on_progress(|now| println!("{now}")).await?;
//! assert!(db.plan([Order::schema()]).await?.is_empty());
//! # Ok(()) }
//! ```
//!
//! ```text
//! declared ──┐
//!            ├──> changes, in order ──> plan ──> apply: look, the first change, look again
//! there ─────┘
//! ```

mod apply;
mod json;
mod plan;
mod show;
#[cfg(test)]
mod tests;

pub use super::change::{ChangeKind, Deletion, PlanStep, RoughTime, StepState, TableChange};
pub use apply::{PlanApplication, StepProgress};
pub use plan::{PlannedTable, TablePlan};
