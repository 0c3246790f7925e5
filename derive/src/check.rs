//! Compares the parts of a model. Each function contains one rule.
//!
//! The files depend in one direction: each imports only from those before it in this order: `service`, `reserved`,
//! `types`, `uses`, `field`, `constant`, `name`, `renamed`, `expiry`, `append_only`, `primary_key`, `entity_key`, `entity_index`, `shared_index`,
//! `unique`, `vector`, `large`, `value`, `collection`, `table`.

mod append_only;
mod collection;
mod constant;
mod entity_index;
mod entity_key;
mod expiry;
mod field;
mod large;
mod name;
mod primary_key;
mod renamed;
mod reserved;
mod service;
mod shared_index;
mod table;
pub(crate) mod types;
mod unique;
mod uses;
mod value;
mod vector;

pub(crate) use uses::{no_end, placeholder};

use crate::diag::Diag;
use crate::marks::{EntityMarks, ValueMarks};
use crate::model::{Collection, Entity, Table, Value};

pub(crate) fn entity(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    field::check(&entity.fields, &marks.fields, diag);
    constant::check(entity, diag);
    append_only::check(entity, marks, diag);
    name::check(entity, marks, diag);
    renamed::check(entity, marks, diag);
    expiry::check(entity, marks, diag);
    entity_key::check(entity, marks, diag);
    entity_index::check(entity, marks, diag);
    shared_index::check(entity, marks, diag);
    unique::check(entity, diag);
    vector::check(entity, diag);
    large::check(entity, diag);
}

pub(crate) fn table(table: &Table, diag: &Diag) {
    table::check(table, diag);
}

pub(crate) fn collection(collection: &Collection, diag: &Diag) {
    collection::check(collection, diag);
}

pub(crate) fn value(value: &Value, marks: &ValueMarks, diag: &Diag) {
    value::check(value, marks, diag);
}
