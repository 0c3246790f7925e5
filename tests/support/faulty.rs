//! Connections that fail on demand. These are the library's own, which also serve its tests.

pub use dynamo_entity::testing::{Fault, Faults};
