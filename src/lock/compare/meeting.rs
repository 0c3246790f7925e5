//! Where rows of a new entity stand among those of others. Programs that run do not know their type: a query that asks for
//! no type, and a collection without `other`, takes them for errors.

use crate::lock::stored::{StoredEntity, StoredKey, StoredPattern, StoredPiece, StoredTable};

/// The old entities in whose partitions rows of an entity may stand, in the table or in an index.
pub(super) fn met_by<'m>(old: &'m StoredTable, name: &str, entity: &StoredEntity) -> Vec<&'m str> {
    let others = old.entities.iter().filter(|(other, _)| *other != name);
    let met = others.filter(|(_, other)| {
        let mut patterns = entity.patterns.values();
        may_meet([&other.pk], [&entity.pk]) || patterns.any(|pattern| meets(other, pattern))
    });
    met.map(|(other, _)| other.as_str()).collect()
}

/// The old entities in whose partitions of an index rows of an access pattern may stand.
pub(super) fn met_in_index<'m>(
    old: &'m StoredTable,
    name: &str,
    pattern: &StoredPattern,
) -> Vec<&'m str> {
    let others = old.entities.iter().filter(|(other, _)| *other != name);
    let met = others.filter(|(_, other)| meets(other, pattern));
    met.map(|(other, _)| other.as_str()).collect()
}

fn meets(other: &StoredEntity, pattern: &StoredPattern) -> bool {
    let mut theirs = other
        .patterns
        .values()
        .filter(|theirs| theirs.index == pattern.index);
    theirs.any(|theirs| may_meet(&theirs.pk, &pattern.pk))
}

/// Whether two partition keys may be equal. If in doubt the answer is yes.
fn may_meet<'k>(
    left: impl IntoIterator<Item = &'k StoredKey>,
    right: impl IntoIterator<Item = &'k StoredKey>,
) -> bool {
    let mut pairs = left.into_iter().zip(right);
    pairs.all(|(left, right)| {
        let (left, right) = (front(left), front(right));
        left.starts_with(right) || right.starts_with(left)
    })
}

/// What all keys begin with.
fn front(key: &StoredKey) -> &str {
    match key.pieces().first() {
        Some(StoredPiece::Text(text)) => text,
        _ => "",
    }
}
