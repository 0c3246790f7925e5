//! The access patterns of an entity: the indexes that contain its items, with the templates of their keys.

use dynamo_entity::schema::KeyType;
use dynamo_entity::{Item, Value};

use super::copied_number::copied_columns;
use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern, EntityTerms};
use super::field::{AdoptedField, AdoptedRole};
use super::key_plan::{bare_field, demote, search_with_texts, visible_name};
use super::names::{field_name, method_name, unique_name};
use super::sample::{SampleColumn, SampleIndex, TableSample};
use super::template::{KeyPiece, KeyTemplate, part_text};
use super::template_search::SearchTerms;

/// Plans the patterns of all indexes that contain one of the items.
pub(crate) fn plan_patterns(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    rows: &[&Item],
    search: SearchTerms,
    terms: &EntityTerms<'_>,
) {
    let mut taken = std::collections::BTreeSet::new();
    for (number, index) in sample.indexes.iter().enumerate() {
        // A number that another program copies may be missing beside the texts, which that program writes without it.
        let copied = copied_columns(entity, sample, index, rows, terms);
        let decides =
            |column: &SampleColumn| !copied.iter().any(|copied| copied.name == column.name);
        let is_in = |row: &&Item| {
            let mut columns = index.columns().filter(|column| decides(column));
            columns.all(|column| row.contains(&column.name))
        };
        let inside: Vec<&Item> = rows.iter().copied().filter(|row| is_in(row)).collect();
        if inside.is_empty() && !rows.is_empty() {
            continue;
        }
        let templates = plan_templates(entity, sample, index, rows, &inside, search, terms);
        let mut templates = match templates {
            Ok(templates) => templates,
            Err(reason) => {
                entity.unsure.push(format!(
                    "the keys of the index `{}` are fields, and no write derives them: {reason}",
                    visible_name(&index.name)
                ));
                index.columns().map(|_| None).collect()
            }
        }
        .into_iter();
        let mut keys = |entity: &mut AdoptedEntity, columns: &[SampleColumn]| -> Vec<AdoptedKey> {
            let keys = columns
                .iter()
                .map(|column| match templates.next().flatten() {
                    Some(template) => {
                        entity.fields.retain(|field| field.attribute != column.name);
                        AdoptedKey::Template(template)
                    }
                    None => {
                        bare_field(&mut entity.fields, rows, column);
                        AdoptedKey::Field(column.name.clone())
                    }
                });
            keys.collect()
        };
        let pk = keys(entity, &index.pk);
        let sk = keys(entity, &index.sk);
        let name = pattern_name(entity, index, terms, pk.iter().chain(&sk));
        entity.patterns.push(AdoptedPattern {
            name: unique_name(name, &mut taken),
            index: number,
            pk,
            sk,
        });
    }
}

/// The name of the function: that of the index, or of its first part in a shared index.
fn pattern_name<'k>(
    entity: &AdoptedEntity,
    index: &SampleIndex,
    terms: &EntityTerms<'_>,
    keys: impl Iterator<Item = &'k AdoptedKey>,
) -> String {
    let is_generic = terms.any_names && index.columns().any(|column| column.is_generic());
    let first = keys.filter_map(|key| match key {
        AdoptedKey::Template(template) => template.parts().next().map(|(attribute, _)| attribute),
        AdoptedKey::Field(_) | AdoptedKey::Number(_) => None,
    });
    let field = first
        .filter(|_| is_generic)
        .filter_map(|attribute| entity.field(attribute))
        .next();
    match field {
        Some(field) => format!("by_{}", field.name.trim_end_matches('_')),
        None => method_name(&field_name(&index.name)),
    }
}

