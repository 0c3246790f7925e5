//! The unique values of an entity that OneTable stores in rows of their own.

use std::collections::BTreeMap;

use dynamo_entity::{Item, Value};

use super::entity::{AdoptedEntity, AdoptedUnique};
use super::field::{AdoptedField, AdoptedRole, FieldKind};
use super::names::method_name;
use super::sample::TableSample;
use super::template::{KeyPiece, KeyTemplate, PartForm};
use super::vocabulary::UNIQUE_TYPE;

/// Finds the unique values of an entity by the rows of the sample: those whose templates give the keys of rows, for all items
/// if the sample is whole. Returns the numbers of the declared rows.
pub(crate) fn plan_uniques(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    rows: &[usize],
    type_attribute: &str,
) -> Vec<usize> {
    let keys: BTreeMap<(&str, &str), usize> = rows
        .iter()
        .filter_map(|row| {
            let item = sample.rows.get(*row)?;
            let text = |name: &str| item.get(name).and_then(Value::as_text);
            let sk = match &sample.sk {
                Some(column) => text(&column.name)?,
                None => "",
            };
            Some(((text(&sample.pk.name)?, sk), *row))
        })
        .collect();
    let Some(model) = entity.type_value.clone() else {
        return Vec::new();
    };
    let items: Vec<&Item> = entity
        .rows
        .iter()
        .filter_map(|row| sample.rows.get(*row))
        .collect();
    let mut declared = Vec::new();
    for field in entity.fields.clone() {
        if !is_part(&field) {
            continue;
        }
        let scopes = entity.fields.iter().filter(|scope| is_part(scope));
        let scopes = scopes.filter(|scope| scope.attribute != field.attribute);
        let scopes: Vec<Option<&AdoptedField>> =
            [None].into_iter().chain(scopes.map(Some)).collect();
        for scope in scopes {
            let pk = template(&model, &field, scope);
            let texts: Vec<String> = items
                .iter()
                .filter_map(|item| pk.text(&entity.fields, item))
                .collect();
            let found = texts.iter().filter_map(|text| {
                let mut found = keys.range((text.as_str(), "")..);
                let (key, row) = found.next().filter(|(key, _)| key.0 == text)?;
                Some((key.1, *row))
            });
            let found: Vec<(&str, usize)> = found.collect();
            let Some((sk, first)) = found.first().copied() else {
                continue;
            };
            // A row that is missing in a part of the table may be elsewhere.
            if sample.is_whole && found.len() < texts.len() {
                continue;
            }
            let is_typed = sample
                .rows
                .get(first)
                .is_some_and(|row| row.contains(type_attribute));
            entity.uniques.push(AdoptedUnique {
                name: method_name(&format!("unique_{}", field.name)),
                pk,
                sk: sample.sk.as_ref().map(|_| sk.to_owned()),
                constant: is_typed.then(|| (type_attribute.to_owned(), UNIQUE_TYPE.to_owned())),
            });
            declared.extend(found.iter().map(|(_, row)| *row));
            break;
        }
    }
    if !entity.uniques.is_empty()
        && let Some(ttl) = entity
            .fields
            .iter()
            .find(|field| field.role == AdoptedRole::Ttl)
    {
        entity.unsure.push(format!(
            "its unique values are not declared, because the items expire by `{}` and the rows of the values do not",
            ttl.name
        ));
        entity.uniques.clear();
        return Vec::new();
    }
    declared
}

/// Whether OneTable writes the value as a key of this library contains it.
fn is_part(field: &AdoptedField) -> bool {
    let is_plain = matches!(
        field.kind,
        FieldKind::Text | FieldKind::Unsigned | FieldKind::Signed
    );
    is_plain && field.role == AdoptedRole::Attribute
}

/// `_unique#User#email#{email}`, or `_unique#{account}#User#email#{email}` within a scope.
fn template(model: &str, field: &AdoptedField, scope: Option<&AdoptedField>) -> KeyTemplate {
    let mut pieces = vec![KeyPiece::Literal("_unique#".to_owned())];
    let model = format!("{model}#{}#", field.attribute);
    match scope {
        None => pieces = vec![KeyPiece::Literal(format!("_unique#{model}"))],
        Some(scope) => {
            pieces.push(KeyPiece::Part(scope.attribute.clone(), PartForm::Plain));
            pieces.push(KeyPiece::Literal(format!("#{model}")));
        }
    }
    pieces.push(KeyPiece::Part(field.attribute.clone(), PartForm::Plain));
    KeyTemplate { pieces }
}
