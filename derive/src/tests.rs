//! Each rule: what is said, and that nothing else is said.

mod accepted;
mod attribute;
mod collection;
mod entity;
mod field;
mod index;
mod key;
mod renamed;
mod shards;
mod soup;
mod table;
mod template;
mod unique;
mod value;

use syn::DeriveInput;

use crate::diag::Diag;

fn says<M>(read: fn(DeriveInput, &Diag) -> Option<M>, input: DeriveInput, expected: &[&str]) {
    let diag = Diag::new();
    read(input, &diag);
    assert_eq!(diag.messages(), expected);
}

fn entity_says(input: DeriveInput, expected: &[&str]) {
    says(crate::read_entity, input, expected);
}

fn table_says(input: DeriveInput, expected: &[&str]) {
    says(crate::read_table, input, expected);
}

fn collection_says(input: DeriveInput, expected: &[&str]) {
    says(crate::read_collection, input, expected);
}

fn value_says(input: DeriveInput, expected: &[&str]) {
    says(crate::read_value, input, expected);
}
