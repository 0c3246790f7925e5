//! `allow(..)`: where it stands, what it makes silent, and what is said of one that is not needed.

use chrono::{DateTime, Utc};
use dynamo_entity::lint::{LintPlace, LintRule};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{AllowSchema, TableSchema};
use serde_json::{Value, json};

use crate::case::{Case, case};
use crate::in_short;

pub fn cases() -> Vec<Case> {
    vec![
        case! { UnusedAllow at "Order";
            { entity Order(table = "orders", key(pk = number), allow(one_counter)) { number: u32 } } Order;
            {
                entity Order(table = "orders", key(pk = number), allow(one_counter), allow(unused_allow))
                    { number: u32 }
            } Order
        },
        case! { UnusedAllow at "Order.number";
            { entity Order(table = "orders", key(pk = number)) { #[dynamo(allow(long_name))] number: u32 } } Order;
            {
                entity Order(table = "orders", key(pk = number))
                    { #[dynamo(allow(long_name))] number_in_the_books_of_the_whole_shop: u32, #[dynamo(rename = "n")] number: u32 }
            } Order
        },
        case! { UnusedAllow at "Document.similar";
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine, within = org, allow(hidden_vectors)))
                    { id: u32, org: String, at: Vector<3> }
            } Document;
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine, within = org, allow(hidden_vectors)))
                    { id: u32, org: Option<String>, at: Vector<3> }
            } Document
        },
        case! { UnusedAllow at "Order.by_note";
            {
                entity Order(table = "orders", key(pk = "NUMBER#{number}"), unique(by_note, note, allow(implied_unique)))
                    { number: u32, note: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = "NUMBER#{number}"), unique(of_note, note), unique(by_note, note, number, rename = "a,b", allow(implied_unique, needless_unique)))
                    { number: u32, note: String }
            } Order
        },
        case! { UnusedAllow at "shop.gsi1";
            {
                table Shop(name = "shop", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk", allow(unasked_index)), lsi(lsi1, sk = "lsi1sk", allow(local_index, unasked_index)));
                entity Order(table = Shop, key(pk = "{shop}", sk = "{number}"), gsi(of_day, on = gsi1, pk = "{shop}#{day}"))
                    { shop: u32, number: u32, day: u32 }
            } Shop;
            {
                table Shop(name = "shop", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk"), lsi(lsi1, sk = "lsi1sk", allow(local_index), allow(unasked_index)));
                entity Order(table = Shop, key(pk = "{shop}", sk = "{number}"), gsi(of_day, on = gsi1, pk = "{shop}#{day}"))
                    { shop: u32, number: u32, day: u32 }
            } Shop
        },
        case! { UnusedAllow at "shop";
            {
                table Shop(name = "shop", pk = "pk", entities(Order), allow(constant_partition, many_indexes), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
                entity Order(table = Shop, key(pk = "{number}"), gsi(latest, on = gsi1, pk = "ALL", sk = "{at}"))
                    { number: u32, at: DateTime<Utc> }
            } Shop;
            {
                table Shop(name = "shop", pk = "pk", entities(Order), allow(constant_partition), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
                entity Order(table = Shop, key(pk = "{number}"), gsi(latest, on = gsi1, pk = "ALL", sk = "{at}"))
                    { number: u32, at: DateTime<Utc> }
            } Shop
        },
    ]
}

/// The same model, allowing this.
fn allowing(
    schema: &TableSchema,
    entity: Option<&str>,
    of: Option<&str>,
    rule: &str,
) -> TableSchema {
    let mut json: Value = serde_json::from_str(&schema.to_json()).unwrap();
    let mut allow = json!({ "rule": rule });
    if let Some(of) = of {
        allow["of"] = of.into();
    }
    let declaration = match entity {
        None => &mut json,
        Some(entity) => {
            let entities = json["entities"].as_array_mut().unwrap();
            let found = entities.iter_mut().find(|found| found["name"] == entity);
            found.unwrap()
        }
    };
    match declaration["allows"].as_array_mut() {
        Some(allows) => allows.push(allow),
        None => declaration["allows"] = json!([allow]),
    }
    TableSchema::from_json(&json.to_string()).unwrap()
}

/// An `allow` makes a lint silent where the lint says, on the whole entity and on the whole table.
#[test]
fn each_lint_is_silent_where_it_is_allowed() {
    for case in crate::cases() {
        let [lint] = &case.found.lints()[..] else {
            panic!("{}", case.place)
        };
        let (place, rule) = (&lint.place, case.rule.name());
        let silent = |entity, of| {
            let schema = allowing(&case.found, entity, of, rule);
            let lints = in_short(&schema.lints());
            assert!(lints.is_empty(), "{place}: {rule}: {lints:?}");
        };
        silent(place.entity(), place.member());
        silent(place.entity(), None);
        silent(None, None);
    }
}

/// Anywhere else it changes nothing, and is said to be in vain.
#[test]
fn an_allow_elsewhere_covers_nothing() {
    for case in crate::cases() {
        let [lint] = &case.found.lints()[..] else {
            panic!("{}", case.place)
        };
        let (place, rule) = (&lint.place, case.rule.name());
        let loud = |entity: Option<&str>, of: Option<&str>, rule: &str| {
            let schema = allowing(&case.found, entity, of, rule);
            let lints = schema.lints();
            assert!(lints.contains(lint), "{place}: {rule}");
            // Those that follow the settings are not needed in every environment.
            let never_in_vain = [
                LintRule::UnusedAllow,
                LintRule::EventualReplicas,
                LintRule::StrongReplicas,
                LintRule::UnprotectedTable,
                LintRule::UnrecoverableTable,
                LintRule::NoSpendCap,
            ];
            let in_vain = usize::from(never_in_vain.iter().all(|known| rule != known.name()));
            assert_eq!(
                lints.len(),
                1 + in_vain,
                "{place}: {rule}: {:?}",
                in_short(&lints)
            );
            let added = lints.iter().filter(|found| *found != lint);
            assert!(
                added
                    .into_iter()
                    .all(|lint| lint.rule == LintRule::UnusedAllow)
            );
        };
        loud(place.entity(), Some("elsewhere"), rule);
        let other = match case.rule {
            LintRule::ManyShards => "long_key",
            _ => "many_shards",
        };
        loud(place.entity(), place.member(), other);
        if let LintPlace::Table { .. } | LintPlace::Index { .. } = place {
            let entity = case.found.entities[0].name.as_str();
            loud(Some(entity), None, rule);
        }
    }
}

/// A rule of a later version, in a schema that it wrote.
#[test]
fn an_allow_that_is_not_known_is_passed_over() {
    for case in crate::cases() {
        let schema = allowing(&case.clean, None, None, "a_rule_of_tomorrow");
        assert!(schema.lints().is_empty(), "{}", case.place);
    }
}

#[derive(DynamoTable)]
#[dynamo(
    name = "shop",
    pk = "pk",
    sk = "sk",
    entities(Order),
    allow(many_indexes)
)]
#[dynamo(gsi(gsi1, rename = "first", pk = "gsi1pk", allow(unasked_index)))]
#[dynamo(lsi(lsi1, sk = "lsi1sk", allow(local_index, long_name)))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "{shop}", sk = "{r#type}"), allow(long_key), allow(float_key))]
#[dynamo(gsi(of_note, on = gsi1, pk = "{note}", allow(few_partitions)))]
#[dynamo(lsi(by_note, on = lsi1, sk = "{note}", allow(moving_rows)))]
#[dynamo(unique(one_note, note, allow(changing_unique), rename = "old"))]
struct Order {
    shop: u32,
    #[dynamo(allow(long_name))]
    r#type: u32,
    #[dynamo(allow(many_copies), rename = "n", allow(growing_attribute))]
    note: String,
}

/// Each place keeps what it allows under its own name.
#[test]
fn every_place_takes_it() {
    let schema = Shop::schema();
    let short = |allows: &[AllowSchema]| -> Vec<String> {
        let of = |allow: &AllowSchema| allow.of.clone().unwrap_or_else(|| "all".into());
        let short = |allow: &AllowSchema| format!("{}: {}", of(allow), allow.rule);
        allows.iter().map(short).collect()
    };
    assert_eq!(
        short(&schema.allows),
        [
            "all: many_indexes",
            "first: unasked_index",
            "lsi1: local_index",
            "lsi1: long_name",
        ]
    );
    assert_eq!(
        short(&schema.entities[0].allows),
        [
            "all: long_key",
            "all: float_key",
            "type: long_name",
            "note: many_copies",
            "note: growing_attribute",
            "of_note: few_partitions",
            "by_note: moving_rows",
            "one_note: changing_unique",
        ]
    );
}
