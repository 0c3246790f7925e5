//! Runs a work often enough to be warm, and then often enough to be measured.

use std::hint::black_box;

use crate::side::Side;
use crate::work::Work;

const WARM: u32 = 3;

/// Opens connections and fills caches and lazy values. Returns false if the side cannot do the work.
pub fn warm(side: &mut dyn Side, work: Work) -> bool {
    side.prepare(work, WARM);
    (0..WARM).all(|_| black_box(side.run(work)).is_some())
}

pub fn repeat(side: &mut dyn Side, work: Work, times: u32) {
    for _ in 0..times {
        black_box(side.run(work));
    }
}

/// Callgrind dumps its counts and starts again from zero whenever this is called.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C" fn bench_mark(phase: u32) {
    black_box(phase);
}

/// The nanoseconds that this thread has run, as Linux counts them.
pub fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let time = text.split_whitespace().next();
    time.and_then(|time| time.parse().ok()).unwrap_or_default()
}
