//! What the service's model says can go wrong, and what becomes of it here.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use super::refusal::{Refusal, refused};
use super::{Failure, Site};
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
    let site = Site {
        stage: Stage::Service,
        ..Site::harmless("PutItem", "notes")
    };
    refused(site, refusal)
}

/// The source of the SDK that these tests are built with.
fn sdk() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    let data: serde_json::Value = serde_json::from_slice(&out.stdout).expect("metadata");
    let packages = data["packages"].as_array().expect("packages");
    let sdk = packages
        .iter()
        .find(|package| package["name"] == "aws-sdk-dynamodb")
        .expect("the SDK");
    let manifest = PathBuf::from(sdk["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("src")
}

/// The errors that the model lists for an operation.
fn listed(operation: &str) -> BTreeSet<String> {
    let path = sdk().join("operation").join(format!("{operation}.rs"));
    let source = std::fs::read_to_string(&path).expect("the source of the operation");
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
