//! One entity, guessed from its items.

use std::collections::BTreeSet;

use dynamo_entity::Item;
use dynamo_entity::schema::KeyType;

use super::copied_number::declare_copied_numbers;
use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern, EntityTerms};
use super::field::{AdoptedField, FieldKind};
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

/// Notes the parts for which the sample fits several formats.
fn note_ambiguous_parts(entity: &mut AdoptedEntity, read: &[&Item]) {
    let parts = ambiguous_parts(entity, read);
    for field in &mut entity.fields {
        let notes = parts
            .iter()
            .filter(|(attribute, _)| *attribute == field.attribute);
        field.unsure.extend(notes.map(|(_, note)| note.clone()));
    }
}

/// The forms of the same number with its own decimals, or with a fixed number of them.
fn other_fraction_forms(form: PartForm) -> Vec<(PartForm, usize)> {
    let fixed =
        |width| (1..=6).map(move |decimals| (PartForm::Decimals { width, decimals }, decimals));
    match form {
        PartForm::Plain => fixed(0).collect(),
        PartForm::Width(width) => fixed(width).collect(),
        PartForm::Decimals { width: 0, decimals } => vec![(PartForm::Plain, decimals)],
        PartForm::Decimals { width, decimals } => vec![(PartForm::Width(width), decimals)],
        _ => Vec::new(),
    }
}

/// The parts whose texts in the sample fit several formats, with a note: in lower case and as they are, padded and not, or
/// with a fixed number of decimals and with those of the number.
fn ambiguous_parts(entity: &AdoptedEntity, read: &[&Item]) -> BTreeSet<(String, String)> {
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
            let note = "keys may contain the text as it is, because the sample has no capitals";
            ambiguous.insert((attribute.to_owned(), note.to_owned()));
        }
        let lengths: BTreeSet<usize> = plain.iter().map(String::len).collect();
        if form == PartForm::Plain
            && field.kind == FieldKind::Unsigned
            && lengths.len() == 1
            && !lengths.contains(&1)
        {
            let note = "keys may contain shorter numbers with zeros, because all numbers of the sample have one length";
            ambiguous.insert((attribute.to_owned(), note.to_owned()));
        }
        if !matches!(field.kind, FieldKind::Float | FieldKind::Exact) {
            continue;
        }
        let others = other_fraction_forms(form).into_iter();
        for (_, decimals) in
            others.filter(|(other, _)| !plain.is_empty() && texts(*other) == texts(form))
        {
            let note = format!(
                "keys may contain the number as it is or with {decimals} decimals, because all numbers of the sample have {decimals} decimals"
            );
            ambiguous.insert((attribute.to_owned(), note));
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
