//! The attributes of known programs: ElectroDB, OneTable, DynamoDB-Toolbox, PynamoDB and the enhanced client of Java.

use std::collections::BTreeSet;

use dynamo_entity::{Item, Value};

use super::field::{AdoptedField, AdoptedRole, FieldKind, Presence};
use super::sample::TableSample;
use super::time_text::TimeForm;

/// The attribute in which ElectroDB stores the name of the entity.
const ELECTRO_ENTITY: &str = "__edb_e__";

/// The attribute in which ElectroDB stores the version of the model.
pub(crate) const ELECTRO_VERSION: &str = "__edb_v__";

/// Type attributes of known programs, which only these write.
const KNOWN_TYPES: [&str; 3] = [ELECTRO_ENTITY, "_type", "_et"];

/// Type attributes that programs choose, which may have another meaning.
const LIKELY_TYPES: [&str; 9] = [
    "cls",
    "__typename",
    "entityType",
    "entity_type",
    "EntityType",
    "_entity",
    "entity",
    "type",
    "Type",
];

/// The most entities of a table. An attribute with more values is no type.
const ENTITIES: usize = 40;

/// The attribute with the name of the entity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypeAttribute {
    pub(crate) name: String,
    /// Whether only a known program writes it.
    pub(crate) is_known: bool,
}

/// The type attribute of the table, if it has one.
pub(crate) fn type_attribute(sample: &TableSample) -> Option<TypeAttribute> {
    let text = |row: &Item, name: &str| {
        row.get(name)
            .and_then(Value::as_text)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let values = |name: &str| {
        sample
            .rows
            .iter()
            .filter_map(|row| text(row, name))
            .collect::<BTreeSet<_>>()
    };
    let is_free = |name: &str| !sample.is_key(name);
    for name in KNOWN_TYPES.into_iter().filter(|name| is_free(name)) {
        let found = values(name);
        if !found.is_empty() && found.len() <= ENTITIES {
            return Some(TypeAttribute {
                name: name.to_owned(),
                is_known: true,
            });
        }
    }
    for name in LIKELY_TYPES.into_iter().filter(|name| is_free(name)) {
        let in_all = sample.rows.iter().all(|row| text(row, name).is_some());
        let found = values(name);
        // One value tells nothing, and a value for each item is no type.
        if in_all
            && found.len() >= 2
            && found.len() <= ENTITIES
            && found.len() * 2 <= sample.rows.len()
        {
            return Some(TypeAttribute {
                name: name.to_owned(),
                is_known: false,
            });
        }
    }
    None
}

/// The type of an item in the attribute of another known program.
pub(crate) fn other_type<'i>(row: &'i Item, attribute: &str) -> Option<(&'static str, &'i str)> {
    let mut others = KNOWN_TYPES.into_iter().filter(|name| *name != attribute);
    others.find_map(|name| {
        let text = row.get(name)?.as_text()?;
        // OneTable gives this type to the items of its unique values.
        (!text.is_empty() && text != UNIQUE_TYPE).then_some((name, text))
    })
}

/// Whether the program of these items converts keys to lower case.
pub(crate) fn has_lower_keys(rows: &[&Item]) -> bool {
    rows.iter().any(|row| row.contains(ELECTRO_ENTITY))
}

/// The type of the rows in which OneTable stores unique values.
pub(crate) const UNIQUE_TYPE: &str = "_Unique";

/// The purpose of these rows.
pub(crate) const UNIQUE_ROWS: &str = "of the unique values of OneTable";

/// The purpose of a row that belongs to no entity: it has no type, or the one that OneTable gives to its unique values.
pub(crate) fn foreign_purpose(
    row: &Item,
    pk: &str,
    type_value: Option<&str>,
) -> Option<&'static str> {
    let key = row.get(pk).and_then(Value::as_text).unwrap_or_default();
    match (key.to_ascii_lowercase().starts_with("_unique#"), type_value) {
        (true, None | Some(UNIQUE_TYPE)) => Some(UNIQUE_ROWS),
        (_, None) => Some("without a type"),
        (_, Some(_)) => None,
    }
}

