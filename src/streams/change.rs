//! A change of an item, typed, and a record that cannot be read as one.

use std::error::Error as StdError;
use std::fmt;

use super::record::StreamRecord;
use crate::codec::Item;
use crate::error::{Error, ErrorKind};

/// The kind of a change, with the item. `New` and `Old` are the types after and before the change: the entity, or its
/// key if the stream does not contain that image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeEvent<New, Old = New> {
    /// The item did not exist before, or did not belong to the entity.
    Created(New),
    /// The item has other values.
    Changed {
        /// Before the change.
        old: Old,
        /// After the change.
        new: New,
    },
    /// The item no longer exists, or no longer belongs to the entity.
    Removed {
        /// Before it was removed.
        old: Old,
        /// Whether DynamoDB removed it because its TTL had passed. In a replica of a global table, and on DynamoDB
        /// Local, this is not known and therefore false.
        by_ttl: bool,
    },
}

impl<New, Old> ChangeEvent<New, Old> {
    /// The item after the change.
    pub fn after(&self) -> Option<&New> {
        match self {
            ChangeEvent::Created(new) | ChangeEvent::Changed { new, .. } => Some(new),
            ChangeEvent::Removed { .. } => None,
        }
    }

    /// The item before the change.
    pub fn before(&self) -> Option<&Old> {
        match self {
            ChangeEvent::Changed { old, .. } | ChangeEvent::Removed { old, .. } => Some(old),
            ChangeEvent::Created(_) => None,
        }
    }
}

/// A change of an item, with its record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemChange<New, Old = New> {
    /// The kind of the change, with the item.
    pub event: ChangeEvent<New, Old>,
    /// The record, with its ID, its position and its images as they are stored.
    pub record: StreamRecord,
}

/// A record that cannot be read as a change of the entity.
///
/// [`error`](Self::error) returns the reason. Its kind is [`NewerShape`](ErrorKind::NewerShape) for an item that a
/// newer program has stored, [`KeyMismatch`](ErrorKind::KeyMismatch) for a key that differs from the one that the
/// fields give, and [`Decode`](ErrorKind::Decode) otherwise.
pub struct UnreadChange {
    pub(super) error: Error,
    pub(super) record: StreamRecord,
}

impl UnreadChange {
    /// The reason.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the reason itself.
    pub fn into_error(self) -> Error {
        self.error
    }

    /// The kind of the reason.
    pub fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// The key of the item as stored, if it can be read. For a typed key, see [`Error::key_of`].
    pub fn key(&self) -> Option<Item> {
        self.record.key()
    }

    /// The record, with its images as they are stored.
    pub fn record(&self) -> &StreamRecord {
        &self.record
    }
}

impl fmt::Display for UnreadChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Shows no values, like its error.
impl fmt::Debug for UnreadChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnreadChange")
            .field("error", &self.error)
            .field("record", &self.record)
            .finish()
    }
}

impl StdError for UnreadChange {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
    }
}
