//! The entities of a collection.

use crate::entity::{DynamoCollection, refused_member};
use crate::error::Error;
use crate::schema::EntityDef;

/// The entities of a collection, without their types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members {
    /// The name of the enum.
    pub(crate) name: &'static str,
    takes: fn(&EntityDef) -> bool,
    refused: fn(&[u8]) -> Option<Error>,
}

impl Members {
    pub(crate) fn of_collection<C: DynamoCollection>() -> Self {
        Members {
            name: C::NAME,
            takes: |entity| {
                C::OTHER.is_some() || C::VARIANTS.iter().any(|variant| variant.is_of(entity))
            },
            refused: refused_member::<C>,
        }
    }

    /// Why an item does not belong to the collection.
    pub(crate) fn foreign_member(&self, item: &[u8]) -> Option<Error> {
        (self.refused)(item)
    }

    /// Whether items of this entity are among the rows.
    pub(crate) fn takes_entity(&self, entity: &EntityDef) -> bool {
        (self.takes)(entity)
    }
}
