//! The imports of most files: `use dynamo_entity::prelude::*;`.
//!
//! It contains the derives, the traits with the operations of entities, keys and queries, and the types that most
//! programs name.

#[cfg(feature = "streams")]
pub use crate::streams::{CollectionChanges, EntityChanges};
pub use crate::{
    Batch, BulkExt, ChangeableEntity, CollectionExt, CopyExt, Cursor, Dynamo, DynamoCollection,
    DynamoEntity, DynamoProjection, DynamoTable, EntityExt, Error, ErrorKind, ExportExt, Item, Key,
    Operation, Page, Query, QueryExt, Result, TransactWrite, Transaction, Version, any_of,
    batch_get, put_each, transact::transact, transact_get, write::ItemWrite,
};
#[cfg(feature = "vectors")]
pub use crate::{Vector, search::Score};
#[doc(hidden)]
#[allow(deprecated, reason = "they stay for programs that have them")]
pub use crate::{each, read_together, snapshot};
pub use dynamo_entity_derive::DynamoValue;
