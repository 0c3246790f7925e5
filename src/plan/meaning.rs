//! The meaning of a failed condition of an operation.

use super::check::ConditionFailure;
use crate::clock::Timestamp;
use crate::entity::sentinel::is_sentinel;
use crate::error::{Error, ErrorKind};
use crate::schema::UniqueDef;
use crate::wire::Failure;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    /// The item does not fit its condition.
    Row(ConditionFailure),
    /// Another item has this unique value.
    Taken(&'static UniqueDef),
    /// A unique value that should be released belongs to another item, or the other way round.
    ForeignRow,
}

impl Meaning {
    /// The meaning of a failed condition for the item that is written; `NEVER` for a sentinel.
    pub(crate) fn condition_failure(self) -> ConditionFailure {
        match self {
            Meaning::Row(condition_failure) => condition_failure,
            Meaning::Taken(_) | Meaning::ForeignRow => ConditionFailure::NEVER,
        }
    }

    /// The error of a failed operation, with the meaning of a failed condition.
    pub(crate) fn explain_failure(
        self,
        failure: Failure,
        entity: &'static str,
        now: Timestamp,
    ) -> Error {
        match self {
            Meaning::Row(condition_failure) => {
                condition_failure.explain_failure(failure, entity, now)
            }
            Meaning::Taken(unique) => taken_value(unique, failure).of(entity),
            Meaning::ForeignRow => not_ours(failure).of(entity),
        }
    }
}

/// The error for a unique value that cannot be released. A write that is sent alone detects this and continues
/// without releasing the value. In a transaction of the caller it is an error, because all operations must be sent.
fn not_ours(failure: Failure) -> Error {
    let error = failure.error;
    let Some(condition) = failure.condition else {
        return error;
    };
    let message = "a unique value that this write releases belongs to another item, for example because this item had \
                   expired: send the write alone, which releases only the values of its item";
    let error = error.with_kind(ErrorKind::Conflict, message);
    match condition.item {
        Some(sentinel) => error.with_holder(sentinel),
        None => error,
    }
}

pub(crate) fn taken_value(unique: &'static UniqueDef, failure: Failure) -> Error {
    let error = failure.error.at(unique.fields.join(", "));
    let Some(condition) = failure.condition else {
        return error;
    };
    // Only the rows that this library has written name their items.
    let holder = condition.item.filter(|item| is_sentinel(item));
    let message = match (unique.fields, unique.row) {
        (_, Some(_)) if holder.is_none() => {
            "a row for this value exists, and the value is unique; the row does not name its item, which may no longer exist"
        }
        ([_], _) => "another item has this value, and it is unique",
        (_, _) => "another item has these values, and together they are unique",
    };
    let error = error.with_kind(ErrorKind::UniqueViolation, message);
    match holder {
        Some(sentinel) => error.with_holder(sentinel),
        None => error,
    }
}