/// The template of each key attribute, or None for a field; an error is the reason why all of them are fields.
fn plan_templates(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    index: &SampleIndex,
    rows: &[&Item],
    inside: &[&Item],
    search: SearchTerms,
    terms: &EntityTerms<'_>,
) -> Result<Vec<Option<KeyTemplate>>, String> {
    let is_list = index.pk.len() > 1 || index.sk.len() > 1;
    let generic = |column: &SampleColumn| column.ty == KeyType::S && column.is_generic();
    // The keys of an index with a list are fields.
    if is_list || inside.is_empty() || !index.columns().any(generic) {
        return Ok(index.columns().map(|_| None).collect());
    }
    let own_names = [format!("{}_pk", index.name), format!("{}_sk", index.name)];
    if !terms.any_names
        && index
            .columns()
            .any(|column| generic(column) && !own_names.contains(&column.name))
    {
        return Err("templates in attributes of these names need a `DynamoTable`, which adds a type attribute".to_owned());
    }
    // DynamoDB does not index such an item, but its attributes would be removed.
    let partial = |row: &&Item| {
        let present = index
            .columns()
            .filter(|column| generic(column) && row.contains(&column.name))
            .count();
        present > 0 && !inside.iter().any(|inside| std::ptr::eq(*inside, *row))
    };
    if rows.iter().any(partial) {
        return Err("some items have only one of them".to_owned());
    }
    let mut templates = Vec::new();
    let mut texts = Vec::new();
    for column in index.columns() {
        if !generic(column) {
            templates.push(None);
            continue;
        }
        let parts: Vec<AdoptedField> = entity
            .fields
            .iter()
            .filter(|field| is_part(field, sample))
            .cloned()
            .collect();
        let found = search_with_texts(inside, &column.name, &parts, search);
        let Some(found) = found else {
            return Err(format!(
                "`{}` is no template of the fields in all items",
                visible_name(&column.name)
            ));
        };
        // A time that another key contains in a format cannot be a text.
        let is_used = |text: &String| {
            let mut keys = entity
                .primary()
                .chain(entity.patterns.iter().flat_map(AdoptedPattern::keys));
            keys.any(|key| key.contains(text))
        };
        if found.texts.iter().any(is_used) {
            return Err("a time has another format in another key".to_owned());
        }
        if let [KeyPiece::Literal(text)] = found.template.pieces.as_slice() {
            constant_is_safe(text)?;
            entity.unsure.push(format!(
                "`{}` is {text:?} in all items of the sample",
                visible_name(&column.name)
            ));
        }
        texts.extend(found.texts);
        templates.push(Some(found.template));
    }
    demote(&mut entity.fields, &texts);
    outside_is_known(entity, index, rows, inside, &templates)?;
    Ok(templates)
}

fn is_part(field: &AdoptedField, sample: &TableSample) -> bool {
    let mut columns = sample
        .primary()
        .chain(sample.indexes.iter().flat_map(SampleIndex::columns));
    let is_key = columns.any(|column| column.name == field.attribute && column.is_generic());
    !is_key && (field.role == AdoptedRole::KeyOnly || field.role == AdoptedRole::Attribute)
}

/// A constant with a word of data, such as `TENANT#7`, would move all other items to that partition.
fn constant_is_safe(text: &str) -> Result<(), String> {
    let last = text.rsplit(['#', '|', '/', ':']).next().unwrap_or_default();
    let is_data = last.len() < text.len()
        && !text.starts_with('$')
        && last.contains(|c: char| c.is_lowercase() || c.is_ascii_digit());
    let is_number = text.contains(|c: char| c.is_ascii_digit()) && !text.starts_with('$');
    match is_data || is_number {
        true => Err(format!(
            "all items of the sample have the text {text:?}, and no attribute has a part of it"
        )),
        false => Ok(()),
    }
}

/// Items outside the index lack a part, so the library does not put them into it.
fn outside_is_known(
    entity: &AdoptedEntity,
    index: &SampleIndex,
    rows: &[&Item],
    inside: &[&Item],
    templates: &[Option<KeyTemplate>],
) -> Result<(), String> {
    let lacks_part = |row: &Item| {
        let of_templates = templates.iter().flatten().flat_map(KeyTemplate::parts);
        let mut of_templates = of_templates.map(|(attribute, form)| {
            entity
                .field(attribute)
                .and_then(|field| part_text(field, form, row))
        });
        let mut bare = index
            .columns()
            .zip(templates)
            .filter(|(_, template)| template.is_none());
        of_templates.any(|text| text.is_none())
            || bare.any(|(column, _)| {
                row.get(&column.name)
                    .is_none_or(|value| *value == Value::Null)
            })
    };
    let is_outside = |row: &&&Item| !inside.iter().any(|inside| std::ptr::eq(*inside, **row));
    match rows.iter().filter(is_outside).all(|row| lacks_part(row)) {
        true => Ok(()),
        false => Err("some items are not in the index although they have all parts of its keys; declare the condition by `when(..)`".to_owned()),
    }
}
