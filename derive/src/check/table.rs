//! Rules for a shared table.

use quote::ToTokens as _;
use syn::LitStr;

use crate::check::reserved;
use crate::check::service::{
    MOST_ATTRIBUTES, index_name, indexes_are_few, key_attribute, local_index_needs_a_sort_key,
    resource_name,
};
use crate::diag::Diag;
use crate::model::{IndexKind, IndexProjection, Table, TableIndex};

pub(super) fn check(table: &Table, diag: &Diag) {
    let name = &table.name;
    resource_name(
        "a table",
        &name.value(),
        name.span(),
        "choose another",
        diag,
    );
    key_attributes_differ(table, diag);
    key_attributes_are_short(table, diag);
    type_attribute_is_no_key(table, diag);
    no_name_is_reserved(table, diag);
    entities_differ(table, diag);
    for index in &table.indexes {
        index_name(&index.stored.value(), index.stored.span(), diag);
        index_attributes_differ(table, index, diag);
        lists_are_short(index, diag);
        let sort_key = "a table with a sort key; add `sk = \"sk\"`";
        let is_sorted = table.sk.is_some();
        local_index_needs_a_sort_key((index.kind, &index.ident), is_sorted, sort_key, diag);
        projected_attributes_differ(index, diag);
    }
    index_names_differ(table, diag);
    let indexes = table.indexes.iter();
    let indexes: Vec<_> = indexes.map(|index| (index.kind, &index.ident)).collect();
    indexes_are_few(&indexes, "", diag);
}

/// Partition key and sort key are different attributes.
fn key_attributes_differ(table: &Table, diag: &Diag) {
    let pk = table.pk.value();
    if let Some(sk) = table.sk.as_ref().filter(|sk| sk.value() == pk) {
        let message = format!("`{pk}` is the partition key already; name another attribute");
        diag.at(sk.span(), message);
    }
}

/// DynamoDB would reject a longer key attribute.
fn key_attributes_are_short(table: &Table, diag: &Diag) {
    for name in key_attributes(table) {
        key_attribute(&name.value(), name.span(), diag);
    }
}

/// All attributes of all keys of the table.
fn key_attributes(table: &Table) -> impl Iterator<Item = &LitStr> {
    let own = std::iter::once(&table.pk).chain(&table.sk);
    own.chain(table.indexes.iter().flat_map(index_attributes))
}

fn index_attributes(index: &TableIndex) -> impl Iterator<Item = &LitStr> {
    index.pk.iter().chain(&index.sk)
}

/// The type attribute contains an entity's name, so it cannot be part of a key.
fn type_attribute_is_no_key(table: &Table, diag: &Diag) {
    let name = table.type_attribute();
    if let Some(clash) = key_attributes(table).find(|key| key.value() == name) {
        let message = format!(
            "`{name}` is the type attribute and cannot be a key; name another attribute, or set \
                `type_attribute = \"..\"`"
        );
        diag.at(
            table.type_attribute.as_ref().unwrap_or(clash).span(),
            message,
        );
    }
}

/// No attribute has a reserved name.
fn no_name_is_reserved(table: &Table, diag: &Diag) {
    for name in key_attributes(table).chain(&table.type_attribute) {
        reserved::refuse(&name.value(), name.span(), diag);
    }
}

/// Each entity is listed once.
fn entities_differ(table: &Table, diag: &Diag) {
    let mut seen: Vec<String> = Vec::new();
    for entity in &table.entities {
        let path = entity.to_token_stream().to_string();
        if seen.contains(&path) {
            diag.over(
                entity,
                format!("`{}` is listed twice; keep one", path.replace(' ', "")),
            );
        }
        seen.push(path);
    }
}

/// All attributes of an index differ, and a local index has the table's partition key.
fn index_attributes_differ(table: &Table, index: &TableIndex, diag: &Diag) {
    let mut seen = Vec::new();
    if index.kind == IndexKind::Local {
        seen.push(table.pk.value());
    }
    for written in index_attributes(index) {
        let name = written.value();
        if seen.contains(&name) {
            let message = format!(
                "`{name}` is part of the key of `{}` already; name another attribute",
                index.ident
            );
            diag.at(written.span(), message);
        }
        seen.push(name);
    }
}

/// The partition key of a gsi has up to four attributes, and so has its sort key.
fn lists_are_short(index: &TableIndex, diag: &Diag) {
    for list in [&index.pk, &index.sk] {
        if let Some(name) = list.get(MOST_ATTRIBUTES) {
            let message = format!(
                "a list of `{}` holds at most {MOST_ATTRIBUTES} attributes, this one has {}",
                index.ident,
                list.len()
            );
            diag.at(name.span(), message);
        }
    }
}

/// A projection names each attribute once.
fn projected_attributes_differ(index: &TableIndex, diag: &Diag) {
    let IndexProjection::Only(names) = &index.project else {
        return;
    };
    for (at, name) in names.iter().enumerate() {
        let text = name.value();
        if names.iter().take(at).any(|other| other.value() == text) {
            diag.at(
                name.span(),
                format!("`{text}` is projected twice; keep one"),
            );
        }
    }
}

/// Two indexes differ in name, and in stored name.
fn index_names_differ(table: &Table, diag: &Diag) {
    for (at, index) in table.indexes.iter().enumerate() {
        let earlier = || table.indexes.iter().take(at);
        if earlier().any(|other| other.ident == index.ident) {
            diag.at(
                index.ident.span(),
                format!(
                    "`{}` names an index already; choose another name",
                    index.ident
                ),
            );
        } else if let Some(other) =
            earlier().find(|other| other.stored.value() == index.stored.value())
        {
            let message = format!(
                "`{}` is the stored name of the index `{}` already; choose another",
                index.stored.value(),
                other.ident
            );
            diag.at(index.stored.span(), message);
        }
    }
}
