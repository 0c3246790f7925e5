//! A stack that takes templates as CloudFormation does, and makes of them what it would make: it refuses what would replace a
//! table, and more than one index of a table at a time. moto creates stacks, but does not change their tables.

use std::collections::BTreeMap;

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate,
    IndexStatus, KeySchemaElement, LocalSecondaryIndex, Projection, TimeToLiveSpecification,
};
use serde_json::{Map, Value as Json};

use crate::support::suite::Outcome;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// The resources of the last template.
#[derive(Default)]
pub struct Stack(Map<String, Json>);

impl Stack {
    /// Makes the tables what a template says.
    pub async fn deploy(&mut self, client: &Client, template: &str) -> Outcome {
        let mut template: Json = serde_json::from_str(template)?;
        let Json::Object(resources) = template["Resources"].take() else {
            return Err("no resources".into());
        };
        check_order(&resources);
        for (id, resource) in &resources {
            let properties = &resource["Properties"];
            check_definitions(properties);
            match self.0.get(id) {
                None => create(client, properties).await?,
                Some(known) => change(client, &known["Properties"], properties).await?,
            }
        }
        for (id, resource) in &self.0 {
            if !resources.contains_key(id) && resource["DeletionPolicy"] == "Delete" {
                let name = resource["Properties"]["TableName"].as_str();
                client
                    .delete_table()
                    .set_table_name(name.map(str::to_owned))
                    .send()
                    .await?;
            }
        }
        self.0 = resources;
        Ok(())
    }
}

fn list(properties: &Json, name: &str) -> Vec<Json> {
    properties[name].as_array().cloned().unwrap_or_default()
}

fn has_indexes(resource: &Json) -> bool {
    let properties = &resource["Properties"];
    !list(properties, "GlobalSecondaryIndexes").is_empty()
        || !list(properties, "LocalSecondaryIndexes").is_empty()
}

/// No two tables with indexes are made at once: of each two, one waits for the other.
fn check_order(resources: &Map<String, Json>) {
    let indexed: Vec<&String> = resources
        .iter()
        .filter(|(_, table)| has_indexes(table))
        .map(|(id, _)| id)
        .collect();
    let mut begins: Vec<&String> = indexed.clone();
    for id in &indexed {
        if let Some(before) = resources[*id]["DependsOn"].as_str() {
            let known = begins.len();
            begins.retain(|id| *id != before);
            assert_eq!(begins.len() + 1, known, "two tables wait for {before}");
        }
    }
    assert!(begins.len() <= 1, "these are made at once: {begins:?}");
}

/// The service refuses attributes that no key has, and keys of which no attribute is defined.
fn check_definitions(properties: &Json) {
    let all =
        ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"].map(|name| list(properties, name));
    let indexes = all
        .iter()
        .flatten()
        .flat_map(|index| list(index, "KeySchema"));
    let keys = list(properties, "KeySchema").into_iter().chain(indexes);
    let mut keys: Vec<String> = keys.map(|key| key["AttributeName"].to_string()).collect();
    keys.sort();
    keys.dedup();
    let defined = list(properties, "AttributeDefinitions");
    let defined: Vec<String> = defined
        .iter()
        .map(|key| key["AttributeName"].to_string())
        .collect();
    assert_eq!(defined, keys);
}

fn keys(resource: &Json) -> Done<Vec<KeySchemaElement>> {
    let keys = list(resource, "KeySchema").into_iter().map(|key| {
        let element = KeySchemaElement::builder()
            .attribute_name(key["AttributeName"].as_str().unwrap_or_default());
        Ok(element
            .key_type(key["KeyType"].as_str().unwrap_or_default().into())
            .build()?)
    });
    keys.collect()
}

fn definitions(properties: &Json) -> Done<Vec<AttributeDefinition>> {
    let definitions = list(properties, "AttributeDefinitions")
        .into_iter()
        .map(|known| {
            let definition = AttributeDefinition::builder()
                .attribute_name(known["AttributeName"].as_str().unwrap_or_default());
            Ok(definition
                .attribute_type(known["AttributeType"].as_str().unwrap_or_default().into())
                .build()?)
        });
    definitions.collect()
}

fn projection(index: &Json) -> Projection {
    let projection = &index["Projection"];
    let names = list(projection, "NonKeyAttributes").into_iter();
    let names: Vec<String> = names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    Projection::builder()
        .projection_type(
            projection["ProjectionType"]
                .as_str()
                .unwrap_or_default()
                .into(),
        )
        .set_non_key_attributes((!names.is_empty()).then_some(names))
        .build()
}

