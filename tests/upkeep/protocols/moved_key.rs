//! A new primary key. O knows only the old rows. B writes both rows and reads the old one, and A writes both and reads
//! the new one. D writes the new one and deletes both. N knows only the new rows.
//!
//! The new key has a part that is a plain field of the old row, so a write of that field moves the new row. An item has one
//! old row, and a new row at one of two positions.

use super::Protocol;

const PARTS: usize = 2;

/// The part of the new key, and a value.
type Item = (usize, u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rows {
    old: Option<Item>,
    /// The value at each part.
    new: [Option<u8>; PARTS],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Program {
    O,
    B,
    A,
    D,
    N,
}

use Program::{A, B, D, N, O};

/// A change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Change {
    Put(Item),
    /// An update, which needs the item.
    Set(Item),
    Delete(usize),
}

/// A write that has read the rows and has not been sent yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pending {
    program: Program,
    read: Rows,
    /// None for the job, which writes the rows as they should be.
    change: Option<Change>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    rows: Rows,
    /// The value at each part, after the last write.
    truth: [Option<u8>; PARTS],
    phase: usize,
    pending: Vec<Pending>,
    writes: u8,
    runs: u8,
}

#[derive(Clone, Copy)]
pub struct MovedKey {
    /// A write requires that the row that it reads has not changed since.
    guards_row: bool,
    /// It requires the same of the other row.
    guards_other: bool,
    /// It is rejected if the other row belongs to another item.
    knows_owner: bool,
    /// It deletes the new row that the item had.
    moves: bool,
    /// The job of B deletes new rows that no old row has.
    sweeps: bool,
    /// The job requires that the row that it reads exists and has not changed since.
    job_guards: bool,
    /// The job of D deletes an old row only if the new row exists.
    keeps_last: bool,
    /// D deletes both rows.
    deletes_both: bool,
    /// One fill ends before A is deployed, and one before N is deployed.
    fills: [bool; 2],
    /// A program may miss rows, but no row may be lost.
    may_miss: bool,
    /// The number of writes.
    writes: u8,
    phases: &'static [&'static [Program]],
}

impl Default for MovedKey {
    fn default() -> Self {
        MovedKey {
            guards_row: true,
            guards_other: true,
            knows_owner: true,
            moves: true,
            sweeps: true,
            job_guards: true,
            keeps_last: true,
            deletes_both: true,
            fills: [true; 2],
            may_miss: false,
            writes: 4,
            phases: &[&[O, B], &[B], &[B, A], &[A], &[A, D], &[D], &[D, N]],
        }
    }
}

impl MovedKey {
    /// A rollback by one step, and the next deployment again.
    pub fn rolled_back() -> Self {
        MovedKey {
            writes: 3,
            phases: &[
                &[O, B],
                &[B],
                &[B, A],
                &[B],
                &[B, A],
                &[A, D],
                &[A],
                &[A, D],
            ],
            ..MovedKey::default()
        }
    }

    /// Without the fill before A: programs miss rows, but no row is lost.
    pub fn skipped() -> Self {
        MovedKey {
            writes: 3,
            fills: [false, true],
            may_miss: true,
            phases: &[&[O, B], &[A], &[A, D], &[D]],
            ..MovedKey::default()
        }
    }

    pub fn skipped_without() -> Vec<(&'static str, MovedKey)> {
        let keeps_last = false;
        let whole = MovedKey::skipped();
        vec![(
            "a new row beside the old one",
            MovedKey {
                keeps_last,
                ..whole
            },
        )]
    }

    pub fn without() -> Vec<(&'static str, MovedKey)> {
        let whole = MovedKey::default();
        let with = |phases| MovedKey { phases, ..whole };
        vec![
            (
                "a guard of the row",
                MovedKey {
                    guards_row: false,
                    ..whole
                },
            ),
            (
                "a guard of the other row",
                MovedKey {
                    guards_other: false,
                    ..whole
                },
            ),
            (
                "the owner of the other row",
                MovedKey {
                    knows_owner: false,
                    ..whole
                },
            ),
            (
                "deleting the row under the new key before",
                MovedKey {
                    moves: false,
                    ..whole
                },
            ),
            (
                "deleting rows without an owner",
                MovedKey {
                    sweeps: false,
                    ..whole
                },
            ),
            (
                "a guard of the job",
                MovedKey {
                    job_guards: false,
                    ..whole
                },
            ),
            (
                "a fill before the new row is read",
                MovedKey {
                    fills: [false, true],
                    ..whole
                },
            ),
            (
                "a fill before the old row is forgotten",
                MovedKey {
                    fills: [true, false],
                    ..whole
                },
            ),
            // Each pair that the table forbids.
            ("O away from A", with(&[&[O, B], &[B], &[O, A]])),
            ("O away from D", with(&[&[O, B], &[B], &[O, D]])),
            ("O away from N", with(&[&[O, B], &[B], &[O, N]])),
            ("B away from D", with(&[&[O, B], &[B], &[B, D]])),
            ("B away from N", with(&[&[O, B], &[B], &[B, N]])),
            (
                "O gone for good",
                with(&[&[O, B], &[B], &[A], &[O, B], &[B, A]]),
            ),
            (
                "B gone for good",
                with(&[&[O, B], &[B], &[A], &[A, D], &[B]]),
            ),
        ]
    }

