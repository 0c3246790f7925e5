//! What requests cost, estimated before they are sent, is what the engine says that they took: by table and index.
//!
//! The embedded engine counts as AWS does. DynamoDB Local counts otherwise in some places, which [`Places`] names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use dynamo_entity::plan::{Cost, CostAssumption, Estimate, Explanation};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Result};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;
use tokio::runtime::Handle;

use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::suite::{Gap, Outcome};
use crate::{random, tests};

tests![
    what_is_known_is_what_it_takes(Thing) unless COUNTS_OTHERWISE,
    rows_of_one_size_are_what_they_take(Thing) unless COUNTS_OTHERWISE,
    unique_values_cost_their_sentinels(Member) unless COUNTS_OTHERWISE,
    no_assumption_costs_less_than_it_says(Thing) unless COUNTS_OTHERWISE,
    what_is_assumed_is_said,
    a_cost_is_shown_in_a_line,
    another_table_is_named,
];

const COUNTS_OTHERWISE: Gap = Gap {
    engines: &[Kind::OtherServer, Kind::OldDynamoDbLocal],
    why: "may count units in its own way",
};

/// Where DynamoDB Local counts otherwise than AWS.
struct Places;

impl Places {
    fn is_local() -> bool {
        Kind::here() != Kind::Embedded
    }

    /// In transactions it doubles the part of an index, which AWS does not; it takes two units for a check of an item of any
    /// size, and one for a put that asks that nothing is there.
    fn counts_transactions() -> bool {
        !Places::is_local()
    }

    /// It takes two units for deleting what is not there in a batch, and nothing for what a batch of reads does not find.
    fn counts_what_a_batch_does_not_find() -> bool {
        !Places::is_local()
    }

    /// It takes units of an index of several key attributes for an item that has but some of them, before or after, and so
    /// was not in it and is not. And it counts 100 bytes more for each entry of a local index.
    fn mend(taken: &mut Units, estimated: &Units) {
        if !Places::is_local() {
            return;
        }
        // An act is about four items at the most, each with an entry before and after.
        for (index, most) in [("by_label", f64::INFINITY), ("by_rank", 8.0)] {
            for (part, units) in taken.iter_mut() {
                let wanted = estimated.get(part).copied().unwrap_or_default();
                if part.1.as_deref() == Some(index) && (wanted..=wanted + most).contains(units) {
                    *units = wanted;
                }
            }
        }
        taken.retain(|_, units| *units > 0.0);
    }

    /// It takes nothing for a query that looks at no row.
    fn counts_empty_queries() -> bool {
        !Places::is_local()
    }
}

crate::declare! {
    entity Thing(table = "things", key(pk = owner, sk = no), gsi(by_group, pk = group),
        gsi(by_label, pk = "L#{label}", sk = rank, project = keys), lsi(by_rank, sk = rank, project = [note]))
        { owner: String, no: u32, group: Option<String>, label: Option<String>, rank: Option<i64>,
          note: Option<String>, text: String, list: Vec<f64>, tags: BTreeSet<u32> }
    /// Whose mail nobody else has.
    entity Member(table = "members", key(pk = "M#{id}"), unique(by_mail, mail))
        { id: String, mail: String, text: String }
}

/// Units by table and index.
type Units = BTreeMap<(String, Option<String>), f64>;

/// Asks each request for what it takes of tables and indexes, and adds it up.
#[derive(Clone)]
struct Metering<C> {
    inner: C,
    taken: Arc<Mutex<Units>>,
}

impl<C> fmt::Debug for Metering<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metering")
    }
}

impl HttpClient for Metering<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Metering {
            inner: self.inner.http_connector(settings, components),
            taken: self.taken.clone(),
        })
    }
}

