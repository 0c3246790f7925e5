//! Connections that fail on demand: the library's own, for its own tests.

pub use dynamo_entity::testing::{Fault, Faults};
