//! The verbs on entities, keys and collections: what a program begins with.

mod collection;
mod entity;
mod key;

pub use collection::CollectionVerbs;
pub use entity::EntityVerbs;
