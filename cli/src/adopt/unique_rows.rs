//! The unique values of an entity that OneTable stores in rows of their own.

use std::collections::BTreeMap;

use dynamo_entity::{Item, Value};

use super::entity::{AdoptedEntity, AdoptedKey, AdoptedUnique};
use super::field::{AdoptedField, AdoptedRole, FieldKind};
use super::names::method_name;
use super::sample::TableSample;
use super::template::{KeyPiece, KeyTemplate, PartForm};
use super::vocabulary::UNIQUE_TYPE;

/// Finds the unique values of an entity by the rows of the sample: those whose templates give the keys of rows, for all items
/// if the sample is whole. No row may have the partition key of an entity (`primary`) or of another unique row (`taken`). Returns
/// the numbers of the declared rows.
pub(crate) fn plan_uniques(
    entity: &mut AdoptedEntity,
    sample: &TableSample,
    rows: &[usize],
    type_attribute: &str,
    primary: &[AdoptedKey],
    taken: &mut Vec<KeyTemplate>,
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
        let found = find_rows(entity, &model, &field, &items, &keys);
        let is_possible = |found: &&FoundRows| !sample.is_whole || found.is_complete();
        let mut possible = found.iter().filter(is_possible);
        let Some(first) = possible.next() else {
            if let Some(found) = found.first() {
                entity.unsure.push(format!(
                    "the unique rows of `{}` are not declared, because {}",
                    field.name,
                    found.missing_text()
                ));
            }
            continue;
        };
        if let Some(reason) = meeting_key(&first.pk, primary, taken) {
            entity.unsure.push(format!(
                "the unique rows of `{}` are not declared, because their partition keys could be those of {reason}",
                field.name
            ));
            continue;
        }
        let others = possible.filter_map(|other| other.scope.as_deref());
        let others: Vec<String> = others.map(|scope| format!("`{scope}`")).collect();
        if !others.is_empty() {
            entity.unsure.push(format!(
                "the rows of `unique_{}` fit other scopes too ({}): compare the schema of OneTable",
                field.name,
                others.join(", ")
            ));
        } else if !sample.is_whole {
            entity.unsure.push(format!(
                "the scope of `unique_{}` is guessed from a part of the table: compare the schema of OneTable",
                field.name
            ));
        }
        if !first.is_complete() {
            entity
                .unsure
                .push(format!("`unique_{}`: {}", field.name, first.missing_text()));
        }
        let is_typed = sample
            .rows
            .get(first.row)
            .is_some_and(|row| row.contains(type_attribute));
        taken.push(first.pk.clone());
        entity.uniques.push(AdoptedUnique {
            name: method_name(&format!("unique_{}", field.name)),
            pk: first.pk.clone(),
            sk: sample.sk.as_ref().map(|_| first.sk.clone()),
            constant: is_typed.then(|| (type_attribute.to_owned(), UNIQUE_TYPE.to_owned())),
        });
        declared.extend(&first.rows);
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
        let own: Vec<_> = entity.uniques.drain(..).map(|unique| unique.pk).collect();
        taken.retain(|pk| !own.contains(pk));
        return Vec::new();
    }
    declared
}

/// The rows of the values of a field, within a scope.
struct FoundRows {
    scope: Option<String>,
    pk: KeyTemplate,
    /// The sort key of the first row, and its number.
    sk: String,
    row: usize,
    rows: Vec<usize>,
    /// The number of items with a value.
    items: usize,
}

impl FoundRows {
    fn is_complete(&self) -> bool {
        self.rows.len() == self.items
    }

    fn missing_text(&self) -> String {
        let missing = self.items - self.rows.len();
        format!(
            "{missing} of {} items in the sample have no row",
            self.items
        )
    }
}

/// The rows of a field without a scope, and within each scope that has any.
fn find_rows(
    entity: &AdoptedEntity,
    model: &str,
    field: &AdoptedField,
    items: &[&Item],
    keys: &BTreeMap<(&str, &str), usize>,
) -> Vec<FoundRows> {
    let scopes = entity.fields.iter().filter(|scope| is_part(scope));
    let scopes = scopes.filter(|scope| scope.attribute != field.attribute);
    let scopes = [None].into_iter().chain(scopes.map(Some));
    let found = scopes.filter_map(|scope| {
        let pk = template(model, field, scope);
        let texts: Vec<String> = items
            .iter()
            .filter_map(|item| pk.text(&entity.fields, item))
            .collect();
        let rows = texts.iter().filter_map(|text| {
            let mut found = keys.range((text.as_str(), "")..);
            let (key, row) = found.next().filter(|(key, _)| key.0 == text)?;
            Some((key.1, *row))
        });
        let rows: Vec<(&str, usize)> = rows.collect();
        let (sk, row) = rows.first().copied()?;
        Some(FoundRows {
            scope: scope.map(|scope| scope.name.clone()),
            pk,
            sk: sk.to_owned(),
            row,
            rows: rows.iter().map(|(_, row)| *row).collect(),
            items: texts.len(),
        })
    });
    found.collect()
}

/// The keys that a row could have too, which the compiler rejects.
fn meeting_key(
    pk: &KeyTemplate,
    primary: &[AdoptedKey],
    taken: &[KeyTemplate],
) -> Option<&'static str> {
    let is_met = |key: &AdoptedKey| key.template().is_none_or(|key| may_meet(pk, key));
    if primary.iter().any(is_met) {
        return Some("an item");
    }
    let is_taken = taken.iter().any(|other| may_meet(pk, other));
    is_taken.then_some("another unique value")
}

/// Whether a key could fit both templates, by the texts between their delimiters. In doubt, it returns true.
fn may_meet(one: &KeyTemplate, other: &KeyTemplate) -> bool {
    if one.is_apart(other) {
        return false;
    }
    let (Some(one), Some(other)) = (segments(one), segments(other)) else {
        return true;
    };
    for (at, pair) in one.iter().zip(&other).enumerate() {
        // The last part may contain delimiters.
        let is_open =
            pair.0.is_none() && at + 1 == one.len() || pair.1.is_none() && at + 1 == other.len();
        match pair {
            _ if is_open => return true,
            (Some(one), Some(other)) if one != other => return false,
            _ => {}
        }
    }
    one.len() == other.len()
}

/// The literals between the delimiters of a template, with None for parts; None if one is both.
fn segments(template: &KeyTemplate) -> Option<Vec<Option<String>>> {
    const PART: &str = "\0";
    let text: String = template
        .pieces
        .iter()
        .map(|piece| match piece {
            KeyPiece::Literal(text) => text.as_str(),
            KeyPiece::Part(..) => PART,
        })
        .collect();
    let segments = text.split('#').map(|segment| match segment {
        PART => Some(None),
        text => (!text.contains(PART)).then(|| Some(text.to_owned())),
    });
    segments.collect()
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
