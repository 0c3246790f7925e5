//! Two shapes. U knows the first one. R reads both and writes the first one. W reads both and writes the second one.

use super::Protocol;

/// `a` is the value in the first shape, and `b` in the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    shape: u8,
    a: Option<u8>,
    b: Option<u8>,
    /// Another attribute, with the same meaning in both shapes.
    other: u8,
    version: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    U,
    R,
    W,
}

use Program::{R, U, W};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    row: Row,
    /// The value and the other attribute.
    truth: (u8, u8),
    phase: usize,
    /// The rows that U has loaded, and that R, W and the job are about to write.
    loaded: Option<Row>,
    pending: [Option<Row>; 3],
    writes: [u8; 3],
    runs: u8,
}

pub struct Shape {
    has_version: bool,
    /// A write from one shape to another requires that the row has not changed since the read.
    guards: bool,
    /// It raises the version.
    raises: bool,
    /// A partial change requires the shape that the program writes.
    requires_shape: bool,
    /// U changes only what it has loaded.
    is_checked: bool,
    phases: &'static [&'static [Program]],
}

impl Shape {
    pub fn new(has_version: bool) -> Self {
        Shape {
            has_version,
            guards: true,
            raises: true,
            requires_shape: true,
            is_checked: false,
            phases: &[&[U, R], &[R, W], &[W]],
        }
    }

    pub fn without(has_version: bool) -> Vec<(&'static str, Shape)> {
        let whole = || Shape::new(has_version);
        let phases = &[&[U, W] as &[_]];
        let (guards, requires_shape) = (false, false);
        vec![
            ("a guard of what was read", Shape { guards, ..whole() }),
            (
                "a condition on the shape",
                Shape {
                    requires_shape,
                    ..whole()
                },
            ),
            ("U away from W", Shape { phases, ..whole() }),
        ]
    }

    /// U has loaded rows, and continues to run.
    pub fn checked(raises: bool) -> Self {
        Shape {
            raises,
            is_checked: true,
            phases: &[&[U, W]],
            ..Shape::new(true)
        }
    }

    /// The shape that a program writes.
    fn writes(program: Program) -> u8 {
        match program {
            U | R => 1,
            W => 2,
        }
    }
}

fn read(program: Program, row: Row) -> Option<u8> {
    match (program, row.shape) {
        (_, 1) => row.a,
        (U, _) => None,
        (R | W, _) => row.b,
    }
}

/// The row with another value, in the shape that a program writes.
fn whole(program: Program, value: u8, row: Row) -> Row {
    let (a, b) = match Shape::writes(program) {
        1 => (Some(value), None),
        _ => (None, Some(value)),
    };
    let shape = Shape::writes(program);
    Row { shape, a, b, ..row }
}

impl Protocol for Shape {
    type State = State;

    fn begin(&self) -> State {
        State {
            row: Row {
                shape: 1,
                a: Some(1),
                b: None,
                other: 1,
                version: 1,
            },
            truth: (1, 1),
            phase: 0,
            loaded: None,
            pending: [None; 3],
            writes: [2, 2, 2],
            runs: 2,
        }
    }

    fn steps(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        for &program in self.phases[state.phase] {
            self.steps_of(program, state, step);
        }
        let programs = self.phases[state.phase];
        if programs.contains(&W) {
            self.job(state, step);
        }
        // A program writes nothing after it has ended.
        if state.phase + 1 < self.phases.len() {
            let mut next = state.clone();
            next.phase += 1;
            let programs = self.phases[next.phase];
            next.loaded = next.loaded.filter(|_| programs.contains(&U));
            step(format!("now {programs:?}"), next);
        }
    }

