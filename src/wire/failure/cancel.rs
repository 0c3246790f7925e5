//! Why a transaction was cancelled: one reason for each of its operations, in their order.

use std::fmt;

use bytes::Bytes;

use super::redact::all_without_values;
use crate::error::ErrorKind;
use crate::json::{CodecError, Reader, elements, member, members};

/// The result of one operation of a cancelled transaction.
#[derive(Default)]
pub(crate) struct Reason {
    /// The code, such as `ConditionalCheckFailed`; `None`, or nothing, for an operation that was not to blame.
    code: String,
    /// The service's words. They are left out where the meaning of the code is known.
    message: Option<String>,
    /// The item that a condition was checked on.
    pub(crate) item: Option<Bytes>,
}

impl Reason {
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Whether the operation was to blame.
    pub(crate) fn is_to_blame(&self) -> bool {
        !matches!(self.code.as_str(), "None" | "")
    }

    pub(crate) fn is_condition(&self) -> bool {
        self.code == "ConditionalCheckFailed"
    }

    /// Whether other writers were faster, or too many, so that the same transaction may go through a moment later.
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

    pub(crate) fn kind(&self) -> ErrorKind {
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

    /// The code and the words.
    pub(crate) fn said(&self) -> String {
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
pub(super) fn reasons(body: &[u8]) -> Vec<Reason> {
    let list = member(body, "CancellationReasons");
    let Ok(Some(list)) = list else {
        return Vec::new();
    };
    read(list).unwrap_or_default()
}

fn read(list: &[u8]) -> Result<Vec<Reason>, CodecError> {
    elements(list)?.into_iter().map(one).collect()
}

fn one(json: &[u8]) -> Result<Reason, CodecError> {
    let mut reason = Reason::default();
    for (name, value) in members(json)? {
        // The member is null where there is no text.
        let text = || Some(Reader::new(value).string().ok()?.into_owned());
        match &*name {
            "Code" => reason.code = text().unwrap_or_default(),
            "Message" => reason.message = text(),
            "Item" if value.starts_with(b"{") => reason.item = Some(Bytes::copy_from_slice(value)),
            _ => {}
        }
    }
    Ok(reason)
}

/// Takes the values of the request out of all their words, and reads the request only once for that.
pub(super) fn redact(reasons: &mut [Reason], body: &[u8]) {
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
fn blamed(reasons: &[Reason]) -> impl Iterator<Item = &Reason> {
    reasons.iter().filter(|reason| reason.is_to_blame())
}

/// The meaning of the cancellation. A permanent reason comes first.
pub(super) fn kind(reasons: &[Reason]) -> Option<ErrorKind> {
    let lasting = blamed(reasons).find(|reason| !reason.is_contention());
    lasting.or(blamed(reasons).next()).map(Reason::kind)
}

/// Whether contention is the only reason.
pub(super) fn is_contention(reasons: &[Reason]) -> bool {
    blamed(reasons).next().is_some() && blamed(reasons).all(Reason::is_contention)
}

/// The reasons that were to blame, in words.
pub(super) fn said(reasons: &[Reason]) -> String {
    let said: Vec<String> = blamed(reasons).map(Reason::said).collect();
    said.join("; ")
}
