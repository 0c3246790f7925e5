//! `repeatable`: a guarded write that may be sent again.

use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::entity::guard::{Guard, Guarded};
use crate::error::Result;
use crate::plan::{Operation, Plan};
use crate::wire::Resend;
use crate::write::{Create, Delete, Put, ReturningNothing, ReturningOld};

/// A write that is sent again after a lost response; see [`Create::repeatable`].
#[derive(Debug)]
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Repeatable<O>(O);

impl<O> Repeatable<O> {
    pub(crate) fn into_inner(self) -> O {
        self.0
    }
}

impl<O: Operation> Operation for Repeatable<O> {
    type Out = O::Out;

    fn plan(self, db: &Dynamo) -> Result<Plan<O::Out>> {
        let mut plan = self.0.plan(db)?;
        if plan.planned.request.resend == Resend::UnlessAmbiguous {
            plan.planned.request.resend = Resend::Repeatable;
        }
        Ok(plan)
    }
}

/// The operations that are always guarded, one line each.
macro_rules! repeatable {
    ($([$($generics:tt)*] $operation:ty;)*) => {$(
        impl<$($generics)*> $operation {
            /// Declares that a second effect is harmless here, so that the write is sent again after a lost response.
            ///
            /// A second attempt may see the effect of the first. If its condition does not hold then, the error is
            /// still [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown), because it cannot be determined
            /// whose effect that was.
            pub fn repeatable(self) -> Repeatable<Self> {
                Repeatable(self)
            }
        }
    )*};
}

repeatable! {
    [E: DynamoEntity] Create<'_, E>;
    [E: DynamoEntity, G: Guard] Delete<E, G, ReturningOld>;
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    /// Declares that a second effect is harmless here; see [`Create::repeatable`].
    pub fn repeatable(self) -> Repeatable<Self>
    where
        G: Guarded,
    {
        Repeatable(self)
    }
}

impl<E: DynamoEntity, G: Guard> Delete<E, G, ReturningNothing> {
    /// Declares that a second effect is harmless here; see [`Create::repeatable`].
    pub fn repeatable(self) -> Repeatable<Self>
    where
        G: Guarded,
    {
        Repeatable(self)
    }
}
