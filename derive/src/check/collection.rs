//! Rules for a collection.

use quote::ToTokens as _;
use syn::ext::IdentExt as _;

use crate::diag::Diag;
use crate::model::{Collection, CollectionVariant};

pub(super) fn check(collection: &Collection, diag: &Diag) {
    one_other(collection, diag);
    some_entity(collection, diag);
    entities_differ(collection, diag);
    parts_differ(collection, diag);
    partition_of_index(collection, diag);
}

/// A collection over an index reads one of its partitions.
fn partition_of_index(collection: &Collection, diag: &Diag) {
    if let (Some(index), None) = (&collection.index, &collection.partition) {
        let message = format!(
            "a collection of the index `{index}` is one partition of it; write `partition(..)` with the parts of its key"
        );
        diag.at(index.span(), message);
    }
}

/// At most one variant receives items that fit no entity.
fn one_other(collection: &Collection, diag: &Diag) {
    let mut others = collection.variants.iter().filter(|v| v.other.is_some());
    let Some(first) = others.next() else { return };
    for span in others.filter_map(|variant| variant.other) {
        let message = format!("`{}` is `other` already; keep one", first.ident);
        diag.at(span, message);
    }
}

/// A collection contains entities.
fn some_entity(collection: &Collection, diag: &Diag) {
    if collection.entities().next().is_none() {
        let ident = &collection.ident;
        let message = format!("`{ident}` holds no entity; add a variant such as `Order(Order)`");
        diag.at(ident.span(), message);
    }
}

/// The entity determines the variant of an item, so each entity has only one variant.
fn entities_differ(collection: &Collection, diag: &Diag) {
    let mut seen: Vec<(String, &CollectionVariant)> = Vec::new();
    for variant in collection.entities() {
        // Tokens only: the same entity under another path is found by the compiler, in `expand`.
        let ty = variant.ty.to_token_stream().to_string();
        match seen.iter().find(|(other, _)| *other == ty) {
            Some((_, first)) => diag.over(
                &variant.ty,
                format!(
                    "`{}` is the variant `{}` already; keep one",
                    ty.replace(' ', ""),
                    first.ident
                ),
            ),
            None => seen.push((ty, variant)),
        }
    }
}

/// Each part of the partition key is one parameter.
fn parts_differ(collection: &Collection, diag: &Diag) {
    let parts = collection.partition.iter().flat_map(|all| &all.parts);
    let parts: Vec<_> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        if parts.iter().take(at).any(|other| other == part) {
            let message = format!("`{}` is a parameter already; keep one", part.unraw());
            diag.at(part.span(), message);
        }
    }
}
