//! A typed data-access library for DynamoDB: declare a struct, its keys and its attributes once, and every read and
//! write of it is correct, fast and hard to misuse.
//!
//! ```
//! use dynamo_entity::prelude::*;
//!
//! #[derive(Debug, Clone, PartialEq, DynamoEntity)]
//! #[dynamo(table = "notes", key(pk = "USER#{owner}", sk = "NOTE#{number:06}"))]
//! struct Note {
//!     owner: String,
//!     number: u32,
//!     text: String,
//!     #[dynamo(version)]
//!     version: Version,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let db = Dynamo::connect("embedded:memory").await?; // or http://localhost:8000, or aws
//! db.create_tables([Note::schema()]).await?;
//!
//! let note = Note { owner: "ann".into(), number: 1, text: "milk".into(), version: Version::default() };
//! let note = note.create().send(&db).await?; // refuses to overwrite; returns what is stored
//! let found = Note::key("ann", 1).get().send(&db).await?;
//! assert_eq!(found, Some(note));
//! # Ok(()) }
//! ```
//!
//! # The path of the data
//!
//! The modules follow this path, and you find an operation by its file name:
//!
//! ```text
//!  entity ──> key ──> codec ──> expr ──> write, read, query ──> plan ──> wire ──> engine
//!  what is    typed   values    condi-   one file a verb        one      bytes    AWS, a server,
//!  declared   parts   as JSON   tions                           call     only     or in process
//!                                                                          │
//!  entity <── codec <─────────────────── write, read, query <── plan <─────┘
//! ```
//!
//! An operation is a value until `send`. It is then planned synchronously into a table and a body of DynamoDB JSON,
//! and awaited as one future that does not borrow the entity.
//!
//! # Where to find things
//!
//! The [guide] explains when to use which feature, one chapter per question, with programs that run.
//!
//! | I want to | look at |
//! |---|---|
//! | start from the beginning | [the guide](guide), [getting started](guide::getting_started) |
//! | design a table | [modelling keys](guide::keys), [access patterns](guide::access_patterns) |
//! | go to production | [connections, permissions, costs](guide::production) |
//! | store a struct | [`DynamoEntity`], its derive and [the grammar](#the-grammar-of-dynamo) |
//! | nest a struct or an enum, make a newtype | [`DynamoValue`] and its derive |
//! | store several entities in one table | [`DynamoTable`] and its derive |
//! | connect | [`Dynamo::connect`] |
//! | create tables | [`Dynamo::create_tables`], [`Dynamo::add_indexes`] |
//! | see and apply changes of tables | [`Dynamo::plan`], [`deploy`], [the guide](guide::deploying) |
//! | check a schema change against stored items | [`lock`], [the guide](guide::lock_file) |
//! | find declarations that you are likely to regret | [`lint::check`], [the guide](guide::lints) |
//! | answer a health check | [`Dynamo::ready`] |
//! | estimate the cost of an operation | [`Dynamo::estimate`], [the guide](guide::costs) |
//! | read or delete by key | [`Key`] |
//! | read many rows | [`QueryExt`], [`Query`], [`Page`], [`Cursor`], [`any_of`] |
//! | read many items by their keys | [`EntityExt::get_many`], [`batch_get`], [`RetryBudget`] |
//! | read several entities of one partition | [`DynamoCollection`] and its derive |
//! | change many rows, store many conditionally | [`BulkExt::update_each`], [`BulkExt::delete_each`], [`put_each`], [`Bulk`] |
//! | read some fields only | [`DynamoProjection`] and its derive |
//! | lock optimistically | [`Version`] |
//! | let a service depend on a trait | [`Repository`] |
//! | handle an error | [`Error`], [troubleshooting](guide::troubleshooting) |
//! | use items that are not entities | [`Item`], [`Item::in_table`] |
//! | generate CloudFormation, Terraform, IAM policies | the module `export`, [the guide](guide::exports) |
//! | follow changes of items | the module `streams`, [the guide](guide::streams) |
//! | test without a server | `embedded:memory`, and the module `embedded` |
//! | test with a server that fails | the module `testing` |
//! | look at an embedded database with other programs | `Dynamo::serve`, [the guide](guide::testing) |
//! | look up the format of keys | [`key`] |
//!
//! # The grammar of `#[dynamo(..)]`
//!
//! One rule: a bare word is a field (or a declared index), a string is a stored name or a template, a name that
//! generates a method comes first, lists are `[..]`, flags have no value. Options may be in one attribute or in
//! several. Serde attributes have no effect, because they describe an API, not a table.
//!
//! Every option is listed on the page of [the derive](derive@DynamoEntity): those of an entity and its keys, indexes
//! and fields, of templates, tables, values, collections and projections. See [the
//! guide](guide::production#stored-names) for stored names.
//!
//! # Features
//!
//! | feature | content |
//! |---|---|
//! | `aws` (default) | connections to AWS and to `http(s)://` endpoints, with the SDK's TLS and credentials; builds TLS with a C compiler |
//! | `testing` | connections that fail on demand, and errors for fakes: the module `testing` |
//! | `embedded` | the engine in this process; builds SQLite with a C compiler |
//! | `serve` | the embedded engine as a server for other programs on this machine: `EmbeddedEngine::serve`, `Dynamo::serve` |
//! | `chrono`, `time`, `jiff` | their timestamps and dates as attributes and key parts |
//! | `uuid`, `ulid` | their ids as attributes and key parts |
//! | `tracing` | a span for each request: [`Dynamo::with_tracing`] |
//! | `export` | templates, policies and documents from schemas: the module `export` |
//! | `streams` | typed changes of streams in Lambda functions, processes and groups of workers: the module `streams` |
//! | `json` | attributes that contain a JSON text: `codec::JsonText` |
//! | `compress` | compressed fields, by zstd; needs a C compiler: [the guide](guide::large_values) |
//! | `gzip` | exports and imports of folders like the exports of DynamoDB to S3: `transfer::ExportFolder` |
//! | `vectors` | `Vector<N>`, and searches of vector indexes: the module `search`, [the guide](guide::vectors) |
//! | `aws_lambda_events` | conversions of the events of that crate into those of `streams` |
//! | `metrics` | requests, cost and duration for the crate `metrics`: `observe::metrics_observer` |
//! | `rust_decimal`, `bigdecimal` | their decimals as attributes and in keys |
//!
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(unreachable_pub)]
// A user must never see a panic of ours, nor output that nobody asked for.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout
    )
)]

