//! Turns a model into code.
//!
//! Expansions contain only the facts of the declaration: names, templates, the list of fields. Everything else is a
//! call into the library's hidden module, which each expansion names as `__d`.
//!
//! The files depend in one direction: each imports only from those before it in this order: `tokens`, `library`,
//! `template`, `attribute`, `way`, `codec`, `field_path`, `stored`, `key_field`, `key`, `index`, `known`, `unique`,
//! `usage`, `upkeep`, `path`, `vector`, `large`, `second_key`, `definition`, `query_doc`, `query_part`, `query`, `partition`, `projection`, `shape`,
//! `checks`, `repository`, `encode`, `decode`, `table`, `entity`, `collection`, `value`, `fallback`.

#[macro_use]
mod tokens;

mod attribute;
mod checks;
mod codec;
mod collection;
mod decode;
mod definition;
mod encode;
mod entity;
mod entity_doc;
mod expiry;
pub(crate) mod fallback;
mod field_path;
mod flat;
mod index;
mod index_maintenance;
mod key;
mod key_field;
mod known;
mod large;
mod library;
mod model;
mod partition;
mod path;
mod projection;
mod query;
mod query_doc;
mod query_part;
mod repository;
mod second_key;
mod shape;
mod stored;
mod table;
mod template;
mod tenant;
mod unique;
mod usage;
mod value;
mod vector;
mod way;
mod when;

pub(crate) use collection::expand as collection;
pub(crate) use entity::expand as entity;
pub(crate) use projection::expand as projection;
pub(crate) use table::expand as table;
pub(crate) use value::expand as value;
