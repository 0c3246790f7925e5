//! Responses of AWS that no engine here gives, as scripts; and the order of changes, as a pure function.

use super::super::change::*;
use super::super::converge::look_at_table;
use super::super::found::{FoundTable, Probes};
use super::super::settle::PendingChange;
use super::super::steps::{self, needed_changes};
use crate::connect::testing::{Fault, Faults};
use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::schema::{
    Encryption, IndexSchema, KeyAttribute, KeyType, ProjectionSchema, StreamView, TableSchema,
};
use crate::wire::Client;
use crate::wire::embedded::EmbeddedEngine;
use crate::wire::table::ExpiryState;

fn key(name: &str) -> KeyAttribute {
    KeyAttribute {
        name: name.into(),
        ty: KeyType::S,
    }
}

fn index(name: &str) -> IndexSchema {
    IndexSchema {
        name: name.into(),
        pk: vec![key(name)],
        sk: Vec::new(),
        projection: ProjectionSchema::All,
    }
}

fn notes() -> TableSchema {
    TableSchema {
        ttl: Some("expires".into()),
        ..TableSchema::bare("notes".into(), key("pk"))
    }
}

async fn start() -> (Dynamo, Faults) {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let faults = Faults::default();
    let http = faults.around(engine.http_client());
    let config = engine.sdk_config().http_client(http).build();
    (Dynamo::new(Client::from_conf(config)), faults)
}

fn writes(http: &Faults) -> Vec<String> {
    let calls = http.calls().into_iter();
    calls
        .filter(|call| !call.starts_with("Describe") && !call.starts_with("List"))
        .collect()
}

async fn found(db: &Dynamo, declared: &TableSchema) -> FoundTable {
    let settling = PendingChange::for_all(&|| {});
    let found = look_at_table(db.table_wire().unwrap(), declared, Probes::All, &settling)
        .await
        .unwrap();
    found.unwrap()
}

/// Protection goes first and removals go last; but if there is no room for more indexes, one has to go before
/// another comes.
#[tokio::test]
async fn changes_have_an_order() {
    let (db, _) = start().await;
    let mut before = notes();
    before.ttl = None;
    before.global_indexes = vec![index("old")];
    db.create_tables([before.clone()]).await.unwrap();
    let mut declared = notes().deletion_protection(true).tag("a", "b");
    declared.global_indexes = vec![index("new")];
    let mut there = found(&db, &declared).await;
    let lacking = needed_changes(&declared, Some(&there));
    let says: Vec<String> = lacking.iter().map(ToString::to_string).collect();
    let order = [
        "protect the table from being deleted",
        "add index `new`",
        "have items expire by `expires`",
        "label it a=\"b\"",
        "remove index `old`",
    ];
    assert_eq!(says, order);

    let many = (1..20).map(|at| index(&format!("index{at}")));
    declared.global_indexes.extend(many.clone());
    there.described.schema.global_indexes.extend(many);
    let lacking = needed_changes(&declared, Some(&there));
    let at = |change: TableChange| lacking.iter().position(|other| *other == change).unwrap();
    let (removed, added) = (
        TableChange::RemoveIndex("old".into()),
        TableChange::AddIndex("new".into()),
    );
    assert!(at(removed) < at(added), "{lacking:?}");
}

