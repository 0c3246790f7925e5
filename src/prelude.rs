//! The imports of most files: `use dynamo_entity::prelude::*;`.
//!
//! It contains the derives, the traits with the operations of entities, keys and queries, and the types that most
//! programs name.

pub use crate::{
    Batch, BulkVerbs, ChangeableEntity, CollectionVerbs, Cursor, Dynamo, DynamoCollection,
    DynamoEntity, DynamoProjection, DynamoTable, EntityVerbs, Error, ErrorKind, ExportVerbs, Item,
    Key, Operation, Page, Query, QueryVerbs, Result, TransactWrite, Transaction, Version, each,
    put_each, read_together, snapshot, transact::transact,
};
pub use dynamo_entity_derive::DynamoValue;
