//! The list or blob that an operation concerns.

use std::fmt;

use super::content::{MOST_OBJECT_BYTES, OBJECT_BYTES, PART_BYTES};
use crate::entity::{DynamoEntity, DynamoTable, Key};
use crate::error::{Error, Result};
use crate::schema::LargeDef;
use crate::write::large::LargeRows;

/// A list or a blob of one item.
pub(super) struct LargePlace<E: DynamoEntity> {
    pub(super) key: Key<E>,
    /// The number of the declaration.
    pub(super) number: usize,
}

impl<E: DynamoEntity> Clone for LargePlace<E> {
    fn clone(&self) -> Self {
        LargePlace {
            key: self.key.clone(),
            number: self.number,
        }
    }
}

impl<E: DynamoEntity> LargePlace<E> {
    /// Whether its contents are objects outside of DynamoDB.
    pub(super) fn is_outside(&self) -> bool {
        let value: Option<&LargeDef> = E::ENTITY.large.get(self.number);
        value.is_some_and(|value| value.outside)
    }

    /// The size of its parts.
    pub(super) fn part_bytes(&self, wanted: Option<usize>) -> usize {
        let (usual, most) = match self.is_outside() {
            true => (OBJECT_BYTES, MOST_OBJECT_BYTES),
            false => (PART_BYTES, PART_BYTES),
        };
        wanted.unwrap_or(usual).clamp(1, most)
    }

    /// The rows of the value.
    pub(super) fn rows(&self) -> Result<LargeRows> {
        let value: Option<&'static LargeDef> = E::ENTITY.large.get(self.number);
        let value = value.ok_or_else(|| Error::config("no list of this number is declared"))?;
        let owner = self.key.untyped()?;
        let table = &<E::Table as DynamoTable>::TABLE;
        LargeRows::of_item(owner.declared.def, table, value, owner.json())
    }
}

impl<E: DynamoEntity> fmt::Debug for LargePlace<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = E::ENTITY.large.get(self.number);
        write!(
            f,
            "{} of {:?}",
            value.map_or("", |value| value.name),
            self.key
        )
    }
}
