//! The consumption of a read of many items: its rate limit and its progress. All requests of the read, concurrent or
//! not, share one meter.

use std::sync::{Mutex, PoisonError};

use crate::read::{Pace, ProgressWatch, ReadProgress, Turn};

/// The number of bytes that a strong read reads for a unit.
const UNIT: usize = 4096;

/// The assumed size of an item in bytes, if it is not known.
const ITEM: usize = 1024;

#[derive(Debug)]
pub(crate) struct Meter {
    is_strong: bool,
    pace: Option<Pace>,
    watch: Option<ProgressWatch>,
    progress: Mutex<ReadProgress>,
}

/// The consumption of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestCost {
    /// The units, if DynamoDB reports them.
    pub(crate) units: Option<f64>,
    pub(crate) scanned: usize,
    pub(crate) rows: usize,
    /// The bytes of the received rows.
    pub(crate) bytes: usize,
    /// Whether a segment reached its end.
    pub(crate) ends: bool,
}

impl Meter {
    pub(crate) fn new(is_strong: bool, pace: Option<Pace>, watch: Option<ProgressWatch>) -> Self {
        Meter {
            is_strong,
            pace,
            watch,
            progress: Mutex::default(),
        }
    }

    /// Records the number of segments, and how many of them are done already.
    pub(crate) fn begin_segments(&self, segments: usize, done: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        (progress.segments, progress.segments_done) = (segments, done);
    }

    /// Waits until a request that reads `most` items may be sent.
    pub(crate) async fn wait_turn(&self, most: Option<usize>) -> Option<Turn> {
        match &self.pace {
            Some(pace) => Some(pace.wait_turn(most).await),
            None => None,
        }
    }

    /// Records the consumption of a request.
    pub(crate) fn note_cost(&self, turn: Option<Turn>, took: RequestCost) {
        let units = took.units.unwrap_or_else(|| self.estimate_units(took));
        if let Some((pace, turn)) = self.pace.as_ref().zip(turn) {
            pace.pay_units(turn, units, took.scanned);
        }
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.requests += 1;
        progress.scanned += took.scanned as u64;
        progress.rows += took.rows as u64;
        progress.read_units += units;
        progress.segments_done += usize::from(took.ends);
        // The listener is called without the lock, because it may be slow, and other requests
        // record their cost meanwhile.
        let now = *progress;
        drop(progress);
        if let Some(watch) = &self.watch {
            watch.tell_progress(&now);
        }
    }

    /// Estimates the units by the received bytes, as if the items that were not received had the same size.
    fn estimate_units(&self, took: RequestCost) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(is_strong: bool) -> Meter {
        Meter::new(is_strong, None, None)
    }

    #[test]
    fn what_nobody_says_is_estimated() {
        let took = |scanned, rows, bytes| RequestCost {
            scanned,
            rows,
            bytes,
            ..RequestCost::default()
        };
        let strong = [
            (took(0, 0, 0), 1.0),
            (took(1, 1, 100), 1.0),
            (took(10, 10, 40_960), 10.0),
            // The items that a filter dropped count as large as those that came.
            (took(10, 5, 20_480), 10.0),
            // Nothing came, as for a count.
            (took(100, 0, 0), 25.0),
            (took(100, 100, 0), 25.0),
            // Items that were fetched by their keys.
            (took(0, 0, 40_960), 10.0),
        ];
        for (took, units) in strong {
            assert_eq!(meter(true).estimate_units(took), units, "{took:?}");
            assert_eq!(meter(false).estimate_units(took), units / 2.0, "{took:?}");
        }
    }
}
