//! A renamed attribute, once always present and once possibly missing. O knows the old name. K keeps both names and
//! reads the old one. B keeps both and reads the old one first. D drops the old name, and N knows the new one.

use super::Protocol;

type Value = Option<u8>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    old: Value,
    new: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Program {
    O,
    K,
    B,
    D,
    N,
}

use Program::{B, D, K, N, O};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    row: Option<Row>,
    /// The value that was written last, if the row exists.
    truth: Option<Value>,
    phase: usize,
    /// The program of a job, and the row that it has read.
    held: Option<(Program, Row)>,
    writes: u8,
    runs: u8,
}

pub struct Rename {
    /// B and D read the old name first.
    is_old_first: bool,
    /// The write of the job requires that both names have not changed since the read.
    guards_names: bool,
    /// A fill by K ends before B is deployed.
    fills_kept: bool,
    /// A fill by D ends before N is deployed.
    fills_dropped: bool,
    /// The values that programs write.
    values: &'static [Value],
    /// The programs of each phase.
    phases: &'static [&'static [Program]],
}

const PHASES: &[&[Program]] = &[&[O, K], &[K], &[K, B], &[B, D], &[D], &[D, N]];

impl Default for Rename {
    fn default() -> Self {
        Rename {
            is_old_first: true,
            guards_names: true,
            fills_kept: true,
            fills_dropped: true,
            values: &[Some(1), Some(2), None],
            phases: PHASES,
        }
    }
}

impl Rename {
    /// No program removes the attribute, so there is no K.
    pub fn required() -> Rename {
        Rename {
            values: &[Some(1), Some(2)],
            phases: &[&[O, B], &[B, D], &[D], &[D, N]],
            ..Rename::default()
        }
    }

    pub fn required_without() -> Vec<(&'static str, Rename)> {
        let whole = Rename::required;
        let (is_old_first, guards_names, fills_dropped) = (false, false, false);
        vec![
            (
                "the old name first",
                Rename {
                    is_old_first,
                    ..whole()
                },
            ),
            (
                "a guard of the names",
                Rename {
                    guards_names,
                    ..whole()
                },
            ),
            (
                "a fill before the old one is forgotten",
                Rename {
                    fills_dropped,
                    ..whole()
                },
            ),
        ]
    }

    pub fn without() -> Vec<(&'static str, Rename)> {
        let whole = Rename::default;
        let with = |phases| Rename { phases, ..whole() };
        vec![
            (
                "a guard of the names",
                Rename {
                    guards_names: false,
                    ..whole()
                },
            ),
            (
                "a fill before both are read",
                Rename {
                    fills_kept: false,
                    ..whole()
                },
            ),
            (
                "a fill before the old one is forgotten",
                Rename {
                    fills_dropped: false,
                    ..whole()
                },
            ),
            // Each pair that the table forbids.
            ("O away from B", with(&[&[O, B]])),
            ("O away from D", with(&[&[O, D]])),
            ("O away from N", with(&[&[O, N]])),
            ("K away from D", with(&[&[K, D]])),
            ("K away from N", with(&[&[K, N]])),
            ("B away from N", with(&[&[B, N]])),
            ("O gone for good", with(&[&[B, D], &[B], &[O, K]])),
        ]
    }

    fn read(&self, program: Program, row: Row) -> Value {
        match program {
            O | K => row.old,
            B | D if self.is_old_first => row.old.or(row.new),
            B | D => row.new.or(row.old),
            N => row.new,
        }
    }

    /// Whether the next phase may begin.
    fn is_ready(&self, state: &State) -> bool {
        let filled = |program| {
            let row = state.row;
            row.is_none_or(|row| row == written(program, self.read(program, row), row))
        };
        let programs = self.phases[state.phase];
        match programs {
            [K] if self.fills_kept => filled(K),
            [D] if self.fills_dropped => filled(D),
            _ => true,
        }
    }
}

/// The row after a program has set the attribute.
fn written(program: Program, value: Value, row: Row) -> Row {
    match program {
        O => Row { old: value, ..row },
        K | B => Row {
            old: value,
            new: value,
        },
        D => Row {
            old: None,
            new: value,
        },
        N => Row { new: value, ..row },
    }
}

impl Protocol for Rename {
    type State = State;

    fn begin(&self) -> State {
        // Rows of the first program that runs.
        let first = self.phases[0][0];
        let empty = Row {
            old: None,
            new: None,
        };
        State {
            row: Some(written(first, Some(1), empty)),
            truth: Some(Some(1)),
            phase: 0,
            held: None,
            writes: 5,
            runs: 3,
        }
    }

    fn steps(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        let empty = Row {
            old: None,
            new: None,
        };
        for &program in self.phases[state.phase] {
            if state.writes > 0 {
                for &value in self.values {
                    let mut next = state.clone();
                    next.writes -= 1;
                    next.truth = Some(value);
                    next.row = Some(written(program, value, empty));
                    step(format!("{program:?} puts {value:?}"), next.clone());
                    if let Some(row) = state.row {
                        next.row = Some(written(program, value, row));
                        step(format!("{program:?} sets {value:?}"), next);
                    }
                }
                let mut next = state.clone();
                next.writes -= 1;
                (next.truth, next.row) = (None, None);
                step(format!("{program:?} deletes"), next);
            }
            let fills = ![O, N].contains(&program);
            if let (Some(row), None, true) = (state.row, state.held, fills && state.runs > 0) {
                let mut next = state.clone();
                next.runs -= 1;
                next.held = Some((program, row));
                step(format!("the job of {program:?} reads {row:?}"), next);
            }
        }
        if let Some((program, read)) = state.held {
            let mut next = state.clone();
            next.held = None;
            let fresh = written(program, self.read(program, read), read);
            match state.row {
                Some(row) if row == read || !self.guards_names => next.row = Some(fresh),
                None if !self.guards_names => next.row = Some(fresh),
                _ => {}
            }
            step("the job writes".into(), next);
        }
        if state.phase + 1 < self.phases.len() && self.is_ready(state) {
            let mut next = state.clone();
            next.phase += 1;
            let programs = self.phases[next.phase];
            // Writes do not arrive after their program has ended.
            next.held = next.held.filter(|(program, _)| programs.contains(program));
            step(format!("now {programs:?}"), next);
        }
    }

    fn fault(&self, state: &State) -> Option<String> {
        for &program in self.phases[state.phase] {
            let found = state.row.map(|row| self.read(program, row));
            if found != state.truth {
                let truth = state.truth;
                return Some(format!("{program:?} reads {found:?} instead of {truth:?}"));
            }
        }
        None
    }
}
