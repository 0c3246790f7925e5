//! Tests updates with random sequences of writes, each compared with a plain model (laws W1 to W8).
//!
//! ```text
//! cargo test --test upkeep
//! UPKEEP_SEQUENCES=50000 UPKEEP_SEED=7 cargo test --test upkeep
//! scripts/dynamodb-local cargo test --test upkeep
//! ```
//!
//! The module `storm` does the same with every operation that there is, under faults.
//!
//! After each step, the outcome, the stored item and the returned entity equal what the model says. At the
//! end, every index holds exactly the rows that it should. A failure names its seed, and `seeds.txt` keeps
//! the seeds that failed once.

#[path = "../support/mod.rs"]
mod support;

mod evolution;
mod knowledge;
mod model;
mod protocols;
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
    all.extend(trials("evolution", Mode::Raw, evolution::tests()));
    all.extend(trials("protocols", Mode::Raw, protocols::tests()));
    libtest_mimic::run(&arguments, all).exit();
}
