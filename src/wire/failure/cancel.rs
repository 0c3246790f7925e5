//! The reasons of a cancelled transaction: one for each of its operations, in their order.

use std::fmt;

use bytes::Bytes;

use super::redact::all_without_values;
use crate::error::ErrorKind;
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};

/// The result of one operation of a cancelled transaction.
#[derive(Default)]
pub(crate) struct Reason {
    /// The code, such as `ConditionalCheckFailed`; `None`, or nothing, for an operation that was not to blame.
    code: String,
    /// The message of the service. It is omitted if the meaning of the code is known.
    message: Option<String>,
    /// The item on which a condition was checked.
    pub(crate) item: Option<Bytes>,
}

impl Reason {
    pub(crate) fn reason_code(&self) -> &str {
        &self.code
    }

    /// Whether the operation was to blame.
    pub(crate) fn is_to_blame(&self) -> bool {
        !matches!(self.code.as_str(), "None" | "")
    }

    pub(crate) fn is_condition(&self) -> bool {
        self.code == "ConditionalCheckFailed"
    }

    /// Whether other writers were faster, or too many, so that the same transaction may succeed a moment later.
    pub(crate) fn is_contention(&self) -> bool {
        matches!(
            self.code.as_str(),
            "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded"
        )
    }

    /// Whether the code determines the error completely.
    fn is_known(&self) -> bool {
        !self.is_to_blame() || self.is_condition() || self.is_contention()
    }

    pub(crate) fn error_kind(&self) -> ErrorKind {
        match self.code.as_str() {
            "ConditionalCheckFailed" => ErrorKind::Conflict,
            "TransactionConflict" => ErrorKind::Unavailable,
            "ThrottlingError" | "ProvisionedThroughputExceeded" => ErrorKind::Throttled,
            "ValidationError" => ErrorKind::Rejected,
            "AccessDenied" => ErrorKind::AccessDenied,
            "ItemCollectionSizeLimitExceeded" => ErrorKind::CollectionFull,
            _ => ErrorKind::Service,
        }
    }

    /// The code and the message.
    pub(crate) fn reason_message(&self) -> String {
        match &self.message {
            Some(message) => format!("{}: {message}", self.code),
            None => self.code.clone(),
        }
    }
}

/// Leaves the item out.
impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reason({})", self.code)
    }
}

/// The reasons in a body, one for each operation.
pub(super) fn parse_reasons(body: &[u8]) -> Vec<Reason> {
    let list = find_member(body, "CancellationReasons");
    let Ok(Some(list)) = list else {
        return Vec::new();
    };
    read_reasons(list).unwrap_or_default()
}

fn read_reasons(list: &[u8]) -> Result<Vec<Reason>, CodecError> {
    array_elements(list)?.into_iter().map(read_reason).collect()
}

fn read_reason(json: &[u8]) -> Result<Reason, CodecError> {
    let mut reason = Reason::default();
    for (name, value) in object_members(json)? {
        // DynamoDB writes null for an operation without a message, so a value that is not a text counts as absent.
        let text = || Some(Reader::new(value).string().ok()?.into_owned());
        match &*name {
            "Code" => reason.code = text().unwrap_or_default(),
            "Message" => reason.message = text(),
            // The item is copied, so that an error that is kept does not keep the whole response in
            // memory.
            "Item" if value.starts_with(b"{") => reason.item = Some(Bytes::copy_from_slice(value)),
            _ => {}
        }
    }
    Ok(reason)
}

/// Removes the values of the request from all messages, and reads the request only once for that.
pub(super) fn redact_reasons(reasons: &mut [Reason], body: &[u8]) {
    // These messages say nothing beyond their code, so a lost race needs no search for values.
    for reason in reasons.iter_mut().filter(|reason| reason.is_known()) {
        reason.message = None;
    }
    let said: Vec<&str> = reasons
        .iter()
        .filter_map(|reason| reason.message.as_deref())
        .collect();
    let shown = all_without_values(&said, body);
    let told = reasons.iter_mut().filter(|reason| reason.message.is_some());
    for (reason, shown) in told.zip(shown) {
        reason.message = Some(shown);
    }
}

/// The reasons that were to blame.
fn blamed_reasons(reasons: &[Reason]) -> impl Iterator<Item = &Reason> {
    reasons.iter().filter(|reason| reason.is_to_blame())
}

/// The meaning of the cancellation. A permanent reason comes first.
pub(super) fn common_kind(reasons: &[Reason]) -> Option<ErrorKind> {
    // A condition that failed beside a conflict fails again, so the caller must see it.
    let lasting = blamed_reasons(reasons).find(|reason| !reason.is_contention());
    lasting
        .or(blamed_reasons(reasons).next())
        .map(Reason::error_kind)
}

/// Whether contention is the only reason.
pub(super) fn is_contention(reasons: &[Reason]) -> bool {
    blamed_reasons(reasons).next().is_some() && blamed_reasons(reasons).all(Reason::is_contention)
}

/// The reasons that were to blame, as text.
pub(super) fn reasons_message(reasons: &[Reason]) -> String {
    let said: Vec<String> = blamed_reasons(reasons)
        .map(Reason::reason_message)
        .collect();
    said.join("; ")
}
