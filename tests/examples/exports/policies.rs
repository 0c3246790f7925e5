//! Every request of the systems is allowed by the policy of its role, and the same request is denied when it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use dynamo_entity::export::{Policy, PolicyRecorder, PolicyVerb};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::Encryption;
use serde_json::{Value as Json, json};

use super::consumers;
use super::goldens::check;
use super::judge::{Question, ask};
use crate::patterns::run;
use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::*;

const TABLES: &str = "arn:aws:dynamodb:eu-west-1:111122223333:table/";

/// An action, the table's name without its prefix, the index, and the partitions.
type Seen = BTreeMap<(&'static str, String, Option<String>), BTreeSet<Vec<String>>>;

/// The role that runs a system: what it is allowed is written down here, not observed.
fn role(system: &str) -> Option<Policy> {
    let policy = match system {
        "access_tokens" => Policy::new([access_tokens::AccessToken::schema()]).allow(
            "AccessToken",
            [PolicyVerb::CREATE, PolicyVerb::DELETE, PolicyVerb::GET],
        ),
        "app_users" => {
            let users = app_users::AppUsers::schema().with_collection::<app_users::Record>();
            Policy::new(users.ok())
                .allow("UserInfo", [PolicyVerb::CREATE, PolicyVerb::UPDATE])
                .allow("Rewards", [PolicyVerb::CREATE])
                .allow("HandOver", [PolicyVerb::CREATE])
                .allow_pattern("UserInfo.by_code")
                .allow_pattern("Record.in_partition")
        }
        "blog" => Policy::new([blog::Blog::schema()])
            .allow(
                "Post",
                [PolicyVerb::GET, PolicyVerb::IN_PARTITION, PolicyVerb::BATCH],
            )
            .allow("Comment", [PolicyVerb::IN_PARTITION, PolicyVerb::BATCH])
            .allow_pattern("Post.by_author"),
        "bulk" => Policy::new([bulk::Account::schema()]).allow(
            "Account",
            [
                PolicyVerb::PUT_EACH,
                PolicyVerb::UPDATE_EACH,
                PolicyVerb::SCAN,
            ],
        ),
        "help_search" => Policy::new([help_search::HelpText::schema()])
            .allow("HelpText", [PolicyVerb::PUT_EACH])
            .allow_pattern("HelpText.similar"),
        "iot_meters" => Policy::new([
            iot_meters::Measurement::schema(),
            iot_meters::MeterStatus::schema(),
            iot_meters::Configuration::schema(),
        ])
        .allow("Measurement", [PolicyVerb::BATCH, PolicyVerb::IN_PARTITION])
        .allow("MeterStatus", [PolicyVerb::BATCH, PolicyVerb::UPDATE])
        .allow(
            "Configuration",
            [PolicyVerb::BATCH, PolicyVerb::IN_PARTITION],
        )
        .allow_pattern("MeterStatus.by_battery"),
        "message_delivery" => Policy::new([
            message_delivery::Messages::schema(),
            message_delivery::Mailbox::schema(),
        ])
        .allow(
            "Message",
            [
                PolicyVerb::CREATE,
                PolicyVerb::GET,
                PolicyVerb::PUT,
                PolicyVerb::UPDATE,
                PolicyVerb::DELETE,
                PolicyVerb::CHECK,
            ],
        )
        .allow(
            "Waiting",
            [
                PolicyVerb::CREATE,
                PolicyVerb::DELETE,
                PolicyVerb::IN_PARTITION,
            ],
        )
        .allow(
            "Mailbox",
            [PolicyVerb::CREATE, PolicyVerb::UPSERT, PolicyVerb::SCAN],
        ),
        "orders" => Policy::new([orders::Order::schema()])
            .allow(
                "Order",
                [PolicyVerb::PUT, PolicyVerb::MODIFY, PolicyVerb::GET_MANY],
            )
            .allow_pattern("Order.by_status")
            .allow_pattern("Order.of_customer")
            .allow_pattern("Order.of_customer_by_status")
            .allow_pattern("Order.pending"),
        "organisations" => Policy::new([
            organisations::Employee::schema(),
            organisations::EmployeeOfMany::schema(),
        ])
        .allow("Employee", [PolicyVerb::PUT, PolicyVerb::IN_PARTITION])
        .allow(
            "EmployeeOfMany",
            [PolicyVerb::BATCH, PolicyVerb::IN_PARTITION],
        )
        .allow_pattern("Employee.by_hobby")
        .allow_pattern("Employee.colleagues_by_hobby")
        .allow_pattern("EmployeeOfMany.colleagues_by_hobby"),
        "request_counts" => Policy::new([
            request_counts::RequestCount::schema(),
            request_counts::BusyRequestCount::schema(),
        ])
        .allow(
            "RequestCount",
            [PolicyVerb::UPSERT, PolicyVerb::IN_PARTITION],
        )
        .allow(
            "BusyRequestCount",
            [PolicyVerb::UPSERT, PolicyVerb::IN_PARTITION],
        ),
        "shop_directory" => Policy::new([shop_directory::Shop::schema()])
            .allow("Shop", [PolicyVerb::PUT])
            .allow_pattern("Shop.by_place"),
        "status_shards" => Policy::new([status_shards::Order::schema()])
            .allow("Order", [PolicyVerb::BATCH])
            .allow_pattern("Order.by_status")
            .allow_pattern("Order.by_status_plain"),
        _ => return None,
    };
    Some(policy.region("eu-west-1").account("111122223333"))
}

const SYSTEMS: [&str; 12] = [
    "access_tokens",
    "app_users",
    "blog",
    "bulk",
    "help_search",
    "iot_meters",
    "message_delivery",
    "orders",
    "organisations",
    "request_counts",
    "shop_directory",
    "status_shards",
];

/// What the requests of a system ask, and what was recorded of them.
async fn observed(
    system: &str,
) -> Result<(Seen, PolicyRecorder, String), Box<dyn std::error::Error>> {
    let opened = Db::open(Mode::Raw).await?;
    let (seen, recorder) = (Arc::new(Mutex::new(Seen::new())), PolicyRecorder::default());
    let prefix = format!("{}-", opened.prefix().trim_end_matches('-'));
    let (remembered, begin) = (Arc::clone(&seen), prefix.clone());
    let db: &Dynamo = &opened;
    let db = db
        .clone()
        .with_observer(recorder.observer())
        .with_observer(move |request| {
            let mut remembered = remembered.lock().expect("no panic");
            for asked in request.actions() {
                let keys = request.partition_keys().into_iter();
                let keys = keys
                    .filter(|key| key.table() == asked.table)
                    .map(|key| key.text());
                let table = asked
                    .table
                    .strip_prefix(&begin)
                    .expect("a table of the test")
                    .to_owned();
                let place = (
                    asked.action,
                    table,
                    asked.index.map(|index| index.into_owned()),
                );
                remembered.entry(place).or_default().insert(keys.collect());
            }
        });
    run(system, &db).await?;
    opened.close().await?;
    let seen = std::mem::take(&mut *seen.lock().expect("no panic"));
    Ok((seen, recorder, prefix))
}

fn arn(table: &str, index: Option<&str>) -> String {
    let index = index.map(|index| format!("/index/{index}"));
    format!("{TABLES}{table}{}", index.unwrap_or_default())
}

/// What was seen is allowed. Of another table, of another index, as a scan or as another action it is not.
fn questions(policy: &Policy, seen: &Seen) -> Result<Vec<Question>, Box<dyn std::error::Error>> {
    let policy: Json = serde_json::from_str(&policy.document()?)?;
    let mut questions = Vec::new();
    for ((action, table, index), keys) in seen {
        let mut push =
            |is_allowed: bool, action: &str, resource: String, leading_keys: Vec<String>| {
                questions.push(Question {
                    policy: policy.clone(),
                    action: action.to_owned(),
                    resource,
                    keys: vec![("LeadingKeys", leading_keys)],
                    is_allowed,
                });
            };
        let index = index.as_deref();
        for keys in keys {
            push(true, action, arn(table, index), keys.clone());
        }
        let keys = keys.iter().next().cloned().unwrap_or_default();
        push(
            false,
            action,
            arn(&format!("{table}2"), index),
            keys.clone(),
        );
        push(
            false,
            action,
            arn(table, Some(index.map_or("none", |_| "another"))),
            keys.clone(),
        );
        push(false, "DeleteTable", arn(table, None), Vec::new());
        push(false, "PartiQLSelect", arn(table, index), keys.clone());
        let scans = seen.contains_key(&("Scan", table.clone(), None)) && index.is_none();
        if !scans {
            push(false, "Scan", arn(table, index), Vec::new());
        }
    }
    Ok(questions)
}

#[tokio::test]
async fn the_systems_may_do_what_they_do() -> Outcome {
    // What a server is asked besides is another thing, and it would build an index.
    if Kind::here().is_server() {
        eprintln!("skipped on a server: policies are about what AWS is asked");
        return Ok(());
    }
    let mut all = Vec::new();
    for system in SYSTEMS {
        let (seen, recorder, prefix) = observed(system).await?;
        assert!(!seen.is_empty());
        let role = role(system).ok_or("a role")?;
        check(&format!("policies/{system}.json"), &role.document()?)?;
        all.extend(questions(&role, &seen)?);
        // The keys of some puts are not observed, since nothing tells which of their attributes they are.
        let observed = questions(&role.leading_keys(), &seen)?.into_iter();
        all.extend(observed.filter(|question| {
            let has_keys = question.keys.iter().any(|(_, values)| !values.is_empty());
            has_keys || !question.is_allowed || question.action == "Scan"
        }));
        let recorded = recorder.policy_with_scans(&prefix);
        let recorded = recorded.region("eu-west-1").account("111122223333");
        all.extend(questions(&recorded, &seen)?);
        // Without being asked for, a scan is left out.
        let plain = recorder
            .policy(&prefix)
            .region("eu-west-1")
            .account("111122223333");
        assert!(!plain.document()?.contains("Scan"), "{system}");
        let scans = seen.keys().filter(|(action, ..)| *action == "Scan").count();
        assert_eq!(recorder.scanned().len(), scans, "{system}");
    }
    ask("the_systems_may_do_what_they_do", &all)
}

/// A function reads the stream of its table, reports to its queue and keeps its attempts, and does nothing else.
#[test]
fn a_policy_allows_the_requests_of_a_consumer() -> Outcome {
    let stream = |table: &str| arn(&format!("{table}/stream/2026-03-01T08:00:00.000"), None);
    let queue = |name: &str| format!("arn:aws:sqs:eu-west-1:111122223333:{name}");
    // An action without resources is compared with all of them, as the service does.
    let nowhere = || "arn:aws:dynamodb:*:*:*".to_owned();
    let (shop, parked, effects) = ("prod-mail-shop", "prod-parked-changes", "prod-once-effects");
    let failures = || queue("prod-order-mails-failures");
    let mut questions = Vec::new();
    let mut push = |policy: &Policy, requests: &[(&str, String, bool)]| -> Outcome {
        let policy: Json = serde_json::from_str(&policy.document()?)?;
        for (action, resource, is_allowed) in requests {
            questions.push(Question {
                policy: policy.clone(),
                action: (*action).to_owned(),
                resource: resource.clone(),
                keys: Vec::new(),
                is_allowed: *is_allowed,
            });
        }
        Ok(())
    };
    push(
        &consumers::policy(),
        &[
            ("DescribeStream", stream(shop), true),
            ("GetShardIterator", stream(shop), true),
            ("GetRecords", stream(shop), true),
            ("ListStreams", nowhere(), true),
            ("sqs:SendMessage", failures(), true),
            // Attempts and parked changes.
            ("UpdateItem", arn(parked, None), true),
            ("GetItem", arn(parked, None), true),
            ("BatchWriteItem", arn(parked, None), true),
            // Effects.
            ("PutItem", arn(effects, None), true),
            ("GetItem", arn(effects, None), true),
            ("DeleteItem", arn(effects, None), true),
            // Other streams, the items of the table, and other accounts.
            ("GetRecords", stream("prod-mail-shop2"), false),
            ("GetRecords", stream("mail-shop"), false),
            ("GetRecords", stream(parked), false),
            ("GetRecords", arn(shop, None), false),
            (
                "GetRecords",
                stream(shop).replace("111122223333", "444455556666"),
                false,
            ),
            (
                "GetRecords",
                stream(shop).replace("eu-west-1", "us-east-1"),
                false,
            ),
            ("GetItem", arn(shop, None), false),
            ("PutItem", arn(shop, None), false),
            ("UpdateTable", arn(shop, None), false),
            ("ListTables", nowhere(), false),
            // Other queues, and messages that were sent.
            ("sqs:SendMessage", queue("prod-cache-failures"), false),
            ("sqs:SendMessage", queue("order-mails-failures"), false),
            ("sqs:ReceiveMessage", failures(), false),
            ("sqs:PurgeQueue", failures(), false),
            // Nothing is listed, and no parked change is dropped.
            ("Query", arn(parked, None), false),
            ("Scan", arn(parked, None), false),
            ("DeleteItem", arn(parked, None), false),
            ("Query", arn(effects, None), false),
        ],
    )?;
    let without_queue = Policy::new([order_mails::Shop::schema()])
        .prefix("prod")
        .region("eu-west-1")
        .account("111122223333")
        .allow_consumer(&consumers::cache());
    push(
        &without_queue,
        &[
            ("GetRecords", stream(shop), true),
            ("ListStreams", nowhere(), true),
            ("sqs:SendMessage", queue("prod-cache-failures"), false),
            ("GetItem", arn(parked, None), false),
        ],
    )?;
    ask("a_policy_allows_the_requests_of_a_consumer", &questions)
}

/// A role of one entity of a shared table has no way to the others.
#[test]
fn partitions_of_others_are_denied() -> Outcome {
    let messages = || Policy::new([message_delivery::Messages::schema(), blog::Blog::schema()]);
    let read = messages()
        .allow("Message", [PolicyVerb::GET])
        .allow("Post", [PolicyVerb::IN_PARTITION])
        .leading_keys();
    let policy: Json = serde_json::from_str(&read.document()?)?;
    let question = |action: &str, table: &str, keys: &[&str], is_allowed: bool| Question {
        policy: policy.clone(),
        action: action.to_owned(),
        resource: arn(table, None),
        keys: vec![(
            "LeadingKeys",
            keys.iter().map(|key| (*key).to_owned()).collect(),
        )],
        is_allowed,
    };
    let message = message_delivery::Messages::schema().name;
    let questions = [
        question("GetItem", &message, &["MESSAGE#1"], true),
        question("GetItem", &message, &["MESSAGE#1", "MESSAGE#2"], true),
        question("GetItem", &message, &["OTHER#1"], false),
        question("GetItem", &message, &["MESSAGE#1", "OTHER#1"], false),
        question("Query", "blog", &["POSTS"], true),
        question("Query", "blog", &["POSTS2"], false),
        question("Query", "blog", &["POST#1"], false),
        // A condition for all values is true of none, so a request without a partition would pass it.
        question("GetItem", &message, &[], false),
        question("Query", "blog", &[], false),
    ];
    ask("partitions_of_others_are_denied", &questions)
}

/// A task of one of many organisations, in an index with a key of several attributes.
#[derive(DynamoEntity)]
#[dynamo(table = "tasks", key(pk = "ORG#{org}#TASK", sk = number), unique(by_title, org, title))]
#[dynamo(gsi(by_state, pk = [org, state, year], sk = [number]), gsi(by_owner, pk = owner, sk = number))]
#[dynamo(gsi(by_year, pk = [year, org], sk = number))]
#[dynamo(gsi(by_number, pk = "NUMBER#{org}", sk = "{number}", shards = 4))]
#[allow(dead_code)]
struct Task {
    org: String,
    number: u32,
    state: String,
    year: u32,
    owner: String,
    title: String,
}

crate::declare! {
    table Clinic(name = "clinic", pk = "pk", sk = "sk", tenant = org, entities(Patient, Visit),
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
    /// The tenant is the last part of one unique value, and the first one of the other.
    entity Patient(table = Clinic, key(pk = "ORG#{org}#PATIENT#{id}", sk = "INFO"), unique(by_email, email, org), unique(by_phone, org, phone))
        { org: String, id: u32, email: String, phone: String }
    entity Visit(table = Clinic, key(pk = "ORG#{org}#PATIENT#{id}", sk = "VISIT#{at}"),
        gsi(by_room, on = gsi1, pk = "ROOM#{org}#{room}", sk = "{at}"))
        { org: String, id: u32, at: u32, room: String }
}

/// The policy of a tenant allows the keys of this tenant in a table with a tenant, and of no other: also of unique values.
#[test]
fn a_tenant_of_a_table_has_a_policy() -> Outcome {
    for org in ["acme", "a*b?", "${aws:username}", "a#b", "%", "*"] {
        let policy = Policy::new([Clinic::schema()])
            .allow_reads()
            .allow_writes()
            .with_value("org", org);
        let policy: Json = serde_json::from_str(&policy.document()?)?;
        let key = |org: &str| -> Result<Vec<(String, Option<&'static str>)>> {
            let key = Patient::key(org, 7).to_item()?;
            let text = key
                .get("pk")
                .and_then(|pk| pk.as_text())
                .unwrap_or_default();
            let part = text
                .strip_prefix("ORG#")
                .and_then(|rest| rest.split_once("#PATIENT"))
                .map_or("", |(part, _)| part);
            Ok(vec![
                (text.to_owned(), None),
                (format!("ROOM#{part}#red"), Some("gsi1")),
                (format!("$UNIQUE#Patient#email,org#ann@x#{part}"), None),
                (format!("$UNIQUE#Patient#org,phone#{part}#555"), None),
            ])
        };
        let mut questions = Vec::new();
        for other in [
            org, "acme2", "acm", "aXb?", "a*bY", "ann", "a", "b", "a%23", "**",
        ] {
            // The evaluator does not know `${*}`, `${?}` and `${$}`, by which IAM writes these letters, so it denies such keys.
            if other == org && org.contains(['*', '?', '$']) {
                continue;
            }
            for (pk, index) in key(other)? {
                questions.push(Question {
                    policy: policy.clone(),
                    action: if index.is_some() { "Query" } else { "GetItem" }.to_owned(),
                    resource: arn("clinic", index),
                    keys: vec![("LeadingKeys", vec![pk])],
                    is_allowed: other == org,
                });
            }
        }
        // Another value at the position of the tenant.
        for pk in [
            "$UNIQUE#Patient#email,org#acme#globex",
            "$UNIQUE#Patient#org,phone#globex#acme",
            "$UNIQUE#Visit#email,org#a#acme",
        ] {
            questions.push(Question {
                policy: policy.clone(),
                action: "GetItem".to_owned(),
                resource: arn("clinic", None),
                keys: vec![("LeadingKeys", vec![pk.to_owned()])],
                is_allowed: false,
            });
        }
        ask("a_tenant_of_a_table_has_a_policy", &questions)?;
    }
    Ok(())
}

/// A request of an index with a key of several attributes has each of them by a condition key of its own.
#[test]
fn a_role_of_one_tenant_reads_nothing_of_others() -> Outcome {
    let tasks = || Policy::new([Task::schema()]);
    let of_org = |policy: Policy, org: &str| -> Result<Json, Box<dyn std::error::Error>> {
        Ok(serde_json::from_str(
            &policy.with_value("org", org).document()?,
        )?)
    };
    let indexes = tasks()
        .allow_pattern("Task.by_state")
        .allow_pattern("Task.by_year")
        .allow_pattern("Task.by_number");
    let policy = of_org(indexes, "ac*me#")?;
    let items = of_org(tasks().allow("Task", [PolicyVerb::GET]), "acme#")?;
    let question =
        |policy: &Json, action: &str, index, keys: &[(&'static str, &str)], is_allowed| {
            let keys = keys
                .iter()
                .map(|(key, value)| (*key, vec![(*value).to_owned()]));
            Question {
                policy: policy.clone(),
                action: action.to_owned(),
                resource: arn("tasks", index),
                keys: keys.collect(),
                is_allowed,
            }
        };
    let [first, second, third] = [
        "FirstPartitionKeyValues",
        "SecondPartitionKeyValues",
        "ThirdPartitionKeyValues",
    ];
    let mut questions = Vec::new();
    for (index, keys, is_allowed) in [
        (
            "by_state",
            &[(first, "ac*me#"), (second, "open"), (third, "7")][..],
            true,
        ),
        ("by_state", &[(first, "ac*me#")], true),
        ("by_state", &[(first, "acXme#"), (second, "open")], false),
        ("by_state", &[(second, "ac*me#")], false),
        ("by_state", &[], false),
        ("by_year", &[(first, "2026"), (second, "ac*me#")], true),
        ("by_year", &[(first, "ac*me#"), (second, "other")], false),
        ("by_year", &[(first, "ac*me#")], false),
    ] {
        questions.push(question(&policy, "Query", Some(index), keys, is_allowed));
    }
    // A shard follows the value, and does not make it a beginning of others.
    let acme = of_org(tasks().allow_pattern("Task.by_number"), "acme")?;
    for (key, is_allowed) in [("NUMBER#acme#3", true), ("NUMBER#acme2#3", false)] {
        let keys = [("LeadingKeys", key)];
        questions.push(question(
            &acme,
            "Query",
            Some("by_number"),
            &keys,
            is_allowed,
        ));
    }
    // The keys as the library writes them.
    for (org, is_allowed) in [("acme#", true), ("acme", false), ("acme##TASK", false)] {
        let key = Task::key(org, 7).to_item()?;
        let key = key.get("pk").and_then(|pk| pk.as_text()).ok_or("a key")?;
        let keys = [("LeadingKeys", key)];
        questions.push(question(&items, "GetItem", None, &keys, is_allowed));
    }
    questions.push(question(&items, "GetItem", None, &[], false));
    // Two attributes of one entity, exact both.
    let state = Some("by_state");
    let both = tasks()
        .allow_pattern("Task.by_state")
        .with_value("org", "acme")
        .with_value("state", "open");
    let both: Json = serde_json::from_str(&both.document()?)?;
    questions.extend([
        question(
            &both,
            "Query",
            state,
            &[(first, "acme"), (second, "open")],
            true,
        ),
        question(
            &both,
            "Query",
            state,
            &[(first, "acme"), (second, "done")],
            false,
        ),
        question(&both, "Query", state, &[(first, "acme")], false),
    ]);
    ask("a_role_of_one_tenant_reads_nothing_of_others", &questions)?;
    // What is not known is not limited, and so said by the absence of a condition.
    let open = tasks()
        .allow_pattern("Task.by_state")
        .leading_keys()
        .document()?;
    assert!(!open.contains("Condition"), "{open}");
    let unknown = tasks()
        .allow_reads()
        .with_value("tenant", "acme")
        .document();
    assert!(unknown.unwrap_err().to_string().contains("`tenant`"));
    // Nothing reaches other values in silence.
    for (wider, says) in [
        (tasks().allow_pattern("Task.by_owner"), "`Task.by_owner`"),
        (tasks().allow_reads(), "`Task.by_owner`"),
        (tasks().allow("Task", [PolicyVerb::SCAN]), "`scan`"),
        (tasks().allow_ready(), "`ready`"),
    ] {
        let refused = wider.with_value("org", "acme").document().unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
    }
    Ok(())
}

#[test]
fn names_that_nothing_has_are_refused() {
    let refusal = |policy: Policy| policy.document().unwrap_err().to_string();
    let orders = || Policy::new([orders::Order::schema()]);
    let nothing = refusal(orders());
    assert!(nothing.contains("the policy allows nothing"), "{nothing}");
    let entity = refusal(orders().allow("Oder", [PolicyVerb::GET]));
    assert!(
        entity.contains("`Oder`, which is not an entity of its tables: they have `Order`"),
        "{entity}"
    );
    let pattern = refusal(orders().allow_pattern("Order.by_place"));
    assert!(
        pattern.contains("its patterns are `of_customer`"),
        "{pattern}"
    );
    let name = refusal(orders().allow_pattern("by_status"));
    assert!(name.contains("as in `Order.by_status`"), "{name}");
    let both = Policy::new([orders::Order::schema(), status_shards::Order::schema()]);
    let both = refusal(both.allow("Order", [PolicyVerb::GET]));
    assert!(both.contains("make a policy of each"), "{both}");
    let unique = refusal(
        Policy::new([app_users::AppUsers::schema()]).allow("UserInfo", [PolicyVerb::BATCH]),
    );
    assert!(unique.contains("which has no such verb"), "{unique}");
    let typed = refusal(Policy::new([Animals::schema()]).allow("Cat", [PolicyVerb::BATCH]));
    assert!(typed.contains("a batch checks no types"), "{typed}");
}

#[derive(DynamoTable)]
#[dynamo(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog))]
struct Animals;

#[derive(DynamoEntity)]
#[dynamo(table = Animals, key(pk = "ANIMAL#{id}"))]
struct Cat {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Animals, key(pk = "ANIMAL#{id}"))]
struct Dog {
    id: u32,
}

/// What works on tables needs more where more is declared.
#[test]
fn operations_on_tables_need_what_is_declared() -> Outcome {
    let actions = |policy: Policy| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let policy: Json = serde_json::from_str(&policy.document()?)?;
        let actions = policy["Statement"][0]["Action"]
            .as_array()
            .ok_or("a list")?;
        Ok(actions
            .iter()
            .map(|action| action.as_str().unwrap_or_default()[9..].to_owned())
            .collect())
    };
    let plain = || Policy::new([bulk::Account::schema()]);
    let more = || {
        let schema = access_tokens::AccessToken::schema().point_in_time_recovery(7);
        Policy::new([schema.tag("team", "a")])
    };
    assert_eq!(
        actions(plain().allow_plan())?,
        ["DescribeTable", "DescribeTimeToLive"]
    );
    assert_eq!(
        actions(more().allow_plan())?,
        [
            "DescribeContinuousBackups",
            "DescribeTable",
            "DescribeTimeToLive",
            "ListTagsOfResource"
        ]
    );
    assert_eq!(
        actions(plain().allow_create_tables())?,
        ["CreateTable", "DescribeTable", "DescribeTimeToLive"]
    );
    assert_eq!(
        actions(more().allow_create_tables())?,
        [
            "CreateTable",
            "DescribeContinuousBackups",
            "DescribeTable",
            "DescribeTimeToLive",
            "TagResource",
            "UpdateContinuousBackups",
            "UpdateTimeToLive",
        ]
    );
    assert_eq!(
        actions(plain().allow_add_indexes())?,
        ["DescribeTable", "UpdateTable"]
    );
    assert_eq!(
        actions(plain().allow_enable_ttl())?,
        ["DescribeTable", "DescribeTimeToLive", "UpdateTimeToLive"]
    );
    assert_eq!(
        actions(plain().allow_ready())?,
        ["DescribeTable", "DescribeTimeToLive", "GetItem", "Query"]
    );
    Ok(())
}

/// The service uses a key of the account on behalf of the role, so the role needs permission for the key, through DynamoDB
/// alone. Keys of AWS need none.
#[test]
fn own_keys_of_tables_are_permitted_through_dynamodb() -> Outcome {
    let key = |id: &str| format!("arn:aws:kms:eu-west-1:111122223333:key/{id}");
    let own = |id: &str| Encryption::key(key(id));
    let tables = [
        bulk::Account::schema().encryption(own("accounts")),
        access_tokens::AccessToken::schema().encryption(own("tokens")),
        tasks::Task::schema().encryption(Encryption::AwsManaged),
    ];
    let statements = |policy: Policy| -> Result<Vec<Json>, Box<dyn std::error::Error>> {
        let policy: Json = serde_json::from_str(&policy.document()?)?;
        let all = policy["Statement"].as_array().ok_or("a list")?;
        let of_keys = all
            .iter()
            .filter(|statement| statement.to_string().contains("kms:"));
        Ok(of_keys.cloned().collect())
    };
    let policy = || Policy::new(tables.clone()).prefix("prod");
    let through = |region: &str| json!({"StringLike": {"kms:ViaService": format!("dynamodb.{region}.amazonaws.com")}});
    let reads = json!(["kms:Decrypt", "kms:DescribeKey"]);
    assert_eq!(
        statements(
            policy()
                .allow("Account", [PolicyVerb::GET])
                .allow("Task", [PolicyVerb::PUT])
        )?,
        [
            json!({"Effect": "Allow", "Action": reads, "Resource": [key("accounts")], "Condition": through("*")})
        ]
    );
    let all = policy().region("eu-west-1").allow_all();
    let writes = json!([
        "kms:Decrypt",
        "kms:DescribeKey",
        "kms:Encrypt",
        "kms:GenerateDataKey*",
        "kms:ReEncrypt*"
    ]);
    assert_eq!(
        statements(all)?,
        [json!({
            "Effect": "Allow",
            "Action": writes,
            "Resource": [key("accounts"), key("tokens")],
            "Condition": through("eu-west-1"),
        })]
    );
    let created = statements(policy().allow_create_tables())?;
    assert!(
        created[0]["Action"].to_string().contains("kms:CreateGrant"),
        "{created:?}"
    );
    assert!(statements(policy().allow_plan())?.is_empty());
    // DynamoDB encrypts the stream of a table by the key of the table.
    let followed = Policy::new([order_mails::Shop::schema().encryption(own("shop"))]);
    assert_eq!(
        statements(followed.prefix("prod").allow_consumer(&consumers::cache()))?,
        [
            json!({"Effect": "Allow", "Action": reads, "Resource": [key("shop")], "Condition": through("*")})
        ]
    );
    let in_china = policy().partition("aws-cn").region("cn-north-1");
    let services = [
        "dynamodb.cn-north-1.amazonaws.com",
        "dynamodb.cn-north-1.amazonaws.com.cn",
    ];
    assert_eq!(
        statements(in_china.allow("Account", [PolicyVerb::GET]))?[0]["Condition"],
        json!({"StringLike": {"kms:ViaService": services}})
    );
    assert!(statements(Policy::new(schemas::all()?).allow_pattern("Task.get"))?.is_empty());
    Ok(())
}

/// A policy that is too long for IAM is several, which allow the same together.
#[test]
fn long_policies_are_several() -> Outcome {
    let twice = schemas::all()?.into_iter().flat_map(|schema| {
        let mut other = schema.clone();
        other.name = format!("another-{}", schema.name);
        [schema, other]
    });
    let tables: Vec<_> = twice.collect();
    let all = Policy::new(tables.clone())
        .prefix("production-environment-of-the-shop")
        .region("ap-southeast-2")
        .account("111122223333")
        .allow_all()
        .allow_create_tables();
    let refused = all.document().unwrap_err().to_string();
    assert!(refused.contains("more than 6144 characters"), "{refused}");
    let documents = all.documents()?;
    assert!(documents.len() > 1);
    let mut resources = BTreeSet::new();
    for document in documents {
        assert!(document.chars().filter(|c| !c.is_whitespace()).count() <= 6144);
        let document: Json = serde_json::from_str(&document)?;
        for statement in document["Statement"].as_array().ok_or("a list")? {
            let found = statement["Resource"].as_array().ok_or("a list")?;
            resources.extend(found.iter().map(|arn| arn.to_string()));
        }
        assert!(!document.to_string().contains("dynamodb:Scan"));
    }
    let indexes: usize = tables
        .iter()
        .map(|t| t.global_indexes.len() + t.local_indexes.len() + t.vector_indexes.len())
        .sum();
    assert_eq!(resources.len(), tables.len() + indexes);
    Ok(())
}

#[derive(DynamoEntity)]
#[dynamo(table = "docs", key(pk = "ORG#{org}", sk = "DOC#{id}"), blob(body))]
struct TenantDocument {
    org: String,
    id: u32,
}

/// The rows of a list have the limits of its item.
#[test]
fn lists_of_other_tenants_are_closed() -> Outcome {
    let policy = Policy::new([TenantDocument::schema()]).allow("TenantDocument", [PolicyVerb::GET]);
    let document = policy.with_value("org", "acme").document()?;
    assert!(document.contains("$LARGE#body#ORG%23acme#*"), "{document}");
    assert!(!document.contains("$LARGE#body#*"), "{document}");
    Ok(())
}
