//! Functions that follow streams, and alarms, in exports.

use dynamo_entity::export::{
    CloudFormation, FollowedChange, SpendCap, StreamConsumer, TableAlarms, Terraform, UnitPrices,
    UseCase,
};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::streams::{OnceEffect, ParkedTable};
use dynamo_entity_cli::App;
use serde_json::{Value as Json, json};

use crate::place::{Outcome, Place};

#[derive(DynamoTable)]
#[dynamo(name = "depot", pk = "pk", sk = "sk", stream = new_and_old_images, entities(Parcel, Label))]
pub struct Depot;

#[derive(DynamoEntity)]
#[dynamo(table = Depot, key(pk = "PARCEL#{number}", sk = "INFO"))]
#[allow(dead_code)]
struct Parcel {
    number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Depot, key(pk = "PARCEL#{number}", sk = "LABEL#{text}"))]
#[allow(dead_code)]
struct Label {
    number: u32,
    text: String,
}

const TOPIC: &str = "arn:aws:sns:eu-west-1:111122223333:on-call";

fn schemas() -> [TableSchema; 3] {
    [Depot::schema(), ParkedTable::schema(), OnceEffect::schema()]
}

fn invoices() -> StreamConsumer {
    StreamConsumer::new("invoices", Depot::schema()).follow("Parcel", [FollowedChange::Created])
}

fn search() -> StreamConsumer {
    StreamConsumer::new("search", Depot::schema()).without_queue()
}

fn alarms() -> TableAlarms {
    let cap = SpendCap::per_hour(2.5).writes(0.625);
    TableAlarms::new().notify(TOPIC).spend_cap(cap)
}

pub fn app() -> App {
    App::new(schemas())
        .consumer(invoices())
        .consumer(search())
        .alarms(alarms())
        .use_case(parcels().per_day(1_000.0))
        .prices(UnitPrices::new("USD", 0.1, 0.5))
}

fn parcels() -> UseCase {
    let case = UseCase::new("UC-01", "a parcel", |db| Parcel::scan().explain(db));
    case.expect("an explanation")
}

fn stack(prefix: &str) -> CloudFormation {
    CloudFormation::new(schemas())
        .prefix(prefix)
        .consumer(invoices())
        .consumer(search())
        .alarms(alarms())
}

pub fn consumers_and_alarms_are_exported(place: &Place) -> Outcome {
    let template = place.done("consumers", &["export", "cloudformation"])?;
    let same = stack(&place.prefix).template()?;
    assert_eq!(template.out.trim_end(), same.trim_end());
    for name in [
        "AWS::Lambda::EventSourceMapping",
        "-invoices-iterator-age\"",
        "-depot-spend\"",
        TOPIC,
    ] {
        assert!(template.out.contains(name), "{name}");
    }
    let tables = Terraform::new(schemas())
        .prefix(&*place.prefix)
        .consumer(invoices())
        .consumer(search())
        .alarms(alarms());
    let file = place.file("tables.tf.json", "")?;
    let export = ["export", "terraform", "--out", &file];
    place.done("consumers", &export)?;
    let written = std::fs::read_to_string(&file)?;
    assert_eq!(written.trim_end(), tables.configuration()?.trim_end());
    assert!(written.contains("aws_lambda_event_source_mapping"));
    place.refused(
        "consumers",
        &["export", "terraform", "--consumer", "search"],
        &["only `filters` and `iam`"],
    )
}

pub fn use_cases_are_exported(place: &Place) -> Outcome {
    let document = place.done("consumers", &["export", "markdown"])?.out;
    let row = format!("| UC-01 | a parcel | `Parcel` scan | `{}-", place.prefix);
    assert!(document.contains(&row), "{document}");
    assert!(document.contains(" USD a month."), "{document}");
    Ok(())
}

