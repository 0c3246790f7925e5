//! Rules for vector indexes.

use syn::ext::IdentExt as _;

use crate::check::name::TAKEN;
use crate::check::service::index_name;
use crate::diag::Diag;
use crate::model::{Entity, FieldRole, FieldUse, Form, VectorIndex};

/// DynamoDB's limit for a table.
const MOST_INDEXES: usize = 5;
/// DynamoDB's limit for an index. That of the type counts too, which a table of several entities adds later.
const MOST_FILTERS: usize = 18;

pub(super) fn check(entity: &Entity, diag: &Diag) {
    names_are_free(entity, diag);
    stored_names_differ(entity, diag);
    indexes_are_few(entity, diag);
    for index in &entity.vectors {
        rows_do_not_move(entity, index, diag);
        filters_are_few(index, diag);
        fields_differ(entity, index, diag);
        for used in [&index.field].into_iter().chain(index.conditions()) {
            field_is_plain(entity, used, diag);
        }
    }
}

/// No search hides another function.
fn names_are_free(entity: &Entity, diag: &Diag) {
    for (at, index) in entity.vectors.iter().enumerate() {
        let name = &index.name;
        let mut patterns = entity.indexes.iter().map(|index| &index.name);
        let mut uniques = entity.uniques.iter().map(|unique| &unique.name);
        let mut before = entity.vectors.iter().take(at).map(|index| &index.name);
        let is_same = |other: &syn::Ident| other.unraw() == name.unraw();
        if TAKEN.iter().any(|taken| name.unraw() == taken) {
            let message = format!(
                "`{name}` is a function of every entity; choose another name, as in `like_{name}`"
            );
            diag.at(name.span(), message);
        } else if patterns.any(is_same) || uniques.any(is_same) || before.any(is_same) {
            let message = format!("`{name}` names an access pattern already; choose another name");
            diag.at(name.span(), message);
        }
    }
}

/// All indexes of a table share one set of names, and DynamoDB rejects an invalid one.
fn stored_names_differ(entity: &Entity, diag: &Diag) {
    for (at, index) in entity.vectors.iter().enumerate() {
        index_name(&index.stored, index.stored_at, diag);
        let mut others = entity.indexes.iter().map(|other| &other.stored);
        let mut before = entity.vectors.iter().take(at).map(|other| &other.stored);
        if others.any(|other| *other == index.stored) || before.any(|other| *other == index.stored)
        {
            let message = format!(
                "`{}` is the name of another index; give this one another by `rename = \"..\"`",
                index.stored
            );
            diag.at(index.stored_at, message);
        }
    }
}

/// DynamoDB would reject the table otherwise.
fn indexes_are_few(entity: &Entity, diag: &Diag) {
    if let Some(index) = entity.vectors.get(MOST_INDEXES) {
        let count = entity.vectors.len();
        let message = format!(
            "a table has at most {MOST_INDEXES} vector indexes, this one has {count}; remove the others"
        );
        diag.at(index.name.span(), message);
    }
}

/// DynamoDB would reject the index otherwise.
fn filters_are_few(index: &VectorIndex, diag: &Diag) {
    if let Some(filter) = index.filters.get(MOST_FILTERS) {
        let count = index.filters.len();
        let message = format!(
            "a vector index has at most {MOST_FILTERS} filters, this one has {count}; remove the others"
        );
        diag.at(filter.span, message);
    }
}

/// While items are stored under two keys, each of them would be found twice.
fn rows_do_not_move(entity: &Entity, index: &VectorIndex, diag: &Diag) {
    if let Some(second) = &entity.second_key {
        let message = format!(
            "`{}` would find each item twice while `{}` stores it under two keys; add the vector index after the move",
            index.name, second.word
        );
        diag.at(index.name.span(), message);
    }
}

/// A field has one use in an index.
fn fields_differ(entity: &Entity, index: &VectorIndex, diag: &Diag) {
    let uses: Vec<&FieldUse> = [&index.field]
        .into_iter()
        .chain(index.conditions())
        .collect();
    for (number, used) in uses.iter().enumerate() {
        if let Some(field) = entity.fields.get(used.at)
            && uses.iter().take(number).any(|other| other.at == used.at)
        {
            let message = format!(
                "`{}` has a use in this index already; keep one",
                field.ident
            );
            diag.at(used.span, message);
        }
    }
}

/// DynamoDB reads these attributes itself, so they have the form of their type.
fn field_is_plain(entity: &Entity, used: &FieldUse, diag: &Diag) {
    let Some(field) = entity.fields.get(used.at) else {
        return;
    };
    let message = match (field.role, field.form) {
        _ if field.former.is_some() => {
            "is being renamed, and an index reads one name; add the vector index before or after"
        }
        (FieldRole::Attribute, Form::Own) => return,
        (FieldRole::Attribute, _) => {
            "has a form that no vector index reads; write a field without `format`, `serde`, `null`, `compress` and `decompress`"
        }
        (FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest, _) => {
            "has no attribute of its own, so no index can read it; name another field"
        }
        _ => "is kept by the library; name a field of your own",
    };
    diag.at(used.span, format!("`{}` {message}", field.ident));
}
