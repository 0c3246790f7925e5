//! The errors in the service's model, and their meaning here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::refusal::{Refusal, refused_failure};
use super::{Failure, FailureContext};
use crate::error::{ErrorKind, Stage, ThrottleLimit};

/// The errors of the service: their kinds, and whether the request is sent again as one that met others.
const MAPPED: [(&str, ErrorKind, bool); 15] = [
    (
        "ConditionalCheckFailedException",
        ErrorKind::Conflict,
        false,
    ),
    (
        "IdempotentParameterMismatchException",
        ErrorKind::Rejected,
        false,
    ),
    ("InternalServerError", ErrorKind::Unavailable, false),
    ("InvalidEndpointException", ErrorKind::Unavailable, false),
    (
        "ItemCollectionSizeLimitExceededException",
        ErrorKind::CollectionFull,
        false,
    ),
    ("LimitExceededException", ErrorKind::LimitExceeded, false),
    (
        "ProvisionedThroughputExceededException",
        ErrorKind::Throttled,
        false,
    ),
    (
        "ReplicatedWriteConflictException",
        ErrorKind::Unavailable,
        true,
    ),
    ("RequestLimitExceeded", ErrorKind::Throttled, false),
    ("ResourceInUseException", ErrorKind::TableInUse, false),
    ("ResourceNotFoundException", ErrorKind::TableNotFound, false),
    ("ThrottlingException", ErrorKind::Throttled, false),
    ("TransactionCanceledException", ErrorKind::Conflict, false),
    ("TransactionConflictException", ErrorKind::Unavailable, true),
    (
        "TransactionInProgressException",
        ErrorKind::OutcomeUnknown,
        true,
    ),
];

/// The operations that are sent, on items and on tables, as files of the SDK.
const SENT: [&str; 15] = [
    "get_item",
    "put_item",
    "update_item",
    "delete_item",
    "query",
    "scan",
    "batch_get_item",
    "batch_write_item",
    "transact_write_items",
    "transact_get_items",
    "create_table",
    "describe_table",
    "update_table",
    "describe_time_to_live",
    "update_time_to_live",
];

fn refusal_of(code: &str, more: &str) -> Failure {
    let body = format!("{{\"__type\":\"{code}\",\"message\":\"so it is\"{more}}}");
    let refusal = Refusal {
        status: 400,
        code: Some(code),
        message: Some("so it is"),
        request_id: None,
        body: body.as_bytes(),
    };
    let site = FailureContext {
        stage: Stage::Service,
        ..FailureContext::of_harmless("PutItem", "notes")
    };
    refused_failure(site, refusal)
}

/// The source of the SDK that these tests are built with, as the compiler has noted it beside them. `cargo metadata` could
/// tell it too, but only where the crates of all platforms and of all members of the workspace have been downloaded, and a
/// build does not need those.
fn sdk() -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    // Where cargo puts it is cargo's affair: beside this program, or in a folder of its own nearby.
    let noted = program.ancestors().skip(1).take(4).find_map(noted_source);
    noted.expect("the source of the SDK, in the notes of the compiler")
}

/// The source by the notes in this folder or below it. There may be notes of builds with other versions of the SDK.
fn noted_source(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let (folders, files): (Vec<_>, Vec<_>) = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .partition(|path| path.is_dir());
    let sources = files.iter().filter_map(|file| source_in(file));
    let mut sources = sources.chain(folders.iter().filter_map(|folder| noted_source(folder)));
    sources.find(|source| {
        let manifest = fs::read_to_string(source.with_file_name("Cargo.toml"));
        let version = format!("version = \"{}\"", aws_sdk_dynamodb::meta::PKG_VERSION);
        manifest.is_ok_and(|manifest| manifest.lines().any(|line| line == version))
    })
}

/// The folder of the SDK's source, if this file says of which files the SDK is made.
fn source_in(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    if !(name.starts_with("aws_sdk_dynamodb-") && name.ends_with(".d")) {
        return None;
    }
    let notes = fs::read_to_string(file).ok()?;
    // One rule of make a line, in which a space of a path has a backslash before it: `TARGET: FILE FILE ..`
    let (_, made_of) = notes.lines().next()?.split_once(": ")?;
    let root = made_of.find("lib.rs").map(|end| &made_of[..end])?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(root.replace("\\ ", " "));
    Some(folder)
}

/// The errors that the model lists for an operation.
fn listed(operation: &str) -> BTreeSet<String> {
    let path = sdk().join("operation").join(format!("{operation}.rs"));
    let source = fs::read_to_string(&path).expect("the source of the operation");
    let errors = source.lines().filter_map(|line| {
        let (variant, of) = line.trim().split_once('(')?;
        (of == format!("crate::types::error::{variant}),")).then(|| variant.to_owned())
    });
    errors.collect()
}

#[test]
fn every_error_that_the_sdk_lists_has_a_kind() {
    let mut met = BTreeSet::new();
    for operation in SENT {
        let errors = listed(operation);
        assert!(errors.len() >= 3, "{operation}: {errors:?}");
        met.extend(errors);
    }
    let known: BTreeSet<String> = MAPPED.iter().map(|(code, ..)| (*code).to_owned()).collect();
    assert_eq!(met, known);
    for (code, kind, is_contention) in MAPPED {
        let reasons = match code {
            "TransactionCanceledException" => {
                ",\"CancellationReasons\":[{\"Code\":\"ConditionalCheckFailed\"}]"
            }
            _ => "",
        };
        let failure = refusal_of(code, reasons);
        assert_eq!(failure.error.kind(), kind, "{code}");
        assert_eq!(failure.is_contention, is_contention, "{code}");
        assert_eq!(failure.error.code(), Some(code));
    }
    let failure = refusal_of("IndexNotFoundException", "");
    assert!(failure.error.is_index_not_found());
}

/// The service spells the list in two ways.
#[test]
fn throttles_say_why() {
    let reasons = "[{\"reason\":\"IndexWriteKeyRangeThroughputExceeded\",\
         \"resource\":\"arn:aws:dynamodb:eu-west-1:1:table/notes/index/by_day\"},\
         {\"reason\":\"TableWriteAccountLimitExceeded\"},{\"resource\":\"nothing\"},7]";
    for (code, name) in [
        ("ThrottlingException", "throttlingReasons"),
        (
            "ProvisionedThroughputExceededException",
            "ThrottlingReasons",
        ),
        ("RequestLimitExceeded", "ThrottlingReasons"),
    ] {
        let error = refusal_of(code, &format!(",\"{name}\":{reasons}")).error;
        assert_eq!(error.throttles().len(), 2);
        let throttle = error.throttle().expect("a reason");
        assert_eq!(throttle.limit(), ThrottleLimit::KeyRange);
        assert_eq!(
            (throttle.table(), throttle.index()),
            (Some("notes"), Some("by_day"))
        );
        let said = error.to_string();
        assert!(said.contains("index `by_day` of table `notes`"), "{said}");
        assert!(said.contains("shards") && said.contains("quota"), "{said}");
    }
    for broken in [
        "",
        ",\"throttlingReasons\":7",
        ",\"throttlingReasons\":[{}]",
    ] {
        let error = refusal_of("ThrottlingException", broken).error;
        assert!(
            error.is_throttled() && error.throttle().is_none(),
            "{broken}"
        );
        assert!(error.to_string().contains("so it is"));
    }
}
