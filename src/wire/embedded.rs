//! DynamoDB inside this process, for tests, tools and small programs.
//!
//! [`Dynamo::connect`](crate::dynamo::Dynamo::connect) opens it by URL. This module gives access to the engine itself,
//! for example below an SDK client of your own, or shared by several connections.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use dynamo_entity::embedded::EmbeddedEngine;
//!
//! let engine = EmbeddedEngine::memory().await?;
//! let db = engine.connect(); // or Dynamo::new(engine.client()), as over a network
//! let tables = engine.client().list_tables().send().await?; // the same data
//! # assert!(tables.table_names().is_empty()); let _ = db; Ok(()) }
//! ```
//!
//! The data is stored in SQLite, which runs on a thread of its own, so nothing here blocks an async runtime. For a
//! database in memory, a request for one small item is executed on the calling thread if no other request is being
//! executed. That takes a fraction of a millisecond, and less than switching to another thread and back. Other tasks
//! have their turn before each of them. A file belongs to one engine at a time, which locks on `PATH.lock` and on the
//! file itself enforce; they are released when the last clone of the engine and of its clients is gone. Acknowledged
//! writes survive the end of the process; if the machine loses power, the last ones may be missing.

mod answer;
mod batch_write;
mod brief;
mod database;
mod direct;
mod dispatch;
mod engine;
mod http;
mod page_sizes;
mod pages;
mod prepared;
#[cfg(feature = "serve")]
mod server;
mod store;
mod stream_operations;
#[cfg(test)]
mod tests;
mod tokens;
mod transactions;

pub(super) use direct::call_engine;
pub use engine::EmbeddedEngine;
pub use http::EmbeddedHttpClient;
pub(super) use prepared::PreparedOperation;
#[cfg(feature = "serve")]
pub use server::{EmbeddedServer, ServeEngine};
pub(super) use store::REGION;
