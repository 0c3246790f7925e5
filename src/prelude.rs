//! What most files need: `use dynamo_entity::prelude::*;`.
//!
//! The derives, the traits that give entities, keys and operations their verbs, and the types one
//! writes down.

pub use crate::{
    Batch, BulkVerbs, ChangeableEntity, CollectionVerbs, Cursor, Dynamo, DynamoCollection,
    DynamoEntity, DynamoProjection, DynamoTable, EntityVerbs, Error, ErrorKind, Item, Key,
    Operation, Page, Query, QueryVerbs, Result, TransactWrite, Transaction, Version, each,
    put_each, read_together, snapshot, transact::transact,
};
pub use dynamo_entity_derive::DynamoValue;
