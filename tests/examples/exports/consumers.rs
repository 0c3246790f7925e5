//! Consumers of streams and alarms in templates, configurations and policies.

use std::collections::BTreeSet;
use std::time::Duration;

use dynamo_entity::export::{
    CloudFormation, FollowedChange, Policy, PolicyRecorder, PolicyVerb, SpendCap, StreamConsumer,
    TableAlarms, Terraform,
};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::streams::{OnceEffect, ParkedChange, ParkedTable, StreamEvent, once};
use serde_json::Value as Json;

use super::goldens::check;
use super::tools::{PYTHON_TOOLS, create_stack, lint, tool};
use crate::order_mails::{Order, Shop};
use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;

const TOPIC: &str = "arn:aws:sns:eu-west-1:111122223333:on-call";

pub fn mails() -> StreamConsumer {
    StreamConsumer::new("order-mails", Shop::schema())
        .follow("Order", [FollowedChange::Created, FollowedChange::Changed])
}

/// A consumer that says everything.
pub fn cache() -> StreamConsumer {
    StreamConsumer::new("cache", Shop::schema())
        .function("arn:aws:lambda:eu-west-1:111122223333:function:stale-orders:live")
        .follow(
            "Order",
            [FollowedChange::Changed, FollowedChange::RemovedByTtl],
        )
        .with_value("buyer", "ann")
        .batch_size(1_000)
        .batch_window(Duration::from_secs(5))
        .parallel(10)
        .retries(3)
        .record_age(Duration::from_secs(3_600))
        .without_queue()
        .from_latest()
}

fn alarms() -> TableAlarms {
    TableAlarms::new()
        .notify(TOPIC)
        .throttles(10)
        .spend_cap(SpendCap::per_hour(2.5).reads(0.125).writes(0.625))
}

fn tables() -> [TableSchema; 2] {
    [Shop::schema(), crate::status_shards::Order::schema()]
}

fn template() -> Result<String> {
    let stack = CloudFormation::new(tables())
        .prefix("prod")
        .alarms(alarms());
    stack.consumer(mails()).consumer(cache()).template()
}

pub fn configuration() -> Result<String> {
    let tables = Terraform::new(tables()).prefix("prod").alarms(alarms());
    tables.consumer(mails()).consumer(cache()).configuration()
}

pub fn policy() -> Policy {
    Policy::new([Shop::schema(), ParkedTable::schema(), OnceEffect::schema()])
        .prefix("prod")
        .region("eu-west-1")
        .account("111122223333")
        .allow_consumer(&mails())
        .allow(
            "ParkedChange",
            [PolicyVerb::GET, PolicyVerb::UPDATE, PolicyVerb::UPSERT],
        )
        .allow("ParkedPart", [PolicyVerb::BATCH])
        .allow(
            "OnceEffect",
            [
                PolicyVerb::CREATE,
                PolicyVerb::DELETE,
                PolicyVerb::GET,
                PolicyVerb::PUT,
            ],
        )
}

#[test]
fn consumers_are_exported_as_they_were() -> Outcome {
    check("consumers.template.json", &template()?)?;
    check("consumers.tf.json", &configuration()?)?;
    check("policies/consumer.json", &policy().document()?)
}

#[test]
fn cfn_lint_finds_nothing_in_consumers() -> Outcome {
    let test = "cfn_lint_finds_nothing_in_consumers";
    let Some(cfn_lint) = tool("CFN_LINT", test, PYTHON_TOOLS) else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("all.json", &template()?)?;
    let plain =
        CloudFormation::new([Shop::schema()]).consumer(StreamConsumer::new("all", Shop::schema()));
    write("plain.json", &plain.template()?)?;
    write(
        "alarms.json",
        &CloudFormation::new(tables())
            .alarms(TableAlarms::new())
            .template()?,
    )?;
    lint(&cfn_lint, folder.path())
}

