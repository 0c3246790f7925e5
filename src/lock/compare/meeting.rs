//! The position of rows of a new entity among those of others. Programs that run do not know their type: a query that requests
//! no type, and a collection without `other`, takes them for errors.

use crate::lock::stored::{attributes, sorted_indexes};
use crate::schema::{EntitySchema, KeySchema, PatternSchema, TableSchema};

/// The old entities in whose partitions rows of an entity may be, in the table or in an index.
pub(super) fn met_by<'m>(old: &'m TableSchema, entity: &EntitySchema) -> Vec<&'m str> {
    let name = &entity.stored_name;
    let stored = attributes(&entity.fields).into_keys();
    let in_indexes = stored.filter_map(|attribute| index_of(old, name, attribute));
    let in_indexes: Vec<&str> = in_indexes.map(|(_, other)| other).collect();
    let met = others(old, name).filter(|other| {
        let mut patterns = entity.patterns.iter();
        // An item is in an index as soon as it has the attributes of its key, whatever its entity
        // declares.
        in_indexes.contains(&other.stored_name.as_str())
            || may_meet([&other.pk], [&entity.pk])
            || patterns.any(|pattern| meets(other, pattern))
    });
    met.map(|other| other.stored_name.as_str()).collect()
}

/// The old entity whose items may have the keys of an entity.
pub(super) fn may_have_key_of<'m>(old: &'m TableSchema, entity: &EntitySchema) -> Option<&'m str> {
    let mut others = others(old, &entity.stored_name);
    let other = others.find(|other| may_meet(other.keys(), entity.keys()))?;
    Some(other.stored_name.as_str())
}

fn others<'m>(table: &'m TableSchema, name: &str) -> impl Iterator<Item = &'m EntitySchema> {
    let others = table.entities.iter();
    others.filter(move |other| other.stored_name != name)
}

/// An index that has an attribute as a key, and another entity that is looked for there. A row that stores the attribute is in
/// that index, or is rejected if it stores another type.
pub(super) fn index_of<'m>(
    old: &'m TableSchema,
    name: &str,
    attribute: &str,
) -> Option<(&'m str, &'m str)> {
    let indexes = sorted_indexes(old).into_iter();
    let mut indexes = indexes.filter(|(_, (_, index))| {
        let is_of_table = |name: &str| old.keys().any(|key| key.name == name);
        index
            .keys()
            // The keys of the table are in each item and so tell nothing about this attribute.
            .any(|key| key.name == attribute && !is_of_table(&key.name))
    });
    indexes.find_map(|(index, _)| {
        let is_there = |other: &&EntitySchema| {
            let mut patterns = other.patterns.iter();
            patterns.any(|pattern| pattern.index == index)
        };
        let other = others(old, name).find(is_there)?;
        Some((index, other.stored_name.as_str()))
    })
}

/// The old entities in whose partitions of an index rows of an access pattern may be.
pub(super) fn met_in_index<'m>(
    old: &'m TableSchema,
    name: &str,
    pattern: &PatternSchema,
) -> Vec<&'m str> {
    let met = others(old, name).filter(|other| meets(other, pattern));
    met.map(|other| other.stored_name.as_str()).collect()
}

fn meets(other: &EntitySchema, pattern: &PatternSchema) -> bool {
    let mut theirs = other
        .patterns
        .iter()
        .filter(|theirs| theirs.index == pattern.index);
    theirs.any(|theirs| may_meet(&theirs.pk, &pattern.pk))
}

/// Whether two partition keys may be equal. If in doubt the answer is yes.
fn may_meet<'k>(
    left: impl IntoIterator<Item = &'k KeySchema>,
    right: impl IntoIterator<Item = &'k KeySchema>,
) -> bool {
    let mut pairs = left.into_iter().zip(right);
    pairs.all(|(left, right)| {
        let [left, right] = [left, right].map(|key| key.front().unwrap_or_default());
        // Behind its first literal text a key is data, so two keys can be equal unless their
        // literal beginnings exclude each other. This may report too much, never too little.
        left.starts_with(right) || right.starts_with(left)
    })
}
