//! The laws of keys and values, checked with random data.
//!
//! Each law is checked with at least ten thousand cases. A case that failed once is kept in
//! `proptest-regressions/` and runs first from then on.

mod allocations;
mod collections;
mod decimals;
#[path = "../support/declare.rs"]
mod declare;
mod flat;
mod folds;
mod foreign_times;
mod given;
mod items;
mod keys;
mod numbers;
mod overlap;
mod places;
mod queries;
mod shards;
mod size;
mod streams;
mod tuples;
mod values;
mod vectors;

use proptest::test_runner::Config;

/// Ten thousand cases if `LAWS=full` is set, as `.ci/run` does, otherwise a tenth of them. `PROPTEST_CASES`
/// sets another number. Seeds that fail are kept.
fn config() -> Config {
    cases(10_000)
}

/// For a law that two or three tests check, or that one test checks twice.
fn config_of_half() -> Config {
    cases(5_000)
}

/// For a law that is checked on many shapes, which together get ten thousand cases or more.
fn config_of_shape() -> Config {
    cases(1_000)
}

fn cases(cases: u32) -> Config {
    let asked = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return asked;
    }
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let cases = if is_full { cases } else { cases / 10 };
    Config { cases, ..asked }
}
