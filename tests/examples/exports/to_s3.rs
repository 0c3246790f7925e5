//! Exports to S3: the requests, which no local engine knows, and the errors.

use std::time::Duration;

use dynamo_entity::error::ErrorKind;
use dynamo_entity::export::Policy;
use dynamo_entity::prelude::*;
use dynamo_entity::testing::{Fault, Faults};
use dynamo_entity::transfer::S3ExportState;
use serde_json::{Value as Json, json};

use crate::app_users::{AppUsers, HandOver, Rewards};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;
use crate::{access_tokens, orders};

const TABLE: &str = "arn:aws:dynamodb:eu-west-1:111122223333:table/shop-order";
const EXPORT: &str =
    "arn:aws:dynamodb:eu-west-1:111122223333:table/shop-order/export/01772357400000-a1b2c3d4";

fn described() -> Fault {
    let table = json!({"Table": {
        "TableName": "shop-order", "TableArn": TABLE, "TableStatus": "ACTIVE",
        "KeySchema": [{"AttributeName": "number", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "number", "AttributeType": "N"}],
    }});
    Fault::Reply(200, table.to_string())
}

fn export(members: Json) -> Fault {
    let mut export = json!({"ExportArn": EXPORT, "ExportStatus": "IN_PROGRESS", "TableArn": TABLE});
    let all = export.as_object_mut().expect("an object");
    all.extend(members.as_object().expect("an object").clone());
    Fault::Reply(200, json!({"ExportDescription": export}).to_string())
}

/// A connection whose requests are answered by the plan, and the time at which they are sent.
async fn scripted(plan: impl IntoIterator<Item = Fault>) -> Result<(Dynamo, Faults)> {
    let faults = Faults::new(plan);
    let db = Dynamo::connect("embedded:memory")
        .await?
        .with_prefix("shop");
    let db = db.with_clock(HandClock::at("2026-03-02T00:00:00Z"));
    Ok((db.with_faults(&faults)?, faults))
}

/// The members of the request, without the token that is new in each.
fn request(faults: &Faults, at: usize) -> Result<(Json, String), Box<dyn std::error::Error>> {
    let seen = faults.seen();
    let mut body: Json = serde_json::from_slice(&seen[at].body)?;
    let members = body.as_object_mut().expect("an object");
    let token = members.remove("ClientToken").expect("a token");
    Ok((body, token.as_str().unwrap_or_default().to_owned()))
}

#[tokio::test]
async fn a_full_export_is_requested_with_every_setting() -> Outcome {
    let (db, faults) = scripted([
        described(),
        export(json!({})),
        described(),
        export(json!({})),
    ])
    .await?;
    let started = db
        .export_to_s3(orders::Order::schema())
        .bucket("exports")
        .await?;
    assert_eq!(
        (started.arn.as_str(), started.state),
        (EXPORT, S3ExportState::Running)
    );
    assert_eq!(
        faults.calls(),
        ["DescribeTable", "ExportTableToPointInTime"]
    );
    let (body, first) = request(&faults, 1)?;
    let expected = json!({
        "TableArn": TABLE, "S3Bucket": "exports", "ExportFormat": "DYNAMODB_JSON", "ExportType": "FULL_EXPORT",
    });
    assert_eq!(body, expected);
    assert!(first.len() >= 16, "{first}");

    let time: dynamo_entity::Timestamp = "2026-03-01T09:30:00.999Z".parse()?;
    let whole = db
        .export_to_s3(orders::Order::schema())
        .bucket("exports")
        .bucket_owner("444455556666");
    let whole = whole
        .prefix("/daily/orders/")
        .kms_key("alias/exports")
        .ion()
        .at(time)
        .token("of-monday");
    let _ = whole.await?;
    let (body, token) = request(&faults, 3)?;
    let expected = json!({
        "TableArn": TABLE, "S3Bucket": "exports", "S3BucketOwner": "444455556666", "S3Prefix": "daily/orders",
        "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "alias/exports", "ExportFormat": "ION",
        "ExportType": "FULL_EXPORT", "ExportTime": 1_772_357_400,
    });
    assert_eq!((body, token.as_str()), (expected, "of-monday"));
    Ok(())
}

