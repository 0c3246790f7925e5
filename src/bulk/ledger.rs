//! The result of each row, in the order of the rows, and the position up to which all are done.

use std::collections::VecDeque;

use super::report::{BulkCounts, FailedRow, RowOutcome};
use crate::query::{PositionChange, RowSpot};

/// Rows are counted as they are done, and passed in their order.
#[derive(Debug, Default)]
pub(super) struct JobLedger {
    /// The number of the first entry.
    first: u64,
    entries: VecDeque<LedgerEntry>,
    /// The counts of all that is done.
    pub(super) counts: BulkCounts,
    /// The completed work.
    pub(super) passed: CompletedPrefix,
    pub(super) errors: Vec<FailedRow>,
}

/// All rows up to a place.
#[derive(Debug, Default, Clone)]
pub(super) struct CompletedPrefix {
    pub(super) spot: RowSpot,
    pub(super) rows: u64,
    pub(super) counts: BulkCounts,
    /// The sum of the [identities](super::put::PreparedWrite::identity) of the writes that are not tried again.
    pub(super) identity: u64,
    /// The names of the rows that the next run retries.
    pub(super) failed: Vec<String>,
}

#[derive(Debug)]
struct LedgerEntry {
    kind: EntryKind,
    mark: Option<PositionChange>,
    /// The identity of a given write; 0 for a row.
    identity: u64,
    fate: Option<RowOutcome>,
    /// Its name for the next run, if that tries it again.
    again: Option<String>,
}

/// The kind of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Row,
    /// A place without a row.
    Place,
    /// A row or a write that failed in an earlier run, by its name in the checkpoint.
    Again(String),
}

impl JobLedger {
    /// A ledger that continues from the state of earlier runs.
    pub(super) fn new(passed: CompletedPrefix) -> Self {
        JobLedger {
            counts: passed.counts,
            passed,
            ..JobLedger::default()
        }
    }

    /// How many entries are not passed yet.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number before which all entries are passed.
    pub(super) fn passed_before(&self) -> u64 {
        self.first
    }

    /// Whether everything that began is done.
    pub(super) fn is_settled(&self) -> bool {
        self.entries.is_empty()
    }

    /// Enters the next row or place; returns its number.
    pub(super) fn begin(&mut self, kind: EntryKind, mark: Option<PositionChange>) -> u64 {
        self.enter(kind, mark, 0)
    }

    /// Enters the next given write; returns its number.
    pub(super) fn begin_given(&mut self, kind: EntryKind, identity: u64) -> u64 {
        self.enter(kind, None, identity)
    }

    fn enter(&mut self, kind: EntryKind, mark: Option<PositionChange>, identity: u64) -> u64 {
        let fate = (kind == EntryKind::Place).then_some(RowOutcome::Unchanged);
        self.entries.push_back(LedgerEntry {
            kind,
            mark,
            identity,
            fate,
            again: None,
        });
        let number = self.first + self.entries.len() as u64 - 1;
        self.pass();
        number
    }

    /// Notes that an entry is done. `again` is its name for the next run.
    pub(super) fn finish(
        &mut self,
        number: u64,
        fate: RowOutcome,
        failed: Option<FailedRow>,
        again: Option<String>,
    ) {
        let at = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let Some(entry) = self.entries.get_mut(at) else {
            return;
        };
        match entry.kind {
            // A row that failed in an earlier run is already counted, as failed.
            EntryKind::Again(_) => self.counts.mend(fate),
            _ => self.counts.add(fate),
        }
        entry.fate = Some(fate);
        entry.again = again;
        self.errors.extend(failed);
        self.pass();
    }

    fn pass(&mut self) {
        while let Some(entry) = self.entries.front() {
            // Work is done in any order, but only passed in order. After a crash, the checkpoint's
            // position must have nothing undone before it.
            let Some(fate) = entry.fate else { return };
            match &entry.kind {
                EntryKind::Row => {
                    self.passed.counts.add(fate);
                    self.passed.rows += 1;
                }
                EntryKind::Again(name) => {
                    self.passed.counts.mend(fate);
                    self.passed.failed.retain(|known| known != name);
                }
                EntryKind::Place => {}
            }
            match &entry.again {
                Some(name) => self.passed.failed.push(name.clone()),
                // The sum does not depend on the order. A failed write is not in it, because the
                // caller may correct it before the next run.
                None => self.passed.identity = self.passed.identity.wrapping_add(entry.identity),
            }
            let entry = self.entries.pop_front();
            if let Some(mark) = entry.and_then(|entry| entry.mark) {
                self.passed.spot.pass_row(mark);
            }
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(name: &str) -> Option<PositionChange> {
        Some(PositionChange::after_position(0, name.as_bytes().to_vec()))
    }

    fn spot(name: &str) -> RowSpot {
        let mut spot = RowSpot::default();
        mark(name).into_iter().for_each(|mark| spot.pass_row(mark));
        spot
    }

    #[test]
    fn the_place_waits_for_the_slowest() {
        let mut ledger = JobLedger::default();
        let rows: Vec<u64> = ["a", "b", "c"]
            .iter()
            .map(|name| ledger.begin(EntryKind::Row, mark(name)))
            .collect();
        ledger.begin(EntryKind::Place, mark("d"));
        ledger.finish(rows[2], RowOutcome::Written, None, None);
        ledger.finish(rows[1], RowOutcome::Failed, None, Some("b".into()));
        assert_eq!(ledger.passed.spot, RowSpot::default());
        assert_eq!((ledger.counts.found, ledger.passed.counts.found), (2, 0));
        assert!(
            ledger.passed.failed.is_empty(),
            "it stands behind no place yet"
        );

        ledger.finish(rows[0], RowOutcome::Vanished, None, None);
        assert!(ledger.is_settled());
        assert_eq!(ledger.passed.spot, spot("d"));
        assert_eq!(ledger.passed.rows, 3);
        assert_eq!(ledger.passed.counts, ledger.counts);
        assert_eq!(ledger.passed.failed, ["b"]);
    }

    #[test]
    fn what_failed_before_is_mended() {
        let mut before = CompletedPrefix::default();
        before.counts.add(RowOutcome::Failed);
        before.failed.push("b".into());
        let mut ledger = JobLedger::new(before);
        let again = ledger.begin(EntryKind::Again("b".into()), None);
        assert_eq!(ledger.passed.failed, ["b"]);
        ledger.finish(again, RowOutcome::Written, None, None);
        assert!(ledger.passed.failed.is_empty());
        let counts = ledger.passed.counts;
        assert_eq!((counts.found, counts.written, counts.failed), (1, 1, 0));
    }
}
