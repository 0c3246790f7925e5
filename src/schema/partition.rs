//! What the compiler checks about a collection: its entities have to share partitions.

use super::agree::same_width;
use super::overlap::{is_fallback, same_text};
use super::{EntityDef, KeySource, Piece};

/// Whether two declarations are of one entity.
pub const fn same_entity(a: &EntityDef, b: &EntityDef) -> bool {
    !is_fallback(a) && same_text(a.id, b.id)
}

/// Whether two entities have the same template for the partition key. Fields at the same place may have
/// different names, but they must not be swapped: `{a}#{b}` is not `{b}#{a}`.
pub const fn same_partition(a: &EntityDef, b: &EntityDef) -> bool {
    if is_fallback(a) || is_fallback(b) {
        return true;
    }
    match (&a.pk.source, &b.pk.source) {
        (KeySource::Field(_), KeySource::Field(_)) => a.pk.ty as u8 == b.pk.ty as u8,
        (KeySource::Template(a), KeySource::Template(b)) => same_texts(a, b) && same_order(a, b),
        _ => false,
    }
}

const fn same_texts(a: &[Piece], b: &[Piece]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        let same = match (&a[at], &b[at]) {
            (Piece::Literal(a), Piece::Literal(b)) => same_text(a, b),
            (Piece::Part { width: a, .. }, Piece::Part { width: b, .. }) => same_width(*a, *b),
            (Piece::Shard(a), Piece::Shard(b)) => *a == *b,
            _ => false,
        };
        if !same {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether no field of one is at another place in the other.
const fn same_order(a: &[Piece], b: &[Piece]) -> bool {
    let mut left = 0;
    while left < a.len() {
        let mut right = 0;
        while right < b.len() {
            if let (Piece::Part { field: a, .. }, Piece::Part { field: b, .. }) =
                (&a[left], &b[right])
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
pub const fn is_part(entity: &EntityDef, at: usize, name: &str) -> bool {
    if is_fallback(entity) {
        return true;
    }
    let pieces = match &entity.pk.source {
        KeySource::Field(field) => return at == 0 && same_text(field, name),
        KeySource::Template(pieces) => *pieces,
    };
    let (mut piece, mut part) = (0, 0);
    while piece < pieces.len() {
        if let Piece::Part { field, .. } = &pieces[piece] {
            if part == at {
                return same_text(field, name);
            }
            part += 1;
        }
        piece += 1;
    }
    false
}

/// Whether the partition key has at most this many parts.
pub const fn has_at_most(entity: &EntityDef, most: usize) -> bool {
    is_fallback(entity) || parts(entity) <= most
}

const fn parts(entity: &EntityDef) -> usize {
    let KeySource::Template(pieces) = &entity.pk.source else {
        return 1;
    };
    let (mut piece, mut parts) = (0, 0);
    while piece < pieces.len() {
        if matches!(pieces[piece], Piece::Part { .. }) {
            parts += 1;
        }
        piece += 1;
    }
    parts
}
