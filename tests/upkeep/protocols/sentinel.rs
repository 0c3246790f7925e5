//! A new unique value. O knows no sentinels, and F takes and releases them. A job lets rows take their sentinels, and
//! deletes leftover ones.

use super::Protocol;

const VALUES: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The value of each row.
    rows: [Option<usize>; 2],
    /// The owner of each value.
    owners: [Option<usize>; VALUES],
    /// The running programs. 0: O and F, 1: F alone, 2: F and N, which looks rows up.
    phase: u8,
    /// The job has read that this row has this value, or that the owner of this value has another one.
    claim: Option<(usize, usize)>,
    sweep: Option<(usize, usize)>,
    old: u8,
    new: u8,
    runs: u8,
}

pub struct Sentinels {
    /// The job deletes the sentinels of rows that have another value.
    sweeps: bool,
    /// It does so only if the owner has not changed since the read.
    checks_owner: bool,
    /// A row takes a value only while it has this value.
    checks_row: bool,
    /// N is deployed after a fill.
    waits: bool,
}

impl Default for Sentinels {
    fn default() -> Self {
        Sentinels {
            sweeps: true,
            checks_owner: true,
            checks_row: true,
            waits: true,
        }
    }
}

impl Sentinels {
    pub fn without() -> [(&'static str, Sentinels); 4] {
        let whole = Sentinels::default;
        let (sweeps, checks_owner, checks_row, waits) = (false, false, false, false);
        [
            ("deleting sentinels", Sentinels { sweeps, ..whole() }),
            (
                "a check of the owner",
                Sentinels {
                    checks_owner,
                    ..whole()
                },
            ),
            (
                "a check of the row",
                Sentinels {
                    checks_row,
                    ..whole()
                },
            ),
            ("the fill", Sentinels { waits, ..whole() }),
        ]
    }

    fn job(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        for row in 0..state.rows.len() {
            let Some(value) = state.rows[row].filter(|_| state.claim.is_none()) else {
                continue;
            };
            if state.runs > 0 && state.owners[value].is_none() {
                let mut next = state.clone();
                next.runs -= 1;
                next.claim = Some((row, value));
                step(format!("J reads {value} of row {row}"), next);
            }
        }
        for value in 0..VALUES {
            let Some(owner) = state.owners[value].filter(|_| state.sweep.is_none()) else {
                continue;
            };
            if self.sweeps && state.runs > 0 && state.rows[owner] != Some(value) {
                let mut next = state.clone();
                next.runs -= 1;
                next.sweep = Some((value, owner));
                step(format!("J reads that row {owner} has not {value}"), next);
            }
        }
        if let Some((row, value)) = state.claim {
            let mut next = state.clone();
            next.claim = None;
            let is_same = !self.checks_row || state.rows[row] == Some(value);
            if is_same && state.owners[value].is_none() {
                next.owners[value] = Some(row);
            }
            step(format!("J lets row {row} take {value}"), next);
        }
        if let Some((value, owner)) = state.sweep {
            let mut next = state.clone();
            next.sweep = None;
            let is_same = state.owners[value] == Some(owner) && state.rows[owner] != Some(value);
            if is_same || !self.checks_owner {
                next.owners[value] = None;
            }
            step(format!("J deletes the sentinel of {value}"), next);
        }
    }

    fn is_filled(state: &State) -> bool {
        let mut rows = state.rows.iter().enumerate();
        let mut owners = state.owners.iter().enumerate();
        rows.all(|(row, value)| value.is_none_or(|value| state.owners[value] == Some(row)))
            && owners.all(|(value, owner)| owner.is_none_or(|row| state.rows[row] == Some(value)))
    }
}

impl Protocol for Sentinels {
    type State = State;

    fn begin(&self) -> State {
        State {
            rows: [Some(0), None],
            owners: [None; VALUES],
            phase: 0,
            claim: None,
            sweep: None,
            old: 2,
            new: 3,
            runs: 4,
        }
    }

    fn steps(&self, state: &State, step: &mut dyn FnMut(String, State)) {
        for row in 0..state.rows.len() {
            for value in [None, Some(0), Some(1)] {
                if state.phase == 0 && state.old > 0 {
                    let mut next = state.clone();
                    next.old -= 1;
                    next.rows[row] = value;
                    step(format!("O gives row {row} {value:?}"), next);
                }
                let is_free =
                    value.is_none_or(|value| [None, Some(row)].contains(&state.owners[value]));
                if state.new > 0 && is_free {
                    let mut next = state.clone();
                    next.new -= 1;
                    if let Some(before) = state.rows[row]
                        && next.owners[before] == Some(row)
                    {
                        next.owners[before] = None;
                    }
                    if let Some(value) = value {
                        next.owners[value] = Some(row);
                    }
                    next.rows[row] = value;
                    step(format!("F gives row {row} {value:?}"), next);
                }
            }
        }
        self.job(state, step);
        let mut next = state.clone();
        next.phase += 1;
        match state.phase {
            0 => step("O is gone".into(), next),
            1 if !self.waits || Sentinels::is_filled(state) => step("N is deployed".into(), next),
            // Without the sweep, no program sees the remaining sentinels.
            1 if !self.sweeps
                && state
                    .rows
                    .iter()
                    .flatten()
                    .all(|v| state.owners[*v].is_some()) =>
            {
                step("N is deployed".into(), next);
            }
            _ => {}
        }
    }

    fn fault(&self, state: &State) -> Option<String> {
        (state.phase == 2 && !Sentinels::is_filled(state))
            .then(|| format!("rows {:?}, owners {:?}", state.rows, state.owners))
    }
}
