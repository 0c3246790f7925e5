//! Reads `#[dynamo(..)]` into the model. Mistakes in one token or one list are reported here; those that need two
//! parts are left to `check`.
//!
//! The files depend in one direction: each imports only from those before it in this order: `option`, `place`,
//! `attribute`, `options`, `reader`, `krate`, `rename`, `allow`, `table_option`, `template`, `shards`, `key`, `when`,
//! `expiry`, `field`, `variant`, `index_option`, `index`, `unique_row`, `unique`, `vector`, `large`, `table_index`, `table`, `shape`, `second_key`, `entity`, `value`,
//! `collection`, `projection`, `hint`, `grammar`.

mod allow;
pub(crate) mod attribute;
pub(crate) mod collection;
mod constant;
pub(crate) mod entity;
pub(crate) mod expiry;
mod field;
#[cfg(test)]
mod grammar;
pub(crate) mod hint;
mod index;
mod index_option;
mod key;
pub(crate) mod krate;
mod large;
mod option;
mod option_place;
mod options;
pub(crate) mod projection;
mod reader;
mod rename;
mod second_key;
mod shape;
mod shards;
pub(crate) mod table;
mod table_index;
mod table_option;
mod template;
mod unique;
mod unique_row;
pub(crate) mod value;
mod variant;
mod vector;
mod when;
