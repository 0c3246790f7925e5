//! Keys and queries by texts: what a person types, or a tool reads, for an entity that is known by its name.
//!
//! The parts are read and written by the functions that the typed calls use, so both send the same requests.

mod collection;
mod entity;
mod item;
mod key;
mod query;
mod scan;

pub use collection::DynamicCollection;
pub use entity::DynamicEntity;
pub use query::{DynamicQuery, DynamicSortPart};
