//! Rules for lists and blobs beside an item.

use syn::ext::IdentExt as _;

use crate::check::name::TAKEN;
use crate::diag::Diag;
use crate::model::{Entity, FieldRole, LargeValue};

/// The maximum number of lists and blobs of an entity.
const MOST_VALUES: usize = 10;

pub(super) fn check(entity: &Entity, diag: &Diag) {
    names_are_free(entity, diag);
    stored_names_differ(entity, diag);
    heads_fit_one_transaction(entity, diag);
    for value in &entity.large {
        rows_do_not_expire(entity, value, diag);
        rows_do_not_move(entity, value, diag);
    }
}

/// No list hides another function, and none has the name of a field.
fn names_are_free(entity: &Entity, diag: &Diag) {
    for (at, value) in entity.large.iter().enumerate() {
        let name = &value.name;
        let is_same = |other: &syn::Ident| other.unraw() == name.unraw();
        let is_taken =
            TAKEN.iter().any(|taken| name.unraw() == taken) || name.unraw() == "sweep_large_values";
        let mut before = entity.large.iter().take(at).map(|other| &other.name);
        let indexes = entity.indexes.iter().map(|index| &index.name);
        let uniques = entity.uniques.iter().map(|unique| &unique.name);
        let searches = entity.vectors.iter().map(|search| &search.name);
        let mut patterns = indexes.chain(uniques).chain(searches);
        let message = if is_taken {
            format!("`{name}` is a function of every entity; choose another name")
        } else if before.any(is_same) {
            format!("`{name}` is declared twice; keep one")
        } else if patterns.any(is_same) {
            format!("`{name}` names an access pattern already; choose another name")
        } else if entity.fields.iter().any(|field| is_same(&field.ident)) {
            format!(
                "`{name}` is a field, which is stored in the item; remove the field, because `{}` stores the value beside the item",
                value.word()
            )
        } else {
            continue;
        };
        diag.at(name.span(), message);
    }
}

/// Two lists never share their rows.
fn stored_names_differ(entity: &Entity, diag: &Diag) {
    for (at, value) in entity.large.iter().enumerate() {
        let mut before = entity.large.iter().take(at);
        if let Some(other) = before.find(|other| other.stored == value.stored)
            && other.name.unraw() != value.name.unraw()
        {
            let message = format!(
                "`{}` is the stored name of `{}` already; give `{}` another by `rename = \"..\"`",
                value.stored, other.name, value.name
            );
            diag.at(value.stored_at, message);
        }
    }
}

/// A delete of the item deletes all heads in one transaction, which has room for 4 MB, and a head can have 400 KB.
fn heads_fit_one_transaction(entity: &Entity, diag: &Diag) {
    if let Some(value) = entity.large.get(MOST_VALUES) {
        let message = format!(
            "an entity can have {MOST_VALUES} lists and blobs, because one transaction deletes all of them together with the item; \
             declare `{}` in another entity with the same key fields",
            value.name
        );
        diag.at(value.name.span(), message);
    }
}

/// DynamoDB deletes an expired item alone. A new item with its key would then have the list of the old one.
fn rows_do_not_expire(entity: &Entity, value: &LargeValue, diag: &Diag) {
    if let Some(ttl) = entity.field_of(FieldRole::Ttl) {
        let message = format!(
            "`{}`: when DynamoDB deletes an item that has expired by `{}`, its {} would remain; switch the TTL of the \
             table off, remove `ttl`, and delete the items by a job",
            value.name,
            ttl.ident,
            match value.element {
                Some(_) => "list",
                None => "blob",
            }
        );
        diag.at(value.name.span(), message);
    }
}

/// The keys of the rows contain the key of the item.
fn rows_do_not_move(entity: &Entity, value: &LargeValue, diag: &Diag) {
    if let Some(second) = &entity.second_key {
        let message = format!(
            "`{0}` belongs to the key of its item, and `{1}` stores the item under two keys, which would leave `{0}` under the old one; \
             instead, declare another entity with the new key beside this one, copy each item and its {2}, then delete the old items",
            value.name,
            second.word,
            match value.element {
                Some(_) => "list by `all` and `append`",
                None => "blob by `read` and `write`",
            }
        );
        diag.at(value.name.span(), message);
    }
}
