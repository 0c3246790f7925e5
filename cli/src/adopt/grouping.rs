//! The entities of a table: items by their type attribute, or by the words with which their keys begin.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dynamo_entity::Value;
use dynamo_entity::schema::KeyType;

use super::names::{singular, type_name};
use super::sample::{SampleColumn, TableSample};
use super::vocabulary::{ELECTRO_VERSION, TypeAttribute, foreign_purpose, other_type};

/// The items of an entity.
#[derive(Debug, Clone)]
pub(crate) struct RowGroup {
    /// The wanted name of the struct.
    pub(crate) name: String,
    pub(crate) type_value: Option<String>,
    /// The attribute of the type, if not the one of the table.
    pub(crate) type_attribute: Option<String>,
    /// The numbers of the items.
    pub(crate) rows: Vec<usize>,
}

/// The groups of a table, and the items that belong to none, with the reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowGroups {
    pub(crate) groups: Vec<RowGroup>,
    pub(crate) others: Vec<(String, Vec<usize>)>,
}

/// The most groups by words of keys.
const GROUPS: usize = 16;

/// All items as one entity, with the name of the table.
pub(crate) fn one_group(sample: &TableSample) -> RowGroups {
    RowGroups {
        groups: vec![RowGroup {
            name: type_name(&singular(&sample.name)),
            type_value: None,
            type_attribute: None,
            rows: (0..sample.rows.len()).collect(),
        }],
        others: Vec::new(),
    }
}

/// Groups by the type attribute.
pub(crate) fn groups_by_type(sample: &TableSample, attribute: &TypeAttribute) -> RowGroups {
    let mut by_type: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, row) in sample.rows.iter().enumerate() {
        let text = row.get(&attribute.name).and_then(Value::as_text);
        let text = text.filter(|text| !text.is_empty());
        // The items of another known program have their type in another attribute.
        let other = other_type(row, &attribute.name).filter(|_| text.is_none());
        match (foreign_purpose(row, &sample.pk.name, text), text, other) {
            (None, Some(text), _) => by_type.entry((None, text)).or_default().push(number),
            (_, None, Some((name, text))) => {
                by_type.entry((Some(name), text)).or_default().push(number);
            }
            (purpose, ..) => {
                let purpose = purpose.unwrap_or_default().to_owned();
                others.entry(purpose).or_default().push(number);
            }
        }
    }
    let groups = by_type.into_iter().flat_map(|((own, value), rows)| {
        let mut models = groups_by_model(sample, rows);
        // The entity with most items has the name of the type alone.
        models.sort_by_key(|(_, rows)| Reverse(rows.len()));
        let groups = models.into_iter().enumerate();
        groups.map(move |(at, (model, rows))| {
            let name = match model.filter(|_| at > 0) {
                Some((version, service)) => format!("{service} {value} {version}"),
                None => value.to_owned(),
            };
            RowGroup {
                name: type_name(&name),
                type_value: Some(value.to_owned()),
                type_attribute: own.map(str::to_owned),
                rows,
            }
        })
    });
    RowGroups {
        groups: groups.collect(),
        others: others.into_iter().collect(),
    }
}

/// The version and the service of a model of ElectroDB.
type ElectroModel = (String, String);

/// The items of each version and each service. ElectroDB allows one entity name in several, and one declaration cannot read
/// the keys of two.
fn groups_by_model(
    sample: &TableSample,
    rows: Vec<usize>,
) -> Vec<(Option<ElectroModel>, Vec<usize>)> {
    let of = |row: &usize| {
        let item = sample.rows.get(*row)?;
        let version = item.get(ELECTRO_VERSION)?.as_text()?;
        let pk = item.get(&sample.pk.name)?.as_text()?;
        let service = pk.split('#').next().unwrap_or_default();
        Some((version.to_owned(), service.to_owned()))
    };
    let mut models: BTreeMap<Option<ElectroModel>, Vec<usize>> = BTreeMap::new();
    for row in rows {
        models.entry(of(&row)).or_default().push(row);
    }
    models.into_iter().collect()
}

/// Groups by the words with which the keys begin, as in `USER#ann` and `ORDER#7`; one group if the keys have none.
pub(crate) fn groups_by_key(sample: &TableSample) -> RowGroups {
    let is_text = |column: &SampleColumn| column.ty == KeyType::S && column.is_generic();
    if !is_text(&sample.pk) || !sample.sk.as_ref().is_none_or(is_text) {
        return one_group(sample);
    }
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (number, row) in sample.rows.iter().enumerate() {
        let word = |column: Option<&SampleColumn>| {
            let text = column.and_then(|column| row.get(&column.name)?.as_text());
            text.map(first_word).unwrap_or_default()
        };
        groups
            .entry((word(Some(&sample.pk)), word(sample.sk.as_ref())))
            .or_default()
            .push(number);
    }
    // Many groups, or groups of one item, are words of data.
    if groups.len() < 2 || groups.len() > GROUPS || groups.len() * 2 > sample.rows.len().max(4) {
        return one_group(sample);
    }
    let partitions: Vec<String> = groups.keys().map(|(pk, _)| pk.clone()).collect();
    let named = groups.into_iter().map(|((pk, sk), rows)| {
        let is_shared = partitions.iter().filter(|other| **other == pk).count() > 1;
        let says_nothing = ["", "INFO", "META", "METADATA", "DETAILS", "PROFILE", "DATA"]
            .contains(&sk.to_uppercase().as_str());
        let word = match (says_nothing, is_shared) {
            (false, true) => sk,
            (false, false) if pk.is_empty() => sk,
            _ => pk,
        };
        let name = match word.is_empty() {
            true => singular(&sample.name),
            false => word.to_lowercase(),
        };
        RowGroup {
            name: type_name(&name),
            type_value: None,
            type_attribute: None,
            rows,
        }
    });
    RowGroups {
        groups: named.collect(),
        others: Vec::new(),
    }
}

/// The word before the first separator, or a whole text in capitals; empty if the text is data.
fn first_word(text: &str) -> String {
    let is_word = |word: &str| {
        let mut chars = word.chars();
        chars
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || "$_".contains(first))
            && chars.all(|c| c.is_ascii_alphabetic() || "_-".contains(c))
            && word.len() <= 40
    };
    match text.find(['#', '|']) {
        Some(end) if is_word(&text[..end]) => text[..end].to_owned(),
        None if is_word(text) && text.chars().all(|c| !c.is_ascii_lowercase()) => text.to_owned(),
        _ => String::new(),
    }
}
