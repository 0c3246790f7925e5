//! Rules about vector indexes.

use super::finding::{Findings, LintPlace};
use crate::schema::{
    EntitySchema, FieldSchema, ProjectionSchema, TableSchema, VectorIndexSchema, VectorSearchSchema,
};

/// Vectors of at least this number of numbers have 1 KB, as much as a write unit.
const LARGE: u16 = 256;

/// The searches of all entities, each with its index.
fn searches(
    table: &TableSchema,
) -> impl Iterator<Item = (&EntitySchema, &VectorSearchSchema, &VectorIndexSchema)> {
    let entities = table.entities.iter();
    let all =
        entities.flat_map(|entity| entity.searches.iter().map(move |search| (entity, search)));
    all.filter_map(|(entity, search)| Some((entity, search, table.vector_index(&search.index)?)))
}

fn place_of(entity: &EntitySchema, search: &VectorSearchSchema) -> LintPlace {
    LintPlace::Pattern {
        entity: entity.name.clone(),
        pattern: search.name.clone(),
    }
}

pub(super) fn hidden_vectors(table: &TableSchema, findings: &mut Findings) {
    for (entity, search, _) in searches(table) {
        let within = search.within.as_ref();
        let within = within.and_then(|field| entity.field(field));
        if let Some(field) = within
            && !field.is_required
            && field.default.is_none()
        {
            let (name, search_name) = (&field.name, &search.name);
            findings.add(
                place_of(entity, search),
                format!(
                    "an item whose `{name}` is None is not in the index, and no search by `{search_name}` finds it"
                ),
                format!(
                    "make `{name}` a field that every item has, with a value of its own for items without one; `allow` it if \
                     these items should be omitted"
                ),
            );
        }
    }
}

pub(super) fn shared_vectors(table: &TableSchema, findings: &mut Findings) {
    for (entity, search, index) in searches(table) {
        let others = table
            .entities
            .iter()
            .filter(|other| other.name != entity.name);
        for other in others {
            let Some(field) = other.attribute(&index.attribute) else {
                continue;
            };
            let (name, attribute) = (&other.name, &index.attribute);
            let message = match is_vector_of(field, index) {
                true if is_found_by(other, index) => format!(
                    "the index also contains the items of `{name}`, because these store `{attribute}` too: their writes pay for \
                     it, and no search of it returns them"
                ),
                true => continue,
                false => format!(
                    "`{name}` stores a list in `{attribute}`, and DynamoDB rejects each write whose list there does not have {} \
                     numbers",
                    index.dimensions
                ),
            };
            findings.add(
                place_of(entity, search),
                message,
                "store one of them in an attribute of another name, `#[dynamo(rename = \"..\")]`",
            );
        }
    }
}

/// Whether the index accepts each value of the field.
fn is_vector_of(field: &FieldSchema, index: &VectorIndexSchema) -> bool {
    field.fixed_length() == Some(usize::from(index.dimensions))
}

/// Whether an item of this entity has the attribute that the index needs beside the vector.
fn is_found_by(entity: &EntitySchema, index: &VectorIndexSchema) -> bool {
    let within = index.within.as_ref();
    within.is_none_or(|within| entity.attribute(&within.name).is_some())
}

pub(super) fn copied_vectors(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let index = table.index(&pattern.index);
        if index.is_none_or(|index| index.projection != ProjectionSchema::All) {
            continue;
        }
        let vectors = table.vector_indexes.iter();
        let mut large = vectors.filter(|vector| vector.dimensions >= LARGE);
        let field = large.find_map(|vector| {
            let field = keys.entity.attribute(&vector.attribute)?;
            Some((field, vector.dimensions))
        });
        if let Some((field, dimensions)) = field {
            let (name, index) = (&field.name, &pattern.index);
            let kilobytes = usize::from(dimensions) * 4 / 1024;
            findings.add(
                LintPlace::of_keys(&keys),
                format!(
                    "the index `{index}` holds a copy of the vector `{name}`, at least {kilobytes} KB in each row, which every \
                     write of the row and every query pays for"
                ),
                "let the index project the fields that its queries need, for example `project = keys`",
            );
        }
    }
}
