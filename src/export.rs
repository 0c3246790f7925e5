//! Templates, policies and documents generated from schemas, for tools that manage tables.
//!
//! Everything here is a function of [`TableSchema`]s: it opens no connection, and you can also use schemas that were
//! [read from JSON](TableSchema::from_json). The same schemas give the same text, so you can commit and compare the
//! texts. See [the guide](crate::guide::exports) for the purpose of any_of.
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

mod alarms;
mod analytics;
mod athena;
mod calls;
mod cloud_formation;
mod consumer;
mod duckdb;
mod format;
mod html;
mod key_text;
mod markdown;
mod mermaid;
mod naming;
mod policy;
mod setting_facts;
mod terraform;
mod use_case;
mod word;
mod workbench;

pub use alarms::{SpendCap, TableAlarms};
pub use athena::Athena;
pub use cloud_formation::CloudFormation;
pub use cloud_formation::numbered::NumberedTemplate;
pub use consumer::StreamConsumer;
pub use consumer::followed::FollowedChange;
pub use duckdb::DuckDb;
pub use format::ExportFormat;
pub use html::{Html, SampleItem};
pub use markdown::Markdown;
pub use mermaid::Mermaid;
pub use policy::Policy;
pub use policy::recorder::PolicyRecorder;
pub use policy::verb::PolicyVerb;
pub use terraform::Terraform;
pub use use_case::{UnitPrices, UseCase};
pub use workbench::Workbench;

#[cfg(doc)]
use crate::schema::TableSchema;
