//! An entity in the hands of an operation.

use std::ops::Deref;

/// Borrowed of the caller, or moved in: then the operation can outlive whoever made it.
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
