//! A gate behind which the answers of a server wait, so that many calls are under way at the same time.

use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    is_closed: bool,
    waiting: usize,
}

impl Gate {
    pub fn close(&self) {
        self.state.lock().expect("no panic").is_closed = true;
    }

    pub fn open(&self) {
        self.state.lock().expect("no panic").is_closed = false;
        self.changed.notify_all();
    }

    pub fn waiting(&self) -> usize {
        self.state.lock().expect("no panic").waiting
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut state = self.state.lock().expect("no panic");
        state.waiting += 1;
        let mut state = self
            .changed
            .wait_while(state, |state| state.is_closed)
            .expect("no panic");
        state.waiting -= 1;
    }
}
