//! Changes of vector indexes.

use super::pair::TablePair;
use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::{KeyAttribute, TableSchema, VectorIndexSchema, Word};

/// The differences of the vector indexes of a table.
pub(super) fn changes(tables: TablePair<'_>, changes: &mut Vec<StoredChange>) {
    let (was, is, table) = (tables.old, tables.new, tables.name());
    let known = was.vector_indexes.iter();
    changes.extend(known.filter_map(|index| index_change(table, index, is)));
    let appeared = is.vector_indexes.iter();
    let appeared = appeared.filter(|index| was.vector_index(&index.name).is_none());
    changes.extend(appeared.map(|index| index_appeared(table, index, was)));
}

fn index_change(table: &str, was: &VectorIndexSchema, new: &TableSchema) -> Option<StoredChange> {
    let place = (table, Some(was.name.clone()));
    let Some(is) = new.vector_index(&was.name) else {
        return Some(StoredChange::new(
            ChangeClass::BreaksRunning,
            place,
            "the vector index is no longer declared, and running programs may search it".to_owned(),
            &[
                "deploy programs that do not search it, everywhere",
                "then drop the declaration, and remove the index by a plan that allows it, when no rollback is intended",
            ],
        ));
    };
    (is != was).then(|| {
        let what = format!(
            "the vector index was {} and is {}: DynamoDB changes no index, and deleting it first leaves programs without it",
            shown(was),
            shown(is)
        );
        StoredChange::new(
            ChangeClass::BreaksRunning,
            place,
            what,
            &[
                "leave this index as it is, and declare a second one under a new name; vectors of another length or model need \
                 an attribute of their own, too",
                "create that, by `db.plan(..)`, deploy programs that write both, and write all items again",
                "search the new one, everywhere",
                "then drop the old declaration, and delete the old index",
            ],
        )
    })
}

/// Once an index exists, DynamoDB rejects writes of other values in its attributes.
fn index_appeared(table: &str, index: &VectorIndexSchema, old: &TableSchema) -> StoredChange {
    let place = (table, Some(index.name.clone()));
    let mut stored = old.entities.iter().flat_map(|entity| &entity.fields);
    let is_stored = stored.any(|field| field.attribute.as_ref() == Some(&index.attribute));
    match is_stored {
        true => StoredChange::new(
            ChangeClass::FillFirst,
            place,
            format!(
                "the vector index is new. Once it exists, DynamoDB rejects a write whose `{}` is not a list of {} numbers, also one \
                 of a program that runs now",
                index.attribute, index.dimensions
            ),
            &[
                "deploy programs that write only such vectors, everywhere",
                "then create the index, by `db.plan(..)`, and wait until searches of it succeed",
            ],
        ),
        false => StoredChange::new(
            ChangeClass::Free,
            place,
            "the vector index is new, and existing items have no vector".to_owned(),
            &[
                "create it, by `db.plan(..)`, and wait until searches of it succeed, before you deploy programs that search it",
            ],
        ),
    }
}

/// `embedding (768 numbers, cosine) within org (S), by language (S)`
fn shown(index: &VectorIndexSchema) -> String {
    let key = |key: &KeyAttribute| format!("{} ({})", key.name, key.ty.word());
    let (attribute, dimensions) = (&index.attribute, index.dimensions);
    let mut text = format!(
        "`{attribute}` ({dimensions} numbers, {})",
        index.distance.word()
    );
    if let Some(within) = &index.within {
        text.push_str(&format!(" within {}", key(within)));
    }
    let filters: Vec<String> = index.filters.iter().map(key).collect();
    if !filters.is_empty() {
        text.push_str(&format!(", by {}", filters.join(", ")));
    }
    text
}
