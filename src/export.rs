//! Templates, policies and documents that follow from schemas, for the tools in which tables are kept.
//!
//! Everything here is a function of [`TableSchema`]s and of nothing else: nothing is connected to, and schemas that were
//! [read from JSON](TableSchema::from_json) do as well as declared ones. The same schemas give the same text, so the texts
//! can be committed and compared. [The guide](crate::guide::exports) says which one is for what.
//!
//! ```
//! use dynamo_entity::export::{CloudFormation, Policy, PolicyVerb};
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "orders", key(pk = id), gsi(by_status, pk = status, sk = id))]
//! struct Order { id: u32, status: String }
//!
//! # fn main() -> Result<()> {
//! let template = CloudFormation::new([Order::schema()]).prefix("prod-shop").template()?;
//! assert!(template.contains(r#""TableName": "prod-shop-orders""#));
//!
//! let policy = Policy::new([Order::schema()])
//!     .prefix("prod-shop")
//!     .region("eu-west-1")
//!     .account("111122223333")
//!     .allow("Order", [PolicyVerb::GET, PolicyVerb::CREATE])
//!     .allow_pattern("Order.by_status")
//!     .document()?;
//! assert!(policy.contains("arn:aws:dynamodb:eu-west-1:111122223333:table/prod-shop-orders/index/by_status"));
//! # Ok(()) }
//! ```

mod cloud_formation;
mod format;
mod markdown;
mod naming;
mod policy;
mod terraform;
mod word;
mod workbench;

pub use cloud_formation::{CloudFormation, NumberedTemplate};
pub use format::ExportFormat;
pub use markdown::Markdown;
pub use policy::{Policy, PolicyRecorder, PolicyVerb};
pub use terraform::Terraform;
pub use workbench::Workbench;

#[cfg(doc)]
use crate::schema::TableSchema;
