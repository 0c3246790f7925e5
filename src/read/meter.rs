//! What a read of many takes: at what pace it may go on, and how far it has come. All requests of the read,
//! side by side or not, share one.

use std::sync::{Mutex, PoisonError};

use crate::read::{Pace, ProgressWatch, ReadProgress, Turn};

/// A read unit is a strong read of so many bytes.
const UNIT: usize = 4096;

/// What an item is taken to have, where nothing tells.
const ITEM: usize = 1024;

#[derive(Debug)]
pub(crate) struct Meter {
    is_strong: bool,
    pace: Option<Pace>,
    watch: Option<ProgressWatch>,
    progress: Mutex<ReadProgress>,
}

/// What a request took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestCost {
    /// As the service says.
    pub(crate) units: Option<f64>,
    pub(crate) scanned: usize,
    pub(crate) rows: usize,
    /// Those of the rows that came.
    pub(crate) bytes: usize,
    /// A segment came to its end.
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

    /// So many segments are read, of which so many are done.
    pub(crate) fn begin(&self, segments: usize, done: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        (progress.segments, progress.segments_done) = (segments, done);
    }

    /// Waits until a request may be sent that would look at so many items.
    pub(crate) async fn turn(&self, most: Option<usize>) -> Option<Turn> {
        match &self.pace {
            Some(pace) => Some(pace.turn(most).await),
            None => None,
        }
    }

    /// A request was answered.
    pub(crate) fn took(&self, turn: Option<Turn>, took: RequestCost) {
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
    fn estimate(&self, took: RequestCost) -> f64 {
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
}
