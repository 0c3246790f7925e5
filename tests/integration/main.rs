//! Tests on a real engine: the embedded one, or the server that `DYNAMO_URL` names.
//!
//! ```text
//! cargo test --test integration
//! scripts/dynamodb-local cargo test --test integration
//! WAYS=all scripts/dynamodb-local cargo test --test integration
//! ```
//!
//! Every test has tables of its own, so all tests run at once.
//!
//! A request can take several ways through this process: past the SDK's orchestration, through all of the
//! SDK, with hooks alone, or directly into the embedded engine. A server hardly sees a difference, so on
//! servers most tests run only one way. The longest tests run only one way everywhere. `WAYS=all` runs all
//! ways.

#[path = "../support/mod.rs"]
mod support;

mod actor;
mod answers;
mod append_only;
mod batch;
mod both_ways;
mod bulk;
mod changes;
mod clients;
mod collection;
mod collection_index;
mod compressed;
mod connect;
mod costs;
mod create;
mod delete;
mod deploy;
mod dynamic;
mod errors;
mod executors;
mod expiry;
mod faults;
mod flat;
mod followed;
mod former;
mod get;
mod get_many;
mod golden;
mod groups;
mod hot_keys;
mod idempotent;
mod item;
mod items;
mod keys;
mod large;
mod late;
mod managed;
mod metered;
mod model;
mod modify;
mod moved;
mod observed;
mod operands;
mod patterns;
mod places;
mod put;
mod query;
mod ready;
mod renamed;
mod repository;
mod searches;
mod shape;
mod shapes;
mod shards;
mod silent;
mod streams;
mod sums;
mod table;
mod tenants;
mod traced;
mod transact;
mod transact_get;
mod transfer;
mod truth;
mod unique;
mod unit_of_work;
mod unread;
mod update;
mod values;
mod vectors;
mod versions;
mod wire;

use libtest_mimic::{Arguments, Trial};
use proptest::test_runner::Config;

use support::db::Mode;
use support::engine::Kind;
use support::suite::{Test, trials};

/// The modules that also run through all of the SDK, and with hooks alone.
const HOOKED: [&str; 8] = [
    "create", "get", "get_many", "batch", "faults", "operands", "transact", "wire",
];

/// The modules of what sends only requests that other modules test in each way. They take long.
const BUILT_ON_OTHERS: [&str; 2] = ["groups", "transfer"];

fn main() {
    if std::env::var_os(connect::CHILD).is_some() {
        return connect::child();
    }
    if std::env::var_os(bulk::CHILD).is_some() {
        return bulk::child();
    }
    if std::env::var_os(groups::CHILD).is_some() {
        return groups::child();
    }
    if std::env::var_os(deploy::CHILD).is_some() {
        return deploy::child();
    }
    let mut arguments = Arguments::from_args();
    // Many tests wait for pauses between retries, for locks, or for a server that says no more.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(3 * cores);
    let verbs = [
        ("create", create::tests as fn() -> _),
        ("append_only", append_only::tests),
        ("get", get::tests),
        ("get_many", get_many::tests),
        ("batch", batch::tests),
        ("observed", observed::tests),
        ("patterns", patterns::tests),
        ("traced", traced::tests),
        ("metered", metered::tests),
        ("groups", groups::tests),
        ("hot_keys", hot_keys::tests),
        ("put", put::tests),
        ("delete", delete::tests),
        ("query", query::tests),
        ("bulk", bulk::tests),
        ("transfer", transfer::tests),
        ("executors", executors::tests),
        ("expiry", expiry::tests),
        ("collection", collection::tests),
        ("collection_index", collection_index::tests),
        ("update", update::tests),
        ("operands", operands::tests),
        ("places", places::tests),
        ("dynamic", dynamic::tests),
        ("golden", golden::tests),
        ("modify", modify::tests),
        ("moved", moved::tests),
        ("managed", managed::tests),
        ("versions", versions::tests),
        ("actor", actor::tests),
        ("repository", repository::tests),
        ("faults", faults::tests),
        ("followed", followed::tests),
        ("changes", changes::tests),
        ("idempotent", idempotent::tests),
        ("transact", transact::tests),
        ("transact_get", transact_get::tests),
        ("streams", streams::tests),
        ("unique", unique::tests),
        ("unit_of_work", unit_of_work::tests),
        ("renamed", renamed::tests),
        ("former", former::tests),
        ("keys", keys::tests),
        ("large", large::tests),
        ("large::guarantees", large::guarantees::tests),
        ("large::outside", large::outside::tests),
        ("large::late", large::late::tests),
        ("shape", shape::tests),
        ("shapes", shapes::tests),
        ("late", late::tests),
        ("shards", shards::tests),
        ("values", values::tests),
        ("flat", flat::tests),
        ("searches", searches::tests),
        ("vectors", vectors::tests),
        ("compressed", compressed::tests),
        ("item", item::tests),
        ("items", items::tests),
        ("errors", errors::tests),
        ("ready", ready::tests),
        ("unread", unread::tests),
        ("wire", wire::tests),
    ];
    let in_all_ways = !Kind::here().is_server() || asks_for_all_ways();
    let mut all = Vec::new();
    // The longest ones are first, so that the others run beside them. Deployments are under the name of tables, because servers
    // that build indexes are chosen by it.
    all.extend(trials("table::deploy", Mode::Raw, deploy::tests()));
    all.extend(trials("bulk::crash", Mode::Raw, bulk::crashes()));
    all.extend(trials("sums", Mode::Raw, sums::tests()));
    all.extend(trials("costs", Mode::Raw, costs::tests()));
    all.extend(trials("truth", Mode::Raw, truth::tests()));
    all.extend(trials("table", Mode::Raw, table::tests()));
    all.extend(trials("tenants", Mode::Raw, tenants::tests()));
    for (module, tests) in verbs {
        all.extend(trials(module, Mode::Raw, tests()));
        // These ways differ only in how requests are sent and answers read, so a few modules that cover each
        // operation are enough.
        if in_all_ways && HOOKED.contains(&module) || module == "wire" {
            all.extend(another_way("sdk", Mode::Sdk, module, tests));
            all.extend(another_way("hooks", Mode::Hooks, module, tests));
        }
        if Kind::here() == Kind::Embedded
            && (asks_for_all_ways() || !BUILT_ON_OTHERS.contains(&module))
        {
            all.extend(another_way("direct", Mode::Direct, module, tests));
        }
    }
    // These tests are about what lies between the library and the engine. The direct way has nothing there.
    for (module, tests) in [
        ("answers", answers::tests as fn() -> _),
        ("clients", clients::tests),
    ] {
        all.extend(trials(module, Mode::Raw, tests()));
        if in_all_ways {
            all.extend(another_way("sdk", Mode::Sdk, module, tests));
            all.extend(another_way("hooks", Mode::Hooks, module, tests));
        }
    }
    // On a server that does not return the item with a failed condition, the library has to find out what the
    // failure means.
    for (module, tests) in [
        ("create", create::tests as fn() -> _),
        ("put", put::tests),
        ("delete", delete::tests),
        ("bulk", bulk::tests),
        ("transfer", transfer::tests),
        ("update", update::tests),
        ("operands", operands::tests),
        ("modify", modify::tests),
        ("managed", managed::tests),
        ("versions", versions::tests),
        ("repository", repository::tests),
        ("faults", faults::tests),
        ("idempotent", idempotent::tests),
        ("transact", transact::tests),
        ("unique", unique::tests),
        ("unit_of_work", unit_of_work::tests),
        ("errors", errors::tests),
    ] {
        if !in_all_ways && module != "transact" {
            continue;
        }
        // This test counts requests, and here some of the requests are additional reads.
        let of_requests = |test: &Test| test.name == "writes_that_were_given_go_on";
        let tests = tests().into_iter().filter(|test| !of_requests(test));
        all.extend(trials(
            &format!("silent::{module}"),
            Mode::Silent,
            tests.collect(),
        ));
    }
    all.extend(trials("silent", Mode::Silent, silent::tests()));
    if Kind::here() == Kind::Embedded {
        all.extend(trials("both_ways", Mode::Raw, both_ways::tests()));
    }
    all.extend(trials("connect", Mode::Raw, connect::tests()));
    for name in OF_ONE_WAY {
        let is_there = all.iter().any(|trial| trial.name().contains(name));
        assert!(is_there, "no test is named {name}");
    }
    libtest_mimic::run(&arguments, all).exit();
}