#[tokio::test]
async fn an_incremental_export_has_its_window() -> Outcome {
    let chosen = json!({"IncrementalExportSpecification": {"ExportToTime": 1_772_409_600}});
    let plan = [
        described(),
        export(json!({})),
        described(),
        export(json!({})),
        described(),
        export(chosen),
    ];
    let (db, faults) = scripted(plan).await?;
    let from: dynamo_entity::Timestamp = "2026-03-01T00:00:00Z".parse()?;
    let to: dynamo_entity::Timestamp = "2026-03-02T00:00:00Z".parse()?;
    let changes = || {
        db.export_to_s3(orders::Order::schema())
            .bucket("b")
            .changes(from..to)
    };
    let _ = changes().await?;
    let _ = changes().without_old().s3_key().await?;
    // DynamoDB chooses the end, and reports it.
    let since = db.export_to_s3(orders::Order::schema()).bucket("b");
    let started = since.changes_since(from).await?;
    assert_eq!(started.state_time, Some(to));
    let window = request(&faults, 5)?.0["IncrementalExportSpecification"].clone();
    let expected = json!({"ExportFromTime": 1_772_323_200, "ExportViewType": "NEW_AND_OLD_IMAGES"});
    assert_eq!(window, expected);
    for (at, view) in [(1, "NEW_AND_OLD_IMAGES"), (3, "NEW_IMAGE")] {
        let (body, _) = request(&faults, at)?;
        assert_eq!(body["ExportType"], "INCREMENTAL_EXPORT");
        let window = json!({
            "ExportFromTime": 1_772_323_200, "ExportToTime": 1_772_409_600, "ExportViewType": view,
        });
        assert_eq!(body["IncrementalExportSpecification"], window);
        assert_eq!(body.get("ExportTime"), None);
    }
    assert_eq!(request(&faults, 3)?.0["S3SseAlgorithm"], "AES256");
    Ok(())
}

/// The filter of the export is that of the same scan, name by name and value by value.
#[tokio::test]
async fn a_filter_is_that_of_a_scan() -> Outcome {
    let plan = (0..6).flat_map(|_| [described(), export(json!({}))]);
    let (db, faults) = scripted(plan).await?;
    let scanned = |explained: dynamo_entity::plan::Explanation| {
        let request: Json = serde_json::from_str(&explained.requests[0]).expect("JSON");
        let members = [
            "FilterExpression",
            "ExpressionAttributeNames",
            "ExpressionAttributeValues",
        ];
        let own = members
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), request.get(*name)?.clone())));
        Json::Object(own.collect())
    };
    let status = |o: <orders::Order as DynamoEntity>::Paths| o.status().eq(orders::Status::Pending);
    let pending = orders::Order::scan().filter(status);
    let _ = db
        .export_to_s3(orders::Order::schema())
        .bucket("b")
        .only::<orders::Order>(status)
        .await?;
    assert_eq!(
        request(&faults, 1)?.0["FilterSpecification"],
        scanned(pending.explain(&db)?)
    );

    // An entity of a shared table is selected by its type.
    let _ = db
        .export_to_s3(AppUsers::schema())
        .bucket("b")
        .rows(Rewards::scan())
        .await?;
    let expected = scanned(Rewards::scan().explain(&db)?);
    let filter = request(&faults, 3)?.0["FilterSpecification"].clone();
    assert_eq!(filter, expected);
    assert!(filter.to_string().contains("\"Rewards\""), "{filter}");

    // A table with one entity has no condition, and expired items are exported too.
    let all = db
        .export_to_s3(access_tokens::AccessToken::schema())
        .bucket("b");
    let _ = all
        .rows(access_tokens::AccessToken::scan().include_expired())
        .await?;
    assert_eq!(request(&faults, 5)?.0.get("FilterSpecification"), None);
    let live = db
        .export_to_s3(access_tokens::AccessToken::schema())
        .bucket("b");
    let _ = live.rows(access_tokens::AccessToken::scan()).await?;
    let expected = scanned(access_tokens::AccessToken::scan().explain(&db)?);
    assert_eq!(request(&faults, 7)?.0["FilterSpecification"], expected);

    // Two entities, each with its own condition.
    let both = db.export_to_s3(AppUsers::schema()).bucket("b");
    let both = both
        .only::<Rewards>(|r| r.points().gt(3))
        .only::<HandOver>(|h| h.device().eq("a"));
    let _ = both.await?;
    let filter = request(&faults, 9)?.0["FilterSpecification"].clone();
    let expression = filter["FilterExpression"].as_str().unwrap_or_default();
    assert_eq!(expression.matches(" OR ").count(), 3, "{expression}");
    assert_eq!(
        filter["ExpressionAttributeValues"]
            .as_object()
            .map(|all| all.len()),
        Some(4)
    );
    Ok(())
}

