//! The estimate: the known facts about tables and items, and the sum over the requests of an explanation.

use super::amount::{Cost, CostAssumption};
use super::asked::{self, Asked};
use super::billed::billed_size;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::call::Explanation;
use crate::schema::TableSchema;

/// The size of an unknown item.
pub(super) const USUAL_SIZE: usize = 1024;

impl Dynamo {
    /// Estimates the cost of operations in tables of these schemas, from the result of
    /// [`explain`](crate::plan::Operation::explain). Nothing is sent.
    ///
    /// Unknown values are assumed, and the cost lists the assumptions. If you provide all values, the estimate equals
    /// the consumption.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = id), gsi(by_status, pk = status, sk = id))]
    /// # struct Order { id: u32, status: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let estimate = db.estimate([Order::schema()]);
    /// let (old, new) = (Order { id: 1, status: "new".into() }, Order { id: 1, status: "paid".into() });
    ///
    /// let create = estimate.of(&new.create().explain(&db)?)?;
    /// assert_eq!(create.write_units(), 2.0);
    ///
    /// // Another key in the index: one entry goes, and one comes.
    /// let put = estimate.stored(old.to_item()?).of(&new.put().explain(&db)?)?;
    /// assert_eq!(put.to_string(), "3 write units (1 for the table, 2 for by_status)");
    /// # Ok(()) }
    /// ```
    pub fn estimate(&self, schemas: impl IntoIterator<Item = TableSchema>) -> Estimate {
        let named = |mut schema: TableSchema| {
            schema.name = self.table_name(&schema.name);
            schema
        };
        Estimate {
            schemas: schemas.into_iter().map(named).collect(),
            item_size: None,
            rows: None,
            stored: Vec::new(),
            becoming: Vec::new(),
            is_empty: false,
        }
    }
}

/// The known state of tables and items, for estimates; see [`Dynamo::estimate`].
#[derive(Debug, Clone)]
pub struct Estimate {
    pub(super) schemas: Vec<TableSchema>,
    pub(super) item_size: Option<usize>,
    pub(super) rows: Option<u64>,
    pub(super) stored: Vec<Item>,
    pub(super) becoming: Vec<Item>,
    pub(super) is_empty: bool,
}

impl Estimate {
    /// Sets the size in bytes of an item that is read, changed or deleted, instead of 1024; for a query of an index,
    /// the size of an entry. [`Item::size`] counts them.
    #[must_use]
    pub fn item_size(mut self, bytes: usize) -> Self {
        self.item_size = Some(bytes);
        self
    }

    /// Sets the number of rows that a query or scan evaluates, including those that a filter drops.
    #[must_use]
    pub fn rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Adds an item that is stored now. It is identified by its key; you can add several.
    #[must_use]
    pub fn stored(mut self, item: impl Into<Item>) -> Self {
        self.stored.push(item.into());
        self
    }

    /// Adds the item after an update. It is identified by its key; you can add several.
    #[must_use]
    pub fn becoming(mut self, item: impl Into<Item>) -> Self {
        self.becoming.push(item.into());
        self
    }

    /// Assumes that nothing is stored except the items that were added with [`stored`](Self::stored).
    #[must_use]
    pub fn otherwise_empty(mut self) -> Self {
        self.is_empty = true;
        self
    }

    /// Returns the cost of the requests of this explanation.
    ///
    /// A request whose body is not one of the library's is an error.
    pub fn of(&self, explanation: &Explanation) -> Result<Cost> {
        let mut cost = Cost::default();
        let mut scans = Vec::new();
        for asked in asked::read_requests(explanation)? {
            match asked {
                Asked::Read(read) => self.add_read(&read, &mut cost),
                Asked::Write(write) => self.add_write(&write, &mut cost),
                Asked::Rows(rows) => scans.push(rows),
            }
        }
        self.add_rows(&scans, explanation.items.as_deref(), &mut cost);
        Ok(cost)
    }

    pub(super) fn table_schema(&self, table: &str) -> Option<&TableSchema> {
        self.schemas.iter().find(|schema| schema.name == table)
    }

    /// The known item with this key.
    pub(super) fn known_item<'k>(
        &self,
        items: &'k [Item],
        table: &str,
        key: &Item,
    ) -> Option<&'k Item> {
        let schema = self.table_schema(table)?;
        let is_same = |item: &&Item| {
            let mut names = schema.keys().map(|key| key.name.as_str());
            names.all(|name| key.get(name).is_some() && key.get(name) == item.get(name))
        };
        items.iter().find(is_same)
    }

    /// The bytes of the item with this key, or of an unknown item. None if it does not exist.
    pub(super) fn stored_size(&self, table: &str, key: &Item, cost: &mut Cost) -> Option<usize> {
        match self.known_item(&self.stored, table, key) {
            Some(item) => Some(billed_size(item, self.table_schema(table))),
            None if self.is_empty => None,
            None => Some(self.usual_size(cost)),
        }
    }

    /// The bytes of an unknown item.
    pub(super) fn usual_size(&self, cost: &mut Cost) -> usize {
        self.item_size.unwrap_or_else(|| {
            cost.note_assumption(CostAssumption::ItemSize { bytes: USUAL_SIZE });
            USUAL_SIZE
        })
    }
}
