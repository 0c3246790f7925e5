//! One entity, guessed from its items.

use std::collections::{BTreeMap, BTreeSet};

use dynamo_entity::schema::KeyType;
use dynamo_entity::{Item, Value};

use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern, EntityTerms};
use super::field::{AdoptedField, AdoptedRole, FieldKind};
use super::infer::infer_fields;
use super::key_plan::{
    FoundTemplate, add_key_parts, bare_field, demote, is_one_key_part, search_with_texts,
    with_key_parts,
};
use super::names::{method_name, unique_name};
use super::pattern::plan_patterns;
use super::sample::TableSample;
use super::template::{KeyPiece, KeyTemplate, PartForm, part_text};
use super::template_search::SearchTerms;
use super::vocabulary;

/// The entity of these items.
pub(crate) fn plan_entity(
    sample: &TableSample,
    rows: &[usize],
    name: String,
    type_value: Option<String>,
    terms: &EntityTerms<'_>,
) -> AdoptedEntity {
    let items: Vec<&Item> = rows
        .iter()
        .filter_map(|row| sample.rows.get(*row))
        .collect();
    let mut fields = infer_fields(&items, 0);
    fields.retain(|field| Some(field.attribute.as_str()) != terms.type_attribute);
    let is_lower = vocabulary::has_lower_keys(&items);
    // Texts of keys are no parts of other keys.
    let is_part = |field: &AdoptedField| {
        let mut columns = sample
            .primary()
            .chain(sample.indexes.iter().flat_map(|index| index.columns()));
        !columns.any(|column| column.name == field.attribute && column.is_generic())
    };
    let mut unsure = Vec::new();
    let mut keys = Vec::new();
    // The partition key first, because its parts may be parts of the sort key too.
    for column in sample.primary() {
        let search = SearchTerms {
            is_primary: true,
            is_lower,
        };
        let parts: Vec<AdoptedField> = fields
            .iter()
            .filter(|field| is_part(field) && field.attribute != column.name)
            .cloned()
            .collect();
        let found = match column.ty == KeyType::S && column.is_generic() {
            true => search_with_texts(&items, &column.name, &parts, search),
            false => None,
        };
        keys.push(match found.filter(|found| !is_one_key_part(found)) {
            // The key attribute is derived now, so it is no field.
            Some(found) => {
                demote(&mut fields, &found.texts);
                fields.retain(|field| field.attribute != column.name);
                add_key_parts(&mut fields, &found, column, &mut unsure);
                AdoptedKey::Template(found.template)
            }
            None => {
                bare_field(&mut fields, &items, column);
                AdoptedKey::Field(column.name.clone())
            }
        });
    }
    let mut keys = keys.into_iter();
    let pk = keys
        .next()
        .unwrap_or(AdoptedKey::Field(sample.pk.name.clone()));
    let mut entity = AdoptedEntity {
        name,
        type_value,
        type_attribute: None,
        pk,
        sk: keys.next(),
        patterns: Vec::new(),
        uniques: Vec::new(),
        fields,
        rows: rows.to_vec(),
        unsure,
    };
    let read: Vec<Item> = items
        .iter()
        .map(|item| with_key_parts(&entity, sample, item))
        .collect();
    let read: Vec<&Item> = read.iter().collect();
    plan_patterns(
        &mut entity,
        sample,
        &read,
        SearchTerms {
            is_primary: false,
            is_lower,
        },
        terms,
    );
    finish_fields(&mut entity, sample, &items, terms.type_attribute.is_some());
    note_ambiguous_parts(&mut entity, &read);
    declare_copied_numbers(&mut entity, sample, &items, terms);
    entity
}

