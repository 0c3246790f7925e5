//! Compares a declared schema with an existing one, in plain words.

use std::collections::BTreeSet;

use super::index_room::IndexRoom;
use crate::schema::{IndexSchema, KeyAttribute, ProjectionSchema, SHAPE, StreamView, TableSchema};

/// Every difference between the table and its declaration, each with what to do about it. Additional
/// indexes, or a stream that was not declared, are no difference.
pub(super) fn list_differences(declared: &TableSchema, found: &TableSchema) -> Vec<String> {
    let mut list = list_obstacles(declared, found);
    let missing = declared
        .global_indexes
        .iter()
        .filter(|index| !has_index(found, &index.name));
    let mut room = IndexRoom::of_table(found);
    list.extend(missing.map(|index| match room.find_obstacle(index) {
        Some(obstacle) => obstacle.obstacle_text(&index.name),
        None => {
            room.add_index(index);
            missing_index(&index.name)
        }
    }));
    list.extend(compare_stream(declared.stream, found.stream));
    list
}

/// The differences that adding global indexes does not fix.
pub(crate) fn list_obstacles(declared: &TableSchema, found: &TableSchema) -> Vec<String> {
    let mut list: Vec<String> = compare_keys(declared, found).into_iter().collect();
    for index in &declared.global_indexes {
        if let Some(there) = find_index(&found.global_indexes, &index.name) {
            list.extend(index_difference(declared, index, there));
        } else if find_index(&found.local_indexes, &index.name).is_some() {
            list.push(other_kind(&index.name, "global", "local"));
        } else if found.vector_index(&index.name).is_some() {
            list.push(other_kind(&index.name, "global", "vector"));
        }
    }
    for index in &declared.local_indexes {
        if let Some(there) = find_index(&found.local_indexes, &index.name) {
            list.extend(index_difference(declared, index, there));
        } else if find_index(&found.global_indexes, &index.name).is_some() {
            list.push(other_kind(&index.name, "local", "global"));
        } else if found.vector_index(&index.name).is_some() {
            list.push(other_kind(&index.name, "local", "vector"));
        } else {
            list.push(format!(
                "local index `{}` is missing: it can only be made together with the table, so this \
                 needs a new table",
                index.name
            ));
        }
    }
    for index in &declared.vector_indexes {
        if find_index(&found.global_indexes, &index.name).is_some() {
            list.push(other_kind(&index.name, "vector", "global"));
        } else if find_index(&found.local_indexes, &index.name).is_some() {
            list.push(other_kind(&index.name, "vector", "local"));
        }
    }
    list
}

/// The remedy for a table without a declared index.
pub(super) fn missing_index(name: &str) -> String {
    format!("index `{name}` is missing: add it with db.add_indexes([..])")
}

/// The message for a new table that was created concurrently with another stream.
pub(super) const OTHER_STREAM: &str =
    "its stream differs from the declaration: db.plan([..]) shows the steps";

/// The message for a table whose items expire by another attribute.
pub(super) fn other_ttl(found: &str) -> String {
    format!(
        "items expire by `{found}`, another one is declared: switch TTL over with db.plan([..])"
    )
}

/// The difference between the declared TTL and the one that was found.
pub(super) fn compare_ttl(declared: Option<&str>, found: Option<&str>) -> Option<String> {
    match (declared, found) {
        (Some(declared), Some(found)) if declared != found => Some(format!(
            "items expire by `{found}`, declared: `{declared}`: switch TTL over on the table"
        )),
        (Some(declared), None) => Some(format!(
            "items do not expire, declared: TTL by `{declared}`: switch TTL on by `db.enable_ttl([..])`; \
             items that are already past it are then deleted"
        )),
        (None, Some(found)) => Some(format!(
            "items expire by `{found}`, but no TTL is declared: mark \
             that field #[dynamo(ttl)], or switch TTL off on the table"
        )),
        _ => None,
    }
}

/// Whether the table has an index of this name, of whatever kind.
pub(super) fn has_index(schema: &TableSchema, index: &str) -> bool {
    find_index(&schema.global_indexes, index)
        .or_else(|| find_index(&schema.local_indexes, index))
        .is_some()
        || schema.vector_index(index).is_some()
}

