//! What a read of many takes: at what pace it may go on, and how far it has come. All requests of the read,
//! side by side or not, share one.

use std::sync::{Arc, Mutex, PoisonError};

use super::pace::{Pace, Turn};
use super::progress::{ReadProgress, Watch};
use super::selection::Selection;
use crate::codec::member;
use crate::request::together::CONCURRENCY;

/// A read unit is a strong read of so many bytes.
const UNIT: usize = 4096;

/// What an item is taken to have, where nothing tells.
const ITEM: usize = 1024;

#[derive(Debug)]
pub(in crate::request) struct Meter {
    is_strong: bool,
    pace: Option<Pace>,
    watch: Option<Watch>,
    progress: Mutex<ReadProgress>,
}

/// What a request took.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::request) struct Took {
    /// As the service says.
    pub(in crate::request) units: Option<f64>,
    pub(in crate::request) scanned: usize,
    pub(in crate::request) rows: usize,
    /// Those of the rows that came.
    pub(in crate::request) bytes: usize,
    /// A segment came to its end.
    pub(in crate::request) ends: bool,
}

impl Selection {
    /// None where nobody asks what is taken.
    pub(super) fn meter(&self) -> Option<Arc<Meter>> {
        let options = &self.options;
        if !self.is_metered() {
            return None;
        }
        let is_strong = options.consistent;
        let segments = options.segments.unwrap_or(1) as usize;
        let side_by_side = segments.min(CONCURRENCY);
        let pace = options
            .read_units
            .map(|units| Pace::per_second(units, is_strong, side_by_side));
        Some(Arc::new(Meter {
            is_strong,
            pace,
            watch: options.watch.clone(),
            progress: Mutex::default(),
        }))
    }

    pub(super) fn is_metered(&self) -> bool {
        self.options.read_units.is_some() || self.options.watch.is_some()
    }
}

impl Meter {
    /// So many segments are read, of which so many are done.
    pub(super) fn begin(&self, segments: usize, done: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        (progress.segments, progress.segments_done) = (segments, done);
    }

    /// Waits until a request may be sent that would look at so many items.
    pub(in crate::request) async fn turn(&self, most: Option<usize>) -> Option<Turn> {
        match &self.pace {
            Some(pace) => Some(pace.turn(most).await),
            None => None,
        }
    }

    /// A request was answered.
    pub(in crate::request) fn took(&self, turn: Option<Turn>, took: Took) {
        let units = took.units.unwrap_or_else(|| self.estimate(took));
        if let Some((pace, turn)) = self.pace.as_ref().zip(turn) {
            pace.pay(turn, units, took.scanned);
        }
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.requests += 1;
        progress.scanned += took.scanned as u64;
        progress.rows += took.rows as u64;
        progress.read_units += units;
        progress.segments_done += usize::from(took.ends);
        let now = *progress;
        drop(progress);
        if let Some(watch) = &self.watch {
            watch.tell(&now);
        }
    }

    /// By the bytes that came, as if the items that did not come had as many each.
    fn estimate(&self, took: Took) -> f64 {
        let bytes = match took.rows {
            rows if rows > 0 && took.bytes > 0 => {
                let dropped = took.scanned.saturating_sub(rows);
                took.bytes + (took.bytes / rows).saturating_mul(dropped)
            }
            _ => took.bytes + ITEM.saturating_mul(took.scanned),
        };
        bytes.div_ceil(UNIT).max(1) as f64 * if self.is_strong { 1.0 } else { 0.5 }
    }
}

/// The `CapacityUnits` of a `ConsumedCapacity`. What cannot be read is none: the rows are what counts.
pub(crate) fn units(json: &[u8]) -> Option<f64> {
    let number = std::str::from_utf8(member(json, "CapacityUnits").ok()??);
    let units: Option<f64> = number.ok().and_then(|number| number.parse().ok());
    units.filter(|units| units.is_finite() && *units >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(is_strong: bool) -> Meter {
        Meter {
            is_strong,
            pace: None,
            watch: None,
            progress: Mutex::default(),
        }
    }

    #[test]
    fn what_nobody_says_is_estimated() {
        let took = |scanned, rows, bytes| Took {
            scanned,
            rows,
            bytes,
            ..Took::default()
        };
        let strong = [
            (took(0, 0, 0), 1.0),
            (took(1, 1, 100), 1.0),
            (took(10, 10, 40_960), 10.0),
            // Those that a filter dropped are as large as those that came.
            (took(10, 5, 20_480), 10.0),
            // Nothing came, as of a count.
            (took(100, 0, 0), 25.0),
            (took(100, 100, 0), 25.0),
            // Items that were fetched by their keys.
            (took(0, 0, 40_960), 10.0),
        ];
        for (took, units) in strong {
            assert_eq!(meter(true).estimate(took), units, "{took:?}");
            assert_eq!(meter(false).estimate(took), units / 2.0, "{took:?}");
        }
    }

    #[test]
    fn units_are_read() {
        for (json, wanted) in [
            (r#"{"TableName":"t","CapacityUnits":12.5}"#, Some(12.5)),
            (
                r#"{"CapacityUnits": 3 ,"Table":{"CapacityUnits":1}}"#,
                Some(3.0),
            ),
            (r#"{"TableName":"t"}"#, None),
            (r#"{"CapacityUnits":null}"#, None),
            (r#"{"CapacityUnits":-1}"#, None),
            (r#"{"CapacityUnits":1e999}"#, None),
            ("[]", None),
        ] {
            assert_eq!(units(json.as_bytes()), wanted, "{json}");
        }
    }
}
