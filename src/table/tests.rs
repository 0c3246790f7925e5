//! Tests comparison as a pure function; creation and indexes on the embedded engine.

use std::time::Duration;

use super::setup::*;
use super::*;
use crate::connect::testing::{Fault, Faults};
use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::schema::TableSchema;
use crate::schema::{
    Billing, IndexSchema, KeyAttribute, KeyType, Pattern, ProjectionSchema, StreamView,
};
use crate::wire::embedded::EmbeddedEngine;
use crate::wire::table as service;
use crate::wire::{Client, Request, Resend, ServiceOperation};

static PATTERN: Pattern = Pattern::alone("Test", "test");

fn key(name: &str) -> KeyAttribute {
    KeyAttribute {
        name: name.into(),
        ty: KeyType::S,
    }
}

fn index(name: &str, pk: &[&str], sk: &[&str], projection: ProjectionSchema) -> IndexSchema {
    let keys = |names: &[&str]| names.iter().map(|name| key(name)).collect();
    IndexSchema {
        name: name.into(),
        pk: keys(pk),
        sk: keys(sk),
        projection,
    }
}

fn include(names: &[&str]) -> ProjectionSchema {
    ProjectionSchema::Include(names.iter().map(|name| (*name).into()).collect())
}

fn shop() -> TableSchema {
    TableSchema {
        sk: Some(key("sk")),
        global_indexes: vec![
            index("gsi1", &["g1pk"], &["g1sk"], ProjectionSchema::All),
            index(
                "gsi2",
                &["city", "shop"],
                &["day", "hour"],
                include(&["a", "b"]),
            ),
        ],
        local_indexes: vec![index("lsi1", &["pk"], &["l1sk"], ProjectionSchema::Keys)],
        ttl: Some("expires".into()),
        stream: Some(StreamView::NewAndOldImages),
        ..TableSchema::bare("shop".into(), key("pk"))
    }
}

/// The one difference that this change of the table makes.
fn difference(change: impl FnOnce(&mut TableSchema)) -> String {
    let mut found = shop();
    change(&mut found);
    let list = compare::list_differences(&shop(), &found);
    assert_eq!(list.len(), 1, "{list:?}");
    list.concat()
}

#[test]
fn the_same_schema_has_no_differences() {
    let mut found = shop();
    found.global_indexes.reverse();
    found
        .global_indexes
        .push(index("other", &["x"], &[], ProjectionSchema::All));
    found.global_indexes[0].pk.reverse();
    found.global_indexes[0].projection = include(&["b", "a", "pk", "hour"]);
    found.local_indexes[0].projection = include(&[]);
    assert_eq!(compare::list_differences(&shop(), &found), [""; 0]);
    let mut silent = shop();
    silent.stream = None;
    assert_eq!(compare::list_differences(&silent, &shop()), [""; 0]);
}

#[test]
fn each_difference_is_said_with_its_remedy() {
    for (says, remedy, difference) in [
        (
            "`sk` (N)",
            "new table",
            difference(|t| {
                t.sk = Some(KeyAttribute {
                    name: "sk".into(),
                    ty: KeyType::N,
                })
            }),
        ),
        (
            "the key is `pk` (S), declared: `pk` (S), `sk` (S)",
            "new table",
            difference(|t| t.sk = None),
        ),
        (
            "index `gsi1` is missing",
            "db.add_indexes",
            difference(|t| drop(t.global_indexes.remove(0))),
        ),
        (
            "local index `lsi1` is missing",
            "new table",
            difference(|t| t.local_indexes.clear()),
        ),
        (
            "`day` (S) + `hour` (S)",
            "new name",
            difference(|t| t.global_indexes[1].sk.reverse()),
        ),
        (
            "projects `a`, declared: `a`, `b`",
            "new name",
            difference(|t| t.global_indexes[1].projection = include(&["a"])),
        ),
        (
            "projects keys only, declared: all",
            "new name",
            difference(|t| t.global_indexes[0].projection = ProjectionSchema::Keys),
        ),
        (
            "is a global index, declared: a local one",
            "another name",
            difference(|t| {
                let index = t.local_indexes.remove(0);
                t.global_indexes.push(index);
            }),
        ),
        ("no stream", "switch it on", difference(|t| t.stream = None)),
        (
            "shows KeysOnly",
            "switch the stream off",
            difference(|t| t.stream = Some(StreamView::KeysOnly)),
        ),
        (
            "do not expire",
            "switch TTL on",
            compare::compare_ttl(Some("a"), None).unwrap(),
        ),
        (
            "expire by `b`, declared: `a`",
            "switch TTL over",
            compare::compare_ttl(Some("a"), Some("b")).unwrap(),
        ),
        (
            "expire by `b`, but no TTL is declared",
            "dynamo(ttl)",
            compare::compare_ttl(None, Some("b")).unwrap(),
        ),
    ] {
        assert!(difference.contains(says), "{difference}");
        assert!(difference.contains(remedy), "{difference}");
    }
}

