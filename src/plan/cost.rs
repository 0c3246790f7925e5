//! The cost of requests before they are sent: the rules of DynamoDB, applied to the requests that `explain` shows,
//! the schemas of the tables, and the information of the caller.

mod asked;
mod reads;
mod touched;
mod writes;

use std::fmt;

use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::Explanation;
use crate::schema::TableSchema;
use asked::Asked;

/// The size of an item of which nothing is known.
const USUAL_SIZE: usize = 1024;

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
    schemas: Vec<TableSchema>,
    item_size: Option<usize>,
    rows: Option<u64>,
    stored: Vec<Item>,
    becoming: Vec<Item>,
    is_empty: bool,
}

impl Estimate {
    /// Sets the size in bytes of an item that is read, changed or deleted, instead of 1024; for a query of an index,
    /// the size of an entry. [`Item::size`] counts them.
    #[must_use]
    pub fn item_size(mut self, bytes: usize) -> Self {
        self.item_size = Some(bytes);
        self
    }

    /// How many rows a query or scan looks at in all, those that a filter drops among them.
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

    /// Nothing is stored, but for the items that are given by [`stored`](Self::stored).
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
        for asked in asked::read(explanation)? {
            match asked {
                Asked::Read(read) => self.add_read(&read, &mut cost),
                Asked::Write(write) => self.add_write(&write, &mut cost),
                Asked::Rows(rows) => scans.push(rows),
            }
        }
        self.add_rows(&scans, explanation.items.as_deref(), &mut cost);
        Ok(cost)
    }

    fn schema(&self, table: &str) -> Option<&TableSchema> {
        self.schemas.iter().find(|schema| schema.name == table)
    }

    /// The known item with this key.
    fn known<'k>(&self, items: &'k [Item], table: &str, key: &Item) -> Option<&'k Item> {
        let schema = self.schema(table)?;
        let is_same = |item: &&Item| {
            let mut names = schema.keys().map(|key| key.name.as_str());
            names.all(|name| key.get(name).is_some() && key.get(name) == item.get(name))
        };
        items.iter().find(is_same)
    }

    /// The bytes of the item with this key, or of an item of which nothing is known. None if there is none.
    fn stored_size(&self, table: &str, key: &Item, cost: &mut Cost) -> Option<usize> {
        match self.known(&self.stored, table, key) {
            Some(item) => Some(item.size()),
            None if self.is_empty => None,
            None => Some(self.usual_size(cost)),
        }
    }

    /// The bytes of an item of which nothing is known.
    fn usual_size(&self, cost: &mut Cost) -> usize {
        self.item_size.unwrap_or_else(|| {
            cost.assume(CostAssumption::ItemSize { bytes: USUAL_SIZE });
            USUAL_SIZE
        })
    }
}

/// The cost of requests, estimated by [`Estimate::of`]. It displays as one line.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Cost {
    /// The units by table and index, in the order in which they are taken.
    pub parts: Vec<CostPart>,
    /// The unknown values; empty if the estimate is exact.
    pub assumptions: Vec<CostAssumption>,
}

/// The cost of requests for one table, without its indexes, or for one index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CostPart {
    /// The table's full name.
    pub table: String,
    /// The index; `None` for the table itself.
    pub index: Option<String>,
    /// Read units.
    pub read_units: f64,
    /// Write units.
    pub write_units: f64,
}

/// An assumption of an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostAssumption {
    /// All conditions hold. A write whose condition fails costs as much as the existing item would.
    ConditionsHold,
    /// A put replaces nothing, or an item of the same size that has the same keys in the indexes.
    NothingReplaced,
    /// An item has this size in bytes; set [`item_size`](Estimate::item_size), or add the item with
    /// [`stored`](Estimate::stored) and [`becoming`](Estimate::becoming).
    ItemSize {
        /// The bytes.
        bytes: usize,
    },
    /// The item that is changed or deleted is in this index.
    InIndex {
        /// Its name.
        index: String,
    },
    /// The change gives the item another key in this index.
    NewIndexKey {
        /// Its name.
        index: String,
    },
    /// A query or scan reads this number of rows, as many as requested; set [`rows`](Estimate::rows).
    Rows {
        /// How many.
        rows: u64,
    },
    /// A query or scan without a limit reads one full response of 1 MB; set [`rows`](Estimate::rows).
    OneFullAnswer,
    /// The rows are spread evenly over the partitions or segments.
    EvenlySpread,
    /// The table has no indexes, for its schema was not given.
    NoIndexes {
        /// Its full name.
        table: String,
    },
}