fn find_index<'s>(indexes: &'s [IndexSchema], name: &str) -> Option<&'s IndexSchema> {
    indexes.iter().find(|index| index.name == name)
}

fn compare_keys(declared: &TableSchema, found: &TableSchema) -> Option<String> {
    let show = |schema: &TableSchema| {
        show_key(
            std::slice::from_ref(&schema.pk),
            schema.sk.as_ref().map(std::slice::from_ref),
        )
    };
    (declared.pk != found.pk || declared.sk != found.sk).then(|| {
        format!(
            "the key is {}, declared: {}: the key of a table cannot be changed, so this needs a \
             new table",
            show(found),
            show(declared)
        )
    })
}

fn index_difference(
    table: &TableSchema,
    declared: &IndexSchema,
    found: &IndexSchema,
) -> Option<String> {
    let name = &declared.name;
    // A query gives all partition attributes with `=`, so their order does not matter.
    let hash =
        |index: &IndexSchema| -> BTreeSet<String> { index.pk.iter().map(show_attribute).collect() };
    let mut says = Vec::new();
    if hash(declared) != hash(found) || declared.sk != found.sk {
        let show = |index: &IndexSchema| show_key(&index.pk, Some(&index.sk));
        says.push(format!(
            "has the key {}, declared: {}",
            show(found),
            show(declared)
        ));
    }
    let (wanted, there) = (
        projected_attributes(table, declared),
        projected_attributes(table, found),
    );
    if wanted != there {
        let (there, wanted) = (show_projection(&there), show_projection(&wanted));
        says.push(format!("projects {there}, declared: {wanted}"));
    }
    (!says.is_empty()).then(|| {
        format!(
            "index `{name}` {}: an index cannot be changed: declare it under a new name with \
             `rename = \"..\"`, and remove the old one when no program reads it any more; if an attribute of its key has \
             another type, the attribute needs a new name too",
            says.join(" and ")
        )
    })
}

fn other_kind(name: &str, declared: &str, found: &str) -> String {
    format!("index `{name}` is a {found} index, declared: a {declared} one: use another name")
}

fn compare_stream(declared: Option<StreamView>, found: Option<StreamView>) -> Option<String> {
    let declared = declared?;
    match found {
        Some(found) if found == declared => None,
        Some(found) => Some(format!(
            "the stream shows {found:?}, declared: {declared:?}: switch the stream off and on \
             again with that view"
        )),
        None => Some(format!(
            "the table has no stream, but one of {declared:?} is declared: switch it on on the table"
        )),
    }
}

/// The attributes that an index holds besides keys; `None` means all. The shape does not count: an index that is older, or
/// that another tool made, lacks it, and DynamoDB cannot add it.
fn projected_attributes(table: &TableSchema, index: &IndexSchema) -> Option<BTreeSet<String>> {
    match &index.projection {
        ProjectionSchema::All => None,
        ProjectionSchema::Keys => Some(BTreeSet::new()),
        ProjectionSchema::Include(names) => {
            let keys: BTreeSet<&str> = table
                .keys()
                .chain(index.keys())
                .map(|key| key.name.as_str())
                .collect();
            Some(
                names
                    .iter()
                    // DynamoDB projects keys anyway. The attribute of the shape is missing in older
                    // indexes, and no operation can add it.
                    .filter(|name| !keys.contains(name.as_str()) && name.as_str() != SHAPE)
                    .cloned()
                    .collect(),
            )
        }
    }
}

pub(super) fn show_projection(names: &Option<BTreeSet<String>>) -> String {
    match names {
        None => "all attributes".into(),
        Some(names) if names.is_empty() => "keys only".into(),
        Some(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        }
    }
}

pub(super) fn show_key(pk: &[KeyAttribute], sk: Option<&[KeyAttribute]>) -> String {
    let list = |attributes: &[KeyAttribute]| {
        attributes
            .iter()
            .map(show_attribute)
            .collect::<Vec<_>>()
            .join(" + ")
    };
    match sk.filter(|sk| !sk.is_empty()) {
        Some(sk) => format!("{}, {}", list(pk), list(sk)),
        None => list(pk),
    }
}

pub(super) fn show_attribute(attribute: &KeyAttribute) -> String {
    format!("`{}` ({:?})", attribute.name, attribute.ty)
}
