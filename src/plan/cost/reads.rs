//! The units of reads.

use super::amount::{Cost, CostAssumption};
use super::asked::{AskedRead, AskedRows, factor_of_batch};
use super::estimate::Estimate;

/// A read is counted in steps of this number of bytes.
const READ_STEP: usize = 4 * 1024;
/// A response of a query or scan ends after this number of bytes.
const ANSWER: usize = 1024 * 1024;

impl Estimate {
    pub(super) fn add_read(&self, read: &AskedRead, cost: &mut Cost) {
        let size = self.stored_size(&read.table, &read.key, cost);
        cost.add_units(
            &read.table,
            None,
            read_steps(size.unwrap_or(0)) * read.factor,
            0.0,
        );
    }

    /// The queries or scans of one operation, and the items that are fetched for their rows, if any are.
    pub(super) fn add_rows(&self, scans: &[AskedRows], items: Option<&str>, cost: &mut Cost) {
        let Some(first) = scans.first() else { return };
        if first.is_search {
            let hits = self.add_search(first, cost);
            return self.add_items(&first.table, hits, items, cost);
        }
        // A full response costs its maximum size whatever its rows have, so no size is assumed for
        // it.
        let size = match scans.iter().any(|scan| scan.limit.is_some()) || self.rows.is_some() {
            true => self.usual_size(cost),
            false => self.item_size.unwrap_or(super::estimate::USUAL_SIZE),
        };
        if self.rows.is_some() && scans.len() > 1 {
            cost.note_assumption(CostAssumption::EvenlySpread);
        }
        let mut all = 0;
        for (at, scan) in scans.iter().enumerate() {
            let rows = self.rows_of(scan, (at, scans.len()), cost);
            let units = match rows {
                Some(rows) => of_rows(rows, size, scan.limit) * scan.factor,
                None => read_steps(ANSWER) * scan.factor,
            };
            all += rows.unwrap_or((ANSWER / size.max(1)) as u64);
            cost.add_units(&scan.table, scan.index.as_deref(), units, 0.0);
        }
        self.add_items(&first.table, all, items, cost);
    }

    /// The items that are read for this many rows, if any are.
    fn add_items(&self, table: &str, rows: u64, items: Option<&str>, cost: &mut Cost) {
        if let Some(body) = items {
            let size = self.usual_size(cost);
            let each = read_steps(size) * factor_of_batch(body);
            cost.add_units(table, None, rows as f64 * each, 0.0);
        }
    }

    /// The number of rows that one of several requests reads; `None` if it reads a full response.
    fn rows_of(&self, scan: &AskedRows, (at, of): (usize, usize), cost: &mut Cost) -> Option<u64> {
        if let Some(rows) = self.rows {
            let (at, of) = (at as u64, of.max(1) as u64);
            return Some(rows / of + u64::from(at < rows % of));
        }
        match scan.limit {
            Some(rows) => cost.note_assumption(CostAssumption::Rows { rows }),
            None => cost.note_assumption(CostAssumption::OneFullAnswer),
        }
        scan.limit
    }
}

/// The units of strong reads of rows of one size, response by response.
fn of_rows(rows: u64, size: usize, limit: Option<u64>) -> f64 {
    let most = (ANSWER / size.max(1)).max(1) as u64;
    let page = limit.unwrap_or(most).clamp(1, most);
    let bytes = |rows: u64| (rows as usize).saturating_mul(size);
    let (full, rest) = (rows / page, rows % page);
    let rest = match (full, rest) {
        // DynamoDB charges a request that returns no row like one with a small row.
        (0, 0) => read_steps(0),
        (_, 0) => 0.0,
        (_, rest) => read_steps(bytes(rest)),
    };
    full as f64 * read_steps(bytes(page)) + rest
}

/// The number of units for a read of these bytes.
fn read_steps(bytes: usize) -> f64 {
    bytes.div_ceil(READ_STEP).max(1) as f64
}