impl Cost {
    /// The read units of all tables and indexes together.
    pub fn read_units(&self) -> f64 {
        // The sum of no floats is -0.0, so this begins at 0.0.
        self.parts
            .iter()
            .fold(0.0, |all, part| all + part.read_units)
    }

    /// The write units of all tables and indexes together.
    pub fn write_units(&self) -> f64 {
        self.parts
            .iter()
            .fold(0.0, |all, part| all + part.write_units)
    }

    /// Whether nothing had to be assumed.
    pub fn is_exact(&self) -> bool {
        self.assumptions.is_empty()
    }

    fn assume(&mut self, assumption: CostAssumption) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    fn add(&mut self, table: &str, index: Option<&str>, read_units: f64, write_units: f64) {
        let same = |part: &&mut CostPart| part.table == table && part.index.as_deref() == index;
        match self.parts.iter_mut().find(same) {
            Some(part) => {
                part.read_units += read_units;
                part.write_units += write_units;
            }
            None => self.parts.push(CostPart {
                table: table.to_owned(),
                index: index.map(str::to_owned),
                read_units,
                write_units,
            }),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [(self.read_units(), "read"), (self.write_units(), "write")];
        let kinds = kinds.into_iter().filter(|(units, _)| *units > 0.0);
        let units: Vec<String> = kinds
            .map(|(units, kind)| {
                let plural = if units == 1.0 { "" } else { "s" };
                format!("{units} {kind} unit{plural}")
            })
            .collect();
        f.write_str(match units.is_empty() {
            true => "nothing",
            false => "",
        })?;
        f.write_str(&units.join(" and "))?;
        if self.parts.len() > 1 {
            let parts: Vec<String> = self.parts.iter().map(|part| self.part(part)).collect();
            write!(f, " ({})", parts.join(", "))?;
        }
        for (at, assumption) in self.assumptions.iter().enumerate() {
            f.write_str(if at == 0 {
                ", assuming that "
            } else {
                ", that "
            })?;
            assumption.fmt(f)?;
        }
        Ok(())
    }
}

impl Cost {
    fn part(&self, part: &CostPart) -> String {
        let units = match (part.read_units, part.write_units) {
            // Reads and writes do not add up to anything.
            (read, write) if read > 0.0 && write > 0.0 => format!("{read} read and {write} write"),
            (read, write) => (read + write).to_string(),
        };
        let of_one = self.parts.iter().all(|other| other.table == part.table);
        match (&part.index, of_one) {
            (None, true) => format!("{units} for the table"),
            (Some(index), true) => format!("{units} for {index}"),
            (None, false) => format!("{units} for {}", part.table),
            (Some(index), false) => format!("{units} for {index} of {}", part.table),
        }
    }
}

impl fmt::Display for CostAssumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostAssumption::ConditionsHold => f.write_str("its conditions hold"),
            CostAssumption::NothingReplaced => f.write_str(
                "no item is there, or one of the same size with the same keys in the indexes",
            ),
            CostAssumption::ItemSize { bytes } => write!(f, "an item has {bytes} bytes"),
            CostAssumption::InIndex { index } => write!(f, "the item is in {index}"),
            CostAssumption::NewIndexKey { index } => {
                write!(f, "the item gets another key in {index}")
            }
            CostAssumption::Rows { rows } => write!(f, "{rows} rows are looked at"),
            CostAssumption::OneFullAnswer => f.write_str("an answer has the full 1 MB"),
            CostAssumption::EvenlySpread => {
                f.write_str("the rows are spread evenly over the partitions")
            }
            CostAssumption::NoIndexes { table } => {
                write!(f, "`{table}`, whose schema is not given, has no indexes")
            }
        }
    }
}
