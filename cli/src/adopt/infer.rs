//! The fields of a struct, guessed from the items or maps that it reads, and their types, guessed from the values.

use std::collections::{BTreeMap, BTreeSet};

use dynamo_entity::{Item, Number, Value};

use super::field::{
    AdoptedField, AdoptedRole, FieldKind, NestedStruct, Nulls, Presence, is_canonical, is_float,
};
use super::names::{field_name, singular, type_name, unique_name};
use super::time_text::TimeForm;

/// The most attributes that become fields. Others stay in `rest`.
const FIELDS: usize = 80;

/// The attributes that the library keeps for itself.
fn is_reserved(attribute: &str) -> bool {
    ["$unique", "_shape"].contains(&attribute)
        || ["_job.", "_fill.", "$large."]
            .iter()
            .any(|front| attribute.starts_with(front))
}

/// The fields for all attributes of these items or maps.
pub(crate) fn infer_fields(rows: &[&Item], depth: usize) -> Vec<AdoptedField> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    // Counted before names are made, because two attributes may get one name.
    for (name, _) in rows.iter().flat_map(|row| row.iter()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut attributes: Vec<(&str, usize)> = counts
        .into_iter()
        .filter(|(name, _)| !is_reserved(name))
        .collect();
    // Attributes that few items have are likely keys of data, not names.
    if attributes.len() > FIELDS {
        attributes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        attributes.truncate(FIELDS);
        attributes.sort_unstable();
    }
    let mut taken = BTreeSet::from(["rest".to_owned()]);
    let fields = attributes.into_iter().map(|(attribute, _)| {
        let mut field = infer_field(rows, attribute, ValuePlace::Field, depth);
        field.name = unique_name(field.name, &mut taken);
        field
    });
    fields.collect()
}

/// The field of one attribute.
pub(crate) fn infer_field(
    rows: &[&Item],
    attribute: &str,
    place: ValuePlace,
    depth: usize,
) -> AdoptedField {
    let found: Vec<&Value> = rows.iter().filter_map(|row| row.get(attribute)).collect();
    let values: Vec<&Value> = found
        .iter()
        .copied()
        .filter(|value| **value != Value::Null)
        .collect();
    // NULL is a value, so an item with NULL is not one without the attribute.
    let is_absent = found.len() < rows.len();
    let mut presence = match (values.len() < found.len(), is_absent) {
        (false, false) => Presence::Always,
        (false, true) => Presence::Optional,
        (true, false) => Presence::Null,
        (true, true) => Presence::NullOrAbsent,
    };
    // `null` and `format` exclude each other.
    let place = match (presence, place) {
        (Presence::Null | Presence::NullOrAbsent, ValuePlace::Field) => ValuePlace::NullField,
        (_, place) => place,
    };
    let mut kind = infer_kind(attribute, &values, place, depth);
    // An absent set is an empty one, and a set is never NULL.
    if kind.is_set() && matches!(presence, Presence::Null | Presence::NullOrAbsent) {
        kind = FieldKind::Any;
    }
    let mut unsure = Vec::new();
    if kind == FieldKind::Any {
        // `Option<Value>` keeps a NULL, and needs no other word.
        if presence != Presence::Always {
            presence = Presence::Optional;
        }
        // A value of any type keeps everything, but says nothing about the model.
        unsure.push(match values.is_empty() {
            true => "every item of the sample has NULL here".to_owned(),
            false => "the sample has several types here, or empty lists and maps".to_owned(),
        });
    }
    if kind == FieldKind::Float {
        unsure.push("a float; use `Number` or a decimal type for amounts of money".to_owned());
    }
    if matches!(
        kind,
        FieldKind::Time(TimeForm::EpochSeconds | TimeForm::EpochMillis)
            | FieldKind::KeyTime(TimeForm::EpochSeconds | TimeForm::EpochMillis)
    ) {
        unsure.push("a time by the name of the attribute and the size of its numbers".to_owned());
    }
    AdoptedField {
        attribute: attribute.to_owned(),
        name: field_name(attribute),
        kind,
        presence,
        role: AdoptedRole::Attribute,
        unsure,
    }
}

/// The place of a value: a field may have a format and a type for a key, an element may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValuePlace {
    Field,
    /// Some values are NULL, and `null` excludes a format.
    NullField,
    BareKey,
    Element,
}

/// How deeply structs are nested before a map is any value.
const DEPTH: usize = 5;

/// The most members of a struct.
const MEMBERS: usize = 60;

/// The type of an attribute with these values, none of which is NULL.
pub(crate) fn infer_kind(
    name: &str,
    values: &[&Value],
    place: ValuePlace,
    depth: usize,
) -> FieldKind {
    let all = |is: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| is(value));
    match () {
        () if all(|value| matches!(value, Value::S(_))) => text_kind(values, place),
        () if all(|value| matches!(value, Value::N(_))) => {
            let numbers: Vec<&Number> = values
                .iter()
                .filter_map(|value| value.as_number())
                .collect();
            number_kind(name, &numbers, place)
        }
        () if all(|value| matches!(value, Value::Bool(_))) => FieldKind::Bool,
        () if all(|value| matches!(value, Value::B(_))) => FieldKind::Bytes,
        () if all(|value| matches!(value, Value::Ss(_))) => FieldKind::TextSet,
        () if all(|value| matches!(value, Value::Bs(_))) => FieldKind::BytesSet,
        () if all(|value| matches!(value, Value::Ns(_))) => {
            let sets = values.iter().filter_map(|value| match value {
                Value::Ns(set) => Some(set),
                _ => None,
            });
            set_kind(&sets.flatten().collect::<Vec<_>>())
        }
        () if all(|value| matches!(value, Value::L(_))) => list_kind(name, values, depth),
        () if all(|value| matches!(value, Value::M(_))) => map_kind(name, values, depth),
        () => FieldKind::Any,
    }
}

