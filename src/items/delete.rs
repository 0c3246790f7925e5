//! Deletes an item by its key.

use std::fmt;

use super::condition::{ItemCondition, ItemConditions, conditions};
use super::{ItemTable, NAME};
use crate::codec::{Item, Value};
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::{Meaning, Operation, Plan, WriteRequest, WriteVerb};
use crate::schema::Pattern;

static DELETE: Pattern = Pattern::alone(NAME, "delete");

/// Deletes an item by its key; see [`ItemTable::delete`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct DeleteItem {
    table: ItemTable,
    key: Item,
    conditions: ItemConditions,
}

impl DeleteItem {
    pub(super) fn new(table: ItemTable, key: Item) -> Self {
        DeleteItem {
            table,
            key,
            conditions: ItemConditions::default(),
        }
    }

    conditions!();
}

impl Operation for DeleteItem {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let key = self.key.to_dynamo_json();
        let key = key.map_err(|fault| Error::encode(NAME, fault))?;
        let (condition, condition_failure) = self.conditions.asked()?;
        let asked = (condition, Meaning::Row(condition_failure));
        let table = db.table_name(&self.table.name);
        let mut write = WriteRequest::new(WriteVerb::Delete, table, 512, &DELETE, db.now(), asked);
        write.at_key(&key);
        write.into_quiet_plan()
    }
}

impl fmt::Debug for DeleteItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeleteItem({:?})", self.table.name)
    }
}
