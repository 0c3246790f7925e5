//! A rejection: its kind, its message, and the item of a failed condition.

use bytes::Bytes;

use super::cancel::{self, Reason};
use super::failed::{ConditionFailed, Failure};
use super::failure_context::FailureContext;
use super::redact::without_values;
use super::said::{IN_PROGRESS, text_member};
use crate::error::{Error, ErrorKind, Remedy, Throttle};
use crate::json::{array_elements, find_member};

const CONDITION_FAILED: &str = "ConditionalCheckFailedException";
const CANCELLED: &str = "TransactionCanceledException";
const CONFLICT: &str = "TransactionConflictException";
/// Two regions that replicate each other wrote one item concurrently; this write was not executed.
const REPLICATED_CONFLICT: &str = "ReplicatedWriteConflictException";

/// A rejection.
pub(super) struct Refusal<'a> {
    pub(super) status: u16,
    pub(super) code: Option<&'a str>,
    pub(super) message: Option<&'a str>,
    pub(super) request_id: Option<String>,
    pub(super) body: &'a [u8],
}

pub(super) fn refused_failure(site: FailureContext<'_>, refusal: Refusal<'_>) -> Failure {
    let mut reasons = match refusal.code {
        Some(CANCELLED) => cancel::parse_reasons(refusal.body),
        _ => Vec::new(),
    };
    cancel::redact_reasons(&mut reasons, site.body);
    let is_in_the_way = matches!(
        refusal.code,
        Some(CONFLICT | IN_PROGRESS | REPLICATED_CONFLICT)
    );
    let is_contention = is_in_the_way || cancel::is_contention(&reasons);
    let failed = is_condition(&refusal, &reasons);
    let is_going_on = refusal.code == Some(IN_PROGRESS);
    // A failed condition is certain unless an earlier attempt may have been executed: then it may
    // be the effect of this very write. Law W6.
    let is_unknown = if failed { site.has_stray } else { site.unknown };
    if is_unknown || is_going_on {
        let error = add_metadata(unknown_outcome(site, &refusal, failed), &refusal);
        // Only a rejection says something about its own attempt. A 5xx and a transaction that is
        // still executing do not.
        let is_told = !is_going_on && refusal.status < 500;
        return Failure {
            is_contention,
            has_stray: true,
            refusal: is_told.then(|| Box::new(certain_failure(site, refusal, reasons))),
            ..error.into()
        };
    }
    Failure {
        is_contention,
        has_stray: site.has_stray,
        ..certain_failure(site, refusal, reasons)
    }
}

/// The meaning of a rejection for its own attempt, which was not executed.
fn certain_failure(
    site: FailureContext<'_>,
    refusal: Refusal<'_>,
    reasons: Vec<Reason>,
) -> Failure {
    let failed = is_condition(&refusal, &reasons);
    let kind = cancel::common_kind(&reasons).unwrap_or_else(|| refusal_kind(&refusal));
    let throttles = match kind {
        ErrorKind::Throttled => parse_throttles(refusal.body),
        _ => Vec::new(),
    };
    let message = refusal_message(site, kind, &refusal, &reasons, &throttles);
    let remedy = (kind == ErrorKind::TableNotFound).then_some(Remedy::CreateTables);
    let error = Error::new(kind, site.stage, message)
        .with_throttles(throttles)
        .with_remedies(remedy);
    let condition = failed.then(|| {
        // A cancelled transaction returns its items with the reasons, and a single write returns
        // its item beside the code.
        let of_reason = reasons.iter().find(|reason| reason.is_condition());
        ConditionFailed {
            item: of_reason
                .map_or_else(|| returned_item(refusal.body), |reason| reason.item.clone()),
        }
    });
    Failure {
        condition,
        reasons,
        ..add_metadata(error, &refusal).into()
    }
}

/// Whether a condition failed.
fn is_condition(refusal: &Refusal<'_>, reasons: &[Reason]) -> bool {
    refusal.code == Some(CONDITION_FAILED) || reasons.iter().any(Reason::is_condition)
}

fn add_metadata(error: Error, refusal: &Refusal<'_>) -> Error {
    error
        .with_code(refusal.code)
        .with_request_id(refusal.request_id.as_deref())
}

fn unknown_outcome(site: FailureContext<'_>, refusal: &Refusal<'_>, failed: bool) -> Error {
    let operation = site.operation;
    let message = match refusal.code {
        Some(CANCELLED) => format!(
            "{operation} was sent again after a lost answer and cancelled then, but the attempt without an answer may \
             still be under way and take effect: read before deciding"
        ),
        _ if failed => format!(
            "{operation} was sent again after a lost answer and its condition failed, perhaps by its \
             own first effect: read before deciding"
        ),
        Some(IN_PROGRESS) => format!(
            "{operation}: a write with the same token is still going on and may take effect: read before \
             deciding"
        ),
        code if refusal.status < 500 => format!(
            "{operation} was sent again after a lost response and then rejected ({}), so it may have taken \
             effect before: read before deciding",
            code.map_or_else(|| format!("HTTP {}", refusal.status), str::to_owned)
        ),
        _ => format!(
            "{operation} was sent and the service failed with HTTP {}, so it may have taken effect: \
             read before deciding",
            refusal.status
        ),
    };
    Error::new(ErrorKind::OutcomeUnknown, site.stage, message)
}

