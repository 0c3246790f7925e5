//! Compares items with those that their declarations would write.

use dynamo_entity::{Item, Number, Value};

use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern};
use super::field::AdoptedRole;
use super::key_plan::with_key_parts;
use super::sample::{SampleColumn, TableSample};
use super::template::KeyTemplate;

/// The reason why `put` would not write the item as it is, or why it cannot be read.
pub(crate) fn difference(
    entity: &AdoptedEntity,
    sample: &TableSample,
    item: &Item,
) -> Option<String> {
    let read = with_key_parts(entity, sample, item);
    for field in &entity.fields {
        if !field.keeps(&read) {
            return Some(format!("`{}` does not keep its value", field.name));
        }
        if field.role == AdoptedRole::KeyOnly && read.get(&field.attribute).is_none() {
            return Some(format!("the key has no `{}`", field.name));
        }
    }
    for (key, column) in entity.primary().zip(sample.primary()) {
        if let Some(template) = key.template()
            && template.text(&entity.fields, &read).as_deref()
                != item.get(&column.name).and_then(Value::as_text)
        {
            return Some(format!(
                "its fields give another `{}`",
                column.name.escape_debug()
            ));
        }
    }
    entity
        .patterns
        .iter()
        .find_map(|pattern| index_difference(entity, sample, pattern, item, &read))
}

fn number_of<'i>(item: &'i Item, attribute: &str) -> Option<&'i Number> {
    match item.get(attribute) {
        Some(Value::N(number)) => Some(number),
        _ => None,
    }
}

/// The same for the keys of an index. The templates of an index give all of its attributes or none.
fn index_difference(
    entity: &AdoptedEntity,
    sample: &TableSample,
    pattern: &AdoptedPattern,
    item: &Item,
    read: &Item,
) -> Option<String> {
    let index = sample.indexes.get(pattern.index)?;
    let keys: Vec<(&AdoptedKey, &SampleColumn)> = pattern.keys().zip(index.columns()).collect();
    let text = |template: &KeyTemplate| template.text(&entity.fields, read);
    let is_in = keys.iter().all(|(key, column)| match key {
        AdoptedKey::Template(template) => text(template).is_some(),
        AdoptedKey::Field(_) => item
            .get(&column.name)
            .is_some_and(|value| *value != Value::Null),
        // A number is written by itself.
        AdoptedKey::Number(_) => true,
    });
    // An item outside the index has none of the derived attributes, so both sides are None.
    let differs = keys.iter().any(|(key, column)| match key {
        AdoptedKey::Field(_) => false,
        AdoptedKey::Number(source) => number_of(read, source) != number_of(item, &column.name),
        AdoptedKey::Template(template) => {
            let written = text(template).filter(|_| is_in);
            written.as_deref() != item.get(&column.name).and_then(Value::as_text)
        }
    });
    differs.then(|| {
        format!(
            "its fields give other keys of `{}`",
            index.name.escape_debug()
        )
    })
}

/// Whether the item is deeper than the text of a sample is read.
pub(crate) fn is_deep(item: &Item) -> bool {
    fn depth(value: &Value) -> usize {
        match value {
            Value::L(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
            Value::M(map) => 1 + map.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
            _ => 0,
        }
    }
    item.iter().any(|(_, value)| depth(value) > 30)
}
