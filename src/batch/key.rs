//! The keys of the remaining writes of a batch.

use std::fmt;

use super::plan::Write;
use crate::codec::Item;
use crate::entity::{DynamoEntity, Key, read_key};
use crate::error::Result;

/// The key of a write that is [left](super::BatchReport::left); see
/// [`BatchReport::left_keys`](super::BatchReport::left_keys).
#[derive(Clone, Copy)]
pub struct BatchKey<'r>(&'r Write);

impl<'r> BatchKey<'r> {
    pub(super) fn of_write(write: &'r Write) -> Self {
        BatchKey(write)
    }

    /// The position of the write in the input of the batch that left it, from 0.
    pub fn index(&self) -> usize {
        self.0.index
    }

    /// The entity: the name of the struct.
    pub fn entity(&self) -> &'static str {
        self.0.entity
    }

    /// Whether the write is a delete, and not a put.
    pub fn is_delete(&self) -> bool {
        self.0.write_json().starts_with(b"{\"DeleteRequest\"")
    }

    /// The attributes of the primary key.
    pub fn key(&self) -> Item {
        // This library has written the key, so reading it never fails.
        Item::from_dynamo_json(self.0.key_json()).unwrap_or_default()
    }

    /// The primary key as a key of `E`. `None` if the write belongs to another entity.
    pub fn key_of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        let is_own = self.0.declared == E::ENTITY.id;
        is_own.then(|| read_key(self.0.key_json())).transpose()
    }
}

/// Never shows the values of the key.
impl fmt::Debug for BatchKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchKey")
            .field("index", &self.index())
            .field("entity", &self.entity())
            .finish_non_exhaustive()
    }
}
