//! Vector indexes: the changes from those that exist to those that are declared.

use super::change::TableChange;
use super::compare::{has_index, missing_index, show_attribute, show_projection};
use super::limits::VECTOR_INDEXES;
use crate::schema::{
    Billing, KeyAttribute, ProjectionSchema, TableSchema, VectorIndexSchema, Word,
};
use crate::wire::table::DescribedTable;

/// The changes of vector indexes. An index is added before others are removed, unless one of them is in its way.
#[derive(Debug, Default)]
pub(super) struct VectorChanges {
    /// The changes that are never made.
    pub(super) impossible: Vec<TableChange>,
    pub(super) added: Vec<TableChange>,
    pub(super) removed: Vec<TableChange>,
    /// Whether indexes must be removed first: the table would have too many, or vectors of two lengths in one attribute.
    pub(super) removes_first: bool,
}

/// A server that does not support vector indexes needs no changes, because it drops their declaration.
pub(super) fn vector_changes(declared: &TableSchema, there: &DescribedTable) -> VectorChanges {
    let mut changes = VectorChanges::default();
    if !there.knows_vectors {
        return changes;
    }
    let found = &there.schema;
    let differences = list_vector_differences(declared, found);
    changes.impossible = differences.into_iter().map(TableChange::Replace).collect();
    // An index of another kind that has the same name is a difference of its own.
    let added = declared.vector_indexes.iter();
    for index in added.filter(|index| !has_index(found, &index.name)) {
        let old = list_other_lengths(index, &found.vector_indexes);
        let mut kept = old.iter().filter(|old| has_index(declared, &old.name));
        match kept.next() {
            Some(kept) => changes
                .impossible
                .push(TableChange::Replace(other_length(index, kept))),
            None => {
                changes.removes_first |= !old.is_empty();
                changes
                    .added
                    .push(TableChange::AddIndex(index.name.clone()));
            }
        }
    }
    let removed = found.vector_indexes.iter();
    let removed = removed.filter(|index| !has_index(declared, &index.name));
    changes.removed = removed
        .map(|index| TableChange::RemoveIndex(index.name.clone()))
        .collect();
    let there = found.vector_indexes.len();
    changes.removes_first |= there + changes.added.len() > most_vector_indexes(there);
    let billing = declared.settings.billing.or(found.settings.billing);
    if !changes.added.is_empty() && billing.and_then(Billing::units).is_some() {
        let told = "vector indexes need a table that is billed by requests, and this one is billed by units: declare \
                    `on_demand()`, or remove the vector index";
        // Every program that wants the index must be told.
        changes
            .impossible
            .push(TableChange::Replace(told.to_owned()));
        changes.added.clear();
    }
    changes
}

/// The indexes that read vectors of another length from the attribute of this one, which DynamoDB rejects.
pub(super) fn list_other_lengths<'s>(
    index: &VectorIndexSchema,
    there: &'s [VectorIndexSchema],
) -> Vec<&'s VectorIndexSchema> {
    let others = there
        .iter()
        .filter(|other| other.attribute == index.attribute && other.dimensions != index.dimensions);
    others.collect()
}

/// The message for an index whose vectors have another length than those of one that stays.
pub(super) fn other_length(index: &VectorIndexSchema, kept: &VectorIndexSchema) -> String {
    let (name, attribute, old) = (&index.name, &index.attribute, &kept.name);
    let (wanted, there) = (index.dimensions, kept.dimensions);
    format!(
        "vector index `{name}` cannot be added: it reads vectors of {wanted} numbers from `{attribute}`, and `{old}` reads \
         vectors of {there} numbers from there: store the vectors in another attribute, or remove `{old}` first, which a plan \
         does if you no longer declare it and allow it by name"
    )
}

/// How many vector indexes a table with this number may have. An account may have a higher quota, whose value is not known.
pub(super) fn most_vector_indexes(there: usize) -> usize {
    match there > VECTOR_INDEXES {
        true => usize::MAX,
        false => VECTOR_INDEXES,
    }
}

/// The message for an index that a table with all its vector indexes cannot take.
pub(super) fn full_of_vectors(name: &str) -> String {
    format!(
        "vector index `{name}` cannot be added: the table has {VECTOR_INDEXES} vector indexes, which is all that DynamoDB allows: \
         remove one first, which a plan does if you no longer declare it and allow it by name"
    )
}

/// The missing vector indexes, and the differences of those that exist.
pub(super) fn list_missing_vectors(declared: &TableSchema, found: &TableSchema) -> Vec<String> {
    let missing = declared.vector_indexes.iter();
    let missing = missing.filter(|index| !has_index(found, &index.name));
    let mut list = list_vector_differences(declared, found);
    list.extend(missing.map(|index| missing_index(&index.name)));
    list
}

/// The differences of the vector indexes that exist. DynamoDB changes none of them.
pub(crate) fn list_vector_differences(declared: &TableSchema, found: &TableSchema) -> Vec<String> {
    let indexes = declared.vector_indexes.iter();
    let pairs = indexes.filter_map(|index| Some((index, found.vector_index(&index.name)?)));
    pairs
        .filter_map(|(declared, found)| index_difference(declared, found))
        .collect()
}

fn index_difference(declared: &VectorIndexSchema, found: &VectorIndexSchema) -> Option<String> {
    let facts = [show_vector, show_partition, show_filters, show_held];
    let differing = facts.iter().filter_map(|fact| {
        let (there, wanted) = (fact(found), fact(declared));
        (there != wanted).then(|| format!("has {there}, declared: {wanted}"))
    });
    let says: Vec<String> = differing.collect();
    (!says.is_empty()).then(|| {
        format!(
            "vector index `{}` {}: an index cannot be changed: declare it under a new name with `rename = \"..\"`, and remove \
             the old one when no program searches it any more",
            declared.name,
            says.join(" and ")
        )
    })
}

/// The vectors of an index, in words.
pub(super) fn show_vector(index: &VectorIndexSchema) -> String {
    let (attribute, dimensions, distance) = (&index.attribute, index.dimensions, index.distance);
    format!(
        "vectors of {dimensions} numbers in `{attribute}` by {}",
        distance.word()
    )
}

fn show_partition(index: &VectorIndexSchema) -> String {
    match &index.within {
        Some(within) => format!("partitions by {}", show_attribute(within)),
        None => "no partitions".to_owned(),
    }
}

fn show_filters(index: &VectorIndexSchema) -> String {
    let mut filters: Vec<String> = index.filters.iter().map(show_attribute).collect();
    filters.sort();
    match filters.is_empty() {
        true => "no filters".to_owned(),
        false => format!("the filters {}", filters.join(", ")),
    }
}

/// The attributes in the index, except those of conditions, which it always contains.
fn show_held(index: &VectorIndexSchema) -> String {
    let is_other = |name: &&String| index.keys().all(|key: &KeyAttribute| key.name != **name);
    let held = match &index.projection {
        ProjectionSchema::All => None,
        ProjectionSchema::Keys => Some(Default::default()),
        ProjectionSchema::Include(names) => Some(names.iter().filter(is_other).cloned().collect()),
    };
    show_projection(&held)
}
