//! Plans: seen without a change, applied once, resumable wherever they ended.

mod attributes;
mod killed;
mod random;
mod refusals;
mod service;
mod settings;
mod stale;

use attributes::{
    an_attribute_of_a_local_index_keeps_its_type, an_index_takes_over_an_attribute_of_another_type,
    types_of_key_attributes_may_change,
};
use killed::a_killed_application_goes_on;
pub use killed::{CHILD, child};

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use dynamo_entity::deploy::{ChangeKind, Deletion, RoughTime, StepState, TableChange, TablePlan};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Billing, StreamView, TableSchema};

use crate::model::{Note, Shop};
use crate::support::db::{Db, Http};
use crate::support::engine::Kind;
use crate::support::faulty::Fault;
use crate::support::suite::{Gap, Outcome};
use crate::tests;
use random::Pair;
use refusals::{
    a_full_table_is_refused_at_once, a_setting_that_the_server_lacks_is_not_done,
    units_are_set_for_many_indexes,
};
use settings::{
    a_maximum_needs_billing_by_requests, a_plan_names_costs_and_permissions,
    a_table_may_warm_before_the_request, engines_keep_the_maximum_of_a_table,
    forgotten_settings_are_named, nothing_waits_for_warm_throughput,
    random_settings_follow_each_other, settings_that_cannot_be_are_refused,
};
use stale::two_may_apply_by_old_descriptions;

tests![
    random_tables_become_others,
    types_of_key_attributes_may_change,
    an_index_takes_over_an_attribute_of_another_type,
    an_attribute_of_a_local_index_keeps_its_type,
    units_are_set_for_many_indexes,
    a_full_table_is_refused_at_once,
    a_setting_that_the_server_lacks_is_not_done,
    killed_at_every_request,
    answers_may_be_lost_at_every_request,
    two_may_apply_at_once,
    two_may_apply_by_old_descriptions,
    a_killed_application_goes_on,
    a_plan_of_yesterday_is_refused,
    losses_have_to_be_named,
    what_was_not_named_may_be_kept,
    what_is_kept_is_replaced_by_nothing,
    tables_without_steps_are_looked_at_too(Parcel),
    what_cannot_be_changed_is_refused_before_anything_is,
    what_others_manage_is_not_ours,
    all_tables_are_looked_at_first,
    a_plan_reads_like_a_diff,
    progress_is_told unless NO_LABELS,
    labels_are_added_to_those_of_others unless NO_LABELS,
    random_settings_follow_each_other,
    nothing_waits_for_warm_throughput,
    a_table_may_warm_before_the_request,
    forgotten_settings_are_named,
    engines_keep_the_maximum_of_a_table unless NO_MAXIMUM,
    a_maximum_needs_billing_by_requests unless NO_MAXIMUM,
    a_plan_names_costs_and_permissions,
    settings_that_cannot_be_are_refused,
];

const NO_MAXIMUM: Gap = Gap {
    engines: &[Kind::OldDynamoDbLocal],
    why: "has no maximum of requests",
};

/// The embedded engine keeps labels, and so does AWS.
const NO_LABELS: Gap = Gap {
    engines: &[Kind::DynamoDbLocal, Kind::OldDynamoDbLocal],
    why: "has no labels",
};

/// Once an index of this server is removed that shares a key attribute with another one, the other one can never be removed,
/// and no index of any table.
const FORGETS_SHARED_ATTRIBUTES: [Kind; 2] = [Kind::DynamoDbLocal, Kind::OldDynamoDbLocal];

fn pair(seed: u64, may_be_impossible: bool) -> Pair {
    let shares = !FORGETS_SHARED_ATTRIBUTES.contains(&Kind::here());
    Pair::random(seed, may_be_impossible, shares)
}

fn is_write(call: &str) -> bool {
    !call.starts_with("Describe") && !call.starts_with("List")
}

fn assert_no_writes(http: &Http, why: &str) {
    let calls = http.calls();
    assert!(!calls.iter().any(|call| is_write(call)), "{why}: {calls:?}");
}

/// Applies a plan, with all that it removes.
async fn apply(db: &Dynamo, plan: &TablePlan) -> Result<()> {
    let allowed = plan.deletions().cloned();
    allowed
        .fold(plan.apply(db), |apply, deletion| apply.allow(deletion))
        .await
}

/// How many pairs of tables: many in the whole suite, few where indexes take their time.
fn count(most: u64) -> u64 {
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let given = std::env::var("PLANS").ok();
    let given = given.and_then(|count| count.parse().ok());
    given.unwrap_or(match (Kind::here(), is_full) {
        // `PLANS` runs more of them.
        (Kind::Embedded, true) => most / 3,
        (Kind::Embedded, false) => most / 10,
        _ => most / 50,
    })
}