#[test]
fn limits_are_met_before_sending() {
    let many = |count: usize, projection: ProjectionSchema| -> Vec<IndexSchema> {
        (0..count)
            .map(|n| index(&format!("index{n}"), &["x"], &[], projection.clone()))
            .collect()
    };
    let hundred: Vec<String> = (0..101).map(|n| format!("a{n}")).collect();
    #[expect(clippy::type_complexity, reason = "a table of cases")]
    let broken: [(&str, &dyn Fn(&mut TableSchema)); 16] = [
        ("3 to 255", &|t| t.name = "ab".into()),
        ("3 to 255", &|t| t.name = "a".repeat(256)),
        ("3 to 255", &|t| t.name = "caf\u{e9}".into()),
        ("`x y`", &|t| t.global_indexes[0].name = "x y".into()),
        ("21 global indexes", &|t| {
            t.global_indexes = many(21, ProjectionSchema::Keys)
        }),
        ("6 local indexes", &|t| {
            t.local_indexes = many(6, ProjectionSchema::Keys)
        }),
        ("103 projected", &|t| {
            t.global_indexes[0].projection = ProjectionSchema::Include(hundred.clone())
        }),
        ("sort key", &|t| t.sk = None),
        ("5 attributes", &|t| {
            t.global_indexes[0].pk = ["a", "b", "c", "d", "e"].map(key).into()
        }),
        ("1 to 35 days back", &|t| {
            t.settings.point_in_time_recovery = Some(36);
        }),
        ("1 to 35 days back, not for 0", &|t| {
            t.settings.point_in_time_recovery = Some(0);
        }),
        ("of which one is 0", &|t| {
            let (reads, writes) = (5, 0);
            t.settings.billing = Some(Billing::Provisioned { reads, writes });
        }),
        ("the tag `aws:x`", &|t| {
            t.settings.tags.insert("aws:x".into(), "y".into());
        }),
        ("the tag ``", &|t| {
            t.settings.tags.insert(String::new(), "y".into());
        }),
        ("51 tags", &|t| {
            let tags = (0..51).map(|at| (format!("tag{at}"), String::new()));
            t.settings.tags = tags.collect();
        }),
        ("both S and N", &|t| {
            t.global_indexes[0].pk[0] = KeyAttribute {
                name: "pk".into(),
                ty: KeyType::N,
            }
        }),
    ];
    for (says, change) in broken {
        let mut schema = shop();
        change(&mut schema);
        let error = limits::check_limits(&schema).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        let begin = "DynamoDB rejects the declaration of table `";
        assert!(text.contains(says) && text.starts_with(begin), "{error}");
    }
    limits::check_limits(&shop()).unwrap();
}

async fn start() -> (Dynamo, Faults) {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let faults = Faults::default();
    let http = faults.around(engine.http_client());
    let config = engine.sdk_config().http_client(http).build();
    (
        Dynamo::new(Client::from_conf(config)).with_prefix("dev"),
        faults,
    )
}

fn told(body: &str) -> Fault {
    Fault::Reply(200, body.to_owned())
}

/// The answer of a service that keeps backups; it says nothing of days.
fn recovery(status: &str) -> Fault {
    told(&format!(
        r#"{{"ContinuousBackupsDescription":{{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{{"PointInTimeRecoveryStatus":"{status}"}}}}}}"#
    ))
}

fn writes(http: &Faults) -> Vec<String> {
    http.calls()
        .into_iter()
        .filter(|call| !call.starts_with("Describe"))
        .collect()
}

#[tokio::test]
async fn a_table_is_created_as_declared_and_then_left_alone() {
    let (db, http) = start().await;
    db.create_tables([shop()]).await.unwrap();
    assert_eq!(writes(&http), ["CreateTable", "UpdateTimeToLive"]);
    let found = service::describe_table(db.table_wire().unwrap(), "dev-shop")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(compare::list_differences(&shop(), &found.schema), [""; 0]);
    assert_eq!(
        service::ttl_attribute(db.table_wire().unwrap(), "dev-shop")
            .await
            .unwrap()
            .as_deref(),
        Some("expires")
    );
    http.plan([]);
    db.create_tables([shop(), shop()]).await.unwrap();
    assert_eq!(writes(&http), [""; 0]);
}

