//! Former names, so that a program compiles after an upgrade. The compiler names the present one.
//!
//! Traits have no former names here, because messages of the compiler would contain them.

use crate::error::{Error, ErrorKind};
use crate::observe::{RequestEvent, WirePath};
use crate::query;
use crate::query::AnyOf;
use crate::read::{
    BatchGet, BatchGetRequest, KeyReads, TransactGet, TransactGetRequest, batch_get, transact_get,
};

/// The former name of [`RequestEvent`](crate::RequestEvent).
#[deprecated(note = "renamed to `RequestEvent`")]
pub type Observed<'r> = RequestEvent<'r>;

/// The former name of [`any_of`](crate::any_of).
#[deprecated(note = "renamed to `any_of`")]
pub fn each<A>(values: impl IntoIterator<Item = A>) -> AnyOf<A> {
    query::any_of(values)
}

/// The former name of [`batch_get`](crate::batch_get).
#[deprecated(note = "renamed to `batch_get`")]
pub fn read_together<Members: KeyReads<BatchGetRequest>>(members: Members) -> BatchGet<Members> {
    batch_get(members)
}

/// The former name of [`transact_get`](crate::transact_get).
#[deprecated(note = "renamed to `transact_get`")]
pub fn snapshot<R: KeyReads<TransactGetRequest>>(reads: R) -> TransactGet<R> {
    transact_get(reads)
}

#[allow(non_upper_case_globals, reason = "patterns of programs have this name")]
impl WirePath {
    #[doc(hidden)]
    #[deprecated(note = "renamed to `Direct`")]
    pub const Plain: WirePath = WirePath::Direct;
}

/// Former kinds of errors.
#[allow(
    non_upper_case_globals,
    reason = "patterns of programs have these names"
)]
impl ErrorKind {
    #[doc(hidden)]
    #[deprecated(note = "renamed to `AppliedButUnread`")]
    pub const TookEffect: ErrorKind = ErrorKind::AppliedButUnread;
    #[doc(hidden)]
    #[deprecated(note = "renamed to `MultipleItems`")]
    pub const MoreThanOne: ErrorKind = ErrorKind::MultipleItems;
    #[doc(hidden)]
    #[deprecated(note = "renamed to `UniqueViolation`")]
    pub const NotUnique: ErrorKind = ErrorKind::UniqueViolation;
    #[doc(hidden)]
    #[deprecated(note = "renamed to `CallbackError`")]
    pub const FailedByCaller: ErrorKind = ErrorKind::CallbackError;
}

impl Error {
    #[doc(hidden)]
    #[deprecated(note = "renamed to `is_unique_violation`")]
    pub fn is_not_unique(&self) -> bool {
        self.is_unique_violation()
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `is_multiple_items`")]
    pub fn is_more_than_one(&self) -> bool {
        self.is_multiple_items()
    }
}