/// moto has no function of this name, so the mappings are left out.
#[tokio::test]
async fn moto_makes_queues_and_alarms() -> Outcome {
    let Some(url) = tool("MOTO_URL", "moto_makes_queues_and_alarms", PYTHON_TOOLS) else {
        return Ok(());
    };
    let mut template: Json = serde_json::from_str(&template()?)?;
    let resources = template["Resources"].as_object_mut().ok_or("resources")?;
    resources.retain(|_, resource| resource["Type"] != "AWS::Lambda::EventSourceMapping");
    let name = format!("alarms{}", std::process::id());
    create_stack(&url, &name, &template.to_string()).await
}

/// The value of each property of a template that refers to another resource refers to one that exists.
#[test]
fn references_lead_to_resources() -> Outcome {
    let template: Json = serde_json::from_str(&template()?)?;
    let resources = template["Resources"].as_object().ok_or("resources")?;
    let mut found = BTreeSet::new();
    fn walk(value: &Json, found: &mut BTreeSet<String>) {
        match value {
            Json::Array(values) => values.iter().for_each(|value| walk(value, found)),
            Json::Object(members) => {
                if let Some(Json::Array(parts)) = members.get("Fn::GetAtt") {
                    found.extend(parts[0].as_str().map(str::to_owned));
                }
                members.values().for_each(|value| walk(value, found));
            }
            _ => {}
        }
    }
    walk(&template, &mut found);
    assert_eq!(
        found,
        BTreeSet::from(["MailShopTable".to_owned(), "OrderMailsFailures".to_owned()])
    );
    assert!(found.iter().all(|name| resources.contains_key(name)));
    // The patterns of a mapping are its filters.
    let filters = &resources["OrderMailsStream"]["Properties"]["FilterCriteria"]["Filters"];
    let patterns: Vec<&str> = filters
        .as_array()
        .ok_or("filters")?
        .iter()
        .filter_map(|filter| filter["Pattern"].as_str())
        .collect();
    assert_eq!(patterns, mails().filters()?);
    let terraform: Json = serde_json::from_str(&configuration()?)?;
    let mappings = &terraform["resource"]["aws_lambda_event_source_mapping"];
    let filters = &mappings["order-mails"]["filter_criteria"]["filter"];
    assert_eq!(filters[0]["pattern"], patterns[0]);
    // Each table and each index has alarms of its own, and the consumer too.
    let of_type = resources
        .values()
        .filter(|resource| resource["Type"] == "AWS::CloudWatch::Alarm");
    let alarms: BTreeSet<&str> = of_type
        .filter_map(|resource| resource["Properties"]["AlarmName"].as_str())
        .collect();
    for name in [
        "prod-mail-shop-read-throttles",
        "prod-mail-shop-write-throttles",
        "prod-mail-shop-spend",
        "prod-order-mails-iterator-age",
        "prod-order-mails-failures",
        "prod-cache-iterator-age",
    ] {
        assert!(alarms.contains(name), "{name} in {alarms:?}");
    }
    let indexes = crate::status_shards::Order::schema().global_indexes.len();
    assert!(indexes > 0);
    // Two tables with throttled reads, throttled writes and a cost, and two consumers, one with a queue.
    assert_eq!(alarms.len(), 2 * 3 + 2 * indexes + 3);
    Ok(())
}

