//! A command line for the tables of a [`dynamo_entity`] model.
//!
//! The model is Rust, so the program is three lines in the crate that declares it: the `main` of `src/bin/db.rs`.
//!
//! ```
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "orders", key(pk = customer, sk = number))]
//! #[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{number}"))]
//! struct Order { customer: String, number: u32, status: String }
//!
//! async fn run() -> std::process::ExitCode {
//!     dynamo_entity_cli::App::new([Order::schema()]).writes::<Order>().run().await
//! }
//! # let app = dynamo_entity_cli::App::new([Order::schema()]);
//! # let help = app.command("db").render_long_help().to_string();
//! # assert!(help.contains("query Order.by_status <STATUS> [--number]"));
//! ```
//!
//! `db --help` shows its entities and access patterns. The [guide] has a chapter about it.
//!
//! [guide]: https://docs.rs/dynamo-entity/latest/dynamo_entity/guide/command_line/index.html
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(unreachable_pub)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout
    )
)]

// A module imports only from those before it in the list of `scripts/rooms`.

mod adopt;
mod analytics;
mod app;
mod apply;
mod arguments;
mod check;
mod command;
mod completions;
mod context;
mod copy;
mod count;
mod data;
mod delete;
mod exit;
mod explain;
mod export;
mod export_data;
mod failure;
mod fill;
mod get;
mod given;
mod import_data;
mod item;
mod key;
mod kind;
mod lint;
mod list;
mod model;
mod parked;
mod part;
mod plan;
mod put;
mod query;
mod render;
#[cfg(feature = "serve")]
mod serve;
mod streams;
mod tail;
mod text;
mod to_s3;
mod usage;
mod writable;

pub use app::App;

/// The README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