/// Declares the numbers in keys of indexes that equal another attribute in all items as numbers of its field. Another program
/// copies the attribute, as ElectroDB does with `cast: "number"`. Where this library could not write the keys of all items,
/// they remain fields with a note.
fn declare_copied_numbers(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    items: &[&Item],
    terms: &EntityTerms<'_>,
) {
    for (attribute, source) in copied_numbers(entity, items) {
        let uses: Vec<(usize, usize)> = entity
            .patterns
            .iter()
            .enumerate()
            .flat_map(|(at, pattern)| {
                let is_it = |(_, key): &(usize, &AdoptedKey)| {
                    matches!(key, AdoptedKey::Field(field) if *field == attribute)
                };
                let keys = pattern.keys().enumerate().filter(is_it);
                keys.map(move |(key, _)| (at, key)).collect::<Vec<_>>()
            })
            .collect();
        let is_attribute = |field: &AdoptedField| field.role == AdoptedRole::Attribute;
        let is_primary = entity.primary().any(|key| key.contains(&attribute));
        let is_possible = !is_primary
            && entity.field(&attribute).is_some_and(is_attribute)
            && entity.field(&source).is_some_and(is_attribute)
            && uses.iter().all(|(pattern, key)| {
                entity
                    .patterns
                    .get(*pattern)
                    .is_some_and(|pattern| can_be_number(pattern, *key, &attribute, sample, terms))
            });
        if is_possible {
            for (pattern, key) in uses {
                let keys = entity.patterns.get_mut(pattern).into_iter();
                let mut keys =
                    keys.flat_map(|pattern| pattern.pk.iter_mut().chain(&mut pattern.sk));
                if let Some(key) = keys.nth(key) {
                    *key = AdoptedKey::Number(source.clone());
                }
            }
            entity.fields.retain(|field| field.attribute != attribute);
            continue;
        }
        let name = entity.field(&source).map(|field| field.name.clone());
        let mut fields = entity.fields.iter_mut();
        if let (Some(field), Some(name)) = (fields.find(|field| field.attribute == attribute), name)
        {
            field.unsure.push(format!(
                "it equals `{name}` in all items, so the other program copies it, and this library does not: set both in each write"
            ));
        }
    }
}

/// The attributes of numbers in keys of indexes, each with another attribute that is equal in all items.
fn copied_numbers(entity: &AdoptedEntity, items: &[&Item]) -> BTreeMap<String, String> {
    let is_number = |field: &&AdoptedField| {
        matches!(
            field.kind,
            FieldKind::Unsigned | FieldKind::Signed | FieldKind::Float | FieldKind::Exact
        )
    };
    let keys = entity.patterns.iter().flat_map(AdoptedPattern::keys);
    let keys = keys.filter_map(|key| match key {
        AdoptedKey::Field(attribute) => entity.field(attribute).filter(is_number),
        AdoptedKey::Template(_) | AdoptedKey::Number(_) => None,
    });
    let copies = keys.filter_map(|key| {
        let mut others = entity.fields.iter().filter(is_number);
        let source = others.find(|other| {
            let is_key = other.attribute == key.attribute || is_key(entity, &other.attribute);
            !is_key && is_copy(items, &key.attribute, &other.attribute)
        });
        Some((key.attribute.clone(), source?.attribute.clone()))
    });
    copies.collect()
}

/// Whether this library would write this key of an index for the same items, if it is declared as the number of a field.
fn can_be_number(
    pattern: &AdoptedPattern,
    key: usize,
    attribute: &str,
    sample: &TableSample,
    terms: &EntityTerms<'_>,
) -> bool {
    let Some(index) = sample.indexes.get(pattern.index) else {
        return false;
    };
    let role = if key < index.pk.len() && !index.is_local {
        "pk"
    } else {
        "sk"
    };
    let has_name = terms.any_names || attribute == format!("{}_{role}", index.name);
    // The keys of an index with a list are fields.
    let is_list = pattern.pk.len() > 1 || pattern.sk.len() > 1;
    has_name && !is_list
}

