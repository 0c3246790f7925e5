//! `export-to-s3` and `export-status`: exports that DynamoDB runs itself.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command};
use dynamo_entity::Timestamp;
use dynamo_entity::transfer::{S3ExportState, S3ExportStatus};
use serde_json::json;

use crate::arguments::{flag, text_option};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Both commands.
pub(crate) fn s3_commands() -> [Command; 2] {
    let wait = || {
        flag(
            "wait",
            "Waits for the end of the export, and fails if it fails",
        )
    };
    let start = Command::new("export-to-s3")
        .about("Starts an export of a table, or of an entity, to S3, which DynamoDB runs itself")
        .args([
            Arg::new("what")
                .value_name("ENTITY|TABLE")
                .required(true)
                .help("An entity, or a table with everything in it"),
            text_option("bucket", "NAME", "The bucket").required(true),
            text_option(
                "bucket-owner",
                "ACCOUNT",
                "The account of the bucket, if it is another one",
            ),
            text_option("s3-prefix", "PREFIX", "The prefix of the files"),
            text_option("kms-key", "ID", "The key of KMS that encrypts the files"),
            text_option(
                "at",
                "TIME",
                "Exports the table as it was at this time, as in 2026-03-01T09:00:00Z",
            )
            .conflicts_with_all(["since", "until"]),
            text_option(
                "since",
                "TIME",
                "Exports only changes from this time on, of 15 minutes to 24 hours",
            ),
            text_option(
                "until",
                "TIME",
                "The end of the changes; the latest possible one by default",
            )
            .requires("since"),
            flag("without-old", "Omits the states before the changes").requires("since"),
            text_option(
                "token",
                "TOKEN",
                "Recognizes a repeated command: it returns the export of the first one",
            ),
            wait(),
        ]);
    let status = Command::new("export-status")
        .about("Shows the state of an export to S3")
        .args([
            Arg::new("arn")
                .value_name("ARN")
                .required(true)
                .value_parser(NonEmptyStringValueParser::new())
                .help("The ARN that `export-to-s3` has shown"),
            wait(),
        ]);
    [start, status]
}

/// Starts an export.
pub(crate) async fn start(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let what = text("what").unwrap_or_default();
    let at = time_option(matches, "at")?;
    let (since, until) = (
        time_option(matches, "since")?,
        time_option(matches, "until")?,
    );
    let table = context
        .model
        .schemas
        .iter()
        .find(|table| table.name == what);
    let (schema, rows) = match table {
        Some(table) => (table.clone(), None),
        None => {
            let entity = context.model.entity(&what)?;
            let rows = entity.dynamic()?.scan();
            (entity.schema.clone(), Some(rows))
        }
    };
    let db = context.connect().await?;
    let mut export = db
        .export_to_s3(schema)
        .bucket(text("bucket").unwrap_or_default());
    if let Some(rows) = rows {
        export = export.rows(dynamo_entity::QueryExt::include_expired(rows));
    }
    if let Some(owner) = text("bucket-owner") {
        export = export.bucket_owner(owner);
    }
    if let Some(prefix) = text("s3-prefix") {
        export = export.prefix(prefix);
    }
    if let Some(key) = text("kms-key") {
        export = export.kms_key(key);
    }
    if let Some(token) = text("token") {
        export = export.token(token);
    }
    if let Some(time) = at {
        export = export.at(time);
    }
    export = match (since, until) {
        (Some(since), Some(until)) => export.changes(since..until),
        (Some(since), None) => export.changes_since(since),
        (None, _) => export,
    };
    if matches.get_flag("without-old") {
        export = export.without_old();
    }
    let started = export.await?;
    match matches.get_flag("wait") {
        false => show(context, &started),
        true => {
            // If the wait is interrupted, `export-status` continues by this ARN.
            context.note(&started.arn)?;
            wait(context, &started.arn).await
        }
    }
}

/// Shows an export, or waits for its end.
pub(crate) async fn status(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let arn = matches.get_one::<String>("arn").map_or("", String::as_str);
    if matches.get_flag("wait") {
        return wait(context, arn).await;
    }
    let db = context.connect().await?;
    let status = db.s3_export(arn).status().await?;
    show(context, &status)
}

async fn wait(context: &mut Context<'_, '_>, arn: &str) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    let bar = context.streams.waiting("exporting");
    let done = db.s3_export(arn).wait().await;
    bar.finish_and_clear();
    show(context, &done?)
}

/// Shows a status, and returns the exit code of a failure for a failed export.
fn show(context: &mut Context<'_, '_>, status: &S3ExportStatus) -> Result<Exit, Failure> {
    let (state, reason) = match &status.state {
        S3ExportState::Running => ("running", None),
        S3ExportState::Complete => ("complete", None),
        S3ExportState::Failed { code, message } => ("failed", Some(format!("{code}: {message}"))),
        _ => ("unknown", None),
    };
    if context.json {
        let line = json!({
            "arn": status.arn,
            "state": state,
            "reason": reason,
            "items": status.items,
            "billed_bytes": status.billed_bytes,
            "data": status.data_folder(),
            "bucket": status.bucket,
            "manifest": status.manifest,
        });
        context.write(&format!("{line}\n"))?;
    } else {
        let mut text = format!("{}\n{state}", status.arn);
        if let Some(items) = status.items {
            text.push_str(&format!(", {items} items"));
        }
        // Incremental exports share the folder of their data, so only the manifest tells which files belong to one.
        if let Some(folder) = status.data_folder() {
            text.push_str(&format!(" in {folder}"));
        } else if let (Some(bucket), Some(manifest)) = (&status.bucket, &status.manifest) {
            text.push_str(&format!(", listed in s3://{bucket}/{manifest}"));
        }
        context.write(&format!("{text}\n"))?;
    }
    match reason {
        None => Ok(Exit::Done),
        Some(reason) => Err(Failure::said(format!("the export failed: {reason}"))),
    }
}

/// A time of RFC 3339.
fn time_option(matches: &ArgMatches, name: &str) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = matches.get_one::<String>(name) else {
        return Ok(None);
    };
    let time = text.parse::<Timestamp>();
    time.map(Some).map_err(|_| {
        Failure::said(format!(
            "--{name} {text}: write a time as 2026-03-01T09:00:00Z"
        ))
    })
}