#[tokio::test]
async fn creators_may_race() {
    let (db, _) = start().await;
    let creators: Vec<_> = (0..8)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move { db.create_tables([shop()]).await })
        })
        .collect();
    for creator in creators {
        creator.await.unwrap().unwrap();
    }
    let ttl = service::ttl_attribute(db.table_wire().unwrap(), "dev-shop")
        .await
        .unwrap();
    assert_eq!(ttl.as_deref(), Some("expires"));
}

#[tokio::test]
async fn settings_are_asked_for_when_a_table_is_created() {
    let (db, http) = start().await;
    let schema = shop()
        .deletion_protection(true)
        .point_in_time_recovery(35)
        .infrequent_access()
        .provisioned(3, 4)
        .tag("team", "sales");
    let look = |status: &str| [Fault::Pass, Fault::Pass, recovery(status)];
    let course = [Fault::Pass, Fault::Pass]
        .into_iter()
        .chain(look("DISABLED"));
    let course = course.chain([told("{}")]).chain(look("ENABLED"));
    http.plan(course.chain([Fault::Pass]).chain(look("ENABLED")));
    db.create_tables([schema.clone()]).await.unwrap();
    assert_eq!(
        writes(&http),
        ["CreateTable", "UpdateContinuousBackups", "UpdateTimeToLive"]
    );
    let body = |call: &str| {
        let seen = http.seen().into_iter().find(|seen| seen.operation == call);
        serde_json::from_slice::<serde_json::Value>(&seen.unwrap().body).unwrap()
    };
    let create = body("CreateTable");
    let units = serde_json::json!({"ReadCapacityUnits": 3, "WriteCapacityUnits": 4});
    assert_eq!(create["BillingMode"], "PROVISIONED");
    assert_eq!(create["ProvisionedThroughput"], units);
    for index in create["GlobalSecondaryIndexes"].as_array().unwrap() {
        assert_eq!(index["ProvisionedThroughput"], units);
    }
    assert_eq!(create["DeletionProtectionEnabled"], true);
    assert_eq!(create["TableClass"], "STANDARD_INFREQUENT_ACCESS");
    assert_eq!(
        create["Tags"],
        serde_json::json!([{"Key": "team", "Value": "sales"}])
    );
    let recovery = &body("UpdateContinuousBackups")["PointInTimeRecoverySpecification"];
    assert_eq!(recovery["PointInTimeRecoveryEnabled"], true);
    assert_eq!(recovery["RecoveryPeriodInDays"], 35);

    // A table that is there is left as it is.
    http.plan([]);
    db.create_tables([schema.deletion_protection(false).on_demand()])
        .await
        .unwrap();
    assert_eq!(writes(&http), [""; 0]);
}

/// The service makes a few tables at once, and says of the next one that its limit is exceeded.
#[tokio::test]
async fn a_crowd_of_new_tables_is_waited_for() {
    let (db, http) = start().await;
    let crowded = || Fault::refuse("LimitExceededException");
    http.plan([Fault::Pass, crowded(), crowded()]);
    db.create_tables([shop()]).await.unwrap();
    assert_eq!(
        writes(&http),
        [
            "CreateTable",
            "CreateTable",
            "CreateTable",
            "UpdateTimeToLive"
        ]
    );
}

/// A creator that died before the last step, and a service that keeps no backups yet, leave no table without recovery.
#[tokio::test]
async fn recovery_is_switched_on_in_the_end() {
    let (db, http) = start().await;
    db.create_tables([shop()]).await.unwrap();
    // The table is there and young.
    let look = |status: &str| [Fault::Pass, Fault::Pass, recovery(status)];
    let course = [Fault::Pass, Fault::Pass]
        .into_iter()
        .chain(look("DISABLED"));
    let unready = Fault::refuse("ContinuousBackupsUnavailableException");
    let course = course.chain([unready]).chain(look("DISABLED"));
    http.plan(course.chain([told("{}")]).chain(look("ENABLED")));
    let schema = shop().point_in_time_recovery(35);
    db.create_tables([schema.clone()]).await.unwrap();
    assert_eq!(
        writes(&http),
        ["UpdateContinuousBackups", "UpdateContinuousBackups"]
    );
    http.plan(
        [Fault::Pass, Fault::Pass]
            .into_iter()
            .chain(look("ENABLED")),
    );
    db.create_tables([schema]).await.unwrap();
    assert_eq!(writes(&http), [""; 0]);
}