impl HttpConnector for Metering<SharedHttpConnector> {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().expect("a body of bytes");
        let open = body.strip_suffix(b"}").expect("an object");
        let asking = [open, br#","ReturnConsumedCapacity":"INDEXES"}"#].concat();
        let length = asking.len().to_string();
        request.headers_mut().insert("content-length", length);
        *request.body_mut() = SdkBody::from(asking);
        let (inner, taken) = (self.inner.clone(), self.taken.clone());
        HttpConnectorFuture::new(async move {
            let response = inner.call(request).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let body = ByteStream::new(response.into_body()).collect().await;
            let body = body
                .map_err(|error| ConnectorError::io(error.into()))?
                .into_bytes();
            count(&body, &mut taken.lock().expect("no panic"));
            let mut response = HttpResponse::new(status, SdkBody::from(body));
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}

fn count(body: &[u8], taken: &mut Units) {
    let answer: Json = serde_json::from_slice(body).unwrap_or_default();
    let said = match &answer["ConsumedCapacity"] {
        Json::Array(tables) => tables.clone(),
        Json::Null => Vec::new(),
        table => vec![table.clone()],
    };
    for of_table in said {
        let name = of_table["TableName"].as_str().expect("a name");
        let mut add = |index: Option<&String>, units: &Json| {
            let units = units["CapacityUnits"].as_f64().unwrap_or_default();
            if units > 0.0 {
                *taken.entry((name.to_owned(), index.cloned())).or_default() += units;
            }
        };
        add(None, &of_table["Table"]);
        for indexes in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
            for (index, units) in of_table[indexes].as_object().into_iter().flatten() {
                add(Some(index), units);
            }
        }
    }
}

/// A connection whose requests are metered.
fn metered(db: &Db) -> (Dynamo, Arc<Mutex<Units>>) {
    let taken: Arc<Mutex<Units>> = Arc::default();
    let http = SharedHttpClient::new(Metering {
        inner: db.engine().http_client(),
        taken: taken.clone(),
    });
    (db.through(db.engine().config().http_client(http)), taken)
}

/// The estimate, without what it says nothing is taken of.
fn units(cost: &Cost) -> Units {
    let mut units = Units::new();
    for part in &cost.parts {
        let key = (part.table.clone(), part.index.clone());
        *units.entry(key).or_default() += part.read_units + part.write_units;
    }
    units.retain(|_, units| *units > 0.0);
    units
}

async fn all_items(db: &Db, table: &str) -> Vec<Item> {
    let scan = db.client().scan().table_name(table).consistent_read(true);
    let found = scan
        .send()
        .await
        .expect("an answer")
        .items
        .unwrap_or_default();
    found.into_iter().map(Item::from).collect()
}

const OWNER: &str = "ann";

fn key(no: u32) -> Key<Thing> {
    Thing::key(OWNER, no)
}

/// What is done.
#[derive(Debug, Clone)]
enum Act {
    Put(Thing),
    Create(Thing),
    Update(u32, Thing),
    Upsert(u32, Thing),
    Delete(u32),
    Batch(Vec<Thing>, Vec<u32>),
    /// Writes, deletes and checks, each of another item, all or nothing.
    Together(Vec<Thing>, Vec<u32>, Vec<u32>),
    Idempotent(Thing),
    Get(u32, bool),
    GetMany(Vec<u32>, bool),
    Snapshot(u32, u32),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(0), 0..40_usize, 950..1100_usize, 0..6_000_usize]
        .prop_map(|length| "x".repeat(length))
}

fn word() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        "[ab]".prop_map(Some),
        Just(Some("k".repeat(1_200)))
    ]
}

fn thing() -> impl Strategy<Value = Thing> {
    let list = prop::collection::vec(
        any::<f64>().prop_filter("in range", |f| {
            f.abs() < 1e120 && (*f == 0.0 || f.abs() > 1e-120)
        }),
        0..4,
    );
    let tags = prop::collection::btree_set(0..5_000_u32, 0..4);
    let rank = prop_oneof![Just(None), Just(Some(7)), any::<i64>().prop_map(Some)];
    (
        0..4_u32,
        word(),
        word(),
        rank,
        prop::option::of(text()),
        text(),
        list,
        tags,
    )
        .prop_map(|(no, group, label, rank, note, text, list, tags)| Thing {
            owner: OWNER.into(),
            no,
            group,
            label,
            rank,
            note,
            text,
            list,
            tags,
        })
}

