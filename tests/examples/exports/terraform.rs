//! Terraform configurations against the schema that the provider documents.
//!
//! `tests/golden/terraform-schema.txt` lists its attributes and blocks, one a line.

use std::collections::BTreeMap;

use dynamo_entity::DynamoTable;
use dynamo_entity::export::Terraform;
use fastrand::Rng;
use serde_json::Value as Json;

use super::random::tables;
use crate::schemas::all;
use crate::support::suite::Outcome;

const SCHEMA: &str = include_str!("../../golden/terraform-schema.txt");

/// A block: its attributes and blocks by their names.
#[derive(Default)]
struct Block {
    attributes: BTreeMap<String, (String, bool)>,
    blocks: BTreeMap<String, Block>,
}

/// The resources of the list, in which blocks are indented below their names.
fn resources() -> BTreeMap<String, Block> {
    let mut root = Block::default();
    let mut path: Vec<String> = Vec::new();
    let lines = SCHEMA
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    for line in lines {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let words: Vec<&str> = line.split_whitespace().collect();
        path.truncate(depth);
        let mut block = &mut root;
        for name in &path {
            block = block.blocks.entry(name.clone()).or_default();
        }
        match words.as_slice() {
            [name, "block"] => {
                block.blocks.entry((*name).to_owned()).or_default();
                path.push((*name).to_owned());
            }
            [name, kind, need] => {
                let attribute = ((*kind).to_owned(), *need == "required");
                block.attributes.insert((*name).to_owned(), attribute);
            }
            _ => panic!("a line of the schema: {line}"),
        }
    }
    root.blocks
}

impl Block {
    fn check(&self, place: &str, value: &Json) {
        let members = value
            .as_object()
            .unwrap_or_else(|| panic!("{place} is a block"));
        for (name, value) in members {
            let place = format!("{place}.{name}");
            // Terraform has these in every resource, of which `//` is a comment.
            if matches!(name.as_str(), "lifecycle" | "depends_on" | "//") {
                continue;
            }
            match (self.attributes.get(name), self.blocks.get(name)) {
                (Some((kind, _)), _) => check_attribute(&place, kind, value),
                (None, Some(block)) => match value {
                    Json::Array(values) => {
                        values.iter().for_each(|value| block.check(&place, value))
                    }
                    value => block.check(&place, value),
                },
                (None, None) => panic!("the provider has no {place}"),
            }
        }
        for (name, (_, is_required)) in &self.attributes {
            assert!(
                !is_required || members.contains_key(name),
                "{place} lacks {name}"
            );
        }
    }
}

fn check_attribute(place: &str, kind: &str, value: &Json) {
    let is_right = match kind {
        "string" => value.is_string(),
        "bool" => value.is_boolean(),
        "number" => value.is_u64(),
        "texts" => value
            .as_array()
            .is_some_and(|texts| texts.iter().all(Json::is_string)),
        "map" => value
            .as_object()
            .is_some_and(|map| map.values().all(Json::is_string)),
        // The least value that the provider accepts.
        kind => {
            let least = kind.strip_prefix("number>=");
            let least = least.and_then(|least| least.parse().ok());
            least.is_some_and(|least: u64| value.as_u64().is_some_and(|value| value >= least))
        }
    };
    assert!(is_right, "{place} is no {kind}: {value}");
}

#[test]
fn only_what_the_provider_documents_is_written() -> Outcome {
    let known = resources();
    let mut tables_of = vec![all()?];
    tables_of.extend((0..40).map(|seed| tables(&mut Rng::with_seed(seed), 3)));
    for tables in tables_of {
        let plain = Terraform::new(tables.clone()).configuration()?;
        let standalone = Terraform::new(tables.clone())
            .standalone_indexes()
            .disposable()
            .configuration()?;
        assert!(plain.contains("prevent_destroy") && !standalone.contains("prevent_destroy"));
        let consumers = super::consumers::configuration()?;
        for configuration in [plain, standalone, consumers] {
            let configuration: Json = serde_json::from_str(&configuration)?;
            for (kind, named) in configuration["resource"].as_object().ok_or("an object")? {
                let block = known.get(kind).ok_or("a resource")?;
                for (name, resource) in named.as_object().ok_or("an object")? {
                    block.check(&format!("{kind}.{name}"), resource);
                    check_keys(resource);
                }
            }
        }
    }
    Ok(())
}

/// The attributes of a table are exactly those of its keys.
fn check_keys(resource: &Json) {
    let Some(attributes) = resource["attribute"].as_array() else {
        return;
    };
    let indexes =
        ["global_secondary_index", "local_secondary_index"].map(|kind| resource[kind].as_array());
    let holders = indexes.into_iter().flatten().flatten().chain([resource]);
    let mut names = Vec::new();
    for holder in holders {
        names.extend(
            ["hash_key", "range_key"]
                .iter()
                .filter_map(|key| holder[key].as_str()),
        );
        let several = holder["key_schema"].as_array().into_iter().flatten();
        names.extend(several.filter_map(|key| key["attribute_name"].as_str()));
    }
    names.sort_unstable();
    names.dedup();
    let defined: Vec<&str> = attributes
        .iter()
        .filter_map(|attribute| attribute["name"].as_str())
        .collect();
    assert_eq!(defined, names);
}

/// Nothing that Terraform would replace is left in a text.
#[test]
fn texts_are_no_templates_of_terraform() -> Outcome {
    let schema = crate::orders::Order::schema().tag("a${b}", "%{if}");
    let text = Terraform::new([schema]).configuration()?;
    assert!(text.contains(r#""a$${b}": "%%{if}""#), "{text}");
    Ok(())
}

/// What the scaling of AWS changes is not set back, and everything else is.
#[test]
fn units_that_others_change_are_left_to_them() -> Outcome {
    use crate::orders::Order;

    let lifecycles =
        |terraform: Terraform, kind: &str| -> Result<Vec<Json>, Box<dyn std::error::Error>> {
            let configuration: Json = serde_json::from_str(&terraform.configuration()?)?;
            let resources = configuration["resource"][kind]
                .as_object()
                .ok_or("resources")?;
            Ok(resources
                .values()
                .map(|found| found["lifecycle"].clone())
                .collect())
        };
    let (table, index) = ("aws_dynamodb_table", "aws_dynamodb_global_secondary_index");
    let scaled = || Terraform::new([Order::schema().scaled(5, 5)]);
    let units = serde_json::json!(["read_capacity", "write_capacity"]);
    assert_eq!(
        lifecycles(scaled(), table)?,
        [serde_json::json!({"prevent_destroy": true, "ignore_changes": units})]
    );
    assert_eq!(
        lifecycles(scaled().disposable(), table)?,
        [serde_json::json!({"ignore_changes": units})]
    );
    for of_index in lifecycles(scaled().standalone_indexes(), index)? {
        assert_eq!(
            of_index,
            serde_json::json!({"ignore_changes": ["provisioned_throughput"]})
        );
    }
    let fixed = || Terraform::new([Order::schema().provisioned(5, 5)]);
    assert_eq!(
        lifecycles(fixed(), table)?,
        [serde_json::json!({"prevent_destroy": true})]
    );
    assert_eq!(lifecycles(fixed().disposable(), table)?, [Json::Null]);
    let of_indexes = lifecycles(fixed().standalone_indexes(), index)?;
    assert!(!of_indexes.is_empty() && of_indexes.iter().all(Json::is_null));
    Ok(())
}
