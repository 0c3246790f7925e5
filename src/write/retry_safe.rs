//! `retry_safe`: a guarded write that may be sent again.

use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::entity::guard::{Guard, Guarded};
use crate::error::Result;
use crate::plan::{Operation, Plan};
use crate::wire::Resend;
use crate::write::{Create, Delete, Put, ReturningNothing, ReturningOld};

/// A write that is sent again after a lost response; see [`Create::retry_safe`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct RetrySafe<O>(O);

/// The former name of [`RetrySafe`].
#[deprecated(note = "renamed to `RetrySafe`")]
pub type Repeatable<O> = RetrySafe<O>;

impl<O> RetrySafe<O> {
    pub(crate) fn into_inner(self) -> O {
        self.0
    }
}

impl<O: Operation> Operation for RetrySafe<O> {
    type Out = O::Out;

    fn plan(self, db: &Dynamo) -> Result<Plan<O::Out>> {
        let mut plan = self.0.plan(db)?;
        if plan.planned.request.resend == Resend::UnlessAmbiguous {
            plan.planned.request.resend = Resend::RetrySafe;
        }
        Ok(plan)
    }
}

/// The operations that are always guarded, one line each.
macro_rules! retry_safe {
    ($([$($generics:tt)*] $operation:ty;)*) => {$(
        impl<$($generics)*> $operation {
            /// Declares that a second effect is harmless here, so that the write is sent again after a lost response.
            ///
            /// A second attempt may see the effect of the first. If its condition does not hold then, the error is
            /// still [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), because it cannot be determined
            /// whose effect that was.
            pub fn retry_safe(self) -> RetrySafe<Self> {
                RetrySafe(self)
            }
        }
    )*};
}

retry_safe! {
    [E: DynamoEntity] Create<'_, E>;
    [E: DynamoEntity, G: Guard] Delete<E, G, ReturningOld>;
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    /// Declares that a second effect is harmless here; see [`Create::retry_safe`].
    pub fn retry_safe(self) -> RetrySafe<Self>
    where
        G: Guarded,
    {
        RetrySafe(self)
    }
}

impl<E: DynamoEntity, G: Guard> Delete<E, G, ReturningNothing> {
    /// Declares that a second effect is harmless here; see [`Create::retry_safe`].
    pub fn retry_safe(self) -> RetrySafe<Self>
    where
        G: Guarded,
    {
        RetrySafe(self)
    }
}
