//! CloudFormation templates: cfn-lint finds nothing in them, and stacks that are made of them are what is declared.

use std::collections::BTreeSet;

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::export::CloudFormation;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{
    IndexSchema, ProjectionSchema, StreamView, TableSchema, TableSettings,
};
use fastrand::Rng;
use serde_json::Value as Json;

use super::goldens::check;
use super::random::{later, tables};
use super::stack::Stack;
use super::tools::{PYTHON_TOOLS, create_stack, lint, tool};
use crate::schemas::all;
use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;

#[test]
fn cfn_lint_finds_nothing_in_templates() -> Outcome {
    let Some(cfn_lint) = tool(
        "CFN_LINT",
        "cfn_lint_finds_nothing_in_templates",
        PYTHON_TOOLS,
    ) else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| -> Outcome {
        let text = without_search_attributes(text)?;
        Ok(std::fs::write(folder.path().join(name), text)?)
    };
    write("examples.json", &CloudFormation::new(all()?).template()?)?;
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let before = tables(&mut rng, 3);
        write(
            &format!("{seed}.json"),
            &CloudFormation::new(before.clone())
                .disposable()
                .template()?,
        )?;
        for step in CloudFormation::new(later(&mut rng, &before)).since(before)? {
            write(&format!("{seed}.{}", step.file_name), &step.text)?;
        }
    }
    lint(&cfn_lint, folder.path())
}

/// A template whose attribute definitions are those of keys alone. CloudFormation demands a definition of each attribute
/// of a search schema, but cfn-lint 1.58 reports it (E3039), because it looks for the attribute in key schemas only.
fn without_search_attributes(template: &str) -> Result<String, serde_json::Error> {
    let mut template: Json = serde_json::from_str(template)?;
    let resources = template["Resources"].as_object_mut().into_iter().flatten();
    for (name, resource) in resources {
        let properties = &mut resource["Properties"];
        let keys = named_in(properties, "KeySchema");
        let searched = named_in(properties, "SearchSchema");
        if let Some(definitions) = properties["AttributeDefinitions"].as_array_mut() {
            let declared = definitions.len();
            definitions.retain(|definition| {
                let attribute = definition["AttributeName"].as_str().unwrap_or_default();
                keys.contains(attribute) || !searched.contains(attribute)
            });
            if definitions.len() < declared {
                eprintln!("SKIPPED cfn-lint: attributes of the search schemas of {name}");
            }
        }
    }
    serde_json::to_string_pretty(&template)
}