#[test]
fn a_spend_cap_is_a_share_of_the_cost() -> Outcome {
    let template: Json = serde_json::from_str(&template()?)?;
    let alarm = &template["Resources"]["MailShopSpendAlarm"]["Properties"];
    let expression = alarm["Metrics"][0]["Expression"]
        .as_str()
        .ok_or("an expression")?;
    assert_eq!(
        expression,
        "((FILL(r0, 0)) * 0.125 + (FILL(w0, 0)) * 0.625) / 2.5 / 10000"
    );
    // Two million writes and ten million reads cost 2.5, which is the cap.
    let cost = |reads: f64, writes: f64| (reads * 0.125 + writes * 0.625) / 2.5 / 10_000.0;
    assert_eq!(cost(10e6, 2e6), 100.0);
    assert_eq!(
        (
            &alarm["Threshold"],
            &alarm["Metrics"][1]["MetricStat"]["Period"]
        ),
        (&100.into(), &3600.into())
    );
    // Each metric is in one alarm, of which none has more than ten.
    let mut table = crate::orders::Order::schema();
    while table.global_indexes.len() < 6 {
        let mut index = table.global_indexes[0].clone();
        index.name = format!("more{}", table.global_indexes.len());
        table.global_indexes.push(index);
    }
    let name = table.name.clone();
    let template = CloudFormation::new([table]).alarms(alarms()).template()?;
    let template: Json = serde_json::from_str(&template)?;
    let mut metrics = Vec::new();
    for resource in template["Resources"]
        .as_object()
        .ok_or("resources")?
        .values()
    {
        let alarm = &resource["Properties"];
        let about = alarm["AlarmName"].as_str().unwrap_or_default();
        if about.starts_with(&format!("{name}-spend-")) {
            let queries = alarm["Metrics"].as_array().ok_or("metrics")?;
            metrics.push(queries.len() - 1);
        }
    }
    assert_eq!(metrics, [10, 4]);
    for cap in [
        SpendCap::per_hour(0.0).reads(1.0),
        SpendCap::per_hour(1.0),
        SpendCap::per_hour(1.0).reads(f64::NAN),
        SpendCap::per_hour(f64::INFINITY).reads(1.0),
        SpendCap::per_hour(1.0).writes(-1.0),
    ] {
        let stack = CloudFormation::new(tables()).alarms(TableAlarms::new().spend_cap(cap));
        let error = stack.template().expect_err("no cap");
        assert_eq!(error.kind(), ErrorKind::Config);
    }
    Ok(())
}

