//! The kinds of updates: they differ in the effect if no item exists.

use crate::entity::{DynamoEntity, Patterns};
use crate::schema::Pattern;

/// The effect of the write if no item exists, and without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateKind {
    /// Needs a live item; without changes it only checks.
    Update,
    /// Needs a live item, and renews the managed fields.
    Touch,
    /// Creates the item.
    Upsert,
}

impl UpdateKind {
    pub(super) fn pattern<E: DynamoEntity>(self) -> &'static Pattern {
        match self {
            UpdateKind::Update => Patterns::<E>::UPDATE,
            UpdateKind::Touch => Patterns::<E>::TOUCH,
            UpdateKind::Upsert => Patterns::<E>::UPSERT,
        }
    }
}