fn act() -> impl Strategy<Value = Act> {
    let no = || 0..4_u32;
    let numbers = || {
        prop::collection::btree_set(no(), 1..4).prop_map(|set| set.into_iter().collect::<Vec<_>>())
    };
    let things = || {
        prop::collection::vec(thing(), 0..4).prop_map(|mut things| {
            things.sort_by_key(|thing| thing.no);
            things.dedup_by_key(|thing| thing.no);
            things
        })
    };
    prop_oneof![
        3 => thing().prop_map(Act::Put),
        1 => thing().prop_map(Act::Create),
        3 => (no(), thing()).prop_map(|(no, to)| Act::Update(no, to)),
        2 => (no(), thing()).prop_map(|(no, to)| Act::Upsert(no, to)),
        2 => no().prop_map(Act::Delete),
        1 => (things(), numbers()).prop_map(|(puts, deletes)| Act::Batch(puts, deletes)),
        3 => (things(), numbers(), numbers()).prop_map(|(puts, deletes, checks)| Act::Together(puts, deletes, checks)),
        1 => thing().prop_map(Act::Idempotent),
        1 => (no(), any::<bool>()).prop_map(|(no, strong)| Act::Get(no, strong)),
        1 => (numbers(), any::<bool>()).prop_map(|(numbers, strong)| Act::GetMany(numbers, strong)),
        1 => (no(), no()).prop_map(|(one, two)| Act::Snapshot(one, two)),
    ]
}

/// What the request was to be, and whether it was sent with success.
type Done = (Explanation, bool);

macro_rules! done {
    ($db:expr, $operation:expr) => {{
        let explanation = $operation.explain($db)?;
        let result = $operation.send($db).await;
        (explanation, result.is_ok())
    }};
}

async fn act_on(db: &Dynamo, act: Act, stored: &BTreeSet<u32>) -> Result<Done> {
    let there = |no: &u32| stored.contains(no) || Places::counts_what_a_batch_does_not_find();
    Ok(match act {
        Act::Put(thing) => done!(db, thing.put()),
        Act::Create(thing) => done!(db, thing.create()),
        Act::Update(no, to) => {
            // What is in an index is changed as a whole, so that its keys follow.
            let change = || {
                key(no).update().apply(|t| {
                    (
                        t.group().set_or_remove(to.group.as_ref()),
                        t.label().set_or_remove(to.label.as_ref()),
                        t.rank().set_or_remove(to.rank),
                        t.text().set(&to.text),
                    )
                })
            };
            done!(db, change())
        }
        Act::Upsert(no, to) => {
            let change = || {
                key(no).upsert().apply(|t| {
                    (
                        t.group().set_or_remove(to.group.as_ref()),
                        t.label().set_or_remove(to.label.as_ref()),
                        t.rank().set_or_remove(to.rank),
                        t.note().set_or_remove(to.note.as_ref()),
                        t.text().set(&to.text),
                        t.list().set(&to.list),
                        t.tags().set(&to.tags),
                    )
                })
            };
            done!(db, change())
        }
        Act::Delete(no) => done!(db, key(no).delete()),
        Act::Batch(puts, deletes) => {
            let taken: BTreeSet<u32> = puts.iter().map(|thing| thing.no).collect();
            let batch = || {
                let deletes = deletes.iter().filter(|no| there(no) && !taken.contains(no));
                Batch::new()
                    .with_all(puts.iter().map(Thing::put))
                    .with_all(deletes.map(|no| key(*no).delete()))
            };
            let explanation = batch().explain(db)?;
            let report = batch().send(db).await;
            (
                explanation,
                report.is_ok_and(|report| report.complete().is_ok()),
            )
        }
        Act::Together(puts, deletes, checks) => {
            let mut taken: BTreeSet<u32> = puts.iter().map(|thing| thing.no).collect();
            let deletes: Vec<u32> = deletes.into_iter().filter(|no| taken.insert(*no)).collect();
            let checks: Vec<u32> = checks
                .into_iter()
                .filter(|no| stored.contains(no) && taken.insert(*no))
                .collect();
            let all = || {
                Transaction::new()
                    .with_all(puts.iter().map(Thing::put))
                    .with_all(deletes.iter().map(|no| key(*no).delete()))
                    .with_all(checks.iter().map(|no| key(*no).check().if_exists()))
            };
            done!(db, all())
        }
        Act::Idempotent(thing) => done!(db, thing.put().idempotent()),
        Act::Get(no, strong) => match strong {
            true => done!(db, key(no).get().consistent()),
            false => done!(db, key(no).get()),
        },
        Act::GetMany(numbers, strong) => {
            let keys: Vec<u32> = numbers.into_iter().filter(there).collect();
            let read = || Thing::get_many(keys.iter().map(|no| key(*no)));
            match strong {
                true => done!(db, read().consistent()),
                false => done!(db, read()),
            }
        }
        Act::Snapshot(one, two) if one == two => done!(db, transact_get((key(one).get(),))),
        Act::Snapshot(one, two) => done!(db, transact_get((key(one).get(), key(two).get()))),
    })
}