/// The attributes that are named below the members of this name.
fn named_in(tree: &Json, member: &str) -> BTreeSet<String> {
    match tree {
        Json::Object(members) => {
            let found = |(name, below): (&String, &Json)| {
                if name != member {
                    return named_in(below, member);
                }
                let elements = below.as_array().into_iter().flatten();
                let names = elements.filter_map(|element| element["AttributeName"].as_str());
                names.map(str::to_owned).collect()
            };
            members.iter().flat_map(found).collect()
        }
        Json::Array(elements) => elements
            .iter()
            .flat_map(|below| named_in(below, member))
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// moto's stacks know no TTL, class, recovery, limits, warm throughput and encryption of tables, so these are left out.
#[tokio::test]
async fn stacks_of_moto_are_as_declared() -> Outcome {
    let Some(url) = tool("MOTO_URL", "stacks_of_moto_are_as_declared", PYTHON_TOOLS) else {
        return Ok(());
    };
    // A server may have the stack of another run.
    let name = format!("stack{}", std::process::id());
    // moto has no vector indexes, and accepts no attribute definitions for them.
    let all = || -> Result<Vec<TableSchema>> {
        let mut schemas = all()?;
        schemas.retain(|schema| schema.vector_indexes.is_empty());
        Ok(schemas)
    };
    let template = CloudFormation::new(all()?).prefix(&name).template()?;
    create_stack(&url, &name, &template).await?;
    let db = Dynamo::connect(&format!("{url}?region=us-east-1"))
        .await?
        .with_prefix(&name);
    let mut schemas = all()?;
    for schema in &mut schemas {
        schema.ttl = None;
        schema.settings.class = None;
        schema.settings.point_in_time_recovery = None;
        schema.settings.on_demand_maximum = None;
        schema.settings.warm_throughput = None;
        schema.settings.encryption = None;
        let name = format!("{name}-{}", schema.name);
        // It has to be there already: what is missing would be created, and then be as declared.
        db.client()
            .describe_table()
            .table_name(&name)
            .send()
            .await?;
        assert_eq!(
            indexes_of(db.client(), &name).await?,
            declared(schema),
            "{name}"
        );
    }
    let plan = db.plan(schemas.clone()).await?;
    assert!(plan.is_empty(), "{plan}");
    db.create_tables(schemas).await?;
    Ok(())
}

fn declared(schema: &TableSchema) -> Vec<String> {
    let mut names: Vec<String> = schema
        .global_indexes
        .iter()
        .map(|index| index.name.clone())
        .collect();
    names.sort();
    names
}

async fn indexes_of(
    client: &Client,
    table: &str,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let found = client.describe_table().table_name(table).send().await?;
    let indexes = found
        .table()
        .map(|table| table.global_secondary_indexes())
        .unwrap_or_default();
    let mut names: Vec<String> = indexes
        .iter()
        .filter_map(|index| index.index_name().map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

/// Templates, one after the other, make any tables of any others, in steps that CloudFormation takes.
#[tokio::test]
async fn numbered_templates_lead_from_tables_to_tables() -> Outcome {
    // Servers take their time with indexes.
    let seeds = if Kind::here().is_server() {
        0..0
    } else {
        0..60
    };
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let db = Db::open(Mode::Raw).await?;
        let count = rng.usize(1..4);
        let mut now = tables(&mut rng, count);
        let mut stack = Stack::default();
        let template =
            |tables: &[TableSchema]| CloudFormation::new(tables.to_vec()).prefix(db.prefix());
        stack
            .deploy(db.client(), &template(&now).template()?)
            .await?;
        for _ in 0..2 {
            let next = later(&mut rng, &now);
            let steps = template(&next).since(now.clone())?;
            for step in &steps {
                assert!(!step.changes.is_empty());
                stack.deploy(db.client(), &step.text).await?;
            }
            let gives_up = |step: &&str| step.starts_with("delete") || step.starts_with("release");
            let mut changes = steps
                .iter()
                .flat_map(|step| &step.changes)
                .map(String::as_str);
            if changes.any(|change| gives_up(&change)) {
                assert!(
                    changes.all(|change| gives_up(&change)),
                    "deletions come last: {steps:?}"
                );
            }
            if let Some(last) = steps.last() {
                assert_eq!(last.text, template(&next).template()?, "seed {seed}");
            }
            assert!(template(&next).since(next.clone())?.is_empty());
            let mut compared = next.clone();
            for schema in &mut compared {
                // The engine's stream is what it was first, and nothing compares settings.
                schema.stream = None;
                schema.settings = TableSettings::default();
                let name = format!("{}{}", full_prefix(&db), schema.name);
                assert_eq!(
                    indexes_of(db.client(), &name).await?,
                    declared(schema),
                    "seed {seed}"
                );
            }
            let plan = db.plan(compared.clone()).await?;
            assert!(plan.is_empty(), "seed {seed}: {plan}");
            db.create_tables(compared).await?;
            // Tables that were given up stay, and another of their name would meet them.
            let names: Vec<String> = now.iter().map(|table| table.name.clone()).collect();
            now = next;
            if names
                .iter()
                .any(|name| now.iter().all(|table| table.name != *name))
            {
                break;
            }
        }
        db.close().await?;
    }
    Ok(())
}

fn full_prefix(db: &Db) -> String {
    match db.prefix().ends_with(['-', '_', '.']) {
        true => db.prefix().to_owned(),
        false => format!("{}-", db.prefix()),
    }
}

/// The order of an index's name and the number of a step, as they are committed.
#[test]
fn numbered_templates_are_written_as_they_were() -> Outcome {
    let before = crate::orders::Order::schema();
    let mut after = before.clone().tag("team", "sales");
    after.ttl = Some("expires".into());
    after.stream = Some(StreamView::NewImage);
    let renamed = |index: &mut IndexSchema| index.name = format!("{}_2", index.name);
    after.global_indexes.iter_mut().take(2).for_each(renamed);
    let stack = CloudFormation::new([after, crate::blog::Blog::schema()]);
    let gone = crate::tasks::Task::schema();
    let mut told = Vec::new();
    for step in stack.since([before, gone])? {
        check(&format!("numbered/{}", step.file_name), &step.text)?;
        told.push(format!("{}: {}", step.file_name, step.changes.join(", ")));
    }
    assert_eq!(
        told,
        [
            "01.template.json: switch TTL and the stream of table `order` on, change the settings of table `order`, create table `blog`",
            "02.template.json: create index `of_customer_2` of table `order`",
            "03.template.json: create index `of_customer_by_status_2` of table `order`",
            "04.template.json: delete index `of_customer` of table `order`",
            "05.template.json: delete index `of_customer_by_status` of table `order`, release table `task`",
        ]
    );
    Ok(())
}

/// An index that is older than the reserved shape keeps its list: CloudFormation could only replace it.
#[test]
fn an_older_index_keeps_its_list() -> Outcome {
    let now = crate::app_users::AppUsers::schema();
    let mut older = now.clone();
    older.global_indexes[0].projection = ProjectionSchema::Include(vec!["_type".into()]);
    assert!(
        CloudFormation::new([now.clone()])
            .since([older.clone()])?
            .is_empty()
    );
    let steps = CloudFormation::new([now.tag("team", "sales")]).since([older])?;
    assert_eq!(steps.len(), 1);
    assert!(!steps[0].text.contains("_shape"), "{}", steps[0].text);
    Ok(())
}

#[test]
fn what_would_replace_a_table_is_refused() -> Outcome {
    let before = crate::organisations::Employee::schema();
    let refusal = |change: &dyn Fn(&mut TableSchema)| {
        let mut after = before.clone();
        change(&mut after);
        let refused = CloudFormation::new([after])
            .since([before.clone()])
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
        refused.to_string()
    };
    let key = refusal(&|table| table.pk.name = "firm".into());
    assert!(key.contains("would replace it by an empty one"), "{key}");
    assert!(
        key.contains("the key of a table cannot be changed, so this needs a new table"),
        "{key}"
    );
    let changed = refusal(&|table| table.global_indexes[0].sk.clear());
    assert!(changed.contains("declare it under a new name"), "{changed}");
    let local = refusal(&|table| table.local_indexes.clear());
    assert!(
        local.contains("it can only be deleted together with the table"),
        "{local}"
    );
    let none = CloudFormation::new([]).template().unwrap_err().to_string();
    assert!(none.contains("1 to 500 tables, not 0"), "{none}");
    // Old and new indexes are there together.
    let many = |letter: &str| {
        let mut table = before.clone();
        let index = table.global_indexes.remove(0);
        let named = |number: u8| IndexSchema::clone(&index).named(&format!("{letter}{number:02}"));
        table.global_indexes = (0..20).map(named).collect();
        table
    };
    let crowded = CloudFormation::new([many("new")])
        .since([many("old")])
        .unwrap_err()
        .to_string();
    assert!(
        crowded.contains("delete some old ones in an earlier deployment"),
        "{crowded}"
    );
    Ok(())
}

trait Named {
    fn named(self, name: &str) -> Self;
}

impl Named for IndexSchema {
    fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

/// Neither format may leave the replicas of a global table out.
#[test]
fn a_global_table_is_refused() -> Outcome {
    use dynamo_entity::export::Terraform;
    use dynamo_entity::schema::Replicas;

    let mut schemas = all()?;
    let table = schemas.swap_remove(0);
    let name = table.name.clone();
    let global = table.replicated(Replicas::eventual(["eu-west-1", "us-east-1"]));
    for refused in [
        CloudFormation::new([global.clone()]).template(),
        Terraform::new([global]).configuration(),
    ] {
        let error = refused.expect_err("it has replicas");
        assert_eq!(error.kind(), ErrorKind::Config);
        let said = error.to_string();
        assert!(said.contains(&name) && said.contains("us-east-1"), "{said}");
    }
    Ok(())
}