    /// The items that a program reads, each with the part of its new key.
    fn found(program: Program, rows: Rows) -> [Option<u8>; PARTS] {
        match program {
            O | B => std::array::from_fn(|part| match rows.old {
                Some((at, value)) if at == part => Some(value),
                _ => None,
            }),
            A | D | N => rows.new,
        }
    }

    /// The rows after a change by a program that has read these rows. None if the change is rejected.
    fn changed(&self, program: Program, change: Change, rows: Rows) -> Option<Rows> {
        let mut next = rows;
        match (program, change) {
            (O, Change::Put(item) | Change::Set(item)) => next.old = Some(item),
            (O, Change::Delete(_)) => next.old = None,
            (B, Change::Put((part, value)) | Change::Set((part, value))) => {
                if let Some((before, _)) = rows.old.filter(|_| self.moves) {
                    next.new[before] = None;
                }
                next.old = Some((part, value));
                next.new[part] = Some(value);
            }
            (B, Change::Delete(_)) => {
                next.old = None;
                if let Some((before, _)) = rows.old {
                    next.new[before] = None;
                }
            }
            (A, Change::Put((part, value)) | Change::Set((part, value))) => {
                let is_others = rows.old.is_some_and(|(at, _)| at != part);
                if is_others && self.knows_owner {
                    return None;
                }
                next.old = Some((part, value));
                next.new[part] = Some(value);
            }
            (A, Change::Delete(part)) => {
                next.new[part] = None;
                // The old row of another item remains.
                next.old = rows.old.filter(|(at, _)| *at != part);
            }
            (D, Change::Delete(part)) => {
                next.new[part] = None;
                if self.deletes_both {
                    next.old = rows.old.filter(|(at, _)| *at != part);
                }
            }
            (D | N, Change::Put((part, value)) | Change::Set((part, value))) => {
                next.new[part] = Some(value);
            }
            (N, Change::Delete(part)) => next.new[part] = None,
        }
        Some(next)
    }

    /// The rows after the job of a program has processed these rows.
    fn filled(&self, program: Program, rows: Rows) -> Rows {
        let mut next = rows;
        match (program, rows.old) {
            (B, old) => {
                for part in 0..PARTS {
                    match old {
                        Some((at, value)) if at == part => next.new[part] = Some(value),
                        _ if self.sweeps => next.new[part] = None,
                        _ => {}
                    }
                }
            }
            (D, Some((part, _))) if rows.new[part].is_some() || !self.keeps_last => next.old = None,
            _ => {}
        }
        next
    }

    /// Whether the rows that a write relies on have not changed since it read them.
    fn is_as_read(&self, pending: &Pending, rows: Rows) -> bool {
        let (same_old, same_new) = (pending.read.old == rows.old, pending.read.new == rows.new);
        if pending.change.is_none() {
            return !self.job_guards || same_old && same_new;
        }
        let (same, same_other) = match pending.program {
            O | B => (same_old, same_new),
            A | D | N => (same_new, same_old),
        };
        (same || !self.guards_row) && (same_other || !self.guards_other)
    }

    fn is_ready(&self, state: &State) -> bool {
        match (self.phases[state.phase], self.phases.get(state.phase + 1)) {
            ([B], Some([B, A] | [A] | [O, A])) if self.fills[0] => {
                self.filled(B, state.rows) == state.rows
            }
            ([D], Some([D, N])) if self.fills[1] => state.rows.old.is_none(),
            _ => true,
        }
    }

    /// The truth after a change. None if the program does not find the item.
    fn truth_after(program: Program, change: Change, state: &State) -> Option<[Option<u8>; PARTS]> {
        let found = MovedKey::found(program, state.rows);
        let mut truth = state.truth;
        // The old row is one item, independent of the part.
        if let O | B = program {
            truth = [None; PARTS];
        }
        match change {
            Change::Put((part, value)) => truth[part] = Some(value),
            Change::Set((part, value)) => {
                let is_there = match program {
                    O | B => state.rows.old.is_some(),
                    A | D | N => found[part].is_some(),
                };
                if !is_there {
                    return None;
                }
                truth[part] = Some(value);
            }
            Change::Delete(part) => {
                found[part]?;
                truth[part] = None;
            }
        }
        Some(truth)
    }