async fn random_tables_become_others(db: Db) -> Outcome {
    // Servers take their time for an index, so several of them share the pairs.
    let first = std::env::var("PLANS_FROM").ok();
    let first: u64 = first
        .and_then(|first| first.parse().ok())
        .unwrap_or_default();
    for seed in first..first + count(500) {
        become_other(&db, pair(seed, true))
            .await
            .map_err(|error| format!("seed {seed}: {error}"))?;
    }
    Ok(())
}

async fn become_other(db: &Db, pair: Pair) -> Outcome {
    db.create_tables([pair.before.clone()]).await?;
    let (watched, http) = db.faulty([]);
    let plan = watched.plan([pair.after.clone()]).await?;
    assert_no_writes(&http, "planning writes");
    let is_impossible = plan.steps().any(|step| step.kind == ChangeKind::Replace);
    assert_eq!(is_impossible, pair.is_impossible, "{plan}");
    if is_impossible || plan.deletions().next().is_some() {
        let refused = plan.apply(&watched).await.expect_err("it must be refused");
        assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
        assert_no_writes(&http, "a refused plan writes");
    }
    if !is_impossible {
        apply(&watched, &plan)
            .await
            .map_err(|error| format!("{error}\n{plan}"))?;
        assert_protected_throughout(&http, &pair.after);
        assert_as_declared(db, &watched, &http, &plan, &pair.after).await?;
    }
    remove(db, &pair).await
}

/// Nothing is left to do, and doing it again changes nothing.
async fn assert_as_declared(
    db: &Db,
    watched: &Dynamo,
    http: &Http,
    plan: &TablePlan,
    after: &TableSchema,
) -> Outcome {
    http.plan([]);
    let again = db.plan([after.clone()]).await?;
    assert!(again.is_empty(), "{plan}\nand then\n{again}");
    apply(watched, plan).await?;
    assert_no_writes(http, "a second time writes");
    db.create_tables([after.clone()]).await?;
    assert_really(db, after).await
}

/// Asks the service without the library.
async fn assert_really(db: &Db, after: &TableSchema) -> Outcome {
    let name = format!("{}-{}", db.prefix(), after.name);
    let table = db
        .client()
        .describe_table()
        .table_name(&name)
        .send()
        .await?;
    let table = table.table.ok_or("no table")?;
    let mut there: Vec<_> = table
        .global_secondary_indexes()
        .iter()
        .filter_map(|index| index.index_name())
        .collect();
    let mut declared: Vec<_> = after
        .global_indexes
        .iter()
        .map(|index| index.name.as_str())
        .collect();
    there.sort_unstable();
    declared.sort_unstable();
    assert_eq!(there, declared);
    let settings = &after.settings;
    if let Some(wanted) = settings.deletion_protection {
        assert_eq!(table.deletion_protection_enabled, Some(wanted));
    }
    let units = table
        .provisioned_throughput()
        .map(|units| (units.read_capacity_units, units.write_capacity_units));
    match settings.billing {
        Some(Billing::Provisioned { reads, writes }) => {
            assert_eq!(units, Some((Some(reads as i64), Some(writes as i64))));
        }
        Some(Billing::OnDemand) => {
            let mode = table
                .billing_mode_summary()
                .and_then(|summary| summary.billing_mode());
            assert_eq!(mode.map(|mode| mode.as_str()), Some("PAY_PER_REQUEST"));
        }
        _ => {}
    }
    if after.stream.is_some() {
        let view = table
            .stream_specification()
            .and_then(|stream| stream.stream_view_type());
        let view = view.map(|view| view.as_str().replace('_', ""));
        let wanted = after.stream.map(|view| format!("{view:?}").to_uppercase());
        assert_eq!(view, wanted);
    }
    let ttl = db
        .client()
        .describe_time_to_live()
        .table_name(&name)
        .send()
        .await?;
    let ttl = ttl
        .time_to_live_description()
        .and_then(|ttl| ttl.attribute_name());
    assert_eq!(ttl, after.ttl.as_deref());
    Ok(())
}

fn assert_protected_throughout(http: &Http, after: &TableSchema) {
    if after.settings.deletion_protection == Some(false) {
        return;
    }
    for seen in http.seen() {
        let body = String::from_utf8_lossy(&seen.body);
        let off = "\"DeletionProtectionEnabled\":false";
        assert!(!body.contains(off), "{}: {body}", seen.operation);
    }
}

