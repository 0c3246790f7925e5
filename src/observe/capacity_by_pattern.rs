//! Requests, cost and duration of each pattern.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::histogram::DurationHistogram;
use super::{Pattern, RequestEvent};
use crate::error::ErrorKind;

/// Counts the requests, cost and duration of each [`Pattern`].
///
/// Clones share their counts, so one of them can observe and another one display them. The size is bounded by the
/// program: about four kilobytes for each pattern that it uses.
///
/// ```
/// use dynamo_entity::observe::CapacityByPattern;
/// use dynamo_entity::prelude::*;
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = id))]
/// struct Order { id: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let capacity = CapacityByPattern::default();
/// let db = Dynamo::connect("embedded:memory").await?.with_observer(capacity.observer());
/// db.create_tables([Order::schema()]).await?;
/// for id in 1..=3 {
///     Order { id }.put().send(&db).await?;
/// }
/// Order::key(1).get().send(&db).await?;
///
/// let rows = capacity.rows();
/// let told: Vec<_> = rows.iter().map(|row| (row.pattern.to_string(), row.requests, row.units)).collect();
/// assert_eq!(told, [("Order.get".to_owned(), 1, 0.5), ("Order.put".to_owned(), 3, 3.0)]);
/// println!("{capacity}"); // a table
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct CapacityByPattern(Arc<Mutex<BTreeMap<&'static Pattern, PatternCounts>>>);

/// Requests, cost and duration of one pattern.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PatternUsage {
    /// The purpose of the requests.
    pub pattern: &'static Pattern,
    /// The number of requests.
    pub requests: u64,
    /// The number of attempts after the first ones.
    pub resent: u64,
    /// The consumed units, of reads and writes together, if DynamoDB reported them.
    pub units: f64,
    /// The bytes that searches of vector indexes have read. They are billed, and consume no units.
    pub vector_bytes: f64,
    /// The returned rows and items.
    pub rows: u64,
    /// The rows read: more than `rows` if a filter drops some.
    pub looked_at: u64,
    /// The number of requests that finally failed because of load.
    pub throttles: u64,
    /// The number that failed for another reason, except conditions that did not hold.
    pub errors: u64,
    /// The number whose condition did not hold.
    pub conflicts: u64,
    /// The time that half of the requests did not exceed, with a precision of 1/16.
    pub p50: Duration,
    /// The time that 99 of 100 requests did not exceed, with a precision of 1/16.
    pub p99: Duration,
    /// The time of the slowest request.
    pub longest: Duration,
}

#[derive(Default)]
struct PatternCounts {
    requests: u64,
    resent: u64,
    units: f64,
    vector_bytes: f64,
    rows: u64,
    looked_at: u64,
    throttles: u64,
    errors: u64,
    conflicts: u64,
    durations: DurationHistogram,
}

impl PatternCounts {
    fn add_request(&mut self, seen: &RequestEvent<'_>) {
        self.requests += 1;
        self.resent += seen.attempts.saturating_sub(1);
        self.units += seen.units();
        self.vector_bytes += seen.vector_bytes();
        self.rows += seen.rows;
        self.looked_at += seen.looked_at;
        match seen.error.map(|error| error.kind()) {
            None => {}
            Some(ErrorKind::Throttled) => self.throttles += 1,
            Some(ErrorKind::Conflict) => self.conflicts += 1,
            Some(_) => self.errors += 1,
        }
        self.durations.add_duration(seen.duration);
    }

    fn usage_of(&self, pattern: &'static Pattern) -> PatternUsage {
        PatternUsage {
            pattern,
            requests: self.requests,
            resent: self.resent,
            units: self.units,
            vector_bytes: self.vector_bytes,
            rows: self.rows,
            looked_at: self.looked_at,
            throttles: self.throttles,
            errors: self.errors,
            conflicts: self.conflicts,
            p50: self.durations.quantile_of(0.5),
            p99: self.durations.quantile_of(0.99),
            longest: self.durations.longest_duration(),
        }
    }
}

impl CapacityByPattern {
    /// Returns the observer, for [`with_observer`](crate::Dynamo::with_observer).
    pub fn observer(&self) -> impl Fn(&RequestEvent<'_>) + Send + Sync + 'static + use<> {
        let shared = self.clone();
        move |seen| {
            shared
                .lock_counts()
                .entry(seen.pattern)
                .or_default()
                .add_request(seen)
        }
    }

    /// Returns the counts so far, in the order of the patterns' names.
    pub fn rows(&self) -> Vec<PatternUsage> {
        list_usages(&self.lock_counts())
    }

    /// Returns the counts since the last call, and starts again from zero.
    pub fn take(&self) -> Vec<PatternUsage> {
        let taken = std::mem::take(&mut *self.lock_counts());
        list_usages(&taken)
    }

    fn lock_counts(&self) -> MutexGuard<'_, BTreeMap<&'static Pattern, PatternCounts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn list_usages(counts: &BTreeMap<&'static Pattern, PatternCounts>) -> Vec<PatternUsage> {
    let counts = counts.iter();
    counts
        .map(|(pattern, counts)| counts.usage_of(pattern))
        .collect()
}

const HEADS: [&str; 12] = [
    "pattern",
    "index",
    "requests",
    "resent",
    "units",
    "rows",
    "looked at",
    "throttles",
    "errors",
    "conflicts",
    "p50",
    "p99",
];

impl PatternUsage {
    fn text_cells(&self) -> [String; HEADS.len()] {
        let millis = |time: Duration| format!("{:.2}ms", time.as_secs_f64() * 1000.0);
        [
            self.pattern.to_string(),
            self.pattern.index.unwrap_or("-").to_owned(),
            self.requests.to_string(),
            self.resent.to_string(),
            format!("{:.1}", self.units),
            self.rows.to_string(),
            self.looked_at.to_string(),
            self.throttles.to_string(),
            self.errors.to_string(),
            self.conflicts.to_string(),
            millis(self.p50),
            millis(self.p99),
        ]
    }
}

/// A table with a line for each pattern and aligned columns.
impl fmt::Display for CapacityByPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.rows();
        let lines = lines.iter().map(PatternUsage::text_cells);
        let lines: Vec<_> = [HEADS.map(str::to_owned)]
            .into_iter()
            .chain(lines)
            .collect();
        let width = |at: usize| {
            let cells = lines.iter().filter_map(|cells| cells.get(at));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
        for (line, cells) in lines.iter().enumerate() {
            f.write_str(if line == 0 { "" } else { "\n" })?;
            for (at, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                match at {
                    0 => write!(f, "{cell:width$}")?,
                    1 => write!(f, "  {cell:width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for CapacityByPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CapacityByPattern")
            .field(&self.rows())
            .finish()
    }
}