    fn write(&self, state: &State, program: Program, change: Change) -> Option<State> {
        let truth = MovedKey::truth_after(program, change, state)?;
        let rows = self.changed(program, change, state.rows)?;
        Some(State {
            rows,
            truth,
            ..state.clone()
        })
    }
}

/// Each change, with each value and part.
fn changes() -> impl Iterator<Item = Change> {
    let items = (0..PARTS).flat_map(|part| [(part, 1), (part, 2)]);
    let written = items.flat_map(|item| [Change::Put(item), Change::Set(item)]);
    written.chain((0..PARTS).map(Change::Delete))
}

impl Protocol for MovedKey {
    type State = State;

    fn begin(&self) -> State {
        State {
            rows: Rows {
                old: Some((0, 1)),
                new: [None; PARTS],
            },
            truth: [Some(1), None],
            phase: 0,
            pending: Vec::new(),
            writes: self.writes,
            runs: 3,
        }
    }

    fn steps(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        for &program in self.phases[state.phase] {
            let reads = match program {
                O | N => false,
                B | A | D => true,
            };
            let is_idle = state.pending.iter().all(|of| of.program != program);
            for change in changes().filter(|_| state.writes > 0) {
                // A write of D puts or updates the new row alone, without a read.
                let is_alone = !reads || program == D && !matches!(change, Change::Delete(_));
                let mut next = state.clone();
                next.writes -= 1;
                if is_alone {
                    if let Some(next) = self.write(&next, program, change) {
                        step(format!("{program:?} sends {change:?}"), next);
                    }
                } else if is_idle && state.pending.len() < 2 {
                    next.pending.push(Pending {
                        program,
                        read: state.rows,
                        change: Some(change),
                    });
                    step(format!("{program:?} reads for {change:?}"), next);
                }
            }
            let is_right = self.filled(program, state.rows) == state.rows;
            if reads && is_idle && !is_right && state.runs > 0 && state.pending.len() < 2 {
                let mut next = state.clone();
                next.runs -= 1;
                next.pending.push(Pending {
                    program,
                    read: state.rows,
                    change: None,
                });
                step(format!("the job of {program:?} reads"), next);
            }
        }
        for at in 0..state.pending.len() {
            let mut next = state.clone();
            let pending = next.pending.remove(at);
            if !self.is_as_read(&pending, state.rows) {
                step(format!("{:?} loses a race", pending.program), next);
                continue;
            }
            match pending.change {
                // The rows that were read determine the rows that are written.
                None => {
                    let filled = self.filled(pending.program, pending.read);
                    if filled.old != pending.read.old {
                        next.rows.old = filled.old;
                    }
                    for part in 0..PARTS {
                        if filled.new[part] != pending.read.new[part] {
                            next.rows.new[part] = filled.new[part];
                        }
                    }
                }
                Some(change) => {
                    let Some(changed) = self.changed(pending.program, change, pending.read) else {
                        step(format!("{:?} is rejected", pending.program), next);
                        continue;
                    };
                    let Some(truth) = MovedKey::truth_after(pending.program, change, state) else {
                        step(format!("{:?} finds nothing", pending.program), next);
                        continue;
                    };
                    next.truth = truth;
                    if changed.old != pending.read.old {
                        next.rows.old = changed.old;
                    }
                    for part in 0..PARTS {
                        if changed.new[part] != pending.read.new[part] {
                            next.rows.new[part] = changed.new[part];
                        }
                    }
                }
            }
            step(
                format!("{:?} writes {:?}", pending.program, pending.change),
                next,
            );
        }
        if state.phase + 1 < self.phases.len() && self.is_ready(state) {
            let mut next = state.clone();
            next.phase += 1;
            let programs = self.phases[next.phase];
            // Writes do not arrive after their program has ended.
            next.pending.retain(|of| programs.contains(&of.program));
            step(format!("now {programs:?}"), next);
        }
    }

    fn fault(&self, state: &State) -> Option<String> {
        let (rows, truth) = (state.rows, state.truth);
        let last = self.phases.len() - 1;
        if self.may_miss {
            let is_kept = |(part, value): (usize, &Option<u8>)| {
                value
                    .is_none_or(|value| rows.new[part].is_some() || rows.old == Some((part, value)))
            };
            let is_kept = truth.iter().enumerate().all(is_kept);
            return (!is_kept).then(|| format!("{truth:?} is lost, the rows are {rows:?}"));
        }
        for &program in self.phases[state.phase] {
            let found = MovedKey::found(program, rows);
            if found != truth {
                return Some(format!("{program:?} reads {found:?} instead of {truth:?}"));
            }
        }
        let is_over = state.phase == last && self.phases[last].contains(&N);
        (is_over && rows.old.is_some()).then(|| format!("an old row is left: {rows:?}"))
    }
}