/// A table that is protected is deleted only after that was switched off.
async fn remove(db: &Db, pair: &Pair) -> Outcome {
    let name = format!("{}-{}", db.prefix(), pair.before.name);
    let update = db.client().update_table().table_name(&name);
    let _ = update.deletion_protection_enabled(false).send().await;
    db.client().delete_table().table_name(&name).send().await?;
    Ok(())
}

/// Pairs that differ in much.
fn eventful(count: u64) -> impl Iterator<Item = Pair> {
    let pairs = (0..).map(|seed| pair(seed, false));
    let differs = |pair: &Pair| {
        let indexes = |schema: &TableSchema| schema.global_indexes.clone();
        indexes(&pair.before) != indexes(&pair.after) && pair.before.ttl != pair.after.ttl
    };
    pairs.filter(differs).take(count as usize)
}

async fn killed_at_every_request(db: Db) -> Outcome {
    for pair in eventful(count(20).max(1)) {
        let mut at = 0;
        loop {
            db.create_tables([pair.before.clone()]).await?;
            let plan = db.plan([pair.after.clone()]).await?;
            let passes = std::iter::repeat_n(Fault::Pass, at);
            let (dying, http) = db.faulty(passes.chain([Fault::Hang]));
            let is_done = tokio::select! {
                done = apply(&dying, &plan) => { done?; true }
                () = hung(&http, at) => false,
            };
            let plan = db.plan([pair.after.clone()]).await?;
            apply(&db, &plan).await?;
            let left = db.plan([pair.after.clone()]).await?;
            assert!(left.is_empty(), "killed at {at}: {left}");
            assert_really(&db, &pair.after).await?;
            remove(&db, &pair).await?;
            if is_done {
                break;
            }
            at += 1;
        }
        assert!(at > 3, "nothing was done");
    }
    Ok(())
}

