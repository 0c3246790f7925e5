//! Changes of vector indexes.

use super::pair::{TablePair, held, refused_by};
use super::pattern::rejected;
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
    // A type that never fits is reported before single values that may not fit.
    if let Some((key, entity)) = refused_by(index.keys(), old) {
        let what = format!(
            "the vector index is new, and its attribute `{}` is {}: `{entity}` stores another type there, which DynamoDB rejects as \
             soon as the index exists",
            key.name,
            key.ty.word()
        );
        let steps = [
            "use another attribute, which the declaration writes with this type",
            "or stop all programs that write the old type, and write all items again before",
        ];
        return StoredChange::new(ChangeClass::BreaksRunning, place, what, &steps);
    }
    let known = old.key_types();
    let mut keys = index.keys();
    let refused = keys.find_map(|key| {
        // DynamoDB has enforced the type of such an attribute all along.
        match known.contains_key(key.name.as_str()) {
            true => None,
            false => rejected_by(key, index, old),
        }
    });
    let mut stored = old.entities.iter().flat_map(|entity| &entity.fields);
    let is_stored = stored.any(|field| field.attribute.as_ref() == Some(&index.attribute));
    let vectors = is_stored.then(|| {
        let (attribute, dimensions) = (&index.attribute, index.dimensions);
        format!("a write whose `{attribute}` is not a list of {dimensions} numbers")
    });
    let values = refused.map(|(entity, rejected)| {
        format!("a write with {rejected}, which `{entity}` may store there")
    });
    let rejected: Vec<String> = vectors.into_iter().chain(values).collect();
    match rejected.is_empty() {
        false => StoredChange::new(
            ChangeClass::FillFirst,
            place,
            format!(
                "the vector index is new. Once it exists, DynamoDB rejects {}, also one of a program that runs now",
                rejected.join(", and ")
            ),
            &[
                "deploy programs that never write so, everywhere",
                "then create the index, by `db.plan(..)`, and wait until searches of it succeed",
            ],
        ),
        true => StoredChange::new(
            ChangeClass::Free,
            place,
            "the vector index is new, and existing items have no vector".to_owned(),
            &[
                "create it, by `db.plan(..)`, and wait until searches of it succeed, before you deploy programs that search it",
            ],
        ),
    }
}

/// An entity that may store the attribute in a way that DynamoDB rejects, and how. Only a partition cannot be empty.
fn rejected_by<'m>(
    key: &KeyAttribute,
    index: &VectorIndexSchema,
    old: &'m TableSchema,
) -> Option<(&'m str, String)> {
    let is_partition = index.within.as_ref() == Some(key);
    let mut entities = old.entities.iter();
    entities.find_map(|entity| {
        let field = entity.attribute(&key.name)?;
        let told = match is_partition || field.stored.is_none() {
            true => rejected(field, key)?,
            false => return None,
        };
        Some((entity.stored_name.as_str(), told))
    })
}

/// `embedding (768 numbers, cosine) within org (S), by language (S), holding all attributes`
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
    text.push_str(&format!(", holding {}", held(&index.projection)));
    text
}
