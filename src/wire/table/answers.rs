//! The meaning of rejections of operations on tables.

use crate::error::{Error, ErrorKind, Result};
use crate::schema::IndexSchema;

/// Whether the service is not yet ready to keep backups of a new table.
pub(crate) fn keeps_no_backups_yet(error: &Error) -> bool {
    error.code() == Some("ContinuousBackupsUnavailableException")
}

/// Ignores the rejection of an operation that the server does not support.
pub(super) fn missing_as_none<T>(error: Error) -> Result<Option<T>> {
    match is_lacking(&error) {
        true => Ok(None),
        false => Err(error),
    }
}

/// Whether the server, such as one for tests, does not have the operation.
fn is_lacking(error: &Error) -> bool {
    error.code() == Some("UnknownOperationException")
}

/// Whether another change must end first.
pub(crate) fn is_busy(error: &Error) -> bool {
    error.is_table_in_use() || error.is_limit_exceeded()
}

/// Adds a hint, because some servers lack features of AWS, and their messages rarely show it.
pub(super) fn hint_indexes(error: Error, indexes: &[IndexSchema]) -> Error {
    let several = |index: &&IndexSchema| index.pk.len() > 1 || index.sk.len() > 1;
    match indexes.iter().find(several) {
        Some(index) if error.kind() == ErrorKind::Rejected => {
            let message = format!(
                "{error}. Index `{}` has a key of several attributes, which AWS, the embedded \
                 engine and DynamoDB Local 3.3.1 know; older ones and other servers may not",
                index.name
            );
            error.with_kind(ErrorKind::Rejected, message)
        }
        _ => error,
    }
}
