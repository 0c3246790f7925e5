//! The key attributes of an entity: a template, or a field.

use std::collections::BTreeSet;

use dynamo_entity::schema::KeyType;
use dynamo_entity::{Item, Value};

use super::entity::AdoptedEntity;
use super::field::{AdoptedField, AdoptedRole, FieldKind, Presence};
use super::infer::{ValuePlace, infer_field};
use super::names::{field_name, unique_name};
use super::sample::{SampleColumn, TableSample};
use super::template::KeyTemplate;
use super::template_search::{SearchTerms, search_template};

/// A template with the fields that it needs.
pub(crate) struct FoundTemplate {
    pub(crate) template: KeyTemplate,
    /// The attribute names of the parts that are only in the key.
    pub(crate) key_parts: Vec<String>,
    /// The attributes of times that have to be texts.
    pub(crate) texts: Vec<String>,
}

/// Searches a template, and then once more with times as texts, if some part is only in the key or nothing was found.
pub(crate) fn search_with_texts(
    rows: &[&Item],
    attribute: &str,
    fields: &[AdoptedField],
    terms: SearchTerms,
) -> Option<FoundTemplate> {
    let first = search_template(rows, attribute, fields, terms);
    let is_complete = first
        .as_ref()
        .is_some_and(|(_, key_parts)| key_parts.is_empty());
    let times: Vec<&AdoptedField> = fields
        .iter()
        .filter(|field| is_text_time(rows, field))
        .collect();
    if !is_complete && !times.is_empty() {
        let mut as_texts = fields.to_vec();
        let times: BTreeSet<String> = times.iter().map(|field| field.attribute.clone()).collect();
        for field in as_texts
            .iter_mut()
            .filter(|field| times.contains(&field.attribute))
        {
            field.kind = FieldKind::Text;
        }
        let second = search_template(rows, attribute, &as_texts, terms);
        let hidden = |found: &Option<(KeyTemplate, Vec<String>)>| {
            found.as_ref().map_or(usize::MAX, |(_, names)| names.len())
        };
        if hidden(&second) < hidden(&first) {
            return second.map(|(template, key_parts)| {
                let texts = times
                    .into_iter()
                    .filter(|time| template.contains(time))
                    .collect();
                FoundTemplate {
                    template,
                    key_parts,
                    texts,
                }
            });
        }
    }
    first.map(|(template, key_parts)| FoundTemplate {
        template,
        key_parts,
        texts: Vec::new(),
    })
}

fn is_text_time(rows: &[&Item], field: &AdoptedField) -> bool {
    matches!(field.kind, FieldKind::Time(_))
        && rows
            .iter()
            .any(|row| matches!(row.get(&field.attribute), Some(Value::S(_))))
}

/// Makes the times texts that a key contains in a format of its own.
pub(crate) fn demote(fields: &mut [AdoptedField], texts: &[String]) {
    for field in fields
        .iter_mut()
        .filter(|field| texts.contains(&field.attribute))
    {
        field.kind = FieldKind::Text;
        field.unsure = vec!["a text, because keys contain the time as it was written".to_owned()];
    }
}

/// Whether the template says nothing about the key.
pub(crate) fn is_one_key_part(found: &FoundTemplate) -> bool {
    found.template.pieces.len() == 1 && found.key_parts.len() == 1
}

/// Adds the fields for the parts that are only in the key.
pub(crate) fn add_key_parts(
    fields: &mut Vec<AdoptedField>,
    found: &FoundTemplate,
    column: &SampleColumn,
    unsure: &mut Vec<String>,
) {
    for part in &found.key_parts {
        let mut taken: BTreeSet<String> = fields.iter().map(|field| field.name.clone()).collect();
        taken.insert("rest".to_owned());
        let name = unique_name(field_name(part), &mut taken);
        unsure.push(format!(
            "`{name}` is only in `{}`; if it is a number or a time, declare its type",
            visible_name(&column.name)
        ));
        fields.push(AdoptedField {
            attribute: part.clone(),
            name,
            kind: FieldKind::Text,
            presence: Presence::Always,
            role: AdoptedRole::KeyOnly,
            unsure: Vec::new(),
        });
    }
}

/// A name in a comment.
pub(crate) fn visible_name(name: &str) -> String {
    name.escape_debug().collect()
}

/// Declares the field of a key attribute by the type of the key.
pub(crate) fn bare_field(fields: &mut Vec<AdoptedField>, items: &[&Item], column: &SampleColumn) {
    let mut field = infer_field(items, &column.name, ValuePlace::BareKey, 0);
    if field.kind == FieldKind::Any {
        field.unsure.clear();
        field.kind = match column.ty {
            KeyType::N => FieldKind::Exact,
            KeyType::B => FieldKind::Bytes,
            KeyType::S => FieldKind::Text,
        };
    }
    // A key attribute of a table without items is in all of them.
    if items.is_empty() {
        field.presence = Presence::Always;
    }
    match fields
        .iter_mut()
        .find(|known| known.attribute == column.name)
    {
        Some(known) => {
            field.name.clone_from(&known.name);
            *known = field;
        }
        None => fields.push(field),
    }
}

/// The item with the parts that are only in its key, under the names of their fields.
pub(crate) fn with_key_parts(entity: &AdoptedEntity, sample: &TableSample, item: &Item) -> Item {
    let mut read = item.clone();
    for (key, column) in entity.primary().zip(sample.primary()) {
        if let (Some(template), Some(text)) = (
            key.template(),
            item.get(&column.name).and_then(Value::as_text),
        ) {
            // A key that does not fit is found when the item is compared.
            let _ = template.read_key_parts(&entity.fields, text, &mut read);
        }
    }
    read
}
