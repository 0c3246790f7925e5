//! Rules for a shared table.

use proc_macro2::Span;
use quote::ToTokens as _;

use crate::check::reserved;
use crate::check::service::{
    MOST_ATTRIBUTES, MOST_GLOBAL, MOST_LOCAL, key_attribute, resource_name,
};
use crate::diag::Diag;
use crate::marks::TableMarks;
use crate::model::{IndexKind, IndexProjection, Table, TableIndex};

pub(super) fn check(table: &Table, marks: &TableMarks, diag: &Diag) {
    resource_name("a table", &table.name, marks.name, "choose another", diag);
    key_attributes_differ(table, marks, diag);
    key_attributes_are_short(table, marks, diag);
    type_attribute_is_no_key(table, marks, diag);
    no_name_is_reserved(table, marks, diag);
    entities_differ(table, diag);
    for index in &table.indexes {
        resource_name(
            "an index",
            &index.stored.value(),
            index.stored.span(),
            "give it another by `rename = \"..\"`",
            diag,
        );
        index_attributes_differ(table, index, diag);
        lists_are_short(index, diag);
        local_index_needs_a_sort_key(table, index, diag);
        projected_attributes_differ(index, diag);
    }
    index_names_differ(table, diag);
    indexes_are_few(table, diag);
}

/// Partition key and sort key are different attributes.
fn key_attributes_differ(table: &Table, marks: &TableMarks, diag: &Diag) {
    if table.sk.as_ref() == Some(&table.pk) {
        let message = format!(
            "`{}` is the partition key already; name another attribute",
            table.pk
        );
        diag.at(marks.sk.unwrap_or(marks.pk), message);
    }
}

/// DynamoDB would reject a longer key attribute.
fn key_attributes_are_short(table: &Table, marks: &TableMarks, diag: &Diag) {
    for (name, span) in key_attributes(table, marks) {
        key_attribute(&name, span, diag);
    }
}

/// All attributes of all keys of the table.
fn key_attributes(table: &Table, marks: &TableMarks) -> Vec<(String, Span)> {
    let mut all = vec![(table.pk.clone(), marks.pk)];
    all.extend(table.sk.clone().zip(marks.sk));
    all.extend(table.indexes.iter().flat_map(index_attributes));
    all
}

fn index_attributes(index: &TableIndex) -> impl Iterator<Item = (String, Span)> {
    let names = index.pk.iter().chain(&index.sk);
    names.map(|name| (name.value(), name.span()))
}

/// The type attribute contains an entity's name, so it cannot be part of a key.
fn type_attribute_is_no_key(table: &Table, marks: &TableMarks, diag: &Diag) {
    let clash = |(name, _): &(String, Span)| table.type_attribute.as_ref() == Some(name);
    if let Some((name, span)) = key_attributes(table, marks).into_iter().find(clash) {
        let message = format!(
            "`{name}` is the type attribute and cannot be a key; name another attribute, or set \
                `type_attribute = \"..\"`"
        );
        diag.at(marks.type_attribute.unwrap_or(span), message);
    }
}

/// No attribute has a reserved name.
fn no_name_is_reserved(table: &Table, marks: &TableMarks, diag: &Diag) {
    for (name, span) in key_attributes(table, marks) {
        reserved::refuse(&name, span, diag);
    }
    if let (Some(name), Some(span)) = (&table.type_attribute, marks.type_attribute) {
        reserved::refuse(name, span, diag);
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
        seen.push(table.pk.clone());
    }
    for (name, span) in index_attributes(index) {
        if seen.contains(&name) {
            let message = format!(
                "`{name}` is part of the key of `{}` already; name another attribute",
                index.ident
            );
            diag.at(span, message);
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

/// A local index sorts a partition in another order, so the table needs a sort key.
fn local_index_needs_a_sort_key(table: &Table, index: &TableIndex, diag: &Diag) {
    if index.kind == IndexKind::Local && table.sk.is_none() {
        let message = format!(
            "`{}` is an lsi, which needs a table with a sort key; add `sk = \"sk\"`, or write \
                `gsi`",
            index.ident
        );
        diag.at(index.ident.span(), message);
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

/// A table has at most 20 global and 5 local indexes.
fn indexes_are_few(table: &Table, diag: &Diag) {
    for (kind, what, most) in [
        (IndexKind::Global, "gsi", MOST_GLOBAL),
        (IndexKind::Local, "lsi", MOST_LOCAL),
    ] {
        let all: Vec<&TableIndex> = table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .collect();
        if let Some(index) = all.get(most) {
            let message = format!(
                "a table has at most {most} {what}, this one has {}",
                all.len()
            );
            diag.at(index.ident.span(), message);
        }
    }
}
