//! Statements over exported files, and exports that DynamoDB runs itself.

use chrono::{SecondsFormat, TimeDelta, Utc};

use crate::place::{Outcome, Place};

pub fn statements_are_exported(place: &Place) -> Outcome {
    let folder = place.file("parquet", "")?;
    std::fs::remove_file(&folder)?;
    std::fs::create_dir(&folder)?;
    let files = "shop=data/it's/*.json.gz";
    place.done(
        "shop",
        &["export", "duckdb", "--files", files, "--out", &folder],
    )?;
    let script = std::fs::read_to_string(format!("{folder}/tables.duckdb.sql"))?;
    let read = "read_json_objects('data/it''s/*.json.gz', format = 'newline_delimited')";
    assert!(script.contains(read), "{script}");
    let target = format!("TO '{folder}/");
    assert_eq!(
        script.matches(&target).count(),
        script.matches("COPY (").count()
    );
    assert!(script.contains("shop.User.parquet'"), "{script}");

    let location = "shop=s3://exports/AWSDynamoDB/01-a/data/";
    let counts = "request-counts=s3://exports/AWSDynamoDB/02-b/data/";
    let both = [
        "export",
        "athena",
        "--location",
        location,
        "--location",
        counts,
    ];
    let text = place.done("shop", &both)?.out;
    assert_eq!(text.matches("CREATE EXTERNAL TABLE").count(), 2, "{text}");
    assert!(text.contains("shop_user\" AS"), "{text}");
    // A program with one table need not name it.
    let location = "s3://exports/a=b/data/";
    let logs = place
        .done("logs", &["export", "athena", "--location", location])?
        .out;
    assert!(logs.contains("LOCATION 's3://exports/a=b/data/'"), "{logs}");

    let refused = |arguments: &[&str], words: &[&str]| place.refused("shop", arguments, words);
    refused(&["export", "athena"], &["pass `--location`"])?;
    let unnamed = ["export", "duckdb", "--files", "*.gz"];
    refused(&unnamed, &["begin with `TABLE=`", "request-counts"])?;
    let file = [
        "export",
        "athena",
        "--location",
        "shop=s3://exports/file.gz",
    ];
    refused(&file, &["and no other folder"])?;
    let mixed = ["export", "terraform", "--files", "shop=*.gz"];
    refused(&mixed, &["--files", "`duckdb`"])?;
    refused(
        &["export", "duckdb", "--location", "shop=s3://a/"],
        &["--location", "`athena`"],
    )
}

/// The engines for tests have no exports to S3, so only the way to the request is seen here.
pub fn exports_to_s3_are_started(place: &Place) -> Outcome {
    place.done("shop", &["apply", "--yes"])?;
    let refused = |arguments: &[&str], words: &[&str]| place.refused("shop", arguments, words);
    let no_exports = "this server has no exports to S3";
    refused(&["export-to-s3", "User", "--bucket", "b"], &[no_exports])?;
    refused(
        &["export-to-s3", "shop", "--bucket", "b", "--wait"],
        &[no_exports],
    )?;
    let arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/shop/export/01-a";
    refused(&["export-status", arn, "--wait"], &[no_exports])?;
    refused(&["export-to-s3", "User"], &["--bucket"])?;
    refused(&["export-to-s3", "Usr", "--bucket", "b"], &["Usr"])?;
    let changes = [
        "export-to-s3",
        "shop",
        "--bucket",
        "b",
        "--since",
        "2020-01-01T00:00:00Z",
    ];
    refused(&changes, &["more than 35 days ago"])?;
    // Without an end, the changes of the last hour reach the server.
    let hour = (Utc::now() - TimeDelta::hours(1)).to_rfc3339_opts(SecondsFormat::Secs, true);
    let recent = ["export-to-s3", "shop", "--bucket", "b", "--since", &hour];
    refused(&recent, &[no_exports])?;
    let changes = [&changes[..], &["--until", "2020-01-01T00:10:00Z"]].concat();
    refused(&changes, &["more than 35 days ago"])?;
    let at = ["export-to-s3", "shop", "--bucket", "b", "--at", "yesterday"];
    refused(&at, &["--at yesterday", "2026-03-01T09:00:00Z"])
}