// A module imports only from those that stand before it in the list of `scripts/rooms`.

pub mod clock;
mod entropy;
mod file_lock;
mod runtime;

mod awaited;
pub mod batch;
pub mod bulk;
pub mod codec;
mod connect;
mod dynamo;
pub mod entity;
pub mod error;
#[cfg(feature = "export")]
pub mod export;
pub mod expr;
mod fallback;
mod hex;
pub mod items;
pub mod journal;
mod json;
pub mod key;
pub mod lint;
pub mod lock;
pub mod observe;
mod path;
pub mod plan;
pub mod query;
pub mod read;
mod renamed;
mod repository;
mod retry;
pub mod schema;
#[cfg(feature = "vectors")]
pub mod search;
#[cfg(feature = "streams")]
pub mod streams;
mod table;
pub mod transact;
pub mod transfer;
mod tuples;
mod verbs;
mod wire;
pub mod write;

#[cfg(doc)]
pub mod guide;

#[doc(hidden)]
pub mod __private;
pub mod prelude;

pub use async_trait::async_trait;
pub use aws_sdk_dynamodb;
pub use batch::Batch;
pub use bulk::{Bulk, BulkExt, put_each};
pub use clock::{Clock, Timestamp};
#[cfg(feature = "vectors")]
pub use codec::Vector;
pub use codec::{DynamoValue, Item, Number, Value};
#[cfg(feature = "testing")]
pub use connect::testing;
pub use dynamo::Dynamo;
pub use dynamo_entity_derive::{
    DynamoCollection, DynamoEntity, DynamoProjection, DynamoTable, DynamoValue,
};
pub use entity::{
    ChangeableEntity, DynamoCollection, DynamoEntity, DynamoProjection, DynamoTable, Key, Version,
};
pub use error::{Error, ErrorKind, Result};
pub use expr::{all, any};
pub use observe::RequestEvent;
pub use plan::Operation;
pub use query::{Cursor, Page, Query, QueryExt, any_of};
pub use read::{batch_get, transact_get};
#[doc(hidden)]
#[allow(deprecated, reason = "they stay for programs that have them")]
pub use renamed::{Observed, each, read_together, snapshot};
pub use repository::{AppendOnlyRepository, Repository};
pub use retry::RetryBudget;
pub use table::{deploy, ready};
pub use transact::{TransactWrite, Transaction, transact};
pub use transfer::{CopyExt, ExportExt};
pub use verbs::{CollectionExt, EntityExt};
#[cfg(feature = "embedded")]
pub use wire::embedded;

/// The number of random cases of a test: all of them if `LAWS=full` is set, as `.ci/run` does, otherwise a tenth.
#[cfg(test)]
fn random_cases<N: std::ops::Div<Output = N> + From<u16>>(full: N) -> N {
    match std::env::var_os("LAWS").is_some_and(|laws| laws == "full") {
        true => full,
        false => full / N::from(10),
    }
}

/// The README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
