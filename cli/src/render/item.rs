//! One item: its attributes line by line, or a line of JSON.

use std::collections::HashSet;

use dynamo_entity::{Item, Value};

use crate::failure::Failure;
use crate::model::ModelEntity;
use crate::text::{visible, visible_json, visible_json_line, width};

/// The item as one line of JSON, with all of its attributes.
pub(crate) fn json_line(item: &Item) -> Result<String, Failure> {
    Ok(visible_json_line(json(item)?))
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::said(error.to_string()))
}

/// The attributes of an item, each with its value in a line: the fields in their order, then attributes without a
/// field, then keys.
pub(crate) fn described(item: &Item, of: ModelEntity<'_>) -> Result<String, Failure> {
    let names = columns([item], of, true);
    let widest = names.iter().map(|name| width(&visible(name))).max();
    let widest = widest.unwrap_or_default();
    let mut text = String::new();
    for name in names {
        if let Some(value) = item.get(&name) {
            let name = visible(&name);
            let gap = " ".repeat(widest - width(&name) + 2);
            text += &format!("{name}{gap}{}\n", cell(value)?);
        }
    }
    Ok(text)
}

/// All attributes of an item, each with its type, its size in bytes, and its value.
pub(crate) fn measured(item: &Item) -> Result<String, Failure> {
    let rows = item.iter().map(|(name, value)| {
        let size = (name.len() + value.size()).to_string();
        Ok([
            visible(name).into_owned(),
            value.tag().name().to_owned(),
            size,
            cell(value)?,
        ])
    });
    let rows: Vec<[String; 4]> = rows.collect::<Result<_, Failure>>()?;
    let widest = |column: usize| {
        rows.iter()
            .map(|row| width(&row[column]))
            .max()
            .unwrap_or_default()
    };
    let (names, types, sizes) = (widest(0), widest(1), widest(2));
    let mut text = String::new();
    for [name, ty, size, value] in &rows {
        let gap = " ".repeat(names - width(name));
        text += &format!("{name}{gap}  {ty:types$}  {size:>sizes$}  {value}\n");
    }
    Ok(text)
}

/// The attributes to show: the fields in their order, then attributes without a field. Derived keys are omitted, unless
/// all are requested, or the fields do not contain all of their parts.
pub(super) fn columns<'i>(
    rows: impl IntoIterator<Item = &'i Item>,
    of: ModelEntity<'_>,
    with_keys: bool,
) -> Vec<String> {
    let mut known = HashSet::new();
    let there = rows.into_iter().flatten().map(|(name, _)| name.as_str());
    let there: Vec<&str> = there.filter(|name| known.insert(*name)).collect();
    let fields = of.entity.fields.iter();
    let fields = fields.filter_map(|field| field.attribute.as_deref());
    let mut names: Vec<&str> = fields.filter(|name| known.contains(name)).collect();
    let in_key_only = |name: &str| {
        of.entity
            .field(name)
            .is_some_and(|field| field.attribute.is_none())
    };
    let tells_all =
        !names.is_empty() && !of.key_parts().iter().any(|part| in_key_only(part.field()));
    let (derived, unknown): (Vec<&str>, Vec<&str>) = there
        .into_iter()
        .filter(|name| !names.contains(name))
        .partition(|name| of.is_derived(name));
    names.extend(unknown);
    let is_primary = |name: &str| {
        of.schema.pk.name == name || of.schema.sk.as_ref().is_some_and(|sk| sk.name == name)
    };
    names.extend(
        derived
            .into_iter()
            .filter(|name| with_keys || !tells_all && is_primary(name)),
    );
    names.into_iter().map(str::to_owned).collect()
}

/// A value for people: text as it is, lists and maps as JSON.
pub(crate) fn cell(value: &Value) -> Result<String, Failure> {
    Ok(match value {
        Value::S(text) => visible(text).into_owned(),
        Value::N(number) => number.to_string(),
        other => visible_json(&json(other)?).trim_matches('"').to_owned(),
    })
}
