//! An entity in an operation.

use std::ops::Deref;

/// Borrowed from the caller, or moved in so that the operation can outlive its creator.
pub(crate) enum HeldEntity<'e, E> {
    Borrowed(&'e E),
    /// In a box, so that operations stay small.
    Owned(Box<E>),
}

impl<E> Deref for HeldEntity<'_, E> {
    type Target = E;

    fn deref(&self) -> &E {
        match self {
            HeldEntity::Borrowed(entity) => entity,
            HeldEntity::Owned(entity) => entity,
        }
    }
}