/// Gives a field the name and role that its attribute has in known programs. `in_key` tells which fields are parts of the
/// primary key and of keys of indexes.
pub(crate) fn assign_roles(
    fields: &mut [AdoptedField],
    ttl: Option<&str>,
    rows: &[&Item],
    in_key: &dyn Fn(&str) -> (bool, bool),
) {
    const CREATED: [&str; 5] = ["_ct", "createdAt", "created_at", "created", "CreatedAt"];
    const UPDATED: [&str; 8] = [
        "_md",
        "updatedAt",
        "updated_at",
        "updated",
        "UpdatedAt",
        "modifiedAt",
        "modified_at",
        "modified",
    ];
    for (names, role) in [
        (&CREATED[..], AdoptedRole::CreatedAt),
        (&UPDATED[..], AdoptedRole::UpdatedAt),
    ] {
        let can = |field: &AdoptedField| {
            matches!(field.kind, FieldKind::Time(_))
                && matches!(field.presence, Presence::Always | Presence::Optional)
                && !in_key(&field.attribute).0
                && field.role == AdoptedRole::Attribute
        };
        let found = names.iter().find_map(|name| {
            fields
                .iter()
                .position(|field| field.attribute == *name && can(field))
        });
        if let Some(at) = found {
            fields[at].role = role;
            fields[at].unsure.push(match role {
                AdoptedRole::CreatedAt => {
                    "the time of creation by its name, so the library sets it".to_owned()
                }
                _ => "the time of the last write by its name, so the library sets it".to_owned(),
            });
        }
    }
    // The library writes managed fields, so they are no parts of keys that other programs read.
    for field in fields.iter_mut() {
        let (is_primary, is_indexed) = in_key(&field.attribute);
        if is_primary || is_indexed || field.role != AdoptedRole::Attribute {
            continue;
        }
        // The setting of the table tells the TTL for certain; names only suggest the others.
        if ttl == Some(field.attribute.as_str()) {
            assign_ttl(field, rows);
        } else if ["version", "_version"].contains(&field.attribute.as_str())
            && field.kind == FieldKind::Unsigned
            && field.presence == Presence::Always
            && rows.iter().all(|row| is_version(row.get(&field.attribute)))
        {
            field.role = AdoptedRole::Version;
            field.unsure = vec![
                "the version by its name, so every write checks and raises it; otherwise declare a `u64`"
                    .to_owned(),
            ];
        }
    }
}

fn is_version(value: Option<&Value>) -> bool {
    let number = value.and_then(Value::as_number);
    number.is_some_and(|number| number.as_str().parse::<u32>().is_ok())
}

fn assign_ttl(field: &mut AdoptedField, rows: &[&Item]) {
    let is_seconds = |value: &Value| TimeForm::EpochSeconds.has_value(value);
    // DynamoDB ignores a TTL that is no number of seconds, and so would a reader of it.
    let has_seconds = rows
        .iter()
        .filter_map(|row| row.get(&field.attribute))
        .all(is_seconds);
    match has_seconds && matches!(field.presence, Presence::Always | Presence::Optional) {
        true => {
            field.kind = FieldKind::Time(TimeForm::EpochSeconds);
            field.role = AdoptedRole::Ttl;
            field.unsure.clear();
        }
        false => field.unsure.push("the TTL attribute, but some values are no seconds since 1970, so those items never expire".to_owned()),
    }
}

/// The name of a field in Rust, where that of its attribute is an abbreviation.
pub(crate) fn known_name(attribute: &str) -> Option<&'static str> {
    Some(match attribute {
        "_ct" => "created",
        "_md" => "updated",
        ELECTRO_VERSION => "model_version",
        _ => return None,
    })
}

/// Makes the version of the model a constant, because ElectroDB finds only items with its own. Only an entity of a shared
/// table has constants; elsewhere you set the field.
pub(crate) fn assign_constant(fields: &mut [AdoptedField], rows: &[&Item], is_shared: bool) {
    let Some(field) = fields
        .iter_mut()
        .find(|field| field.attribute == ELECTRO_VERSION)
    else {
        return;
    };
    let mut texts = rows.iter().map(|row| constant_text(row, ELECTRO_VERSION));
    let first = texts.next().flatten();
    // Items of two versions would need two entities, so the version remains a field then.
    let has_one = first.is_some() && texts.all(|text| text == first);
    // A field that is also a part of a key has to remain one.
    if is_shared && has_one && field.role == AdoptedRole::Attribute {
        field.role = AdoptedRole::Constant;
    } else {
        field
            .unsure
            .push("ElectroDB finds only items with its version of the model, so set it".to_owned());
    }
}

/// The text of a constant in an item.
pub(crate) fn constant_text<'i>(row: &'i Item, attribute: &str) -> Option<&'i str> {
    row.get(attribute)?.as_text()
}
