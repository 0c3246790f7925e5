//! The test that decides about updates: random sequences of writes against a plain model (laws W1 to W8).
//!
//! ```text
//! cargo test --test upkeep
//! UPKEEP_SEQUENCES=50000 UPKEEP_SEED=7 cargo test --test upkeep
//! scripts/dynamodb-local cargo test --test upkeep
//! ```
//!
//! `storm` does the same to every operation there is, under faults.
//!
//! After each step the outcome, the stored item and the returned entity are what the model says; in the
//! end every index holds exactly what it should. A failure names its seed; `seeds.txt` keeps those that
//! failed once.

#[path = "../support/mod.rs"]
mod support;

mod knowledge;
mod model;
mod races;
mod run;
mod sequence;
mod storm;
mod subject;
mod subjects;

use libtest_mimic::Arguments;

use support::db::Mode;
use support::suite::trials;

fn main() {
    let arguments = Arguments::from_args();
    let mut all = trials("sequences", Mode::Raw, subjects::tests());
    all.extend(trials("races", Mode::Raw, races::tests()));
    all.extend(trials("storm", Mode::Raw, storm::tests()));
    libtest_mimic::run(&arguments, all).exit();
}
