//! Why a transaction was cancelled: one reason for each of its operations, in their order.

use bytes::Bytes;

use crate::codec::{Fault, Reader, elements, member, members};
use crate::error::ErrorKind;

/// What became of one operation of a cancelled transaction.
#[derive(Default)]
pub(super) struct Reason {
    /// `ConditionalCheckFailed` say; `None` for an operation that was not to blame.
    pub(super) code: String,
    pub(super) message: Option<String>,
    /// The item that a condition was checked on.
    pub(super) item: Option<Bytes>,
}

impl Reason {
    pub(super) fn is_condition(&self) -> bool {
        self.code == "ConditionalCheckFailed"
    }

    /// Others were faster, or too many: the same transaction may go through a moment later.
    fn is_contention(&self) -> bool {
        matches!(
            self.code.as_str(),
            "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded"
        )
    }

    fn kind(&self) -> ErrorKind {
        match self.code.as_str() {
            "ConditionalCheckFailed" => ErrorKind::Conflict,
            "TransactionConflict" => ErrorKind::Unavailable,
            "ThrottlingError" | "ProvisionedThroughputExceeded" => ErrorKind::Throttled,
            "ValidationError" => ErrorKind::Rejected,
            "AccessDenied" => ErrorKind::AccessDenied,
            _ => ErrorKind::Service,
        }
    }
}

/// The reasons of a body that has some. What is not to blame is left out.
pub(super) fn reasons(body: &[u8]) -> Vec<Reason> {
    let list = member(body, "CancellationReasons");
    let Ok(Some(list)) = list else {
        return Vec::new();
    };
    let mut reasons = read(list).unwrap_or_default();
    reasons.retain(|reason| reason.code != "None");
    reasons
}

fn read(list: &[u8]) -> Result<Vec<Reason>, Fault> {
    elements(list)?.into_iter().map(one).collect()
}

fn one(json: &[u8]) -> Result<Reason, Fault> {
    let mut reason = Reason::default();
    for (name, value) in members(json)? {
        let text = || Reader::new(value).string().map(|text| text.into_owned());
        match &*name {
            "Code" => reason.code = text()?,
            // NULL where there is none.
            "Message" => reason.message = text().ok(),
            "Item" if value.starts_with(b"{") => reason.item = Some(Bytes::copy_from_slice(value)),
            _ => {}
        }
    }
    Ok(reason)
}

/// What the cancellation amounts to. A reason that will not go away by itself comes first.
pub(super) fn kind(reasons: &[Reason]) -> Option<ErrorKind> {
    let lasting = reasons.iter().find(|reason| !reason.is_contention());
    lasting.or(reasons.first()).map(Reason::kind)
}

/// Whether every reason is that others were there.
pub(super) fn is_contention(reasons: &[Reason]) -> bool {
    !reasons.is_empty() && reasons.iter().all(Reason::is_contention)
}
