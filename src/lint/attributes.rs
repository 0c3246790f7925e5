//! Rules about fields and names.

use std::collections::BTreeSet;

use super::finding::{Findings, LintPlace};
use crate::json::Tag;
use crate::schema::{FieldRole, FieldSchema, KeyPair, KeySchema, PieceSchema, TableSchema};

/// Longer names are paid for in every item, by every read and write.
const LONG: usize = 30;

/// Whether the value has no bound in the model: a list, a set, a map, or attributes that no field knows.
pub(super) fn is_unbounded(field: &FieldSchema) -> bool {
    let growing = [
        "Set",
        "Map",
        "Vec",
        "VecDeque",
        "LinkedList",
        "HashMap",
        "BTreeMap",
        "HashSet",
        "BTreeSet",
        "IndexMap",
        "IndexSet",
    ];
    let is_bytes = field.stored == Some(Tag::B);
    field.role == FieldRole::Attribute && !is_bytes && growing.contains(&field.type_name())
}

pub(super) fn growing_attribute(table: &TableSchema, findings: &mut Findings) {
    for entity in table.entities.iter() {
        let is_version = |field: &FieldSchema| field.role == FieldRole::Version;
        if !entity.fields.iter().any(is_version) {
            continue;
        }
        for field in entity.fields.iter().filter(|field| is_unbounded(field)) {
            let name = &field.name;
            findings.add(
                LintPlace::of_field(entity, field),
                format!(
                    "`{name}` has no bound, each change of it pays for the whole item and conflicts with every other, \
                     and an item ends at 400 KB"
                ),
                format!(
                    "store an element as an item of its own in the same partition; `allow` it if there are few in `{name}`"
                ),
            );
        }
    }
}

pub(super) fn unversioned(table: &TableSchema, findings: &mut Findings) {
    for entity in table.entities.iter() {
        let of = |role: FieldRole| entity.fields.iter().find(|field| field.role == role);
        let kept = of(FieldRole::UpdatedAt).or_else(|| of(FieldRole::UpdatedBy));
        let (Some(field), None) = (kept, of(FieldRole::Version)) else {
            continue;
        };
        let name = &field.name;
        findings.add(
            LintPlace::of_keys(&KeyPair::of_table(entity)),
            format!(
                "`{name}` records the last write, but two writers that load an item and put it overwrite each other unnoticed"
            ),
            "add `#[dynamo(version)] version: Version`; `allow` it if items are changed by `update` alone",
        );
    }
}

pub(super) fn stray_ttl(table: &TableSchema, findings: &mut Findings) {
    let Some(ttl) = &table.ttl else { return };
    for entity in table.entities.iter() {
        let mut fields = entity.fields.iter();
        let stray = fields.find(|field| {
            let may_be_number = matches!(field.stored, None | Some(Tag::N));
            field.attribute.as_ref() == Some(ttl) && field.role != FieldRole::Ttl && may_be_number
        });
        if let Some(field) = stray {
            let name = &field.name;
            findings.add(
                LintPlace::of_field(entity, field),
                format!(
                    "`{ttl}` is the TTL of the table, and DynamoDB deletes an item when the number in it is a past time"
                ),
                format!("write `#[dynamo(ttl)]` if you intend that, otherwise store `{name}` by another name, `rename = \"..\"`"),
            );
        }
    }
}

pub(super) fn long_name(table: &TableSchema, findings: &mut Findings) {
    let message = |name: &str| {
        let bytes = name.len();
        format!(
            "`{name}` has {bytes} bytes, which are stored and paid for in every item that has it"
        )
    };
    let is_long = |name: &str| name.len() > LONG;
    let mut fields = BTreeSet::new();
    for entity in table.entities.iter() {
        if table.type_attribute.is_some() && is_long(&entity.stored_name) {
            let fix = "store a short one, `rename = \"..\"`, before the first item is stored";
            findings.add(
                LintPlace::of_keys(&KeyPair::of_table(entity)),
                message(&entity.stored_name),
                fix,
            );
        }
        for field in &entity.fields {
            let Some(name) = &field.attribute else {
                continue;
            };
            fields.insert(name.as_str());
            if is_long(name) {
                let fix = "store a short one, `rename = \"..\"`, before the first item is stored";
                findings.add(LintPlace::of_field(entity, field), message(name), fix);
            }
        }
    }
    let derived = |name: &str| is_long(name) && !fields.contains(name);
    for key in table.keys().filter(|key| derived(&key.name)) {
        let fix = "choose a short name for the key attribute, before the first item is stored";
        findings.add(LintPlace::of_table(table), message(&key.name), fix);
    }
    let mut seen = BTreeSet::new();
    for index in table.indexes() {
        let names = index.keys().map(|key| key.name.as_str());
        for name in names.filter(|name| derived(name) && seen.insert(*name)) {
            if table.keys().any(|key| key.name == name) {
                continue;
            }
            let fix = "choose a short name for the index, before the first item is stored";
            findings.add(LintPlace::of_index(table, index), message(name), fix);
        }
    }
}

pub(super) fn long_constant(table: &TableSchema, findings: &mut Findings) {
    for keys in table.key_pairs() {
        let own = match keys.pattern.is_some_and(|pattern| pattern.pk.is_empty()) {
            true => &[],
            false => keys.pk,
        };
        let constant = own.iter().chain(keys.sk).map(constant_bytes).max();
        if let Some(bytes) = constant.filter(|bytes| *bytes > LONG) {
            findings.add(
                LintPlace::of_keys(&keys),
                format!("{bytes} bytes of its key are the same in every item, which is stored and paid for with all of them"),
                "write a short text, before the first item is stored",
            );
        }
    }
}

/// How much of a key is constant, where that is beside something else or many have it.
fn constant_bytes(key: &KeySchema) -> usize {
    let length = |piece: &PieceSchema| match piece {
        PieceSchema::Text(text) => text.len(),
        PieceSchema::Part(_) | PieceSchema::Shard(_) => 0,
    };
    key.pieces()
        .iter()
        .map(length)
        .fold(0, usize::saturating_add)
}
