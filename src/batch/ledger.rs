//! The state of each write of a batch, at any time.
//!
//! A write is in the ledger until the service has acknowledged it or it went wrong. So the ledger holds what is
//! left, also when a batch is stopped under way.

use std::collections::BTreeSet;
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::BatchError;
use super::plan::{BatchPlan, Write};
use super::report::BatchReport;
use super::settings::{BatchCounts, OnProgress};
use crate::error::Error;

pub(super) struct BatchLedger(Mutex<BatchState>);

struct BatchState {
    counts: BatchCounts,
    /// How many writes are done of which an earlier request may still arrive.
    sent_twice: u64,
    /// The slots of the writes that were in a request without an answer.
    strays: BTreeSet<usize>,
    /// `None` for a write that is done or failed.
    writes: Vec<Option<Write>>,
    errors: Vec<BatchError>,
    reasons: Vec<Error>,
    on_progress: Option<OnProgress>,
}

impl BatchLedger {
    pub(super) fn new(plan: BatchPlan, on_progress: Option<OnProgress>) -> Self {
        BatchLedger(Mutex::new(BatchState {
            counts: BatchCounts {
                total: plan.total as u64,
                done: 0,
                superseded: plan.superseded,
                failed: plan.errors.len() as u64,
            },
            sent_twice: 0,
            strays: BTreeSet::new(),
            writes: plan.writes.into_iter().map(Some).collect(),
            errors: plan.errors,
            reasons: Vec::new(),
            on_progress,
        }))
    }

    /// The writes in these slots that are still to be done.
    pub(super) fn remaining_writes(&self, slots: &[usize]) -> Vec<(usize, Write)> {
        let state = self.lock_state();
        let write = |slot: &usize| Some((*slot, state.writes.get(*slot)?.clone()?));
        slots.iter().filter_map(write).collect()
    }

    /// Notes that a request with these writes has no answer, so that it may still arrive.
    pub(super) fn note_strays(&self, slots: impl Iterator<Item = usize>) {
        self.lock_state().strays.extend(slots);
    }

    /// Notes that the service has acknowledged these writes.
    pub(super) fn note_done(&self, slots: impl Iterator<Item = usize>) {
        let mut state = self.lock_state();
        for slot in slots {
            if state.take_write(slot).is_some() {
                state.counts.done += 1;
                // Only a write that was done can arrive a second time and undo a later one of the
                // caller.
                state.sent_twice += u64::from(state.strays.contains(&slot));
            }
        }
        self.tell_progress(state);
    }

    /// Notes that this write failed and is not worth sending again.
    pub(super) fn note_failed(&self, slot: usize, error: Error) {
        let mut state = self.lock_state();
        if let Some(Write { index, .. }) = state.take_write(slot) {
            state.counts.failed += 1;
            // Requests end in any order, and the report lists errors in the order of the input.
            let at = state.errors.partition_point(|other| other.index < index);
            state.errors.insert(at, BatchError { index, error });
        }
        self.tell_progress(state);
    }

    /// Notes why some writes are left. The same reason is kept once.
    pub(super) fn note_reason(&self, reason: Error) {
        let mut state = self.lock_state();
        let shown = reason.to_string();
        let mut known = state.reasons.iter();
        if !known.any(|known| known.kind() == reason.kind() && known.to_string() == shown) {
            state.reasons.push(reason);
        }
    }

    /// Tells the caller, without holding the lock: the caller may read the progress.
    fn tell_progress(&self, mut state: MutexGuard<'_, BatchState>) {
        let Some(mut call) = state.on_progress.take() else {
            return;
        };
        let counts = state.counts;
        // The callback runs without the lock: it may be slow, and it may ask for the progress
        // itself, which locks too.
        drop(state);
        call(counts);
        self.lock_state().on_progress = Some(call);
    }

    pub(super) fn current_counts(&self) -> BatchCounts {
        self.lock_state().counts
    }

    /// The report, as far as it is known. Only the first report has the sources of its errors, which cannot be copied.
    pub(super) fn build_report(&self) -> BatchReport {
        let mut state = self.lock_state();
        let left: Vec<Write> = state.writes.iter().flatten().cloned().collect();
        let errors = state.errors.iter().map(BatchError::copy_error).collect();
        let reasons = state.reasons.iter().map(Error::again).collect();
        // The report gets the original errors with their sources, and the ledger keeps copies,
        // because another report may be requested later.
        let errors = mem::replace(&mut state.errors, errors);
        let reasons = mem::replace(&mut state.reasons, reasons);
        BatchReport::from_parts(state.counts, state.sent_twice, left, errors, reasons)
    }

    fn lock_state(&self) -> MutexGuard<'_, BatchState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BatchState {
    fn take_write(&mut self, slot: usize) -> Option<Write> {
        self.writes.get_mut(slot)?.take()
    }
}

/// A view of a batch that is in progress, or that was stopped; from
/// [`BatchSend::progress`](super::BatchSend::progress).
#[derive(Clone)]
pub struct BatchProgress(pub(super) Arc<BatchLedger>);

impl BatchProgress {
    /// The progress of the batch so far.
    pub fn counts(&self) -> BatchCounts {
        self.0.current_counts()
    }

    /// The current report: writes that are not acknowledged are left. Among them are those of requests that were in
    /// progress when the batch was dropped, whether they took effect or not.
    pub fn report(&self) -> BatchReport {
        self.0.build_report()
    }
}

impl fmt::Debug for BatchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BatchProgress")
            .field(&self.counts())
            .finish()
    }
}