/// A reader of the plan sees the costs and the key of a table before it exists.
#[tokio::test]
async fn the_plan_of_a_new_table_lists_its_settings() {
    let (db, _) = start().await;
    let key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd";
    let mut declared = notes()
        .deletion_protection(true)
        .point_in_time_recovery(35)
        .on_demand()
        .on_demand_maximum(4_000, 1_000)
        .on_demand_maximum_of("by_town", 500, 100)
        .warm_throughput(40_000, 4_000)
        .encryption(Encryption::key(key))
        .infrequent_access()
        .tag("team", "post");
    declared.global_indexes = vec![index("by_town")];
    declared.stream = Some(StreamView::NewImage);
    let settings = [
        "protect the table from being deleted",
        "bill by requests",
        "take the class for infrequent access",
        "encrypt the table by the key arn:aws:kms:eu-west-1:111122223333:key/1234abcd",
        "label it team=\"post\"",
        "limit requests to 4000 read units and 1000 write units per second",
        "raise the warm throughput to 40000 read units and 4000 write units per second",
        "limit requests of index `by_town` to 500 read units and 100 write units per second",
        "raise the warm throughput of index `by_town` to 40000 read units and 4000 write units per second",
    ];
    let plan = db.plan([declared]).await.unwrap();
    let text = plan.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for setting in settings {
        let count = lines.iter().filter(|line| **line == setting).count();
        assert_eq!(count, 1, "{setting}: {text}");
    }
    for line in [
        "risk: DynamoDB charges once for each unit that is added, and the units can never be decreased again",
        "a stream of new images",
        "~ keep 35 days for recovery",
        "+ have items expire by `expires`",
    ] {
        assert!(lines.contains(&line), "{line}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&plan.to_json()).unwrap();
    assert_eq!(
        json["tables"][0]["steps"][0]["with"],
        serde_json::json!(settings)
    );

    // As every new table: no request, so no line.
    let plain = notes()
        .deletion_protection(false)
        .without_on_demand_maximum()
        .warm_throughput(12_000, 4_000);
    let plan = db.plan([plain]).await.unwrap();
    let mut steps = plan.steps();
    assert!(steps.all(|step| step.with.is_empty() && step.risk.is_none()));
}

/// Two indexes that wait for the same removal both name it.
#[tokio::test]
async fn each_index_names_the_removal_that_it_needs() {
    let (db, _) = start().await;
    let on_state = |name: &str, ty: KeyType| IndexSchema {
        pk: vec![KeyAttribute {
            name: "state".into(),
            ty,
        }],
        ..index(name)
    };
    let mut before = notes();
    before.global_indexes = vec![on_state("one", KeyType::N)];
    db.create_tables([before]).await.unwrap();
    let mut declared = notes();
    let both = ["two", "three"].map(|name| on_state(name, KeyType::S));
    declared.global_indexes = both.into_iter().chain([index("other")]).collect();
    let plan = db.plan([declared]).await.unwrap();
    let needed = |name: &str| {
        let change = TableChange::AddIndex(name.into());
        let mut steps = plan.steps();
        let step = steps.find(|step| step.change == change);
        step.expect("a step").after.clone()
    };
    let one = [Deletion::index("notes", "one")];
    assert_eq!(
        (needed("two"), needed("three")),
        (one.to_vec(), one.to_vec())
    );
    assert_eq!(needed("other"), []);
}

/// Recovery and labels that no one declares are not requested, so no permission is needed for them.
#[tokio::test]
async fn nothing_is_asked_that_nobody_declares() {
    let (db, http) = start().await;
    db.create_tables([notes()]).await.unwrap();
    http.plan([]);
    assert!(db.plan([notes()]).await.unwrap().is_empty());
    assert_eq!(http.calls(), ["DescribeTable", "DescribeTimeToLive"]);
    http.plan([]);
    let plan = db
        .plan([notes().point_in_time_recovery(3).tag("a", "b")])
        .await
        .unwrap();
    assert_eq!(plan.tables[0].unknown, ["recovery"]);
    assert_eq!(
        http.calls(),
        [
            "DescribeTable",
            "DescribeTimeToLive",
            "DescribeContinuousBackups",
            "ListTagsOfResource"
        ]
    );
}

fn told(body: &str) -> Fault {
    Fault::Reply(200, body.to_owned())
}

fn recovery(status: &str, days: u8) -> Fault {
    told(&format!(
        r#"{{"ContinuousBackupsDescription":{{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{{"PointInTimeRecoveryStatus":"{status}","RecoveryPeriodInDays":{days}}}}}}}"#
    ))
}

#[tokio::test]
async fn recovery_is_changed_to_the_declared_days() {
    let (db, http) = start().await;
    db.create_tables([notes()]).await.unwrap();
    let declared = notes().point_in_time_recovery(7);
    for (status, days, is_as_declared) in [
        ("ENABLED", 7, true),
        ("ENABLED", 35, false),
        ("DISABLED", 7, false),
    ] {
        http.plan([Fault::Pass, Fault::Pass, recovery(status, days)]);
        let plan = db.plan([declared.clone()]).await.unwrap();
        assert_eq!(plan.is_empty(), is_as_declared, "{status} {days}");
        if is_as_declared {
            continue;
        }
        // Two looks, a service that is not ready, a look, the change, and a last look.
        let looks = || [Fault::Pass, Fault::Pass, recovery(status, days)];
        let not_ready = Fault::refuse("ContinuousBackupsUnavailableException");
        let course = looks()
            .into_iter()
            .chain(looks())
            .chain([not_ready])
            .chain(looks());
        let done = [told("{}"), Fault::Pass, Fault::Pass, recovery("ENABLED", 7)];
        http.plan(course.chain(done));
        plan.apply(&db)
            .allow(Deletion::recovery("notes"))
            .await
            .unwrap();
        assert_eq!(
            writes(&http),
            ["UpdateContinuousBackups", "UpdateContinuousBackups"]
        );
    }
}

/// AWS rejects a change of TTL within an hour of another one. That is waited for where it can be the reason, and told at once
/// where it cannot.
#[tokio::test]
async fn a_ttl_that_is_changing_is_waited_for() {
    let (db, http) = start().await;
    let mut other = notes();
    other.ttl = Some("gone_at".into());
    db.create_tables([other]).await.unwrap();
    let plan = db.plan([notes()]).await.unwrap();
    assert_eq!(plan.steps().count(), 2);
    let look = || [Fault::Pass, Fault::Pass];
    let refused = || Fault::refuse("ValidationException");
    let course = look().into_iter().chain(look()).chain([Fault::Pass]);
    let course = course
        .chain(look())
        .chain([refused()])
        .chain(look())
        .chain([refused()]);
    http.plan(course);
    plan.apply(&db).allow(Deletion::ttl("notes")).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTimeToLive"; 4]);
    assert!(db.plan([notes()]).await.unwrap().is_empty());

    let mut fresh = notes();
    fresh.name = "fresh".into();
    let plan = db.plan([fresh]).await.unwrap();
    let course = look()
        .into_iter()
        .take(1)
        .chain([Fault::Pass, Fault::Pass])
        .chain(look());
    http.plan(course.chain([refused()]));
    let error = plan.apply(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected, "{error}");
}

/// A TTL that is being disabled is no longer shown, and it takes no other attribute before it is.
#[tokio::test]
async fn a_ttl_that_is_being_switched_off_is_gone() {
    let (db, _) = start().await;
    db.create_tables([notes()]).await.unwrap();
    let mut there = found(&db, &notes()).await;
    there.expiry = Some(ExpiryState {
        attribute: None,
        is_changing: true,
    });
    let lacking = needed_changes(&notes(), Some(&there));
    assert_eq!(lacking, [TableChange::AddTtl("expires".into())]);
    there.expiry = None;
    assert_eq!(needed_changes(&notes(), Some(&there)), []);
    assert_eq!(steps::unknown_settings(&notes(), &there), ["TTL"]);
}

/// AWS shows that a table is being changed, also while no index is.
#[tokio::test]
async fn a_table_that_is_being_updated_is_waited_for() {
    let (db, http) = start().await;
    db.create_tables([notes()]).await.unwrap();
    let described = |status: &str| {
        told(&format!(
            r#"{{"Table":{{"TableName":"notes","TableStatus":"{status}","KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],"TableArn":"arn:aws:dynamodb:eu-west-1:1:table/notes","Replicas":[{{"RegionName":"us-east-1"}}],"OnDemandThroughput":{{"MaxReadRequestUnits":5}},"SSEDescription":{{"KMSMasterKeyArn":"arn:k"}}}}}}"#
        ))
    };
    http.plan([
        described("UPDATING"),
        described("UPDATING"),
        described("ACTIVE"),
    ]);
    let plan = db.plan([notes().infrequent_access()]).await.unwrap();
    assert_eq!(http.calls().len(), 4);
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    assert_eq!(
        changes,
        [TableChange::SetClass(
            crate::schema::TableClass::InfrequentAccess
        )]
    );
    assert_eq!(
        plan.tables[0].not_ours,
        [
            "a replica in us-east-1",
            "encryption by the key arn:k",
            "limits of its requests on demand"
        ]
    );
    let finding = plan.tables[0].replicas.as_ref().unwrap().to_string();
    assert!(
        finding.contains("eventually consistent in eu-west-1, us-east-1"),
        "{finding}"
    );
}

/// An application that was killed between the two changes of a TTL is begun anew within the hour in which AWS takes none.
#[tokio::test]
async fn a_ttl_that_was_changed_by_a_killed_application_is_waited_for() {
    let (db, http) = start().await;
    let mut before = notes();
    before.ttl = None;
    db.create_tables([before]).await.unwrap();
    let plan = db.plan([notes()]).await.unwrap();
    let too_soon = r#"{"__type":"ValidationException","message":"Time to live has been modified multiple times within a fixed interval"}"#;
    let looks = [Fault::Pass, Fault::Pass, Fault::Pass, Fault::Pass];
    let refused = Fault::Reply(400, too_soon.into());
    http.plan(looks.into_iter().chain([refused]));
    plan.apply(&db).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTimeToLive"; 2]);
}

/// Labels of a new table may be shown late, and someone may have set some of them.
#[tokio::test]
async fn labels_that_are_lacking_in_part_were_planned() {
    let (db, http) = start().await;
    let mut fresh = notes();
    fresh.ttl = None;
    let one = fresh.clone().tag("team", "a");
    let plan = db.plan([one.clone()]).await.unwrap();
    let looks = std::iter::repeat_n(Fault::Pass, 5);
    http.plan(looks.chain([told(r#"{"Tags":[]}"#)]));
    plan.apply(&db).await.unwrap();
    assert!(db.plan([one.clone()]).await.unwrap().is_empty());

    let three = one.clone().tag("cost", "b").tag("owner", "c");
    let plan = db.plan([three.clone()]).await.unwrap();
    let theirs = db.plan([one.tag("cost", "b")]).await.unwrap();
    theirs.apply(&db).await.unwrap();
    plan.apply(&db).await.unwrap();
    assert!(db.plan([three]).await.unwrap().is_empty());
}

/// A service that tells no days keeps what it keeps, and fewer days are a loss.
#[tokio::test]
async fn days_of_recovery_are_lost_only_by_name() {
    let (db, http) = start().await;
    db.create_tables([notes()]).await.unwrap();
    let declared = notes().point_in_time_recovery(7);
    let silent = told(
        r#"{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ENABLED"}}}"#,
    );
    http.plan([Fault::Pass, Fault::Pass, silent]);
    assert!(db.plan([declared.clone()]).await.unwrap().is_empty());
    for (days, loses) in [(35, true), (6, false)] {
        http.plan([Fault::Pass, Fault::Pass, recovery("ENABLED", days)]);
        let plan = db.plan([declared.clone()]).await.unwrap();
        assert_eq!(plan.deletions().next().is_some(), loses);
    }
}

/// Units of an index that is not declared are others', unless the table had none at all.
#[tokio::test]
async fn units_of_undeclared_indexes_are_not_ours() {
    let (db, http) = start().await;
    let described = r#"{"Table":{"TableName":"notes","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"TableArn":"arn:aws:dynamodb:eu-west-1:1:table/notes","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},"GlobalSecondaryIndexes":[{"IndexName":"ours","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}},{"IndexName":"theirs","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":9,"WriteCapacityUnits":9}}]}}"#;
    let mut declared = notes().provisioned(2, 2);
    declared.ttl = None;
    declared.global_indexes = vec![IndexSchema {
        pk: vec![key("pk")],
        ..index("ours")
    }];
    let none = || told("{}");
    http.plan([told(described), none()]);
    let plan = db.plan([declared]).await.unwrap();
    let looks = [told(described), none(), told(described), none()];
    let now = described.replace("CapacityUnits\":1", "CapacityUnits\":2");
    let last = [none(), told(&now), none()];
    http.plan(looks.into_iter().chain(last));
    plan.apply(&db).keeping_the_rest().await.unwrap();
    let seen = http.seen();
    let update = seen.iter().find(|seen| seen.operation == "UpdateTable");
    let body = String::from_utf8_lossy(&update.unwrap().body).into_owned();
    assert!(body.contains("ours") && !body.contains("theirs"), "{body}");
    assert!(!body.contains("BillingMode"), "{body}");
}

/// The table of these tests as it was, in the words of the service.
fn was(more: &str) -> Fault {
    told(&format!(
        r#"{{"Table":{{"TableName":"notes","TableStatus":"ACTIVE","KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],"TableArn":"arn:aws:dynamodb:eu-west-1:1:table/notes"{more}}}}}"#
    ))
}

/// A description may be older than what someone else has done. The service then rejects the change, which is done.
#[tokio::test]
async fn a_refusal_is_not_believed_before_it_is_seen() {
    let (db, http) = start().await;
    let mut before = notes();
    before.ttl = None;
    db.create_tables([before.clone()]).await.unwrap();
    let on_demand = || was(r#","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}"#);
    let declared = before.clone().provisioned(2, 2);
    let plan = db.plan([declared.clone()]).await.unwrap();
    // Somebody else is faster.
    plan.apply(&db).await.unwrap();
    let old = || [on_demand(), Fault::Pass];
    let looks = old().into_iter().chain(old()).chain([Fault::Pass]);
    http.plan(looks.chain(old()).chain(old()).chain(old()));
    plan.apply(&db).await.unwrap();
    assert_eq!(writes(&http), ["UpdateTable"]);
    // Where it stays as it was, the refusal is told.
    let refused = Fault::refuse("ValidationException");
    let looks = (0..2).flat_map(|_| old()).chain([refused]);
    http.plan(looks.chain((0..40).flat_map(|_| old())));
    let error = plan.apply(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected, "{error}");
    assert_eq!(writes(&http), ["UpdateTable"]);
}

/// A stream that ended and began anew is not ended again because a description is old.
#[tokio::test]
async fn what_was_removed_is_not_removed_again() {
    let (db, http) = start().await;
    let mut before = notes();
    before.ttl = None;
    before.stream = Some(StreamView::KeysOnly);
    db.create_tables([before.clone()]).await.unwrap();
    let mut declared = before.clone();
    declared.stream = Some(StreamView::NewImage);
    let plan = db.plan([declared.clone()]).await.unwrap();
    let look = || [Fault::Pass, Fault::Pass];
    let stream = r#","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}"#;
    let course = look().into_iter().chain(look()).chain([Fault::Pass]);
    let course = course.chain(look()).chain([Fault::Pass]);
    http.plan(course.chain([was(stream), Fault::Pass]));
    plan.apply(&db)
        .allow(Deletion::stream("notes"))
        .await
        .unwrap();
    assert_eq!(writes(&http), ["UpdateTable", "UpdateTable"]);
    assert!(db.plan([declared]).await.unwrap().is_empty());
}

/// A limit of hours or days is told with what it is, and the change is requested once.
#[tokio::test]
async fn limits_that_last_are_told() {
    let provisioned = r#","ProvisionedThroughput":{"ReadCapacityUnits":9,"WriteCapacityUnits":9}"#;
    let mut plain = notes();
    plain.ttl = None;
    for (there, declared, says) in [
        (
            "",
            plain.clone().infrequent_access(),
            "two changes of the class in 30 days",
        ),
        (
            provisioned,
            plain.clone().on_demand(),
            "four switches to billing by requests in 24 hours",
        ),
        (
            provisioned,
            plain.clone().provisioned(1, 1),
            "few decreases of units in a day",
        ),
    ] {
        let (db, http) = start().await;
        db.create_tables([plain.clone()]).await.unwrap();
        let look = || [was(there), told("{}")];
        http.plan(look());
        let plan = db.plan([declared]).await.unwrap();
        assert_eq!(plan.steps().count(), 1, "{plan}");
        // The SDK takes it for a throttle, and asks three times in all.
        let refused = std::iter::repeat_n(Fault::refuse("LimitExceededException"), 3);
        let looks = look().into_iter().chain(look()).chain(refused);
        http.plan(looks.chain((0..40).flat_map(|_| look())));
        let begun = std::time::Instant::now();
        let error = plan.apply(&db).await.unwrap_err();
        assert!(
            error.is_limit_exceeded() && error.to_string().contains(says),
            "{error}"
        );
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        assert_eq!(writes(&http), ["UpdateTable"; 3]);
        // A table that somebody else is changing is waited for all the same.
        let busy = Fault::refuse("ResourceInUseException");
        let looks = look().into_iter().chain(look()).chain([busy]);
        let looks = looks.chain(look()).chain([told("{}")]);
        let done = match there {
            "" => was(r#","TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}"#),
            _ if says.contains("switches") => {
                was(r#","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}"#)
            }
            _ => was(r#","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#),
        };
        http.plan(looks.chain([done, told("{}")]));
        plan.apply(&db).await.unwrap();
        assert_eq!(writes(&http), ["UpdateTable", "UpdateTable"]);
    }
}

/// The attributes that all indexes list are limited, so an index that lists many goes before another one comes.
#[tokio::test]
async fn projected_attributes_have_a_limit_together() {
    let (db, _) = start().await;
    let mut before = notes();
    before.ttl = None;
    db.create_tables([before.clone()]).await.unwrap();
    let listing = |name: &str, count: usize| IndexSchema {
        projection: ProjectionSchema::Include((0..count).map(|at| format!("{name}{at}")).collect()),
        ..index(name)
    };
    let mut there = found(&db, &before).await;
    let old = ["few", "old", "all"];
    there.described.schema.global_indexes =
        vec![listing("few", 5), listing("old", 60), index("all")];
    let mut declared = before.clone();
    declared.global_indexes = vec![listing("new", 90), listing("small", 10)];
    let says: Vec<String> = needed_changes(&declared, Some(&there))
        .iter()
        .map(ToString::to_string)
        .collect();
    let order = [
        "add index `small`",
        "remove index `few`",
        "remove index `old`",
        "add index `new`",
        "remove index `all`",
    ];
    assert_eq!(says, order, "{old:?}");
    // A local index that somebody else made stays, and leaves too little.
    there.described.schema.local_indexes = vec![listing("local", 95)];
    let lacking = needed_changes(&declared, Some(&there));
    let refused = lacking
        .iter()
        .find(|change| matches!(change, TableChange::Replace(_)));
    let refused = refused.expect("it cannot be added").to_string();
    assert!(refused.contains("more than 100 attributes"), "{refused}");
}

/// An account may have been given more indexes than is usual.
#[tokio::test]
async fn a_table_with_more_indexes_than_usual_is_not_full() {
    let (db, _) = start().await;
    let mut before = notes();
    before.ttl = None;
    db.create_tables([before.clone()]).await.unwrap();
    let mut there = found(&db, &before).await;
    there.described.schema.global_indexes =
        (0..21).map(|at| index(&format!("their{at}"))).collect();
    let mut declared = before;
    declared.global_indexes = vec![index("ours")];
    let first = needed_changes(&declared, Some(&there)).remove(0);
    assert_eq!(first, TableChange::AddIndex("ours".into()));
}