    fn fault(&self, state: &State) -> Option<String> {
        let (value, other) = state.truth;
        if state.row.other != other {
            return Some(format!("the other attribute is {}", state.row.other));
        }
        let mut programs = self.phases[state.phase].iter();
        programs.find_map(|&program| {
            let found = read(program, state.row);
            let is_rejected = self.is_checked && program == U && found.is_none();
            (!is_rejected && found != Some(value)).then(|| {
                format!(
                    "{program:?} reads {found:?} instead of {value} in {:?}",
                    state.row
                )
            })
        })
    }
}

impl Shape {
    fn steps_of(&self, program: Program, state: &State, step: &mut dyn FnMut(String, State)) {
        let at = program as usize;
        let row = state.row;
        let can_read = read(program, row).is_some();
        if program == U && can_read && state.loaded.is_none() && self.has_version {
            let mut next = state.clone();
            next.loaded = Some(row);
            step(format!("{program:?} loads"), next);
        }
        if let (Some(held), true, true) = (state.loaded, program == U, self.has_version)
            && held.version == row.version
            && state.writes[at] > 0
        {
            // The stored shape was the one in memory when that had this version.
            let mut next = state.clone();
            next.writes[at] -= 1;
            next.loaded = None;
            next.row = Row {
                a: Some(2),
                version: row.version + 1,
                ..row
            };
            next.truth.0 = 2;
            step("U sets 2 under its version".into(), next);
        }
        if state.writes[at] == 0 || (program == U && self.is_checked) {
            return;
        }
        for value in [1, 2] {
            let mut next = state.clone();
            next.writes[at] -= 1;
            // An update by key applies only if the stored shape is the one that the program writes. U checks no shape.
            let is_allowed =
                program == U || row.shape == Shape::writes(program) || !self.requires_shape;
            if is_allowed {
                let is_first = Shape::writes(program) == 1;
                let version = row.version + 1;
                next.row = match is_first {
                    true => Row {
                        a: Some(value),
                        version,
                        ..row
                    },
                    false => Row {
                        b: Some(value),
                        version,
                        ..row
                    },
                };
                next.truth.0 = value;
                step(format!("{program:?} sets {value} by key"), next);
            }
        }
        let mut next = state.clone();
        next.writes[at] -= 1;
        next.row = Row {
            other: 3 - row.other,
            version: row.version + 1,
            ..row
        };
        next.truth.1 = next.row.other;
        step(format!("{program:?} sets the other by key"), next);
        // A row of another shape is read, and then written as a whole.
        if program == U {
            return;
        }
        match state.pending[at] {
            None if can_read && row.shape != Shape::writes(program) => {
                let mut next = state.clone();
                next.pending[at] = Some(row);
                step(format!("{program:?} reads"), next);
            }
            None => {}
            Some(held) => {
                let mut next = state.clone();
                next.pending[at] = None;
                if self.is_unchanged(held, row) {
                    next.writes[at] -= 1;
                    next.row = self.raised(whole(program, 2, held), row);
                    next.truth.0 = 2;
                }
                step(format!("{program:?} writes 2 whole"), next);
            }
        }
    }

    fn is_unchanged(&self, held: Row, row: Row) -> bool {
        let compared = |row: Row| match self.has_version {
            true => Row {
                a: None,
                b: None,
                other: 0,
                ..row
            },
            false => Row { version: 0, ..row },
        };
        !self.guards || compared(held) == compared(row)
    }

    fn raised(&self, row: Row, stored: Row) -> Row {
        let version = stored.version + u8::from(self.raises);
        Row { version, ..row }
    }

    fn job(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        let (row, at) = (state.row, 0);
        match state.pending[at] {
            None if row.shape == 1 && state.runs > 0 => {
                let mut next = state.clone();
                next.runs -= 1;
                next.pending[at] = Some(row);
                step("the job reads".into(), next);
            }
            None => {}
            Some(held) => {
                let mut next = state.clone();
                next.pending[at] = None;
                if self.is_unchanged(held, row) {
                    let value = read(W, held).unwrap_or(0);
                    next.row = self.raised(whole(W, value, held), row);
                }
                step("the job upgrades".into(), next);
            }
        }
    }
}
