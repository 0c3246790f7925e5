//! The order of given writes: those of one item are done one after the other, in the order in which they were given.
//!
//! The mark in an item tells which writes were done to it since the checkpoint was saved. If the item cannot tell,
//! because it was deleted or because a write was rejected, the checkpoint has to: the next write of the item waits until
//! it is saved. A delete takes away the mark of the writes before it, so it waits until they are in the checkpoint.
//!
//! An attempt that had no answer may still arrive. The mark keeps it from taking effect, but a delete takes the mark away:
//! a delete is rejected behind such an attempt, and without a checkpoint every write of the item is.
//!
//! ```text
//! put 0, add 1, add 2            the mark tells
//! put 0 | delete 1 | put 2       a save at each bar
//! ```

use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeSet, VecDeque};

use crate::bulk::input::Waiting;
use crate::bulk::stray::StrayAttempt;
use crate::clock::Timestamp;

/// How many writes a mark tells of at most.
const MARKED: usize = 32;

/// A signal that a write was done, or that it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trace {
    /// The mark in the item.
    Mark,
    /// Nothing but the checkpoint.
    None,
    /// The next run tries this write again, and does nothing else to its item before.
    ToCome,
}

/// The writes that are not done, by their items.
pub(super) struct WriteOrder {
    has_checkpoint: bool,
    lines: HashMap<u64, Line>,
    /// The writes whose turn has come.
    ready: VecDeque<Waiting>,
    /// The items with writes that wait for a save.
    unkept: BTreeSet<u64>,
    waiting: usize,
    /// How many items are remembered even after a save.
    lasting: usize,
}

/// The writes of one item.
#[derive(Default)]
struct Line {
    is_busy: bool,
    queue: VecDeque<Waiting>,
    /// The entry of the last write that is done and in no checkpoint yet, and whether the item tells of it.
    last: Option<(u64, bool)>,
    /// The entries and numbers of all writes of which the item tells.
    marked: Vec<(u64, u64)>,
    held_by: Option<u64>,
    stray: Option<StrayAttempt>,
}

impl WriteOrder {
    /// The order of a job that begins; `strays` are those of earlier runs.
    pub(super) fn new(has_checkpoint: bool, strays: Vec<(u64, StrayAttempt)>) -> Self {
        let stray = |(item, stray)| {
            let line = Line {
                stray: Some(stray),
                ..Line::default()
            };
            (item, line)
        };
        WriteOrder {
            has_checkpoint,
            lines: strays.into_iter().map(stray).collect(),
            ready: VecDeque::new(),
            unkept: BTreeSet::new(),
            waiting: 0,
            lasting: 0,
        }
    }

    /// Takes another write. One whose item is not known has nothing to wait for.
    pub(super) fn enter(&mut self, waiting: Waiting) {
        let Some(item) = waiting.item else {
            // A write without a valid key has no item to be ordered with. It only fails.
            return self.ready.push_back(waiting);
        };
        self.waiting += 1;
        self.lines.entry(item).or_default().queue.push_back(waiting);
        self.advance(item);
    }

    /// A write that may begin.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        self.ready.pop_front()
    }

    /// How many writes wait for their turn.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many items are remembered until the next save.
    pub(super) fn remembered(&self) -> usize {
        self.lines.len().saturating_sub(self.lasting)
    }

    /// Notes that an attempt at a write of the item may still take effect. A delete that is marked off is no matter: every
    /// later write that makes the item anew has a mark, and a delete requires that it has none.
    pub(super) fn note_stray(&mut self, item: u64, stray: StrayAttempt, is_delete: bool) {
        if self.has_checkpoint && is_delete {
            return;
        }
        let line = self.lines.entry(item).or_default();
        line.stray = Some(stray.later(line.stray));
    }

    /// The attempts that may still take effect, by the numbers of their items.
    pub(super) fn strays(&self, now: Timestamp) -> Vec<(u64, StrayAttempt)> {
        let lines = self.lines.iter();
        let strays = lines.filter_map(|(item, line)| Some((*item, line.stray?)));
        let mut strays: Vec<_> = strays.filter(|(_, stray)| stray.may_arrive(now)).collect();
        strays.sort_unstable_by_key(|(item, _)| *item);
        strays
    }

    /// Notes that a write is done, or has failed.
    pub(super) fn settle(&mut self, item: u64, entry: u64, number: u64, trace: Trace) {
        let Some(line) = self.lines.get_mut(&item) else {
            return;
        };
        line.is_busy = false;
        if self.has_checkpoint {
            line.last = Some((entry, trace == Trace::Mark));
            match trace {
                Trace::Mark => line.marked.push((entry, number)),
                Trace::None => {}
                // Only the first failed write is kept, because the next run must begin with it.
                Trace::ToCome => drop(line.held_by.get_or_insert(number)),
            }
        }
        self.advance(item);
    }

    /// Notes that all entries before this one are in a checkpoint.
    pub(super) fn keep(&mut self, before: u64, now: Timestamp) {
        for line in self.lines.values_mut() {
            line.stray = line.stray.filter(|stray| stray.may_arrive(now));
            line.last = line.last.filter(|(entry, _)| *entry >= before);
            line.marked.retain(|(entry, _)| *entry >= before);
        }
        // The set is taken first, because `advance` adds an item to it again if the item still waits.
        for item in std::mem::take(&mut self.unkept) {
            self.advance(item);
        }
        self.lines.retain(|_, line| !line.is_over());
        self.lasting = self.lines.len();
    }

    /// Lets the next write of an item begin, if nothing is in its way.
    fn advance(&mut self, item: u64) {
        let Entry::Occupied(mut line) = self.lines.entry(item) else {
            return;
        };
        // DynamoDB does not order two requests that are in progress at the same time.
        if line.get().is_busy {
            return;
        }
        if line.get().waits() {
            self.unkept.insert(item);
            return;
        }
        if let Some(mut next) = line.get_mut().queue.pop_front() {
            line.get_mut().is_busy = true;
            next.held_by = line.get().held_by;
            // The condition on the mark rejects a late attempt. However, a delete removes the mark, and without a
            // checkpoint no mark exists.
            let is_kept_away = self.has_checkpoint && !next.write.is_delete();
            next.stray = line.get().stray.filter(|_| !is_kept_away);
            next.done_before = line
                .get()
                .marked
                .iter()
                .map(|(_, number)| *number)
                .collect();
            self.waiting -= 1;
            self.ready.push_back(next);
        } else if line.get().is_over() {
            line.remove();
        }
    }
}

impl Line {
    /// Whether the next write has to wait for a save.
    fn waits(&self) -> bool {
        let Some((next, (_, is_told))) = self.queue.front().zip(self.last) else {
            return false;
        };
        let is_full = self.marked.len() >= MARKED;
        // A write that is held only fails, so it need not wait for a save.
        self.held_by.is_none() && (!is_told || is_full || next.write.is_delete())
    }

    fn is_over(&self) -> bool {
        let is_idle = !self.is_busy && self.queue.is_empty();
        is_idle && self.last.is_none() && self.held_by.is_none() && self.stray.is_none()
    }
}
