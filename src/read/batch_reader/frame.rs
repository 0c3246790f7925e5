//! The source and the form of the items: tables, attributes, and how long they are requested.

use std::sync::Arc;

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::read::{Meter, RawRow, ReadAhead};
use crate::retry::{CONCURRENCY, RetryBudget};
use crate::schema::Pattern;

/// The maximum number of keys in a request.
pub(crate) const BATCH: usize = 100;

/// The request for one table, without its keys.
#[derive(Debug, Clone)]
pub(crate) struct TableFrame {
    pub(crate) entity: &'static str,
    pub(crate) pattern: &'static Pattern,
    /// The table's full name.
    pub(crate) table: String,
    /// The attributes of the primary key.
    pub(crate) names: Vec<&'static str>,
    /// The members beside the keys in a request; each begins with a comma.
    pub(crate) options: Vec<u8>,
    /// How its items are decoded as they arrive.
    pub(crate) ahead: Option<ReadAhead>,
}

impl TableFrame {
    /// Whether both read the same table in the same form, so that their keys can share a request.
    pub(crate) fn is_like(&self, other: &TableFrame) -> bool {
        self.table == other.table && self.options == other.options
    }
}

/// The source and the form of the items.
#[derive(Debug, Clone)]
pub(crate) struct BatchReader {
    pub(crate) db: Dynamo,
    pub(crate) frames: Vec<TableFrame>,
    pub(crate) budget: RetryBudget,
    pub(crate) concurrency: usize,
    /// Counts the consumption of the reads, if it is needed.
    pub(crate) meter: Option<Arc<Meter>>,
}

/// The effect of a failed request on its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    /// The first failure ends the read.
    Together,
    /// Each of these keys has the error, and the others are read.
    Apart,
}

/// The item of a key, if it exists, or the reason why this is not known.
pub(crate) type FoundItem = Result<Option<RawRow>>;

/// A requested key, and its number among all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered<'k> {
    pub(super) number: usize,
    pub(super) frame: usize,
    /// Its entries.
    pub(super) key: &'k [u8],
}

impl BatchReader {
    /// A read of one table.
    pub(crate) fn of_table(db: Dynamo, frame: TableFrame) -> Self {
        BatchReader {
            db,
            frames: vec![frame],
            budget: RetryBudget::default(),
            concurrency: CONCURRENCY,
            meter: None,
        }
    }

    pub(crate) fn with_meter(mut self, meter: Option<Arc<Meter>>) -> Self {
        self.meter = meter;
        self
    }
}