/// Waits until one request hangs.
async fn hung(http: &Http, at: usize) {
    while http.calls().len() <= at {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn answers_may_be_lost_at_every_request(db: Db) -> Outcome {
    for (at, pair) in eventful(count(20).max(1)).enumerate() {
        for fault in [Fault::Lose, Fault::internal(), Fault::throttle()] {
            db.create_tables([pair.before.clone()]).await?;
            let plan = db.plan([pair.after.clone()]).await?;
            // More failures than the SDK sends again by itself, so that the library has to; each time elsewhere.
            let mut rng = fastrand::Rng::with_seed(at as u64);
            let course = (0..6).flat_map(|_| {
                let good = std::iter::repeat_n(Fault::Pass, rng.usize(1..9));
                good.chain(std::iter::repeat_n(fault.clone(), 4))
            });
            let (unlucky, _) = db.faulty(course.skip(1));
            apply(&unlucky, &plan).await?;
            let left = db.plan([pair.after.clone()]).await?;
            assert!(left.is_empty(), "{left}");
            assert_really(&db, &pair.after).await?;
            remove(&db, &pair).await?;
        }
    }
    Ok(())
}

async fn two_may_apply_at_once(db: Db) -> Outcome {
    for pair in eventful(count(100).max(1)) {
        db.create_tables([pair.before.clone()]).await?;
        let plan = db.plan([pair.after.clone()]).await?;
        let (first, second) = tokio::join!(apply(&db, &plan), apply(&db, &plan));
        first?;
        second?;
        let left = db.plan([pair.after.clone()]).await?;
        assert!(left.is_empty(), "{left}");
        remove(&db, &pair).await?;
    }
    // From nothing, too.
    let plan = db.plan([Shop::schema(), Note::schema()]).await?;
    let (first, second) = tokio::join!(apply(&db, &plan), apply(&db, &plan));
    first?;
    second?;
    assert!(db.plan([Shop::schema(), Note::schema()]).await?.is_empty());
    Ok(())
}

crate::declare! {
    entity Parcel(table = "parcels", key(pk = id), gsi(by_town, pk = town))
        { id: String, town: Option<String>, #[dynamo(ttl)] expires: Option<u64> }
}

/// The same table as it was before the index was declared, and with another one, which shares no attribute with it.
fn before() -> TableSchema {
    let mut before = Parcel::schema();
    before.global_indexes[0].name = "old".into();
    before.global_indexes[0].pk[0].name = "region".into();
    before.ttl = None;
    before
}

async fn a_plan_of_yesterday_is_refused(db: Db) -> Outcome {
    db.create_tables([before()]).await?;
    let mut with_index = before();
    with_index.ttl = Parcel::schema().ttl;
    let plan = db.plan([with_index.clone()]).await?;
    assert_eq!(plan.steps().count(), 1, "{plan}");
    // Somebody removes the index and adds another one meanwhile.
    let theirs = db.plan([Parcel::schema()]).await?;
    apply(&db, &theirs).await?;
    let (watched, http) = db.faulty([]);
    let refused = plan.apply(&watched).await.expect_err("it is of yesterday");
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
    assert!(refused.to_string().contains("plan again"), "{refused}");
    assert_no_writes(&http, "a refused plan writes");
    // What somebody else has done of a plan is done.
    theirs.apply(&watched).await?;
    assert_no_writes(&http, "there was nothing to do");
    Ok(())
}

async fn losses_have_to_be_named(db: Db) -> Outcome {
    db.create_tables([before()]).await?;
    let plan = db.plan([Parcel::schema()]).await?;
    let losses: Vec<&Deletion> = plan.deletions().collect();
    assert_eq!(losses, [&Deletion::index("parcels", "old")]);
    let (watched, http) = db.faulty([]);
    for wrong in [
        plan.apply(&watched),
        plan.apply(&watched)
            .allow(Deletion::index("parcels", "by_town")),
        plan.apply(&watched).allow(Deletion::index("other", "old")),
        plan.apply(&watched).allow(Deletion::stream("parcels")),
    ] {
        let refused = wrong.await.expect_err("nobody named it").to_string();
        let says = ".allow(Deletion::index(\"parcels\", \"old\"))";
        assert!(refused.contains(says), "{refused}");
    }
    assert_no_writes(&http, "a refused plan writes");
    plan.apply(&db)
        .allow(Deletion::index("parcels", "old"))
        .await?;
    assert!(db.plan([Parcel::schema()]).await?.is_empty());
    Ok(())
}

async fn what_was_not_named_may_be_kept(db: Db) -> Outcome {
    db.create_tables([before()]).await?;
    let plan = db.plan([Parcel::schema()]).await?;
    plan.apply(&db).keeping_the_rest().await?;
    let left = db.plan([Parcel::schema()]).await?;
    let left: Vec<_> = left.steps().map(|step| step.change.clone()).collect();
    assert_eq!(left, [TableChange::RemoveIndex("old".into())]);
    Ok(())
}

/// A stream or a TTL that nobody allowed to be lost stays as it is, and what was to come in its place does not come.
async fn what_is_kept_is_replaced_by_nothing(db: Db) -> Outcome {
    let mut theirs = Parcel::schema();
    theirs.stream = Some(StreamView::KeysOnly);
    db.create_tables([theirs]).await?;
    let mut ours = Parcel::schema();
    ours.stream = Some(StreamView::NewImage);
    ours.ttl = Some("gone_at".into());
    let mut without = Parcel::schema();
    without.ttl = None;
    for (declared, steps) in [(ours, 4), (without, 1)] {
        let plan = db.plan([declared]).await?;
        assert_eq!(plan.steps().count(), steps, "{plan}");
        let (watched, http) = db.faulty([]);
        plan.apply(&watched).await.expect_err("losses have no name");
        plan.apply(&watched).keeping_the_rest().await?;
        assert_no_writes(&http, "what was not named is lost");
    }
    Ok(())
}

async fn tables_without_steps_are_looked_at_too(db: Db) -> Outcome {
    let plan = db.plan([Parcel::schema(), Note::schema()]).await?;
    // Somebody changes the table that was as declared.
    let theirs = db.plan([before()]).await?;
    apply(&db, &theirs).await?;
    let (watched, http) = db.faulty([]);
    let refused = plan.apply(&watched).await.expect_err("it has changed");
    assert!(refused.to_string().contains("plan again"), "{refused}");
    assert_no_writes(&http, "the other table is created");
    Ok(())
}

async fn what_cannot_be_changed_is_refused_before_anything_is(db: Db) -> Outcome {
    db.create_tables([before(), Note::schema()]).await?;
    let mut other = Parcel::schema();
    other.global_indexes[0].name = "old".into();
    other.global_indexes[0].pk = vec![other.pk.clone()];
    let plan = db.plan([Shop::schema(), other, Note::schema()]).await?;
    let (watched, http) = db.faulty([]);
    let refused = plan.apply(&watched).await.expect_err("no index changes");
    let says = refused.to_string();
    assert!(says.contains("under a new name"), "{says}");
    assert_no_writes(&http, "the other table is created");
    let kinds: Vec<ChangeKind> = plan.steps().map(|step| step.kind).collect();
    assert!(kinds.contains(&ChangeKind::Replace), "{plan}");
    Ok(())
}

async fn all_tables_are_looked_at_first(db: Db) -> Outcome {
    db.create_tables([before()]).await?;
    let plan = db.plan([Note::schema(), Parcel::schema()]).await?;
    let (watched, http) = db.faulty([]);
    plan.apply(&watched).await.expect_err("a loss has no name");
    assert_no_writes(&http, "the other table is created");
    Ok(())
}

async fn what_others_manage_is_not_ours(db: Db) -> Outcome {
    let mut theirs = Parcel::schema();
    theirs.stream = Some(StreamView::KeysOnly);
    db.create_tables([theirs.provisioned(7, 8).deletion_protection(true)])
        .await?;
    for ours in [Parcel::schema(), Parcel::schema().scaled(1, 1)] {
        let plan = db.plan([ours]).await?;
        assert!(plan.is_empty(), "{plan}");
        assert!(
            plan.to_string().contains("not ours: a stream of keys"),
            "{plan}"
        );
    }
    let plan = db.plan([Parcel::schema().provisioned(1, 1)]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    let (reads, writes) = (1, 1);
    assert_eq!(
        changes,
        [TableChange::SetBilling(Billing::Provisioned {
            reads,
            writes
        })]
    );
    let found = plan.found().next().expect("it is there");
    assert_eq!(
        (found.name.as_str(), found.ttl.as_deref()),
        ("parcels", Some("expires"))
    );
    let update = db.client().update_table().table_name(db.table::<Parcel>());
    update.deletion_protection_enabled(false).send().await?;
    Ok(())
}

async fn a_plan_reads_like_a_diff(db: Db) -> Outcome {
    db.create_tables([before(), Note::schema()]).await?;
    let plan = db
        .plan([Parcel::schema(), Note::schema(), Shop::schema()])
        .await?;
    let text = plan.to_string().replace(&format!("{}-", db.prefix()), "");
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("      ") && !line.contains("not ours"))
        .collect();
    assert_eq!(
        lines,
        [
            "table parcels differs",
            "  + add index `by_town`",
            "  + have items expire by `expires`",
            "  - remove index `old`",
            "table notes is as declared",
            "table shop is not there",
            "  + create the table",
            "  + have items expire by `expires_at`",
        ]
    );
    assert!(
        text.contains("items that are past it already are deleted"),
        "{text}"
    );
    let steps: Vec<_> = plan.steps().collect();
    assert!(matches!(steps[0].takes, RoughTime::ByItems { .. }));
    assert_eq!(steps[0].needs, ["dynamodb:UpdateTable"]);
    let json: serde_json::Value = serde_json::from_str(&plan.to_json())?;
    assert_eq!(json["tables"][0]["steps"][2]["kind"], "remove");
    assert_eq!(
        json["tables"][0]["steps"][2]["deletes"],
        serde_json::json!({"what": "index", "table": "parcels", "index": "old"})
    );
    Ok(())
}

async fn progress_is_told(db: Db) -> Outcome {
    db.create_tables([before()]).await?;
    let plan = db.plan([Parcel::schema().tag("team", "post")]).await?;
    let told: Mutex<Vec<(String, StepState)>> = Mutex::default();
    let lock = || told.lock().expect("nobody panics");
    plan.apply(&db)
        .allow(Deletion::index("parcels", "old"))
        .on_progress(|now| lock().push((now.step.change.to_string(), now.state)))
        .await?;
    let mut states: BTreeMap<String, Vec<StepState>> = BTreeMap::new();
    for (change, state) in lock().drain(..) {
        states.entry(change).or_default().push(state);
    }
    assert_eq!(states.len(), plan.steps().count());
    for (change, states) in states {
        assert_eq!(states.first(), Some(&StepState::Begins), "{change}");
        assert_eq!(states.last(), Some(&StepState::Done), "{change}");
        let done = states.iter().filter(|state| **state == StepState::Done);
        assert_eq!(done.count(), 1, "{change}");
    }
    Ok(())
}

async fn labels_are_added_to_those_of_others(db: Db) -> Outcome {
    db.create_tables([Note::schema().tag("theirs", "x").tag("ours", "old")])
        .await?;
    let ours = Note::schema().tag("ours", "new");
    let plan = db.plan([ours.clone()]).await?;
    assert_eq!(plan.steps().count(), 1, "{plan}");
    apply(&db, &plan).await?;
    let plan = db.plan([ours.tag("theirs", "x")]).await?;
    assert!(plan.is_empty(), "{plan}");
    Ok(())
}