#[tokio::test]
async fn mistakes_are_found_before_anything_is_sent() -> Outcome {
    let (db, faults) = scripted([]).await?;
    let order = || db.export_to_s3(orders::Order::schema());
    let error = order().await.unwrap_err();
    assert!(error.to_string().contains("no bucket"), "{error}");
    let at = |text: &str| text.parse::<dynamo_entity::Timestamp>();
    let short = at("2026-03-01T00:00:00Z")?..at("2026-03-01T00:14:59Z")?;
    let error = order().bucket("b").changes(short).await.unwrap_err();
    assert!(error.to_string().contains("899 seconds"), "{error}");
    let error = order()
        .bucket("b")
        .at(at("2026-03-02T00:00:01Z")?)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("in the future"), "{error}");
    let error = order()
        .bucket("b")
        .only::<Rewards>(|r| r.points().gt(1))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::Config, Some("Rewards"))
    );
    let never = order()
        .bucket("b")
        .only::<orders::Order>(|o| o.status().is_in(Vec::<orders::Status>::new()));
    let error = never.await.unwrap_err();
    assert!(error.to_string().contains("no item"), "{error}");
    let limited = order().bucket("b").rows(orders::Order::scan().limit(3));
    let error = limited.await.unwrap_err();
    assert!(error.to_string().contains("no limit"), "{error}");
    let (from, to) = (at("2026-03-01T00:00:00Z")?, at("2026-03-02T00:00:00Z")?);
    for (export, reason) in [
        (order().bucket("b".repeat(256)), "255 bytes"),
        (order().bucket("b").prefix("p".repeat(1_025)), "1024 bytes"),
        (order().bucket("b").token(""), "the token"),
        (order().bucket("b").token("a$b"), "the token"),
        (order().bucket("b").without_old(), "`.changes(..)`"),
        (order().bucket("b").changes(from..to).at(from), "one time"),
    ] {
        let error = export.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert!(faults.calls().is_empty());
    Ok(())
}

#[tokio::test]
async fn rejections_name_the_way_out() -> Outcome {
    for (code, remedy) in [
        (
            "PointInTimeRecoveryUnavailableException",
            ".point_in_time_recovery(35)",
        ),
        ("ExportConflictException", "pass another prefix"),
        ("InvalidExportTimeException", "keeps fewer days"),
        ("UnknownOperationException", "only DynamoDB of AWS runs"),
    ] {
        let (db, _) = scripted([described(), Fault::refuse(code)]).await?;
        let error = db
            .export_to_s3(orders::Order::schema())
            .bucket("b")
            .await
            .unwrap_err();
        assert_eq!(error.code(), Some(code), "{error}");
        assert!(error.to_string().contains(remedy), "{error}");
    }
    let (db, _) = scripted([described(), Fault::refuse("ExportConflictException")]).await?;
    let order = db.export_to_s3(orders::Order::schema()).bucket("b");
    let error = order.token("nightly").await.unwrap_err();
    assert!(
        error.to_string().contains("the token belongs to"),
        "{error}"
    );
    let (db, _) = scripted([Fault::refuse("ExportNotFoundException")]).await?;
    let error = db.s3_export(EXPORT).status().await.unwrap_err();
    assert!(
        error.to_string().contains("no export with this ARN"),
        "{error}"
    );
    Ok(())
}

/// A local engine has no exports, which an error says by name.
#[tokio::test]
async fn a_local_engine_has_no_exports() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([orders::Order::schema()]).await?;
    let error = db
        .export_to_s3(orders::Order::schema())
        .bucket("b")
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("this server has no exports to S3"),
        "{error:?}"
    );
    assert!(text.contains("ExportTableToPointInTime"), "{text}");
    let error = db.s3_export(EXPORT).wait().await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("this server has no exports to S3"),
        "{error:?}"
    );
    let missing = db
        .export_to_s3(AppUsers::schema())
        .bucket("b")
        .await
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::TableNotFound);
    Ok(())
}

