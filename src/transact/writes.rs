//! The writes that a transaction accepts.

use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::entity::guard::{Conditional, Guard};
use crate::error::Result;
use crate::plan::{TransactWrite, TransactionMember};
use crate::write::{Check, Create, Delete, Put, ReturningNew, ReturningNothing, Update, Upsert};

/// Writes that are one operation, and writes that add more operations.
macro_rules! writes {
    ($([$($generics:tt)*] $write:ty: |$self:ident, $db:ident| $members:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> TransactWrite for $write {
            fn plan_members($self, $db: &Dynamo) -> Result<Vec<TransactionMember>> {
                let planned: Result<Vec<TransactionMember>> = $members;
                planned.map_err(|error| error.declared_as(Some(E::ENTITY.id)))
            }
        }
    )*};
}

writes! {
    [E: DynamoEntity] Create<'_, E>: |self, db| self.members(db);
    [E: DynamoEntity, G: Guard] Put<'_, E, G>: |self, db| self.members(db);
    [E: DynamoEntity, G: Guard] Delete<E, G, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Check<E, Conditional>: |self, db| self.members(db);
    [E: DynamoEntity] Update<E, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Update<E, ReturningNew>: |self, db| self.members(db);
    [E: DynamoEntity] Upsert<E, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Upsert<E, ReturningNew>: |self, db| self.members(db);
}