/// Where all items are known, the estimate is what the engine takes, by table and index.
async fn what_is_known_is_what_it_takes(db: Db) -> Outcome {
    let (metered, taken) = metered(&db);
    let table = db.table::<Thing>();
    let mut runner = TestRunner::new(random(150));
    let handle = Handle::current();
    tokio::task::block_in_place(|| {
        runner.run(&prop::collection::vec(act(), 1..12), |acts| {
            handle.block_on(async {
                for act in acts {
                    let before = all_items(&db, &table).await;
                    let numbers = before
                        .iter()
                        .filter_map(|item| item.get("no")?.as_number()?.as_str().parse().ok());
                    let numbers: BTreeSet<u32> = numbers.collect();
                    taken.lock().unwrap().clear();
                    let what = format!("{act:?}");
                    let done = act_on(&metered, act, &numbers).await;
                    let (explanation, is_done) =
                        done.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    let in_transaction = explanation.operation == Some("TransactWriteItems");
                    if !is_done || in_transaction && !Places::counts_transactions() {
                        continue;
                    }
                    let mut estimate = db.estimate([Thing::schema()]).otherwise_empty();
                    for item in before {
                        estimate = estimate.stored(item);
                    }
                    for item in all_items(&db, &table).await {
                        estimate = estimate.becoming(item);
                    }
                    let cost = estimate.of(&explanation).expect("a cost");
                    let (estimated, mut taken) = (units(&cost), taken.lock().unwrap().clone());
                    Places::mend(&mut taken, &estimated);
                    prop_assert_eq!(estimated, taken, "{}\n{}", what, cost);
                    let only_conditions =
                        |one: &CostAssumption| *one == CostAssumption::ConditionsHold;
                    prop_assert!(cost.assumptions.iter().all(only_conditions), "{}", cost);
                }
                Ok(())
            })
        })
    })?;
    Ok(())
}

/// Rows of one size: by partition, by index, of the whole table, with a limit or without.
async fn rows_of_one_size_are_what_they_take(db: Db) -> Outcome {
    let (metered, taken) = metered(&db);
    let one = |owner: String, no, length| Thing {
        owner,
        no,
        group: Some("g".into()),
        label: Some("l".into()),
        rank: Some(1),
        note: None,
        text: "x".repeat(length),
        list: vec![1.5],
        tags: BTreeSet::from([3]),
    };
    for (at, (length, rows)) in [
        (10, 7),
        (1_500, 4),
        (4_000, 9),
        (30, 0),
        (30_000, 20),
        (200_000, 9),
    ]
    .into_iter()
    .enumerate()
    {
        let owner = format!("owner{at}");
        let things: Vec<Thing> = (0..rows)
            .map(|no| one(owner.clone(), no + 10, length))
            .collect();
        for thing in &things {
            thing.put().send(&db).await?;
        }
        let of_partition = || Thing::in_partition(&owner);
        let size = one(owner.clone(), 10, length).to_item()?.size();
        let estimate = db.estimate([Thing::schema()]).item_size(size);
        for limit in [None, Some(3), Some(100)] {
            taken.lock().unwrap().clear();
            let looked_at = match limit {
                // One more tells whether there are any further rows.
                Some(limit) => {
                    of_partition().limit(limit).page(&metered).await?;
                    (rows as u64).min(limit as u64 + 1)
                }
                None => {
                    of_partition().all(&metered).await?;
                    u64::from(rows)
                }
            };
            let explanation = match limit {
                Some(limit) => of_partition().limit(limit).explain(&db)?,
                None => of_partition().explain(&db)?,
            };
            if looked_at == 0 && !Places::counts_empty_queries() {
                continue;
            }
            let cost = estimate.clone().rows(looked_at).of(&explanation)?;
            assert!(cost.is_exact(), "{cost}");
            assert_eq!(
                units(&cost),
                *taken.lock().unwrap(),
                "{length} {rows} {limit:?}"
            );
        }
    }
    Ok(())
}

