//! Stores an item as it is given.

use std::fmt;

use super::condition::{ItemCondition, ItemConditions, conditions};
use super::{ItemTable, NAME};
use crate::codec::{Item, Value};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::{Meaning, Operation, Plan, WriteRequest, WriteVerb, written};
use crate::schema::Pattern;

static PUT: Pattern = Pattern::alone(NAME, "put");

/// Stores an item as it is given; see [`ItemTable::put`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct PutItem {
    table: ItemTable,
    item: Item,
    conditions: ItemConditions,
}

impl PutItem {
    pub(super) fn new(table: ItemTable, item: Item) -> Self {
        PutItem {
            table,
            item,
            conditions: ItemConditions::default(),
        }
    }

    conditions!();
}

impl Operation for PutItem {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let item = written::encode_untyped(NAME, &self.item)?;
        let (condition, condition_failure) = self.conditions.asked()?;
        let asked = (condition, Meaning::Row(condition_failure));
        let (table, room) = (db.table_name(&self.table.name), 512 + item.len());
        let mut write = WriteRequest::new(WriteVerb::Put, table, room, &PUT, db.now(), asked);
        write.put_item(&item);
        write.into_quiet_plan()
    }
}

impl fmt::Debug for PutItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PutItem({:?})", self.table.name)
    }
}