/// Long tests of what all ways share: plans, cursors, and the order of rows and writes. They run only in the
/// direct path, and against a silent server.
const OF_ONE_WAY: [&str; 40] = [
    "a_checked_write_only_changes_the_version_it_read",
    "a_refill_goes_on_after_kills_beside_other_writers",
    "a_refill_keeps_unique_values",
    "a_refill_stores_what_a_put_would",
    "a_refill_tells_what_lost_answers_did",
    "a_scan_in_legs_brings_each_row_once",
    "a_stream_cursor_never_skips_rows",
    "a_write_may_die_at_every_request",
    "a_write_that_is_still_going_on_is_of_unknown_outcome",
    "any_job_does_each_transaction_once",
    "any_job_does_each_write_once_in_order",
    "any_mended_job_tells_what_was_not_done",
    "contention_after_a_lost_answer_is_of_unknown_outcome",
    "endless_contention_is_an_error",
    "endless_contention_names_the_item",
    "every_change_is_as_it_was",
    "every_condition_is_as_it_was",
    "every_read_tells_rows_by_their_keys",
    "four_megabytes_are_the_most",
    "large_answers_are_merged",
    "large_answers_are_merged_whatever_is_read",
    "large_writes_share_fewer_requests",
    "limits_count_only_rows_of_the_entity",
    "neighbours_lose_no_write",
    "places_by_bytes",
    "places_by_numbers",
    "places_by_several_attributes",
    "places_by_templates",
    "places_by_text",
    "places_without_a_sort_key",
    "programs_side_by_side",
    "quoted_values_never_show",
    "random_faults_leave_each_row_changed_once",
    "random_faults_leave_no_row_undeleted",
    "random_faults_lose_nothing",
    "random_jobs_leave_what_the_items_say",
    "random_operations_match_a_model",
    "random_writes_leave_what_the_items_say",
    "ten_thousand_rows_go_by",
    "values_are_counted_as_the_service_counts_them",
];

fn another_way(way: &str, mode: Mode, module: &str, tests: fn() -> Vec<Test>) -> Vec<Trial> {
    let mut tests = tests();
    if !asks_for_all_ways() {
        tests.retain(|test| !OF_ONE_WAY.contains(&test.name));
    }
    trials(&format!("{way}::{module}"), mode, tests)
}

fn asks_for_all_ways() -> bool {
    std::env::var_os("WAYS").is_some_and(|ways| ways == "all")
}

/// The configuration for `cases` random cases if `LAWS=full` is set, otherwise for a third of them, on a server for
/// a tenth, or for as many as `PROPTEST_CASES` says. Failing seeds are kept.
fn random(cases: u32) -> Config {
    let asked = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return asked;
    }
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let share = match (Kind::here().is_server(), is_full) {
        (true, _) => 10,
        (false, true) => 1,
        (false, false) => 3,
    };
    let cases = cases.div_ceil(share);
    Config { cases, ..asked }
}
