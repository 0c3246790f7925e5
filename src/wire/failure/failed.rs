//! A failed call, in the form that the rooms above receive.

use std::fmt;

use bytes::Bytes;

use super::cancel::Reason;
use crate::error::Error;

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// Facts about a condition that the service checked and that did not hold.
    pub(crate) condition: Option<ConditionFailed>,
    /// Whether other transactions or too many requests prevented it, so that it may succeed a moment later. This
    /// attempt wrote nothing.
    pub(crate) is_contention: bool,
    /// The outcome of each operation of a cancelled transaction.
    pub(crate) reasons: Vec<Reason>,
    /// Whether an attempt had no response, so that it may still be under way.
    pub(crate) has_stray: bool,
    /// If the outcome is unknown: the error of a later attempt, which does not determine the outcome of the earlier
    /// one.
    pub(crate) refusal: Option<Box<Failure>>,
}

/// A condition of a write that did not hold.
pub(crate) struct ConditionFailed {
    /// The item on which the condition was checked, `{"name":{"S":"..."},...}`, if the request returns it and one
    /// exists.
    pub(crate) item: Option<Bytes>,
}

impl fmt::Debug for ConditionFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionFailed")
            .field("item", &self.item.is_some())
            .finish()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            error,
            condition: None,
            is_contention: false,
            reasons: Vec::new(),
            has_stray: false,
            refusal: None,
        }
    }
}
