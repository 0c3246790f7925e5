//! Use cases: a question that a program asks, the operation that answers it, how often, and the cost.

use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::{Cost, Explanation};
use crate::schema::TableSchema;

/// The days of a month, on average.
const DAYS: f64 = 365.0 / 12.0;

/// A question of a program, with the operation that answers it and its frequency; for
/// [`Markdown::use_cases`](super::Markdown::use_cases).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::{Markdown, UnitPrices, UseCase};
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "meters", key(pk = "METER#{meter}", sk = "STATUS"))]
/// # struct MeterStatus { meter: String, liters: u64 }
/// # fn main() -> Result<()> {
/// let status = UseCase::new("UC-04", "meter status on the home screen", |db| {
///     MeterStatus::key("m1").get().explain(db)
/// })?;
/// let text = Markdown::new([MeterStatus::schema()])
///     .use_cases([status.per_day(20_000.0).item_size(400)])
///     .prices(UnitPrices::new("USD", 0.125, 0.625))
///     .text();
/// assert!(text.contains(
///     "| UC-04 | meter status on the home screen | `MeterStatus` get | `meters` | `METER#{meter}`, `STATUS` | GetItem | \
///      20000 | 0.5 read units | 0.04 USD |"
/// ));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct UseCase {
    pub(super) id: String,
    pub(super) question: String,
    pub(super) explanation: Explanation,
    pub(super) per_day: f64,
    item_size: Option<usize>,
    rows: Option<u64>,
}

/// The prices of units, for the cost of [use cases](UseCase). DynamoDB has other prices in each region, and changes them.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitPrices {
    pub(super) currency: String,
    read: f64,
    write: f64,
}

impl UseCase {
    /// A use case with an ID and a question. The function explains the operation, with any values; nothing is sent. Fails if
    /// the operation cannot be explained.
    pub fn new(
        id: impl Into<String>,
        question: impl Into<String>,
        explain: impl FnOnce(&Dynamo) -> Result<Explanation>,
    ) -> Result<Self> {
        let id = id.into();
        let explanation = explain(&Dynamo::without_connection())?;
        if explanation.operation.is_none() {
            let message = format!("use case `{id}` has an operation that sends nothing");
            return Err(Error::config(message));
        }
        Ok(UseCase {
            id,
            question: question.into(),
            explanation,
            per_day: 0.0,
            item_size: None,
            rows: None,
        })
    }

    /// Sets how often a day the operation is called, zero by default.
    #[must_use]
    pub fn per_day(mut self, times: f64) -> Self {
        self.per_day = times;
        self
    }

    /// Sets the size of an item in bytes; see [`Estimate::item_size`](crate::plan::Estimate::item_size).
    #[must_use]
    pub fn item_size(mut self, bytes: usize) -> Self {
        self.item_size = Some(bytes);
        self
    }

    /// Sets the number of rows that a query reads; see [`Estimate::rows`](crate::plan::Estimate::rows).
    #[must_use]
    pub fn rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }

    /// The cost of one call.
    pub(super) fn cost(&self, schemas: &[TableSchema]) -> Result<Cost> {
        let db = Dynamo::without_connection();
        let mut estimate = db.estimate(schemas.iter().cloned());
        if let Some(bytes) = self.item_size {
            estimate = estimate.item_size(bytes);
        }
        if let Some(rows) = self.rows {
            estimate = estimate.rows(rows);
        }
        estimate.of(&self.explanation)
    }
}

impl UnitPrices {
    /// The prices of a million read units and of a million write units.
    pub fn new(currency: impl Into<String>, reads: f64, writes: f64) -> Self {
        UnitPrices {
            currency: currency.into(),
            read: reads,
            write: writes,
        }
    }

    /// The price of a month.
    pub(super) fn of_month(&self, cost: &Cost, per_day: f64) -> f64 {
        let each = cost.read_units() * self.read + cost.write_units() * self.write;
        each * per_day * DAYS / 1_000_000.0
    }
}
