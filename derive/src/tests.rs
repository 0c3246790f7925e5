//! Tests what the transcripts of `tests/ui` cannot show: which declarations are accepted and what they mean,
//! that no input makes a derive panic, and variants of mistakes that would make the transcripts too long.
//!
//! Each rule is documented by its transcript, which shows the message as the user sees it, at the user's own
//! token.

mod accepted;
mod collection;
mod renamed;
mod second_key;
mod shards;
mod soup;
mod unique;
mod variants;

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

fn collection_says(input: DeriveInput, expected: &[&str]) {
    says(crate::read_collection, input, expected);
}
