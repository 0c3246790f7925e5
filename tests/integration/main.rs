//! One item all the way, on a real engine: the embedded one, or the server that `DYNAMO_URL` names.
//!
//! ```text
//! cargo test --test integration
//! scripts/dynamodb-local cargo test --test integration
//! ```
//!
//! The modules are the stages of the way. Every test has tables of its own, so all run at once.

#[path = "../support/mod.rs"]
mod support;

mod actor;
mod answers;
mod batch;
mod both_ways;
mod bulk;
mod clients;
mod collection;
mod connect;
mod create;
mod delete;
mod errors;
mod executors;
mod faults;
mod get;
mod get_many;
mod golden;
mod idempotent;
mod item;
mod keys;
mod managed;
mod model;
mod modify;
mod observed;
mod put;
mod query;
mod renamed;
mod repository;
mod shards;
mod silent;
mod snapshot;
mod sums;
mod table;
mod transact;
mod truth;
mod unique;
mod unread;
mod update;
mod values;
mod versions;
mod wire;

use libtest_mimic::Arguments;
use proptest::test_runner::Config;

use support::db::Mode;
use support::engine::Kind;
use support::suite::{Test, trials};

fn main() {
    if std::env::var_os(connect::CHILD).is_some() {
        return connect::child();
    }
    if std::env::var_os(bulk::CHILD).is_some() {
        return bulk::child();
    }
    let arguments = Arguments::from_args();
    let verbs = [
        ("create", create::tests as fn() -> _),
        ("get", get::tests),
        ("get_many", get_many::tests),
        ("batch", batch::tests),
        ("observed", observed::tests),
        ("put", put::tests),
        ("delete", delete::tests),
        ("query", query::tests),
        ("bulk", bulk::tests),
        ("executors", executors::tests),
        ("collection", collection::tests),
        ("update", update::tests),
        ("golden", golden::tests),
        ("modify", modify::tests),
        ("managed", managed::tests),
        ("versions", versions::tests),
        ("actor", actor::tests),
        ("repository", repository::tests),
        ("faults", faults::tests),
        ("idempotent", idempotent::tests),
        ("transact", transact::tests),
        ("snapshot", snapshot::tests),
        ("unique", unique::tests),
        ("renamed", renamed::tests),
        ("keys", keys::tests),
        ("shards", shards::tests),
        ("values", values::tests),
        ("item", item::tests),
        ("errors", errors::tests),
        ("unread", unread::tests),
        ("wire", wire::tests),
    ];
    let mut all = Vec::new();
    for (module, tests) in verbs {
        all.extend(trials(module, Mode::Raw, tests()));
        all.extend(trials(&format!("typed::{module}"), Mode::Typed, tests()));
        if Kind::here() == Kind::Embedded {
            all.extend(trials(&format!("direct::{module}"), Mode::Direct, tests()));
        }
    }
    // What is between the library and the engine: the direct way has nothing there.
    for (module, tests) in [
        ("answers", answers::tests as fn() -> _),
        ("clients", clients::tests),
    ] {
        all.extend(trials(module, Mode::Raw, tests()));
        all.extend(trials(&format!("typed::{module}"), Mode::Typed, tests()));
    }
    // What a condition that failed means has to be found out where the server does not say it.
    for (module, tests) in [
        ("create", create::tests as fn() -> _),
        ("put", put::tests),
        ("delete", delete::tests),
        ("bulk", bulk::tests),
        ("update", update::tests),
        ("modify", modify::tests),
        ("managed", managed::tests),
        ("versions", versions::tests),
        ("repository", repository::tests),
        ("faults", faults::tests),
        ("idempotent", idempotent::tests),
        ("transact", transact::tests),
        ("unique", unique::tests),
        ("errors", errors::tests),
    ] {
        // That one stops its runs after so many requests, some of which are reads here.
        let of_requests = |test: &Test| test.name == "writes_that_were_given_go_on";
        let tests = tests().into_iter().filter(|test| !of_requests(test));
        all.extend(trials(
            &format!("silent::{module}"),
            Mode::Silent,
            tests.collect(),
        ));
    }
    all.extend(trials("silent", Mode::Silent, silent::tests()));
    all.extend(trials("bulk::crash", Mode::Raw, bulk::crashes()));
    if Kind::here() == Kind::Embedded {
        all.extend(trials("both_ways", Mode::Raw, both_ways::tests()));
    }
    all.extend(trials("sums", Mode::Raw, sums::tests()));
    all.extend(trials("truth", Mode::Raw, truth::tests()));
    all.extend(trials("table", Mode::Raw, table::tests()));
    all.extend(trials("connect", Mode::Raw, connect::tests()));
    libtest_mimic::run(&arguments, all).exit();
}

/// So many random cases, or as many as `PROPTEST_CASES` asks for; failing seeds are kept.
fn random(cases: u32) -> Config {
    let asked = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return asked;
    }
    Config { cases, ..asked }
}
