//! Lets the compiler check that the keys of a table begin with its tenant.
//!
//! `tenant = org` promises that one key belongs to one tenant, which its text shows. `wire/tenant.rs` compares the keys of
//! requests by this rule.

use super::overlap::{is_fallback, same_text};
use super::{EntityDef, IndexKind, KeyDef, KeySource, KeyType, Piece, TableDef};

/// Whether a partition key that begins with this field is one of its tenant. The field is empty if the key begins with none.
pub const fn begins_with_tenant(table: &TableDef, first: &str) -> bool {
    match table.tenant {
        Some(tenant) => same_text(tenant, first),
        None => true,
    }
}

/// Whether the tenant is one of these fields.
pub const fn contains_tenant(table: &TableDef, fields: &[&str]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if begins_with_tenant(table, fields[at]) {
            return true;
        }
        at += 1;
    }
    table.tenant.is_none()
}

/// Whether an attribute is the partition key of the table, or the first one of a global index.
const fn is_partition(name: &str, table: &TableDef) -> bool {
    if same_text(name, table.pk) {
        return true;
    }
    let mut at = 0;
    while at < table.indexes.len() {
        let index = &table.indexes[at];
        if matches!(index.kind, IndexKind::Global)
            && !index.pk.is_empty()
            && same_text(index.pk[0], name)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// The key with this number: the primary key, and then those of the indexes.
const fn nth_key(entity: &EntityDef, number: usize) -> Option<&KeyDef> {
    let mut left = number;
    if left == 0 {
        return Some(&entity.pk);
    }
    left -= 1;
    if let Some(sk) = &entity.sk {
        if left == 0 {
            return Some(sk);
        }
        left -= 1;
    }
    let mut at = 0;
    while at < entity.indexes.len() {
        let index = &entity.indexes[at];
        if left < index.pk.len() {
            return Some(&index.pk[left]);
        }
        left -= index.pk.len();
        if left < index.sk.len() {
            return Some(&index.sk[left]);
        }
        left -= index.sk.len();
        at += 1;
    }
    None
}

/// The text before the first part, and the field of that part; empty if there is none.
const fn front_of(key: &KeyDef) -> (&'static str, &'static str) {
    match key.source {
        KeySource::Field(field) => ("", field),
        KeySource::Number { .. } => ("", ""),
        KeySource::Template(pieces) => match pieces {
            [Piece::Part { field, .. }, ..] => ("", field),
            [Piece::Literal(front), Piece::Part { field, .. }, ..] => (front, field),
            [Piece::Literal(front), ..] => (front, ""),
            _ => ("", ""),
        },
    }
}

/// Whether every attribute that is a partition key begins with the tenant in all entities, also where an entity uses it as
/// its sort key or for another field: its items are in that index too.
pub const fn tenant_fills_partitions(table: &TableDef, entities: &[&EntityDef]) -> bool {
    let mut at = 0;
    while at < entities.len() {
        let entity = entities[at];
        if !is_fallback(entity) && !fills_partitions(table, entity) {
            return false;
        }
        at += 1;
    }
    true
}

const fn fills_partitions(table: &TableDef, entity: &EntityDef) -> bool {
    let mut number = 0;
    while let Some(key) = nth_key(entity, number) {
        // The entity reports its own partition keys, with the place of each.
        if !is_own_partition(key.attribute, entity)
            && is_partition(key.attribute, table)
            && !begins_with_tenant(table, front_of(key).1)
        {
            return false;
        }
        number += 1;
    }
    let mut at = 0;
    while at < entity.attributes.len() {
        let attribute = &entity.attributes[at];
        if !is_own_partition(attribute.stored, entity)
            && is_partition(attribute.stored, table)
            && !begins_with_tenant(table, attribute.field)
        {
            return false;
        }
        at += 1;
    }
    at = 0;
    while at < entity.constants.len() {
        if is_partition(entity.constants[at].attribute, table) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a key attribute is a partition key of the entity itself.
const fn is_own_partition(name: &str, entity: &EntityDef) -> bool {
    if same_text(name, entity.pk.attribute) {
        return true;
    }
    let mut at = 0;
    while at < entity.indexes.len() {
        let pk = entity.indexes[at].pk;
        if !pk.is_empty() && same_text(name, pk[0].attribute) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether each partition key is a text.
pub const fn tenant_is_text(table: &TableDef, entities: &[&EntityDef]) -> bool {
    let mut at = 0;
    while at < entities.len() {
        let mut number = 0;
        while let Some(key) = nth_key(entities[at], number) {
            if is_partition(key.attribute, table)
                && !matches!(key.ty, KeyType::S)
                && !is_fallback(entities[at])
            {
                return false;
            }
            number += 1;
        }
        at += 1;
    }
    true
}

/// Whether a key of one entity never looks like one of another tenant in another entity: in each attribute, all keys are
/// fields, or all are templates, of which no front is the beginning of another one.
pub const fn tenant_is_unambiguous(table: &TableDef, entities: &[&EntityDef]) -> bool {
    let mut left = 0;
    while left < entities.len() {
        let mut right = left;
        while right < entities.len() {
            let are_declared = !is_fallback(entities[left]) && !is_fallback(entities[right]);
            if are_declared && !keys_are_unambiguous(table, entities[left], entities[right]) {
                return false;
            }
            right += 1;
        }
        left += 1;
    }
    true
}

const fn keys_are_unambiguous(table: &TableDef, one: &EntityDef, other: &EntityDef) -> bool {
    let mut left = 0;
    while let Some(a) = nth_key(one, left) {
        let mut right = 0;
        while let Some(b) = nth_key(other, right) {
            if same_text(a.attribute, b.attribute)
                && is_partition(a.attribute, table)
                && !are_unambiguous(a, b)
            {
                return false;
            }
            right += 1;
        }
        left += 1;
    }
    true
}

const fn are_unambiguous(a: &KeyDef, b: &KeyDef) -> bool {
    let are_fields = [
        matches!(a.source, KeySource::Field(_)),
        matches!(b.source, KeySource::Field(_)),
    ];
    let (a, b) = (front_of(a).0, front_of(b).0);
    match are_fields {
        [true, true] => true,
        [false, false] => same_text(a, b) || !(begins_with(a, b) || begins_with(b, a)),
        _ => false,
    }
}

const fn begins_with(text: &str, front: &str) -> bool {
    let (text, front) = (text.as_bytes(), front.as_bytes());
    let mut at = 0;
    while at < front.len() {
        if at >= text.len() || text[at] != front[at] {
            return false;
        }
        at += 1;
    }
    true
}