/// Whether an attribute itself is a key.
fn is_key(entity: &AdoptedEntity, attribute: &str) -> bool {
    let keys = entity.patterns.iter().flat_map(AdoptedPattern::keys);
    let is_it = |key: &AdoptedKey| matches!(key, AdoptedKey::Field(field) if field == attribute);
    entity.primary().chain(keys).any(is_it)
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

/// Notes the parts for which the sample fits several formats.
fn note_ambiguous_parts(entity: &mut AdoptedEntity, read: &[&Item]) {
    let parts = ambiguous_parts(entity, read);
    for field in &mut entity.fields {
        for (_, is_lower) in parts
            .iter()
            .filter(|(attribute, _)| *attribute == field.attribute)
        {
            field.unsure.push(match is_lower {
                true => "keys may contain the text as it is, because the sample has no capitals",
                false => "keys may contain shorter numbers with zeros, because all numbers of the sample have one length",
            }.to_owned());
        }
    }
}

/// The parts whose texts in the sample fit several formats: in lower case and as they are, or padded and not.
fn ambiguous_parts(entity: &AdoptedEntity, read: &[&Item]) -> BTreeSet<(String, bool)> {
    let of_patterns = entity.patterns.iter().flat_map(AdoptedPattern::keys);
    let templates = entity.primary().chain(of_patterns);
    let parts = templates
        .filter_map(AdoptedKey::template)
        .flat_map(KeyTemplate::parts);
    let mut ambiguous = BTreeSet::new();
    for (attribute, form) in parts {
        let Some(field) = entity.field(attribute) else {
            continue;
        };
        let texts = |form| -> Vec<String> {
            read.iter()
                .filter_map(|row| part_text(field, form, row))
                .collect()
        };
        let plain = texts(PartForm::Plain);
        if form == PartForm::Lower && texts(form) == plain {
            ambiguous.insert((attribute.to_owned(), true));
        }
        let lengths: BTreeSet<usize> = plain.iter().map(String::len).collect();
        if form == PartForm::Plain
            && field.kind == FieldKind::Unsigned
            && lengths.len() == 1
            && !lengths.contains(&1)
        {
            ambiguous.insert((attribute.to_owned(), false));
        }
    }
    ambiguous
}

/// Roles, names, and constants that would be mistaken for fields.
fn finish_fields(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    items: &[&Item],
    is_shared: bool,
) {
    let mut fields = std::mem::take(&mut entity.fields);
    {
        let entity = &*entity;
        let in_key = |attribute: &str| {
            let is_primary = entity.primary().any(|key| key.contains(attribute));
            let mut keys = entity.patterns.iter().flat_map(AdoptedPattern::keys);
            (is_primary, keys.any(|key| key.contains(attribute)))
        };
        vocabulary::assign_roles(&mut fields, sample.ttl.as_deref(), items, &in_key);
        vocabulary::assign_constant(&mut fields, items, is_shared);
    }
    let mut taken = BTreeSet::from(["rest".to_owned()]);
    for field in &mut fields {
        let sorts = entity
            .sk
            .iter()
            .chain(entity.patterns.iter().flat_map(|pattern| &pattern.sk));
        let is_sorted = sorts.into_iter().any(|key| key.contains(&field.attribute));
        let wanted = match vocabulary::known_name(&field.attribute) {
            Some(name) => name.to_owned(),
            None if is_sorted => method_name(&field.name),
            None => field.name.clone(),
        };
        field.name = unique_name(wanted, &mut taken);
    }
    entity.fields = fields;
    for column in sample.primary() {
        let is_pk = column.name == sample.pk.name;
        let Some(AdoptedKey::Template(template)) = (if is_pk {
            Some(&entity.pk)
        } else {
            entity.sk.as_ref()
        }) else {
            continue;
        };
        let [KeyPiece::Literal(text)] = template.pieces.as_slice() else {
            continue;
        };
        // The name of a field in quotes is likely a mistake, so it does not compile.
        let is_name = entity
            .fields
            .iter()
            .any(|field| field.name == *text || field.attribute == *text);
        if is_name {
            let part = format!("\u{1}{}_part", column.name);
            let found = FoundTemplate {
                template: KeyTemplate {
                    pieces: vec![KeyPiece::Part(part.clone(), PartForm::Plain)],
                },
                key_parts: vec![part],
                texts: Vec::new(),
            };
            add_key_parts(&mut entity.fields, &found, column, &mut entity.unsure);
            let key = AdoptedKey::Template(found.template);
            match is_pk {
                true => entity.pk = key,
                false => entity.sk = Some(key),
            }
        }
    }
}
