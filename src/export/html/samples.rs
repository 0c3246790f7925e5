//! Samples of the entities, made of what the schema says about the fields. The code of the entity reads each of them and
//! writes it again, so their keys are those that a program stores.

mod values;

use super::sample::Sample;
use crate::codec::{Item, Value};
use crate::schema::{DeclaredEntity, EntitySchema, FieldRole, FieldSchema, TableSchema};
use values::Values;
pub(super) use values::value_texts;

/// How many samples an entity has, unless more are needed for all of its indexes.
const SAMPLES: usize = 3;
/// How many are tried.
const TRIED: usize = 24;

/// The samples of an entity; none if its schema was read from JSON, or if it has values that only its code can make.
pub(super) fn entity_samples(schema: &TableSchema, entity: &EntitySchema) -> Vec<Sample> {
    let Some(declared) = entity.origin.0 else {
        return Vec::new();
    };
    let mut made: Vec<Sample> = Vec::new();
    for variation in 0..TRIED {
        if let Some(sample) = make_sample(schema, entity, declared, variation)
            // Two samples with one key would be one item.
            && !made
                .iter()
                .any(|known| known.placement.key == sample.placement.key)
        {
            made.push(sample);
        }
    }
    choose_samples(made)
}

/// The first of the samples, and one for each index that none of these is in.
fn choose_samples(made: Vec<Sample>) -> Vec<Sample> {
    let mut covered: Vec<String> = Vec::new();
    let mut kept: Vec<Sample> = Vec::new();
    for sample in made {
        let there = sample.placement.indexes.iter();
        let there = there.filter(|index| index.place.is_ok());
        let new: Vec<String> = there
            .map(|index| index.index.clone())
            .filter(|index| !covered.contains(index))
            .collect();
        // Beyond the first samples, only those that show an index which is still empty.
        if kept.len() < SAMPLES || !new.is_empty() {
            covered.extend(new);
            kept.push(sample);
        }
    }
    kept
}

fn make_sample(
    schema: &TableSchema,
    entity: &EntitySchema,
    declared: DeclaredEntity,
    variation: usize,
) -> Option<Sample> {
    let mut item = Item::new();
    let mut unknown: Vec<&str> = Vec::new();
    for field in &entity.fields {
        let Some(attribute) = &field.attribute else {
            continue;
        };
        let is_optional = field.rust_type.starts_with("Option<");
        // Some samples lack what may be missing, to show items that are not in an index.
        if is_optional && variation % SAMPLES == SAMPLES - 1 && field.role != FieldRole::Ttl {
            continue;
        }
        let at = field_ordinal(entity, field, variation);
        let values = Values {
            schema,
            entity: &entity.name,
            at,
        };
        match values.of_field(field) {
            Some(value) => {
                item.insert(attribute.clone(), value);
            }
            None if field.is_required => unknown.push(attribute),
            None => {}
        }
    }
    let json = stored_bytes(declared, item, &unknown)?;
    Sample::of_json(schema, entity, &json, variation).ok()
}

/// Samples share partitions, so that a view shows rows beside each other.
fn field_ordinal(entity: &EntitySchema, field: &FieldSchema, variation: usize) -> usize {
    let has_parts = entity
        .sk
        .as_ref()
        .is_some_and(|sk| sk.fields().next().is_some());
    let is_of_partition = entity.pk.fields().any(|name| name == field.name);
    // Two samples in a row share their partition, so that the page shows partitions with more than
    // one item.
    match has_parts && is_of_partition {
        true => variation / 2,
        false => variation,
    }
}

/// The item as its entity stores it. Of types that only their code knows, usual values are tried.
fn stored_bytes(declared: DeclaredEntity, mut item: Item, unknown: &[&str]) -> Option<Vec<u8>> {
    let candidates = Values::candidate_values();
    let count = candidates
        .len()
        .checked_pow(unknown.len().try_into().ok()?)?;
    for number in 0..count.min(200) {
        let mut left = number;
        for attribute in unknown {
            let value: &Value = candidates.get(left % candidates.len())?;
            item.insert((*attribute).to_owned(), value.clone());
            left /= candidates.len();
        }
        let json = item.to_dynamo_json().ok()?;
        // Types that the schema does not know are found by trial: the code of the entity itself
        // says whether it can read a value.
        if let Some(stored) = (declared.entity.reread)(&json) {
            return Some(stored);
        }
    }
    None
}