#[tokio::test]
async fn a_table_without_settings_asks_for_none() {
    let (db, http) = start().await;
    db.create_tables([shop()]).await.unwrap();
    let seen = http
        .seen()
        .into_iter()
        .find(|seen| seen.operation == "CreateTable");
    let create: serde_json::Value = serde_json::from_slice(&seen.unwrap().body).unwrap();
    assert_eq!(create["BillingMode"], "PAY_PER_REQUEST");
    for name in [
        "ProvisionedThroughput",
        "DeletionProtectionEnabled",
        "TableClass",
        "Tags",
    ] {
        assert_eq!(create.get(name), None, "{name}");
    }
}

/// If a creator died between the table and its TTL, the next one finishes it, but only while the table is
/// young; an old table without TTL is someone's choice.
#[tokio::test]
async fn a_young_table_waits_for_its_creators_ttl() {
    let (db, http) = start().await;
    let mut bare = shop();
    bare.ttl = None;
    db.create_tables([bare]).await.unwrap();
    http.plan([]);
    let creator = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        service::set_ttl(db.table_wire().unwrap(), "dev-shop", "expires", true).await
    };
    let (created, enabled) = tokio::join!(db.create_tables([shop()]), creator);
    enabled.unwrap();
    created.unwrap();
    assert_eq!(writes(&http), ["UpdateTimeToLive"], "the creator's own");
    assert!(!is_young(Some(1_600_000_000)));
    assert!(!is_young(None));
}

#[tokio::test]
async fn a_lost_answer_to_create_is_harmless() {
    let (db, http) = start().await;
    http.plan([Fault::Pass, Fault::Lose]);
    db.create_tables([shop()]).await.unwrap();
    assert_eq!(
        writes(&http),
        ["CreateTable", "CreateTable", "UpdateTimeToLive"]
    );
}