async fn create(client: &Client, properties: &Json) -> Outcome {
    let name = properties["TableName"].as_str().unwrap_or_default();
    // The units are none of what is compared, so the tables are billed on demand.
    let mut request = client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_key_schema(Some(keys(properties)?))
        .set_attribute_definitions(Some(definitions(properties)?));
    for index in list(properties, "GlobalSecondaryIndexes") {
        let built = GlobalSecondaryIndex::builder()
            .index_name(index["IndexName"].as_str().unwrap_or_default());
        let built = built
            .set_key_schema(Some(keys(&index)?))
            .projection(projection(&index));
        request = request.global_secondary_indexes(built.build()?);
    }
    for index in list(properties, "LocalSecondaryIndexes") {
        let built = LocalSecondaryIndex::builder()
            .index_name(index["IndexName"].as_str().unwrap_or_default());
        let built = built
            .set_key_schema(Some(keys(&index)?))
            .projection(projection(&index));
        request = request.local_secondary_indexes(built.build()?);
    }
    request.send().await?;
    set_ttl(client, &Json::Null, properties).await
}

async fn change(client: &Client, before: &Json, after: &Json) -> Outcome {
    for name in ["TableName", "KeySchema", "LocalSecondaryIndexes"] {
        assert_eq!(
            before[name], after[name],
            "{name} of a table changes, so it is replaced"
        );
    }
    for name in ["StreamSpecification", "TimeToLiveSpecification"] {
        let both = !before[name].is_null() && !after[name].is_null();
        assert!(
            !both || before[name] == after[name],
            "{name} has to be switched off first"
        );
    }
    let indexes = |properties: &Json| -> BTreeMap<String, Json> {
        let named = list(properties, "GlobalSecondaryIndexes").into_iter();
        named
            .map(|index| (index["IndexName"].to_string(), index))
            .collect()
    };
    let (old, new) = (indexes(before), indexes(after));
    let created: Vec<&Json> = new
        .iter()
        .filter(|(name, _)| !old.contains_key(*name))
        .map(|(_, index)| index)
        .collect();
    let deleted: Vec<&Json> = old
        .iter()
        .filter(|(name, _)| !new.contains_key(*name))
        .map(|(_, index)| index)
        .collect();
    assert!(
        created.len() + deleted.len() <= 1,
        "created {created:?}, deleted {deleted:?}"
    );
    for (name, index) in &new {
        if let Some(known) = old.get(name) {
            assert_eq!(
                (&known["KeySchema"], &known["Projection"]),
                (&index["KeySchema"], &index["Projection"])
            );
        }
    }
    let mut update = GlobalSecondaryIndexUpdate::builder();
    for index in &created {
        let action = CreateGlobalSecondaryIndexAction::builder()
            .index_name(index["IndexName"].as_str().unwrap_or_default());
        update = update.create(
            action
                .set_key_schema(Some(keys(index)?))
                .projection(projection(index))
                .build()?,
        );
    }
    for index in &deleted {
        let action = DeleteGlobalSecondaryIndexAction::builder()
            .index_name(index["IndexName"].as_str().unwrap_or_default());
        update = update.delete(action.build()?);
    }
    if created.len() + deleted.len() == 1 {
        let name = after["TableName"].as_str().unwrap_or_default();
        let request = client
            .update_table()
            .table_name(name)
            .set_attribute_definitions(Some(definitions(after)?));
        request
            .global_secondary_index_updates(update.build())
            .send()
            .await?;
        settle(client, name).await?;
    }
    set_ttl(client, before, after).await
}

/// Waits until no index is being made or deleted.
async fn settle(client: &Client, name: &str) -> Outcome {
    loop {
        let found = client.describe_table().table_name(name).send().await?;
        let indexes = found
            .table()
            .map(|table| table.global_secondary_indexes())
            .unwrap_or_default();
        if indexes
            .iter()
            .all(|index| index.index_status() == Some(&IndexStatus::Active))
        {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

async fn set_ttl(client: &Client, before: &Json, after: &Json) -> Outcome {
    let attribute = |properties: &Json| {
        properties["TimeToLiveSpecification"]["AttributeName"]
            .as_str()
            .map(str::to_owned)
    };
    let (old, new) = (attribute(before), attribute(after));
    if old == new {
        return Ok(());
    }
    let is_on = new.is_some();
    let ttl = TimeToLiveSpecification::builder()
        .enabled(is_on)
        .attribute_name(new.or(old).unwrap_or_default());
    let name = after["TableName"].as_str().unwrap_or_default();
    client
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(ttl.build()?)
        .send()
        .await?;
    Ok(())
}
