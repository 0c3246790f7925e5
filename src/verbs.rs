//! The operations on entities, keys and collections: the entry points of a program.

mod collection;
mod entity;
mod key;

pub use collection::CollectionExt;
pub use entity::EntityExt;