async fn unique_values_cost_their_sentinels(db: Db) -> Outcome {
    let (metered, taken) = metered(&db);
    let member = |text: &str| Member {
        id: "m1".into(),
        mail: "ann@example.org".into(),
        text: text.into(),
    };
    let estimate = db.estimate([Member::schema()]).otherwise_empty();
    let small = member("x");
    let explanation = small.create().explain(&db)?;
    small.create().send(&metered).await?;
    let cost = estimate.of(&explanation)?;
    assert_eq!(cost.write_units(), 4.0);
    if Places::counts_transactions() {
        assert_eq!(units(&cost), *taken.lock().unwrap());
    }

    // The item is read first, strongly; the write is the one for an item that is not there.
    let big = member(&"x".repeat(1_500));
    let cost = estimate.of(&big.put().explain(&db)?)?;
    assert_eq!((cost.read_units(), cost.write_units()), (1.0, 6.0));
    assert_eq!(
        cost.to_string(),
        "1 read unit and 6 write units, assuming that its conditions hold"
    );
    Ok(())
}

/// Without knowledge, an estimate of a write to items of up to a kilobyte is never too low, whatever is stored.
async fn no_assumption_costs_less_than_it_says(db: Db) -> Outcome {
    let (metered, taken) = metered(&db);
    let small = |mut thing: Thing| {
        thing.text.truncate(100);
        thing.note = thing.note.map(|note| note.chars().take(100).collect());
        thing.group = thing.group.map(|group| group.chars().take(20).collect());
        thing.label = thing.label.map(|label| label.chars().take(20).collect());
        thing
    };
    let mut runner = TestRunner::new(random(150));
    let handle = Handle::current();
    let acts = prop::collection::vec((thing(), thing(), 0..2_u8), 1..8);
    tokio::task::block_in_place(|| {
        runner.run(&acts, |acts| {
            handle.block_on(async {
                for (stored, next, verb) in acts {
                    let (stored, next) = (small(stored), small(next));
                    stored.put().send(&db).await.expect("a put");
                    taken.lock().unwrap().clear();
                    let act = match verb {
                        0 => Act::Update(stored.no, next),
                        _ => Act::Delete(stored.no),
                    };
                    let numbers = BTreeSet::from([stored.no]);
                    let done = act_on(&metered, act, &numbers).await;
                    let (explanation, is_done) =
                        done.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    prop_assert!(is_done);
                    let cost = db
                        .estimate([Thing::schema()])
                        .of(&explanation)
                        .expect("a cost");
                    let estimated = units(&cost);
                    for (part, units) in taken.lock().unwrap().iter() {
                        let most = estimated.get(part).copied().unwrap_or_default();
                        prop_assert!(*units <= most, "{:?} took {}: {}", part, units, cost);
                    }
                }
                Ok(())
            })
        })
    })?;
    Ok(())
}

fn sample() -> Thing {
    Thing {
        owner: OWNER.into(),
        no: 1,
        group: Some("g".into()),
        label: None,
        rank: None,
        note: None,
        text: "some".into(),
        list: Vec::new(),
        tags: BTreeSet::new(),
    }
}

