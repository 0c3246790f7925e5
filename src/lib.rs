//! A typed data-access library for DynamoDB.
//!
//! (front page follows)
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

// The way of the data, in the order of the modules:
//
//   entity -> key -> codec -> expr -> request -> wire -> (engine) -> wire -> codec -> entity

mod clock;
mod codec;
mod connect;
mod dynamo;
mod entity;
mod error;
mod expr;
pub mod key;
mod request;
pub mod schema;
mod table;
mod wire;

#[doc(hidden)]
pub mod __private;
pub mod prelude;

pub use aws_sdk_dynamodb;
pub use clock::{Clock, SystemClock, Timestamp};
pub use codec::{
    DynamoField, DynamoValue, Fault, Item, MapKey, Moment, Number, Reader, SetElement, Tag, Value,
    Writer,
};
#[cfg(feature = "embedded")]
pub use connect::embedded;
pub use dynamo::Dynamo;
pub use dynamo_entity_derive::{DynamoEntity, DynamoTable, DynamoValue};
pub use entity::{DynamoEntity, DynamoTable, Key, KeyParts, Version};
pub use error::{Error, ErrorKind, Result, Stage};
pub use request::{
    Call, Checked, Conditional, Create, Delete, Get, Guard, Open, Operation, Put, ReturningNothing,
    ReturningOld, Unconditional, Versioned,
};