pub fn a_stack_that_changes_keeps_its_consumers(place: &Place) -> Outcome {
    let before = place.file("before.json", &ParkedTable::schema().to_json())?;
    let folder = place.file("folder", "")? + "s";
    let since = [
        "export",
        "cloudformation",
        "--since",
        &before,
        "--out",
        &folder,
    ];
    place.done("consumers", &since)?;
    let last = std::fs::read_to_string(format!("{folder}/01.template.json"))?;
    assert_eq!(last.trim_end(), stack(&place.prefix).template()?.trim_end());
    Ok(())
}

pub fn a_function_has_a_policy_of_its_own(place: &Place) -> Outcome {
    let iam = |more: &[&str]| -> Result<(Json, String), Box<dyn std::error::Error>> {
        let iam = ["export", "iam", "--region", "eu-west-1"];
        let arguments = [&iam[..], &["--account", "111122223333"], more].concat();
        let written = place.done("consumers", &arguments)?;
        Ok((serde_json::from_str(&written.out)?, written.notes))
    };
    // The actions on each resource.
    let has = |policy: &Json, action: &str, resource: &str| {
        let mut statements = policy["Statement"].as_array().into_iter().flatten();
        statements.any(|statement| {
            let contains = |name: &str, text: &str| {
                let mut texts = statement[name].as_array().into_iter().flatten();
                texts.any(|found| found == text)
            };
            contains("Action", action) && contains("Resource", resource)
        })
    };
    let prefix = &place.prefix;
    let table =
        |name: &str| format!("arn:aws:dynamodb:eu-west-1:111122223333:table/{prefix}-{name}");
    let stream = table("depot/stream/*");
    let queue = format!("arn:aws:sqs:eu-west-1:111122223333:{prefix}-invoices-failures");
    let (own, notes) = iam(&["--consumer", "invoices"])?;
    assert!(notes.contains("the requests of the handler"), "{notes}");
    for (action, resource) in [
        ("dynamodb:GetRecords", &*stream),
        ("dynamodb:ListStreams", "*"),
        ("sqs:SendMessage", &*queue),
        ("dynamodb:UpdateItem", &*table("parked-changes")),
        ("dynamodb:BatchWriteItem", &*table("parked-changes")),
        ("dynamodb:PutItem", &*table("once-effects")),
    ] {
        assert!(
            has(&own, action, resource),
            "{action} on {resource} in {own:#}"
        );
    }
    assert!(!own.to_string().contains("-depot\""), "{own:#}");
    let (search, _) = iam(&["--consumer", "search"])?;
    assert!(!search.to_string().contains("sqs:"), "{search:#}");
    let (all, _) = iam(&[])?;
    assert!(has(&all, "dynamodb:GetRecords", &stream) && has(&all, "sqs:SendMessage", &queue));
    assert!(has(&all, "dynamodb:PutItem", &table("depot")));
    Ok(())
}

pub fn filters_are_exported(place: &Place) -> Outcome {
    let written = place.done(
        "consumers",
        &["export", "filters", "--consumer", "invoices"],
    )?;
    let criteria: Json = serde_json::from_str(&written.out)?;
    let patterns = invoices().filters()?;
    assert_eq!(criteria, json!({"Filters": [{"Pattern": patterns[0]}]}));
    let all = place.done("consumers", &["export", "filters", "--consumer", "search"])?;
    assert_eq!(
        serde_json::from_str::<Json>(&all.out)?,
        json!({"Filters": []})
    );
    assert!(all.notes.contains("receives every record"), "{all:?}");
    place.refused(
        "consumers",
        &["export", "filters"],
        &["`--consumer NAME`", "invoices, search"],
    )?;
    place.refused(
        "consumers",
        &["export", "filters", "--consumer", "mails"],
        &["invoices", "search"],
    )?;
    // A program without consumers has neither.
    place.refused("shop", &["export", "filters"], &["invalid value 'filters'"])?;
    place.refused(
        "shop",
        &["export", "iam", "--consumer", "invoices"],
        &["unexpected argument '--consumer'"],
    )
}
