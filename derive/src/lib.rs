//! The derives of `dynamo-entity`. Use them through that crate, which re-exports them.
//!
//! A derive has these steps: `parse` reads tokens into `model`, `check` compares the parts of the model, `expand` turns
//! it into code. A mistake does not stop the reading: all mistakes of one item are reported together, followed by an
//! empty impl from `expand::fallback`, so that one mistake gives one message.
//!
//! The folders and files depend in one direction: each imports only from those before it in this order: `diag`,
//! `literal`, `marks`, `model`, `parse`, `check`, `expand`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod check;
mod diag;
mod expand;
mod literal;
mod marks;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diag::Diag;
use crate::expand::fallback;
use crate::model::{Collection, Entity, Table, Value};

/// Makes a struct an entity: its rows can be written to and read from a table.
///
/// The keys, access patterns and managed fields are declared with `#[dynamo(..)]`. This page contains the whole
/// grammar, of all derives.
///
/// # Generated code
///
/// - `Order::key(..)` makes the key of one item, of its typed parts.
/// - `Order::in_partition(..)` and `Order::by_status(..)`, one function for each index, begin a query. The documentation of
///   each shows its keys, order, condition, shards and rows.
/// - `InPartitionOfOrder`, `ByStatusOfOrder` and, if `number` comes next after other parts of the sort key,
///   `ByStatusOfOrderThenNumber` are the types of the stages of such a chain. They are defined beside the struct with
///   the same visibility, so functions can take and return them.
#[doc = include_str!("grammar/rule.md")]
#[doc = include_str!("grammar/entity.md")]
#[doc = include_str!("grammar/table.md")]
#[doc = include_str!("grammar/value.md")]
#[doc = include_str!("grammar/collection.md")]
#[doc = include_str!("grammar/projection.md")]
#[proc_macro_derive(DynamoEntity, attributes(dynamo))]
pub fn derive_entity(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    entity(input.into()).into()
}

/// Makes a unit struct a table that several entities share.
///
/// The key attributes, indexes and entities are declared with `#[dynamo(..)]`.
#[doc = include_str!("grammar/rule.md")]
#[doc = include_str!("grammar/table.md")]
#[proc_macro_derive(DynamoTable, attributes(dynamo))]
pub fn derive_table(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    table(input.into()).into()
}

/// Makes an enum a collection: several entities of a shared table, one variant each.
///
/// The table and the partition are declared with `#[dynamo(..)]`.
#[doc = include_str!("grammar/rule.md")]
#[doc = include_str!("grammar/collection.md")]
#[proc_macro_derive(DynamoCollection, attributes(dynamo))]
pub fn derive_collection(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    collection(input.into()).into()
}

/// Makes a struct, a newtype or an enum a value: the type of an attribute or of a part of one.
///
/// Stored names are declared with `#[dynamo(..)]`.
#[doc = include_str!("grammar/rule.md")]
#[doc = include_str!("grammar/value.md")]
#[proc_macro_derive(DynamoValue, attributes(dynamo))]
pub fn derive_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    value(input.into()).into()
}

/// Makes a struct a projection: some fields of an entity, under the same names and of the same types.
///
/// The entity is named by `#[dynamo(entity = Order)]`.
#[doc = include_str!("grammar/rule.md")]
#[doc = include_str!("grammar/projection.md")]
#[proc_macro_derive(DynamoProjection, attributes(dynamo))]
pub fn derive_projection(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    run(
        input.into(),
        parse::projection::read,
        expand::projection,
        fallback::projection,
    )
    .into()
}

fn entity(tokens: TokenStream) -> TokenStream {
    run(tokens, read_entity, expand::entity, fallback::entity)
}

fn table(tokens: TokenStream) -> TokenStream {
    run(tokens, read_table, expand::table, fallback::table)
}

fn collection(tokens: TokenStream) -> TokenStream {
    let expand = expand::collection;
    run(tokens, read_collection, expand, fallback::collection)
}

fn value(tokens: TokenStream) -> TokenStream {
    run(tokens, read_value, expand::value, fallback::value)
}

/// Reads and checks a declaration. Expands a correct one, and otherwise reports its mistakes.
///
/// The tokens are parsed a second time for the fallback, since the first reading has consumed the parts.
fn run<M>(
    tokens: TokenStream,
    read: fn(DeriveInput, &Diag) -> Option<M>,
    expand: fn(&M) -> TokenStream,
    fallback: fn(DeriveInput) -> Option<TokenStream>,
) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(tokens.clone()) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let diag = Diag::new();
    match (read(input, &diag), diag.finish()) {
        (Some(model), None) => expand(&model),
        (_, mistakes) => {
            let stub = syn::parse2(tokens).ok().and_then(fallback);
            quote!(#mistakes #stub)
        }
    }
}

fn read_entity(input: DeriveInput, diag: &Diag) -> Option<Entity> {
    let (entity, marks) = parse::entity::read(input, diag)?;
    check::entity(&entity, &marks, diag);
    Some(entity)
}

fn read_table(input: DeriveInput, diag: &Diag) -> Option<Table> {
    let table = parse::table::read(input, diag)?;
    check::table(&table, diag);
    Some(table)
}

fn read_collection(input: DeriveInput, diag: &Diag) -> Option<Collection> {
    let collection = parse::collection::read(input, diag)?;
    check::collection(&collection, diag);
    Some(collection)
}

fn read_value(input: DeriveInput, diag: &Diag) -> Option<Value> {
    let (value, marks) = parse::value::read(input, diag)?;
    check::value(&value, &marks, diag);
    Some(value)
}
