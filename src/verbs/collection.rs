//! The verbs of a collection.

use crate::codec::Item;
use crate::entity::{CoversTable, DynamoCollection, read_collection};
use crate::error::{Error, Result};
use crate::query::{Query, WholeTable};

/// What can be done with every collection.
pub trait CollectionVerbs: DynamoCollection {
    /// The item as the table holds it.
    fn to_item(&self) -> Result<Item> {
        self.stored_item()
    }

    /// The variant of an item, for example from a stream or a file.
    fn from_item(item: impl Into<Item>) -> Result<Self> {
        let fail = |fault| Error::decode(Self::NAME, fault);
        read_collection(&item.into().to_dynamo_json().map_err(fail)?)
    }

    /// Reads the whole table, item by item: for programs that run once, and not for services. Rows come in no
    /// order. Only for a collection without `partition(..)`.
    fn scan() -> Query<Self, WholeTable>
    where
        Self: CoversTable,
    {
        Query::scan_collection()
    }
}

impl<C: DynamoCollection> CollectionVerbs for C {}
