//! The connection: an SDK client, a prefix for table names and a clock.

mod connection;
mod prefix;
mod secret;
mod strong_tables;
mod turns;

pub use connection::Dynamo;
pub(crate) use prefix::TablePrefix;
pub(crate) use secret::{CursorTag, Secret, TAG_SIZE};
pub(crate) use strong_tables::StrongTables;
pub(crate) use turns::{ItemId, ItemTurn, ItemTurns, turn_in};
