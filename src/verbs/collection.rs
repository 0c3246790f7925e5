//! The operations on a collection.

use crate::codec::Item;
use crate::entity::{CoversTable, DynamoCollection, read_collection};
use crate::error::{Error, Result};
use crate::query::{Query, WholeTable};

/// The operations on every collection.
pub trait CollectionExt: DynamoCollection {
    /// Returns the item as stored in the table.
    fn to_item(&self) -> Result<Item> {
        self.stored_item()
    }

    /// Returns the variant of an item, for example from a stream or a file.
    fn from_item(item: impl Into<Item>) -> Result<Self> {
        let fail = |fault| Error::decode(Self::NAME, fault);
        read_collection(&item.into().to_dynamo_json().map_err(fail)?)
    }

    /// Reads the whole table, item by item. It is meant for programs that run once, not for services. Rows have no
    /// order. It is available only for a collection without `partition(..)`.
    fn scan() -> Query<Self, WholeTable>
    where
        Self: CoversTable,
    {
        Query::scan_collection()
    }
}

impl<C: DynamoCollection> CollectionExt for C {}