#[tokio::test]
async fn every_difference_of_every_table_is_one_error_and_nothing_is_changed() {
    let (db, http) = start().await;
    db.create_tables([shop()]).await.unwrap();
    http.plan([]);
    let mut other = shop();
    other.pk = key("id");
    other
        .global_indexes
        .push(index("gsi9", &["x"], &[], ProjectionSchema::All));
    other
        .local_indexes
        .push(index("lsi9", &["pk"], &["x"], ProjectionSchema::All));
    other.ttl = Some("gone_at".into());
    let mut fresh = shop();
    fresh.name = "fresh".into();
    let error = db.create_tables([fresh, other]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let text = error.to_string();
    for says in [
        "dev-shop",
        "`id` (S)",
        "`gsi9` is missing",
        "`lsi9` is missing",
        "`gone_at`",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert_eq!(writes(&http), [""; 0]);
}

#[tokio::test]
async fn missing_indexes_are_added_and_filled() {
    let (db, http) = start().await;
    let mut bare = shop();
    bare.global_indexes.clear();
    db.create_tables([bare]).await.unwrap();
    let item = br#"{"TableName":"dev-shop","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"g1pk":{"S":"x"},"g1sk":{"S":"y"}}}"#;
    db.call_service(Request {
        operation: ServiceOperation::PutItem,
        table: "dev-shop".into(),
        body: bytes::Bytes::from_static(item),
        resend: Resend::Always,
        is_metered: false,
        pattern: &PATTERN,
    })
    .await
    .unwrap();
    http.plan([]);
    db.add_indexes([shop()]).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTable", "UpdateTable"]);
    let rows = db
        .client()
        .scan()
        .table_name("dev-shop")
        .index_name("gsi1")
        .send()
        .await
        .unwrap();
    assert_eq!(rows.count(), 1);
    db.create_tables([shop()]).await.unwrap();
    http.plan([]);
    db.add_indexes([shop()]).await.unwrap();
    assert_eq!(writes(&http), [""; 0]);
}

/// The index may have been begun all the same, so the table is described before the request is sent again.
#[tokio::test]
async fn a_service_that_fails_to_begin_an_index_is_asked_again() {
    let (db, http) = start().await;
    let mut bare = shop();
    bare.global_indexes.clear();
    db.create_tables([bare]).await.unwrap();
    // There are more failures than the SDK retries by itself, and the table is described in between.
    let failed = || std::iter::repeat_n(Fault::internal(), 3);
    let described = || [Fault::Pass];
    let plan = [Fault::Pass, Fault::Pass].into_iter().chain(failed());
    let plan = plan.chain(described()).chain(failed()).chain(described());
    http.plan(plan.chain([Fault::Lose]));
    db.add_indexes([shop()]).await.unwrap();
    db.create_tables([shop()]).await.unwrap();
}

/// Filling an index takes hours, and describing the table may fail meanwhile.
#[tokio::test]
async fn a_look_that_fails_ends_no_wait() {
    let (db, http) = start().await;
    let mut bare = shop();
    bare.global_indexes.clear();
    db.create_tables([bare]).await.unwrap();
    let failed = || std::iter::repeat_n(Fault::throttle(), 3);
    // The request to begin an index fails, and so does describing the table after it.
    let plan = [Fault::Pass, Fault::Pass].into_iter().chain(failed());
    http.plan(plan.chain(failed()));
    db.add_indexes([shop()]).await.unwrap();
    // A service that never answered may not exist, so it is not asked again.
    http.plan(failed());
    let silent = db.add_indexes([shop()]).await.unwrap_err();
    assert!(silent.is_throttled(), "{silent}");
    assert_eq!(http.calls().len(), 3);

    let creating = r#"{"Table":{"TableName":"dev-shop","TableStatus":"CREATING","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}}"#;
    let creating = Fault::Reply(200, creating.into());
    http.plan([creating].into_iter().chain(failed()));
    db.create_tables([shop()]).await.unwrap();
}

#[tokio::test]
async fn what_adding_indexes_cannot_mend() {
    let (db, http) = start().await;
    let error = db.add_indexes([shop()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    db.create_tables([shop()]).await.unwrap();
    http.plan([]);
    let changes: [&dyn Fn(&mut TableSchema); 3] = [
        &|t| t.global_indexes[0].projection = ProjectionSchema::Keys,
        &|t| t.global_indexes[0].sk.clear(),
        &|t| {
            t.local_indexes
                .push(index("lsi2", &["pk"], &["x"], ProjectionSchema::All))
        },
    ];
    for change in changes {
        let mut schema = shop();
        change(&mut schema);
        let error = db.add_indexes([schema]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
    }
    assert_eq!(writes(&http), [""; 0]);
}

#[tokio::test]
async fn a_ttl_is_switched_on_for_a_table_that_is_there() {
    let (db, http) = start().await;
    let missing = db.enable_ttl([shop()]).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::TableNotFound);
    let mut bare = shop();
    bare.ttl = None;
    db.create_tables([bare.clone()]).await.unwrap();
    let mut fresh = bare.clone();
    fresh.name = "fresh".into();
    db.create_tables([fresh.clone()]).await.unwrap();
    http.plan([]);
    db.enable_ttl([bare.clone()]).await.unwrap();
    assert_eq!(writes(&http), [""; 0], "none is declared");

    db.enable_ttl([shop()]).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTimeToLive"]);
    let ttl = service::ttl_attribute(db.table_wire().unwrap(), "dev-shop")
        .await
        .unwrap();
    assert_eq!(ttl.as_deref(), Some("expires"));
    http.plan([]);
    db.enable_ttl([shop(), shop()]).await.unwrap();
    db.create_tables([shop()]).await.unwrap();
    assert_eq!(writes(&http), [""; 0], "it is on");

    let mut other = shop();
    other.ttl = Some("gone_at".into());
    fresh.ttl = Some("gone_at".into());
    let differs = db.enable_ttl([fresh, other]).await.unwrap_err();
    assert_eq!(differs.kind(), ErrorKind::SchemaMismatch);
    assert!(
        differs.to_string().contains("expire by `expires`"),
        "{differs}"
    );
    assert_eq!(writes(&http), [""; 0], "the other table is left alone too");
}

/// Adding indexes changes nothing else, whatever else is missing.
#[tokio::test]
async fn adding_indexes_changes_nothing_else() {
    let (db, http) = start().await;
    let mut bare = shop();
    bare.global_indexes.clear();
    bare.ttl = None;
    bare.stream = None;
    db.create_tables([bare]).await.unwrap();
    http.plan([]);
    let declared = shop().deletion_protection(true).tag("team", "sales");
    db.add_indexes([declared]).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTable", "UpdateTable"]);
}

/// Someone else makes the table between the first look and the creation, and makes it otherwise.
#[tokio::test]
async fn a_table_that_somebody_else_makes_otherwise_is_left_alone() {
    let (db, http) = start().await;
    let mut theirs = shop();
    theirs.global_indexes.clear();
    db.create_tables([theirs]).await.unwrap();
    http.plan([Fault::refuse("ResourceNotFoundException")]);
    let refused = db.create_tables([shop()]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
    assert!(
        refused.to_string().contains("`gsi1` is missing"),
        "{refused}"
    );
    assert_eq!(writes(&http), ["CreateTable"]);
}
