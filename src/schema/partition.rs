//! The compile-time checks of a collection: its entities must share partitions.

use super::agree::{PartMatch, same_pieces};
use super::overlap::{is_fallback, same_text};
use super::{EntityDef, EntityIndexDef, IndexDef, IndexKind, KeyDef, KeySource, Piece};

/// Whether two declarations are of one entity.
pub const fn same_entity(a: &EntityDef, b: &EntityDef) -> bool {
    !is_fallback(a) && same_text(a.id, b.id)
}

/// The use of an index of its table by an entity, if it uses it.
pub const fn index_in(
    entity: &'static EntityDef,
    index: Option<&IndexDef>,
) -> Option<&'static EntityIndexDef> {
    match index {
        Some(index) => {
            let at = index_at(entity, index);
            if at < entity.indexes.len() {
                Some(&entity.indexes[at])
            } else {
                None
            }
        }
        None => None,
    }
}

/// The position of its first pattern of an index; the number of its patterns if it has none.
const fn index_at(entity: &EntityDef, index: &IndexDef) -> usize {
    let mut at = 0;
    while at < entity.indexes.len() && !same_text(entity.indexes[at].index, index.name) {
        at += 1;
    }
    at
}

/// Whether an entity fills an index.
pub const fn is_in_index(entity: &EntityDef, index: Option<&IndexDef>) -> bool {
    match index {
        Some(index) => {
            is_fallback(entity)
                || index.name.is_empty()
                || index_at(entity, index) < entity.indexes.len()
        }
        None => true,
    }
}

/// Whether an entity may be queried in an index, because none of its patterns there is `filling`.
pub const fn is_filled(entity: &EntityDef, index: Option<&IndexDef>) -> bool {
    let Some(index) = index else { return true };
    let mut at = 0;
    while at < entity.indexes.len() {
        let pattern = &entity.indexes[at];
        if pattern.filling && same_text(pattern.index, index.name) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether an index has partitions of its own.
pub const fn is_global(index: &IndexDef) -> bool {
    matches!(index.kind, IndexKind::Global)
}

/// The number by which an entity knows a part of a partition key, as the derive counts them.
pub const fn part_number(entity: &EntityDef, index: Option<&IndexDef>, at: usize) -> usize {
    match index {
        // A number instead of a pair, because only numbers can be parameters of a trait. No key has
        // a thousand parts.
        Some(index) if is_global(index) => (index_at(entity, index) + 1) * 1_000 + at,
        _ => at,
    }
}

/// The partition key of an entity in its table or in an index. A local index has that of the table. None if it is
/// unknown, which is reported elsewhere.
const fn partition_in<'e>(entity: &'e EntityDef, index: Option<&IndexDef>) -> Option<&'e [KeyDef]> {
    if is_fallback(entity) || !is_in_index(entity, index) {
        return None;
    }
    match index {
        Some(index) if index.name.is_empty() => None,
        Some(index) if is_global(index) => Some(entity.indexes[index_at(entity, index)].pk),
        _ => Some(std::slice::from_ref(&entity.pk)),
    }
}

/// Whether two entities have the same template for the partition key, of the table or of an index. Fields at the same
/// place may have different names, but they must not be swapped: `{a}#{b}` is not `{b}#{a}`.
pub const fn same_partition(a: &EntityDef, b: &EntityDef, index: Option<&IndexDef>) -> bool {
    let (Some(left), Some(right)) = (partition_in(a, index), partition_in(b, index)) else {
        return true;
    };
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if !same_key(&left[at], &right[at]) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether two entities declare the same `read_shards` for an index. Reads query the shards of the first one.
pub const fn same_read_shards(a: &EntityDef, b: &EntityDef, index: &IndexDef) -> bool {
    // Another check reports an entity that is not in the index.
    if partition_in(a, Some(index)).is_none() || partition_in(b, Some(index)).is_none() {
        return true;
    }
    read_shards(a, index) == read_shards(b, index)
}

const fn read_shards(entity: &EntityDef, index: &IndexDef) -> u16 {
    match entity.indexes[index_at(entity, index)].read_shards {
        Some(shards) => shards,
        None => 0,
    }
}

const fn same_key(a: &KeyDef, b: &KeyDef) -> bool {
    match (&a.source, &b.source) {
        // A query compares both with a value of the type.
        (
            KeySource::Field(_) | KeySource::Number { .. },
            KeySource::Field(_) | KeySource::Number { .. },
        ) => a.ty as u8 == b.ty as u8,
        (KeySource::Template(a), KeySource::Template(b)) => {
            let forms = PartMatch {
                field: false,
                form: true,
            };
            same_pieces(a, b, forms) && same_order(a, b)
        }
        _ => false,
    }
}

/// Whether no field of one is at another place in the other.
const fn same_order(a: &[Piece], b: &[Piece]) -> bool {
    let mut left = 0;
    while left < a.len() {
        let mut right = 0;
        while right < b.len() {
            if let (Piece::Part { field: a, .. }, Piece::Part { field: b, .. }) =
                (&a[left], &b[right])
                // The same field in another position means that one call would write two different
                // keys.
                && left != right
                && same_text(a, b)
            {
                return false;
            }
            right += 1;
        }
        left += 1;
    }
    true
}

/// Whether the part at this place of the partition key is the field of this name.
pub const fn is_part(entity: &EntityDef, index: Option<&IndexDef>, at: usize, name: &str) -> bool {
    let Some(keys) = partition_in(entity, index) else {
        return true;
    };
    match part_name(keys, at) {
        Some(field) => same_text(field, name),
        None => false,
    }
}

/// Whether the partition key has at most this many parts.
pub const fn has_at_most(entity: &EntityDef, index: Option<&IndexDef>, most: usize) -> bool {
    match partition_in(entity, index) {
        Some(keys) => part_name(keys, most).is_none(),
        None => true,
    }
}

/// The field that is the part at this place.
const fn part_name(keys: &[KeyDef], at: usize) -> Option<&'static str> {
    let (mut key, mut part) = (0, 0);
    while key < keys.len() {
        let pieces: &[Piece] = match &keys[key].source {
            KeySource::Field(field) | KeySource::Number { field, .. } if part == at => {
                return Some(*field);
            }
            KeySource::Field(_) | KeySource::Number { .. } => {
                part += 1;
                &[]
            }
            KeySource::Template(pieces) => pieces,
        };
        let mut piece = 0;
        while piece < pieces.len() {
            if let Piece::Part { field, .. } = &pieces[piece] {
                if part == at {
                    return Some(*field);
                }
                part += 1;
            }
            piece += 1;
        }
        key += 1;
    }
    None
}
