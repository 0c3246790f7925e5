//! A work done often enough to be measured, after it was done often enough to be warm.

use std::hint::black_box;

use crate::side::Side;
use crate::work::Work;

const WARM: u32 = 3;

/// Connections, caches and lazy values are there afterwards. False for what the side cannot do.
pub fn warm(side: &mut dyn Side, work: Work) -> bool {
    side.prepare(work, WARM);
    (0..WARM).all(|_| black_box(side.run(work)).is_some())
}

pub fn repeat(side: &mut dyn Side, work: Work, times: u32) {
    for _ in 0..times {
        black_box(side.run(work));
    }
}

/// Callgrind writes down what it has counted, and counts from nought, whenever this is called.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C" fn bench_mark(phase: u32) {
    black_box(phase);
}

/// Nanoseconds that this thread has run, as Linux counts them.
pub fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let time = text.split_whitespace().next();
    time.and_then(|time| time.parse().ok()).unwrap_or_default()
}