fn refusal_kind(refusal: &Refusal<'_>) -> ErrorKind {
    match refusal.code.unwrap_or_default() {
        CONDITION_FAILED => ErrorKind::Conflict,
        "ResourceNotFoundException" => ErrorKind::TableNotFound,
        "IndexNotFoundException" => ErrorKind::IndexNotFound,
        "ResourceInUseException" => ErrorKind::TableInUse,
        "ItemCollectionSizeLimitExceededException" => ErrorKind::CollectionFull,
        "LimitExceededException" => ErrorKind::LimitExceeded,
        "ProvisionedThroughputExceededException"
        | "ThrottlingException"
        | "ThrottledException"
        | "Throttling"
        | "RequestLimitExceeded"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "TooManyRequestsException"
        | "SlowDown" => ErrorKind::Throttled,
        "AccessDenied"
        | "AccessDeniedException"
        | "ExpiredToken"
        | "ExpiredTokenException"
        | "IncompleteSignature"
        | "IncompleteSignatureException"
        | "InvalidClientTokenId"
        | "InvalidSignatureException"
        | "MissingAuthenticationToken"
        // Errors of signatures are listed here, because the remedy is the same: the credentials or
        // the clock are wrong.
        | "MissingAuthenticationTokenException"
        | "OptInRequired"
        | "RequestExpired"
        | "SignatureDoesNotMatch"
        | "UnrecognizedClientException" => ErrorKind::AccessDenied,
        "ValidationException"
        | "SerializationException"
        // The same token with another body. This library sends the same bytes with a token, so the
        // caller's token has been used before.
        | "IdempotentParameterMismatchException" => ErrorKind::Rejected,
        "InternalServerError"
        | "InvalidEndpointException"
        | "ServiceUnavailable"
        | REPLICATED_CONFLICT
        | CONFLICT => ErrorKind::Unavailable,
        _ => match refusal.status {
            401 | 403 => ErrorKind::AccessDenied,
            429 => ErrorKind::Throttled,
            500.. => ErrorKind::Unavailable,
            _ => ErrorKind::Service,
        },
    }
}

/// The reasons of throttling, if the service reports them.
fn parse_throttles(body: &[u8]) -> Vec<Throttle> {
    let list = |name| find_member(body, name).ok().flatten();
    // The case of this member differs between servers, as that of `message` does.
    let list = list("throttlingReasons").or_else(|| list("ThrottlingReasons"));
    let reasons = list.and_then(|list| array_elements(list).ok());
    let reasons = reasons.unwrap_or_default().into_iter();
    let read = |json| {
        Some(Throttle::new(
            text_member(json, "reason")?,
            text_member(json, "resource"),
        ))
    };
    reasons.filter_map(read).collect()
}

fn refusal_message(
    site: FailureContext<'_>,
    kind: ErrorKind,
    refusal: &Refusal<'_>,
    reasons: &[Reason],
    throttles: &[Throttle],
) -> String {
    let FailureContext {
        operation, table, ..
    } = site;
    // Removing the values from a message reads the whole request, so the message is built only if it is shown.
    let said = || match (refusal.code, refusal.message) {
        (Some(code), _) if reasons.iter().any(Reason::is_to_blame) => {
            format!("{code}: {}", cancel::reasons_message(reasons))
        }
        (Some(code), Some(message)) => {
            format!("{code}: {}", without_values(message, site.body))
        }
        (Some(code), None) => code.to_owned(),
        (None, _) => format!(
            "HTTP {} without an error code of DynamoDB: does the endpoint belong to DynamoDB?",
            refusal.status
        ),
    };
    match kind {
        ErrorKind::Conflict => format!("the condition of this {operation} does not hold"),
        ErrorKind::TableNotFound => format!("table `{table}` does not exist"),
        ErrorKind::Throttled => {
            let reasons: Vec<String> = throttles.iter().map(Throttle::to_string).collect();
            let said = match reasons.is_empty() {
                true => said(),
                false => reasons.join("; "),
            };
            format!("{operation} on `{table}` was throttled, the retries are used up ({said})")
        }
        ErrorKind::CollectionFull => format!(
            "{operation} on `{table}` was refused: the items of its partition key are all that a table \
             with a local index may hold of one (10 GB). Delete some, or give the table a partition key \
             that spreads them"
        ),
        ErrorKind::AccessDenied => format!(
            "{operation} on `{table}` was rejected: check credentials, permissions and region ({})",
            said()
        ),
        _ if refusal.code == Some(CONFLICT) => {
            format!(
                "{operation} on `{table}` failed ({CONFLICT}: another transaction holds the item)"
            )
        }
        _ if refusal.code == Some(REPLICATED_CONFLICT) => format!(
            "{operation} on `{table}` failed ({REPLICATED_CONFLICT}: another region writes the item)"
        ),
        _ => format!("{operation} on `{table}` failed ({})", said()),
    }
}

/// The value of `Item`, as it is in the body.
fn returned_item(body: &[u8]) -> Option<Bytes> {
    let found = find_member(body, "Item").ok().flatten()?;
    found
        .starts_with(b"{")
        .then(|| Bytes::copy_from_slice(found))
}