#[tokio::test]
async fn waiting_ends_with_the_export() -> Outcome {
    let done = json!({
        "ExportStatus": "COMPLETED", "S3Bucket": "exports", "ItemCount": 7, "BilledSizeBytes": 1_000,
        "ExportManifest": "daily/AWSDynamoDB/01772357400000-a1b2c3d4/manifest-summary.json", "ExportType": "FULL_EXPORT",
    });
    let plan = [
        // The export runs already, so a failure of the first request does not end the wait either.
        Fault::refuse("InvalidEndpointException"),
        export(json!({})),
        Fault::Refused,
        Fault::Refused,
        Fault::Refused,
        export(json!({})),
        export(done.clone()),
    ];
    let (db, faults) = scripted(plan).await?;
    let mut told = 0;
    let watch = db
        .s3_export(EXPORT)
        .every(Duration::ZERO)
        .on_progress(|_| told += 1);
    let status = watch.wait().await?;
    assert_eq!(
        (status.items, status.billed_bytes, told),
        (Some(7), Some(1_000), 3)
    );
    let folder = "s3://exports/daily/AWSDynamoDB/01772357400000-a1b2c3d4/data/";
    assert_eq!(status.data_folder().as_deref(), Some(folder));
    assert!(
        faults
            .seen()
            .iter()
            .all(|request| request.operation == "DescribeExport")
    );
    let body: Json = serde_json::from_slice(&faults.seen()[0].body)?;
    assert_eq!(body, json!({"ExportArn": EXPORT}));

    let failed = json!({
        "ExportStatus": "FAILED", "FailureCode": "S3NoSuchBucket", "FailureMessage": "The bucket does not exist",
    });
    let (db, _) = scripted([export(json!({})), export(failed.clone()), export(failed)]).await?;
    let error = db
        .s3_export(EXPORT)
        .every(Duration::ZERO)
        .wait()
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.kind()),
        (Some("S3NoSuchBucket"), ErrorKind::Service)
    );
    assert!(
        error.to_string().contains("The bucket does not exist"),
        "{error}"
    );
    // A status is no error, because it was read.
    let status = db.s3_export(EXPORT).status().await?;
    assert!(
        matches!(status.state, S3ExportState::Failed { .. }),
        "{status:?}"
    );
    // A rejection is reported at once.
    let (db, faults) = scripted([Fault::refuse("AccessDeniedException")]).await?;
    let error = db.s3_export(EXPORT).wait().await.unwrap_err();
    assert_eq!(
        (error.kind(), faults.calls().len()),
        (ErrorKind::AccessDenied, 1)
    );
    Ok(())
}

#[test]
fn a_policy_allows_an_export_and_nothing_else() -> Outcome {
    let policy = || {
        Policy::new([orders::Order::schema()])
            .prefix("shop")
            .region("eu-west-1")
            .account("111122223333")
    };
    let document: Json = serde_json::from_str(
        &policy()
            .allow_export_to_s3("order", "exports/daily/")
            .document()?,
    )?;
    let allow = |actions: Json, resource: &str| json!({"Effect": "Allow", "Action": actions, "Resource": [resource]});
    let expected = json!([
        allow(
            json!([
                "dynamodb:DescribeTable",
                "dynamodb:ExportTableToPointInTime"
            ]),
            TABLE
        ),
        allow(
            json!(["dynamodb:DescribeExport"]),
            &format!("{TABLE}/export/*")
        ),
        allow(
            json!(["s3:AbortMultipartUpload", "s3:PutObject", "s3:PutObjectAcl"]),
            "arn:aws:s3:::exports/daily/AWSDynamoDB/*"
        ),
    ]);
    assert_eq!(document["Statement"], expected);
    for (table, files) in [
        ("orderz", "b"),
        ("order", ""),
        ("order", "*"),
        ("order", "a/${aws:username}"),
    ] {
        assert!(
            policy()
                .allow_export_to_s3(table, files)
                .document()
                .is_err(),
            "{table} {files}"
        );
    }
    let limited = policy()
        .with_value("customer", "ann")
        .allow_export_to_s3("order", "b");
    assert!(limited.document().is_err());
    Ok(())
}
