//! Items that are stored under two primary keys while they move from one to the other.

use super::overlap::{is_fallback, key_may_meet, same_text};
use super::{EntityDef, EntityIndexDef, KeyDef, Style};

/// Whether the items have another row.
pub const fn has_second_key(entity: &EntityDef) -> bool {
    entity.second_key.is_some()
}

/// The entity of the same table whose writes store the rows of this one.
pub(crate) const fn written_with(
    entity: &EntityDef,
    entities: &[&'static EntityDef],
) -> Option<&'static EntityDef> {
    let mut at = 0;
    while at < entities.len() {
        if let Some(second) = &entities[at].second_key
            && same_text(second.other.id, entity.id)
        {
            return Some(entities[at]);
        }
        at += 1;
    }
    None
}

/// Whether this is the only entity of the table that stores its items under the key of the other one.
pub const fn has_one_move(
    entity: &EntityDef,
    other: &EntityDef,
    entities: &[&'static EntityDef],
) -> bool {
    match written_with(other, entities) {
        Some(first) => same_text(first.id, entity.id),
        None => true,
    }
}

/// Whether nothing that its items have prevents them from being stored under two keys.
pub const fn is_movable(entity: &EntityDef) -> bool {
    let mut at = 0;
    while at < entity.attributes.len() {
        if entity.attributes[at].former.is_some() {
            return false;
        }
        at += 1;
    }
    entity.uniques.is_empty() && entity.shape.is_none() && entity.expiry.is_none()
}

/// Whether rows of two entities may have one partition key, in the table or in an index. In doubt, it returns true.
pub const fn rows_may_meet(a: &EntityDef, b: &EntityDef, style: Style) -> bool {
    if is_fallback(a) || is_fallback(b) {
        return false;
    }
    if key_may_meet(&a.pk, &b.pk, style) {
        return true;
    }
    let mut at = 0;
    while at < a.indexes.len() {
        let mut other = 0;
        while other < b.indexes.len() {
            if index_rows_may_meet(&a.indexes[at], &b.indexes[other], style) {
                return true;
            }
            other += 1;
        }
        at += 1;
    }
    false
}

const fn index_rows_may_meet(a: &EntityIndexDef, b: &EntityIndexDef, style: Style) -> bool {
    // A local index has the partitions of the table, which were compared.
    same_text(a.index, b.index) && !a.pk.is_empty() && keys_may_meet(a.pk, b.pk, style)
}

const fn keys_may_meet(a: &[KeyDef], b: &[KeyDef], style: Style) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if !key_may_meet(&a[at], &b[at], style) {
            return false;
        }
        at += 1;
    }
    true
}
