//! A typed change of an item, and a record that cannot be read as a change.

use std::error::Error as StdError;
use std::fmt;

use super::record::StreamRecord;
use crate::codec::Item;
use crate::error::{Error, ErrorKind};

/// A created, changed or removed item.
///
/// `New` is the type of the item after the change, and `Old` its type before the change: the entity, or its key if the
/// stream does not have that image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeEvent<New, Old = New> {
    /// The item did not exist before the change, or did not belong to the entity.
    Created(New),
    /// The item has other values.
    Changed {
        /// The item before the change.
        old: Old,
        /// The item after the change.
        new: New,
    },
    /// The item no longer exists, or no longer belongs to the entity.
    Removed {
        /// The item before it was removed.
        old: Old,
        /// Whether DynamoDB removed the item because its TTL had passed. Always false in replicas of a global table and
        /// on DynamoDB Local, because they do not mark such removals.
        by_ttl: bool,
    },
}

impl<New, Old> ChangeEvent<New, Old> {
    /// Returns the item after the change, or `None` if it was removed.
    pub fn after(&self) -> Option<&New> {
        match self {
            ChangeEvent::Created(new) | ChangeEvent::Changed { new, .. } => Some(new),
            ChangeEvent::Removed { .. } => None,
        }
    }

    /// Returns the item before the change, or `None` if it was created.
    pub fn before(&self) -> Option<&Old> {
        match self {
            ChangeEvent::Changed { old, .. } | ChangeEvent::Removed { old, .. } => Some(old),
            ChangeEvent::Created(_) => None,
        }
    }
}

/// A change of an item, with the record from which it was read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemChange<New, Old = New> {
    /// The kind of the change, with the item.
    pub event: ChangeEvent<New, Old>,
    /// The record, with its ID, its sequence number and its images as stored.
    pub record: StreamRecord,
}

/// A record that cannot be read as a change of the entity.
///
/// [`error`](Self::error) returns the reason. Its kind is [`NewerShape`](ErrorKind::NewerShape) if a newer program
/// stored the item, [`KeyMismatch`](ErrorKind::KeyMismatch) if the key of the item differs from the key that its fields
/// give, and [`Decode`](ErrorKind::Decode) otherwise.
pub struct UnreadChange {
    pub(super) error: Error,
    pub(super) record: StreamRecord,
}

impl UnreadChange {
    /// Returns the reason why the record cannot be read.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Converts into the reason why the record cannot be read.
    pub fn into_error(self) -> Error {
        self.error
    }

    /// Returns the kind of the reason.
    pub fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// Returns the key of the item as stored, if it can be read. See [`Error::key_of`] for a typed key.
    pub fn key(&self) -> Option<Item> {
        self.record.key()
    }

    /// Returns the record, with its images as stored.
    pub fn record(&self) -> &StreamRecord {
        &self.record
    }
}

impl fmt::Display for UnreadChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Shows no values of the item, because errors do not show them either.
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