async fn what_is_assumed_is_said(db: Db) -> Outcome {
    let estimate = db.estimate([Thing::schema()]);
    let of = |explanation: Result<Explanation>| -> Result<(f64, f64, Vec<CostAssumption>)> {
        let cost = estimate.of(&explanation?)?;
        Ok((cost.read_units(), cost.write_units(), cost.assumptions))
    };
    use CostAssumption::*;
    let size = || ItemSize { bytes: 1024 };
    let within = |index: &str| InIndex {
        index: index.into(),
    };
    assert_eq!(
        of(sample().put().explain(&db))?,
        (0.0, 2.0, vec![NothingReplaced])
    );
    assert_eq!(
        of(sample().create().explain(&db))?,
        (0.0, 2.0, vec![ConditionsHold, NothingReplaced])
    );
    assert_eq!(of(key(1).get().explain(&db))?, (0.5, 0.0, vec![size()]));
    assert_eq!(
        of(key(1).get().consistent().explain(&db))?,
        (1.0, 0.0, vec![size()])
    );
    let indexes = ["by_group", "by_label", "by_rank"].map(within);
    let all: Vec<CostAssumption> = [size()].into_iter().chain(indexes).collect();
    assert_eq!(of(key(1).delete().explain(&db))?, (0.0, 4.0, all));
    // An index that does not hold the attribute is not written.
    let note = key(1).update().apply(|t| t.note().set("x"));
    let assumed = vec![
        ConditionsHold,
        size(),
        within("by_group"),
        within("by_rank"),
    ];
    assert_eq!(of(note.explain(&db))?, (0.0, 3.0, assumed));
    let group = key(1).update().apply(|t| t.group().set("x"));
    let new_key = NewIndexKey {
        index: "by_group".into(),
    };
    assert_eq!(
        of(group.explain(&db))?,
        (
            0.0,
            3.0,
            vec![ConditionsHold, size(), within("by_group"), new_key]
        )
    );
    let gone = key(1).update().apply(|t| t.group().remove());
    assert_eq!(
        of(gone.explain(&db))?,
        (0.0, 2.0, vec![ConditionsHold, size(), within("by_group")])
    );

    let rows = of(Thing::in_partition(OWNER).limit(7).explain(&db))?;
    assert_eq!(rows, (1.0, 0.0, vec![size(), Rows { rows: 8 }]));
    assert_eq!(
        of(Thing::in_partition(OWNER).explain(&db))?,
        (128.0, 0.0, vec![OneFullAnswer])
    );
    assert_eq!(
        of(Thing::by_group("g").explain(&db))?,
        (128.0, 0.0, vec![OneFullAnswer])
    );
    let halves = estimate
        .clone()
        .rows(9)
        .item_size(4_096)
        .of(&Thing::scan().segments(2).explain(&db)?)?;
    assert_eq!(
        (halves.read_units(), halves.assumptions),
        (4.5, vec![EvenlySpread])
    );
    // The rows of an index, and the items behind them.
    let behind = estimate
        .clone()
        .rows(9)
        .item_size(1_000)
        .of(&Thing::by_label("l").hydrate().explain(&db)?)?;
    assert_eq!(behind.read_units(), 1.5 + 9.0 * 0.5);
    assert_eq!(behind.parts[0].index.as_deref(), Some("by_label"));

    let unknown = db.estimate([]).of(&sample().put().explain(&db)?)?;
    let table = db.table::<Thing>();
    assert_eq!(unknown.assumptions, [NothingReplaced, NoIndexes { table }]);
    // A check writes no index, so it does not matter which there are.
    let check = Transaction::new().with(key(1).check().if_exists());
    let check = db.estimate([]).of(&check.explain(&db)?)?;
    assert_eq!(check.assumptions, [ConditionsHold, size()]);
    let broken = sample().put().explain(&db).map(|mut explanation| {
        explanation.requests[0].truncate(30);
        explanation
    });
    assert_eq!(
        estimate.of(&broken?).unwrap_err().kind(),
        ErrorKind::Rejected
    );
    Ok(())
}

async fn a_cost_is_shown_in_a_line(db: Db) -> Outcome {
    let estimate = db.estimate([Thing::schema()]).otherwise_empty();
    let put = estimate.of(&sample().put().explain(&db)?)?;
    assert_eq!(
        put.to_string(),
        "2 write units (1 for the table, 1 for by_group)"
    );
    let get = estimate.of(&key(1).get().explain(&db)?)?;
    assert_eq!(get.to_string(), "0.5 read units");
    let strong = estimate.of(&key(1).get().consistent().explain(&db)?)?;
    assert_eq!(strong.to_string(), "1 read unit");
    let unknown = db
        .estimate([Thing::schema()])
        .of(&key(1).get().explain(&db)?)?;
    assert_eq!(
        unknown.to_string(),
        "0.5 read units, assuming that an item has 1024 bytes"
    );
    let nothing = estimate.of(&Batch::new().explain(&db)?)?;
    assert_eq!(nothing.to_string(), "nothing");
    Ok(())
}

async fn another_table_is_named(db: Db) -> Outcome {
    let member = Member {
        id: "m1".into(),
        mail: "ann@example.org".into(),
        text: "x".into(),
    };
    let both = Transaction::new()
        .with(sample().into_put())
        .with(member.into_create());
    let estimate: Estimate = db
        .estimate([Thing::schema(), Member::schema()])
        .otherwise_empty();
    let cost = estimate.of(&both.explain(&db)?)?;
    let (things, members) = (db.table::<Thing>(), db.table::<Member>());
    assert_eq!(
        cost.to_string(),
        format!(
            "7 write units (2 for {things}, 1 for by_group of {things}, 4 for {members}), assuming that its conditions hold"
        )
    );
    Ok(())
}