fn text_kind(values: &[&Value], place: ValuePlace) -> FieldKind {
    let texts: Vec<&str> = values.iter().filter_map(|value| value.as_text()).collect();
    match (TimeForm::of_texts(&texts), place) {
        // The types of these formats need no option, so they may be in any place.
        (Some(form @ (TimeForm::Pynamo | TimeForm::Python)), _) => FieldKind::KeyTime(form),
        (Some(TimeForm::Millis), ValuePlace::BareKey) => FieldKind::KeyTime(TimeForm::Millis),
        // Whole seconds have a type of their own; texts with several widths do not sort like the times.
        (Some(TimeForm::Shortest), ValuePlace::BareKey)
            if texts.iter().all(|text| !text.contains('.')) =>
        {
            FieldKind::KeyTime(TimeForm::Shortest)
        }
        (Some(TimeForm::Nanos), _) => FieldKind::Time(TimeForm::Nanos),
        (Some(form), ValuePlace::Field) => FieldKind::Time(form),
        _ => FieldKind::Text,
    }
}

/// Whether the name of an attribute says that it is a time.
fn names_a_time(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = [
        "at",
        "date",
        "time",
        "timestamp",
        "expires",
        "expiry",
        "ttl",
        "created",
        "updated",
        "modified",
    ];
    let is_at = name.ends_with("At") || lower.ends_with("_at") || lower == "at";
    is_at || ends[1..].iter().any(|end| lower.ends_with(end))
}

fn number_kind(name: &str, numbers: &[&Number], place: ValuePlace) -> FieldKind {
    if let Some(form) = TimeForm::of_numbers(numbers).filter(|_| names_a_time(name)) {
        match place {
            ValuePlace::Field => return FieldKind::Time(form),
            ValuePlace::BareKey => return FieldKind::KeyTime(form),
            ValuePlace::NullField | ValuePlace::Element => {}
        }
    }
    match () {
        () if numbers.iter().all(|number| is_canonical::<u64>(number)) => FieldKind::Unsigned,
        () if numbers.iter().all(|number| is_canonical::<i64>(number)) => FieldKind::Signed,
        () if place != ValuePlace::BareKey && numbers.iter().all(|number| is_float(number)) => {
            FieldKind::Float
        }
        () => FieldKind::Exact,
    }
}

fn set_kind(numbers: &[&Number]) -> FieldKind {
    match () {
        () if numbers.iter().all(|number| is_canonical::<u64>(number)) => FieldKind::UnsignedSet,
        () if numbers.iter().all(|number| is_canonical::<i64>(number)) => FieldKind::SignedSet,
        () => FieldKind::NumberSet,
    }
}

/// Splits values into those that are not NULL, and whether some are.
fn without_nulls<'v>(values: impl Iterator<Item = &'v Value>) -> (Vec<&'v Value>, Nulls) {
    let mut nulls = Nulls::None;
    let kept = values.filter(|value| match value {
        Value::Null => {
            nulls = Nulls::Some;
            false
        }
        _ => true,
    });
    let kept: Vec<&Value> = kept.collect();
    (kept, nulls)
}

fn list_kind(name: &str, values: &[&Value], depth: usize) -> FieldKind {
    let elements = values.iter().filter_map(|value| match value {
        Value::L(list) => Some(list),
        _ => None,
    });
    let (elements, nulls) = without_nulls(elements.flatten());
    elements_kind(&singular(name), &elements, depth)
        .map_or(FieldKind::Any, |kind| FieldKind::List(kind, nulls))
}

/// The type of elements; None if it is any.
fn elements_kind(name: &str, elements: &[&Value], depth: usize) -> Option<Box<FieldKind>> {
    if depth >= DEPTH || elements.is_empty() {
        return None;
    }
    match infer_kind(name, elements, ValuePlace::Element, depth + 1) {
        // An empty set is an absent attribute, so a set is no element.
        FieldKind::Any => None,
        kind if kind.is_set() => None,
        kind => Some(Box::new(kind)),
    }
}

fn map_kind(name: &str, values: &[&Value], depth: usize) -> FieldKind {
    let maps: Vec<&Item> = values
        .iter()
        .filter_map(|value| match value {
            Value::M(map) => Some(map),
            _ => None,
        })
        .collect();
    if depth >= DEPTH {
        return FieldKind::Any;
    }
    let members: BTreeSet<&String> = maps
        .iter()
        .flat_map(|map| map.iter().map(|(name, _)| name))
        .collect();
    let present: usize = maps.iter().map(|map| map.len()).sum();
    // The members of a struct are in most maps, and their names are names.
    let is_struct = !members.is_empty()
        && members.len() <= MEMBERS
        && present * 2 >= members.len() * maps.len()
        && members.iter().all(|member| is_member_name(member));
    if is_struct {
        return FieldKind::Struct(NestedStruct {
            name: type_name(name),
            fields: infer_fields(&maps, depth + 1),
        });
    }
    let (elements, nulls) = without_nulls(
        maps.iter()
            .flat_map(|map| map.iter().map(|(_, value)| value)),
    );
    elements_kind(name, &elements, depth).map_or(FieldKind::Any, |kind| FieldKind::Map(kind, nulls))
}

fn is_member_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && name.len() <= 64
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
