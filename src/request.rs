//! Operations: values that are planned, sent and read.
//!
//! A verb of an entity or a key makes an operation. `send` plans it on the spot, without waiting for
//! anything, into a table and a body of DynamoDB JSON ([`Request`](crate::wire::Request)); what it
//! returns is a future that borrows nothing of the entity. It may therefore outlive the entity, be spawned
//! and be dropped at any time. Dropping it before it is done leaves the outcome of a write open.

mod awaited;
mod call;
mod check;
mod create;
mod delete;
mod get;
mod guard;
mod idempotent;
mod put;
mod repeatable;
mod size;

pub use call::{Call, Operation};
pub use create::Create;
pub use delete::{Delete, ReturningNothing, ReturningOld};
pub use get::Get;
pub use guard::{Checked, Conditional, Guard, Guarded, Open, Unconditional, Versioned};
pub use idempotent::Idempotent;
pub use put::Put;
pub use repeatable::Repeatable;