#[test]
fn wrong_consumers_are_rejected() -> Outcome {
    let silent = || {
        let mut table = Shop::schema();
        table.stream = None;
        table
    };
    let long = "x".repeat(65);
    for (consumer, words) in [
        (
            StreamConsumer::new("", Shop::schema()),
            "has no name of 1 to 64",
        ),
        (
            StreamConsumer::new(long, Shop::schema()),
            "has no name of 1 to 64",
        ),
        (StreamConsumer::new("c", silent()), "which has no stream"),
        (
            StreamConsumer::new("c", crate::blog::Blog::schema()),
            "no stream",
        ),
        (
            mails().follow("Buyer", []),
            "follows `Buyer`, but none of its changes",
        ),
        (mails().batch_size(0), "has 0 as its `batch_size`"),
        (
            mails().batch_window(Duration::from_secs(301)),
            "301 as its `batch_window`",
        ),
        (mails().parallel(11), "11 as its `parallel`"),
        (mails().retries(10_001), "10001 as its `retries`"),
        (
            mails().record_age(Duration::from_secs(59)),
            "59 as its `record_age`",
        ),
        (mails().follow("Nothing", FollowedChange::ALL), "`Nothing`"),
    ] {
        let stack = CloudFormation::new(tables())
            .consumer(consumer.clone())
            .template();
        let terraform = Terraform::new(tables()).consumer(consumer).configuration();
        for refused in [stack, terraform] {
            let error = refused.expect_err("a wrong consumer");
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let long = CloudFormation::new(tables())
        .consumer(mails())
        .prefix("x".repeat(61));
    let said = long.template().expect_err("a long name").to_string();
    assert!(said.contains("at most 80 characters"), "{said}");
    let elsewhere = CloudFormation::new([crate::orders::Order::schema()]).consumer(mails());
    let said = elsewhere.template().expect_err("another table").to_string();
    assert!(said.contains("not among the exported tables"), "{said}");
    let twice = CloudFormation::new(tables())
        .consumer(mails())
        .consumer(mails());
    assert!(
        twice
            .template()
            .expect_err("twice")
            .to_string()
            .contains("OrderMailsFailures")
    );
    Ok(())
}

/// A mapping reads a stream that exists: while the view changes, there is none.
#[test]
fn a_stream_that_is_switched_off_has_no_mapping() -> Outcome {
    let mut before = Shop::schema();
    before.stream = Some(dynamo_entity::schema::StreamView::KeysOnly);
    let stack = CloudFormation::new([Shop::schema()]).consumer(mails());
    let steps = stack.since([before])?;
    let has_mapping: Vec<bool> = steps
        .iter()
        .map(|step| step.text.contains("EventSourceMapping"))
        .collect();
    assert_eq!(has_mapping, [false, true]);
    assert_eq!(steps[1].text, stack.template()?);
    Ok(())
}

type Actions = BTreeSet<(String, String)>;

fn actions(policy: &Policy) -> std::result::Result<Actions, Box<dyn std::error::Error>> {
    let policy: Json = serde_json::from_str(&policy.document()?)?;
    let mut actions = Actions::new();
    for statement in policy["Statement"].as_array().ok_or("statements")? {
        for action in statement["Action"].as_array().ok_or("actions")? {
            for resource in statement["Resource"].as_array().ok_or("resources")? {
                let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
                actions.insert((text(action), text(resource)));
            }
        }
    }
    Ok(actions)
}

/// The permissions of the guide are those that a function uses, and no others.
#[tokio::test]
async fn a_function_has_the_permissions_that_it_uses() -> Outcome {
    if Kind::here().is_server() {
        return Ok(());
    }
    let opened = Db::open(Mode::Raw).await?;
    let recorder = PolicyRecorder::default();
    let db = Dynamo::clone(&opened).with_observer(recorder.observer());
    opened
        .create_tables([ParkedTable::schema(), OnceEffect::schema()])
        .await?;
    let event = StreamEvent::from_json(include_bytes!(
        "../../../examples/order_mails/events/new_and_old_images.json"
    ))?;
    for _ in 0..3 {
        let changes = Order::changes_of(&event).park_after(2, "mails", &db);
        changes.each(async |_| Err::<(), _>("no")).await;
    }
    // Two invocations park at once: one of them reads the row, and discards its parts.
    let race = |text: &'static str| {
        let (db, event) = (&db, &event);
        async move {
            let changes = Order::changes_of(event).park_after(1, text, db);
            changes.each(async |_| Err::<(), _>("no")).await
        }
    };
    tokio::join!(race("race"), race("race"), race("race"), race("race"));
    for fails in [true, false, false] {
        let effect = async || if fails { Err("no") } else { Ok(()) };
        let _ = once("mail").run(&db, effect).await;
    }
    assert!(!ParkedChange::list("mails", &opened).await?.is_empty());
    let recorded = recorder.policy(opened.prefix()).prefix("prod");
    let recorded = actions(&recorded.region("eu-west-1").account("111122223333"))?;
    let allowed = actions(&policy())?;
    assert!(recorded.is_subset(&allowed), "{recorded:#?} {allowed:#?}");
    let mut others: Actions = allowed.difference(&recorded).cloned().collect();
    // A row is read only if another invocation was faster.
    others.retain(|(action, resource)| {
        !(action == "dynamodb:GetItem" && resource.ends_with("parked-changes"))
    });
    let place = "arn:aws:dynamodb:eu-west-1:111122223333:table/prod-mail-shop/stream/*";
    let of_mapping = [
        ("dynamodb:DescribeStream", place),
        ("dynamodb:GetRecords", place),
        ("dynamodb:GetShardIterator", place),
        ("dynamodb:ListStreams", "*"),
        (
            "sqs:SendMessage",
            "arn:aws:sqs:eu-west-1:111122223333:prod-order-mails-failures",
        ),
    ];
    let of_mapping = of_mapping.map(|(action, resource)| (action.to_owned(), resource.to_owned()));
    assert_eq!(others, Actions::from(of_mapping));
    opened.close().await?;
    Ok(())
}

#[test]
fn a_policy_of_one_value_has_no_stream() {
    let policy = Policy::new([Shop::schema()])
        .with_value("buyer", "ann")
        .allow_consumer(&mails());
    let said = policy.document().expect_err("all values").to_string();
    assert!(said.contains("the stream of `mail-shop`"), "{said}");
    let policy = Policy::new([crate::orders::Order::schema()]).allow_consumer(&mails());
    let said = policy.document().expect_err("another table").to_string();
    assert!(
        said.contains("not among the tables of the policy"),
        "{said}"
    );
}
