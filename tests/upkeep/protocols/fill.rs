//! A new index: O does not know it, F keeps its keys and does not query it, and N queries it. Also a new field with a
//! default, which the job stores if it is missing.

use super::Protocol;

/// A field, and the key that is derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    field: u8,
    key: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    row: Option<Row>,
    /// The running programs. 0: O and F, 1: F alone, 2: F and N.
    phase: u8,
    /// The reads of two runs of the job whose writes have not arrived.
    held: [Option<Row>; 2],
    /// The last value of the new field that F has written.
    set: Option<u8>,
    old: u8,
    new: u8,
    runs: u8,
}

pub struct Fill {
    /// The key is derived from the field. Otherwise it is a field with a default.
    derives: bool,
    /// The write of the job requires that the field has not changed since the read, or that the new one is still
    /// missing.
    guards_field: bool,
    /// It requires that the row exists.
    guards_row: bool,
    /// N is deployed after a fill that began after the last O had ended.
    waits: bool,
    /// F keeps the keys.
    keeps: bool,
}

impl Fill {
    pub fn new(derives: bool) -> Self {
        Fill {
            derives,
            guards_field: true,
            guards_row: true,
            waits: true,
            keeps: true,
        }
    }
}

impl Fill {
    pub fn without(derives: bool) -> Vec<(&'static str, Fill)> {
        let whole = || Fill::new(derives);
        let (guards_field, guards_row) = (false, false);
        let mut all = vec![
            (
                "a guard of the field",
                Fill {
                    guards_field,
                    ..whole()
                },
            ),
            (
                "the fill",
                Fill {
                    waits: false,
                    ..whole()
                },
            ),
        ];
        if derives {
            all.push((
                "keys of new rows",
                Fill {
                    keeps: false,
                    ..whole()
                },
            ));
        } else {
            // A condition that an attribute is absent holds for a missing row.
            all.push((
                "a guard of the row",
                Fill {
                    guards_row,
                    ..whole()
                },
            ));
        }
        all
    }

    /// The key that the job writes to a row.
    fn fresh(&self, row: Row) -> Option<u8> {
        let default = row.key.unwrap_or(3);
        Some(if self.derives { row.field } else { default })
    }
}

impl Protocol for Fill {
    type State = State;

    fn begin(&self) -> State {
        State {
            row: Some(Row {
                field: 1,
                key: None,
            }),
            phase: 0,
            held: [None; 2],
            set: None,
            old: 3,
            new: 3,
            runs: 3,
        }
    }

    fn steps(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        if state.phase == 0 && state.old > 0 {
            for field in [1, 2] {
                let mut next = state.clone();
                next.old -= 1;
                next.row = Some(Row { field, key: None });
                next.set = None;
                step(format!("O puts {field}"), next.clone());
                next.set = state.set;
                if let Some(row) = state.row {
                    next.row = Some(Row { field, ..row });
                    step(format!("O sets {field}"), next);
                }
            }
            let mut next = state.clone();
            next.old -= 1;
            (next.row, next.set) = (None, None);
            step("O deletes".into(), next);
        }
        if state.new > 0 {
            for field in [1, 2] {
                let mut next = state.clone();
                next.new -= 1;
                let key = if self.keeps {
                    Some(field)
                } else {
                    state.row.and_then(|row| row.key)
                };
                next.row = Some(Row { field, key });
                next.set = key.filter(|_| !self.derives);
                step(format!("F writes {field}"), next);
            }
            let mut next = state.clone();
            next.new -= 1;
            (next.row, next.set) = (None, None);
            step("F deletes".into(), next);
        }
        for at in 0..2 {
            match (state.held[at], state.row) {
                (None, Some(row)) if state.runs > 0 && row.key != self.fresh(row) => {
                    let mut next = state.clone();
                    next.runs -= 1;
                    next.held[at] = Some(row);
                    step(format!("J{at} reads {row:?}"), next);
                }
                (None, _) => {}
                (Some(read), stored) => {
                    let mut next = state.clone();
                    next.held[at] = None;
                    let key = self.fresh(read);
                    let is_same = |row: Row| match self.derives {
                        true => row.field == read.field,
                        false => row.key.is_none(),
                    };
                    match stored {
                        Some(row) if is_same(row) || !self.guards_field => {
                            next.row = Some(Row { key, ..row });
                        }
                        // An update creates a missing item with only the attributes that it sets.
                        None if !self.guards_row && !self.derives => {
                            next.row = Some(Row { field: 0, key });
                        }
                        _ => {}
                    }
                    step(format!("J{at} writes"), next);
                }
            }
        }
        let mut next = state.clone();
        next.phase += 1;
        match state.phase {
            0 => step("O is gone".into(), next),
            1 if !self.waits || state.row.is_none_or(|row| row.key == self.fresh(row)) => {
                step("N is deployed".into(), next);
            }
            _ => {}
        }
    }

    fn fault(&self, state: &State) -> Option<String> {
        let row = state.row?;
        if row.field == 0 {
            return Some("a deleted row is back".into());
        }
        if state.set.is_some() && state.set != row.key {
            return Some("a value of F is gone".into());
        }
        let is_missed = state.phase == 2 && row.key != self.fresh(row);
        is_missed.then(|| format!("N finds {row:?} by {:?}", row.key))
    }
}
