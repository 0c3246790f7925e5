//! Numbers in keys of indexes that another program copies from an attribute, as ElectroDB does with `cast: "number"`.

use std::collections::BTreeSet;

use dynamo_entity::schema::KeyType;
use dynamo_entity::{Item, Value};

use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern, EntityTerms};
use super::field::{AdoptedField, AdoptedRole, FieldKind};
use super::sample::{SampleColumn, SampleIndex, TableSample};

/// Declares the numbers in keys of indexes that equal another attribute in all items as numbers of its field. Where this
/// library could not write the keys of all items, or the sample leaves open which attribute is copied, they remain fields
/// with a note.
pub(crate) fn declare_copied_numbers(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    items: &[&Item],
    terms: &EntityTerms<'_>,
) {
    for attribute in numbers_in_keys(entity) {
        let sources = sources_of(entity, sample, items, &attribute);
        let [source] = sources.as_slice() else {
            note_sources(entity, &attribute, &sources);
            continue;
        };
        let is_attribute = |name: &str| {
            let field = entity.field(name);
            field.is_some_and(|field| field.role == AdoptedRole::Attribute)
        };
        let is_primary = entity.primary().any(|key| key.contains(&attribute));
        let uses = entity.patterns.iter().filter(|pattern| {
            let mut keys = pattern.keys();
            keys.any(|key| matches!(key, AdoptedKey::Field(field) if *field == attribute))
        });
        let mut indexes = uses.map(|pattern| sample.indexes.get(pattern.index));
        let is_possible = !is_primary
            && is_attribute(&attribute)
            && is_attribute(source)
            && indexes
                .all(|index| index.is_some_and(|index| can_be_number(index, &attribute, terms)));
        if !is_possible {
            note_sources(entity, &attribute, &sources);
            continue;
        }
        let patterns = entity.patterns.iter_mut();
        for key in patterns.flat_map(|pattern| pattern.pk.iter_mut().chain(&mut pattern.sk)) {
            if matches!(key, AdoptedKey::Field(field) if *field == attribute) {
                *key = AdoptedKey::Number(source.clone());
            }
        }
        entity.fields.retain(|field| field.attribute != attribute);
    }
}

/// Notes that a key equals other attributes, because the program that adopts the table must set all of them.
fn note_sources(entity: &mut AdoptedEntity, attribute: &str, sources: &[String]) {
    let names = sources.iter().filter_map(|source| entity.field(source));
    let names: Vec<String> = names.map(|field| format!("`{}`", field.name)).collect();
    let note = match names.as_slice() {
        [] => return,
        [name] => format!(
            "it equals {name} in all items: if the other program copies it, set both in each write, or declare the key as `number(..)` in a `DynamoTable`"
        ),
        _ => format!(
            "it equals {} in all items: if the other program copies one of them, declare the key as the `number(..)` of that",
            names.join(" and ")
        ),
    };
    let mut fields = entity.fields.iter_mut();
    if let Some(field) = fields.find(|field| field.attribute == attribute) {
        field.unsure.push(note);
    }
}

/// The attributes of numbers in keys of indexes.
fn numbers_in_keys(entity: &AdoptedEntity) -> BTreeSet<String> {
    let keys = entity.patterns.iter().flat_map(AdoptedPattern::keys);
    let numbers = keys.filter_map(|key| match key {
        AdoptedKey::Field(attribute) => entity.field(attribute).filter(is_number),
        AdoptedKey::Template(_) | AdoptedKey::Number(_) => None,
    });
    numbers.map(|field| field.attribute.clone()).collect()
}

/// The attributes that equal a key in all items.
fn sources_of(
    entity: &AdoptedEntity,
    sample: &TableSample,
    items: &[&Item],
    key: &str,
) -> Vec<String> {
    let numbers = entity.fields.iter().filter(is_number);
    let sources = numbers.filter(|other| {
        let mut columns = sample
            .primary()
            .chain(sample.indexes.iter().flat_map(SampleIndex::columns));
        let is_key = columns.any(|column| column.name == other.attribute);
        !is_key && is_copy(items, key, &other.attribute)
    });
    sources.map(|field| field.attribute.clone()).collect()
}

fn is_number(field: &&AdoptedField) -> bool {
    matches!(
        field.kind,
        FieldKind::Unsigned | FieldKind::Signed | FieldKind::Float | FieldKind::Exact
    )
}

/// The numbers in the keys of an index that are copies. An item may lack them and have the other key attributes.
pub(crate) fn copied_columns<'i>(
    entity: &AdoptedEntity,
    sample: &TableSample,
    index: &'i SampleIndex,
    items: &[&Item],
    terms: &EntityTerms<'_>,
) -> Vec<&'i SampleColumn> {
    let columns = index.columns().filter(|column| {
        column.ty == KeyType::N
            && can_be_number(index, &column.name, terms)
            && sources_of(entity, sample, items, &column.name).len() == 1
    });
    columns.collect()
}

/// Whether this library would write this key of an index, if it is declared as the number of a field.
fn can_be_number(index: &SampleIndex, attribute: &str, terms: &EntityTerms<'_>) -> bool {
    let Some(column) = index.columns().find(|column| column.name == attribute) else {
        return false;
    };
    let is_pk = index.pk.iter().any(|column| column.name == attribute);
    let role = if is_pk { "pk" } else { "sk" };
    let has_name = terms.any_names || attribute == format!("{}_{role}", index.name);
    // The keys of an index with a list are fields. A name with a meaning of its own is that of an attribute, which only
    // happens to have the same values in the sample.
    let is_list = index.pk.len() > 1 || index.sk.len() > 1;
    has_name && !is_list && column.is_generic()
}

/// Whether two attributes are equal in all items, which have several values of them.
fn is_copy(items: &[&Item], key: &str, source: &str) -> bool {
    let is_equal = items.iter().all(|item| item.get(key) == item.get(source));
    let values = items.iter().filter_map(|item| match item.get(key) {
        Some(Value::N(number)) => Some(number.as_str()),
        _ => None,
    });
    is_equal && values.collect::<BTreeSet<_>>().len() > 1
}
