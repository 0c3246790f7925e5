//! The errors of writes of a list or a blob.

use crate::error::{Error, ErrorKind, Stage};
use crate::write::large::LargeRows;

/// Whether other transactions with the same item were always faster. The outcome is known, and the service responds.
pub(super) fn is_contention(error: &Error) -> bool {
    let code = error.code().unwrap_or_default();
    error.kind() == ErrorKind::Unavailable && code.starts_with("Transaction")
}

/// The error of a part without a response. The outcome of the whole write is known, because the head was not sent.
pub(super) fn unsent(rows: &LargeRows, error: Error) -> Error {
    if !error.is_outcome_unknown() && !error.is_unavailable() {
        return error;
    }
    let message = format!(
        "a part of `{}` could not be written, so it is as before: {}",
        rows.value.name,
        error.reason()
    );
    error.with_kind(ErrorKind::Unavailable, message)
}

/// The error of a head whose outcome is unknown. An append would be written twice if its caller repeated it.
pub(super) fn in_doubt(rows: &LargeRows, error: Error) -> Error {
    if !error.is_outcome_unknown() {
        return error;
    }
    let name = rows.value.name;
    let message = format!(
        "the write of `{name}` may have taken effect, so read `{name}` before you write it again: {}",
        error.reason()
    );
    error.with_kind(ErrorKind::OutcomeUnknown, message)
}

/// The error of a value with another length than the write requires.
pub(super) fn other_length(rows: &LargeRows, expected: u64, found: u64) -> Error {
    let unit = match rows.value.is_blob {
        true => "bytes",
        false => "elements",
    };
    let message = format!(
        "`{}` has {found} {unit}, and the write requires {expected}",
        rows.value.name
    );
    Error::new(ErrorKind::Conflict, Stage::Service, message).of(rows.entity.type_name)
}

/// The error of a replacement that others have always overtaken.
pub(super) fn overtaken(rows: &LargeRows) -> Error {
    let message = format!(
        "`{0}` was replaced by other programs again and again, so the write did not take effect: write `{0}` again",
        rows.value.name
    );
    Error::new(ErrorKind::Conflict, Stage::Service, message).of(rows.entity.type_name)
}

/// The error of a head that would follow its parts too late.
pub(super) fn too_late(rows: &LargeRows) -> Error {
    let name = rows.value.name;
    let message = format!(
        "the parts of `{name}` were written more than 12 hours ago, and a sweep may delete them, so `{name}` is as before: write \
         them again"
    );
    Error::new(ErrorKind::Rejected, Stage::Request, message).of(rows.entity.type_name)
}
