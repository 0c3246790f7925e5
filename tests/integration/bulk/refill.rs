//! A refill makes the rows of older programs equal to fresh puts, and changes nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::{BulkReport, FileCheckpoint};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::{Bulk, RetryBudget, Timestamp};
use tokio::sync::Notify;

use crate::support::clock::HandClock;
use crate::support::db::{Db, Raw, n, s};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_refill_stores_what_a_put_would(Shop),
    a_refill_tells_what_lost_answers_did(Shop),
    a_refill_goes_on_after_kills_beside_other_writers(Shop),
    a_refill_keeps_changes_between_reading_and_writing(Shop),
    a_refill_leaves_expired_rows(Shop),
    a_refill_reports_rows_that_it_cannot_read(Shop),
    a_refill_with_a_finished_checkpoint_compares_again(Shop),
    the_schema_knows_that_refill_is_needed,
];

/// The declaration of the programs that ran before: without the indexes and without the priority.
mod before {
    use dynamo_entity::prelude::*;

    use super::Status;

    crate::declare! {
        pub table Shop(name = "refilled", pk = "pk", sk = "sk", entities(Order),
            gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        pub entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:05}"),
            gsi(by_total, on = gsi1, pk = "TOTAL#{status}", sk = "{total:06}"))
            { pub user: String, pub number: u32, pub region: Option<String>, pub status: Status, pub total: u32,
              pub due: Option<u32>, #[dynamo(ttl)] pub expires: Option<i64>, #[dynamo(version)] pub version: Version }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, DynamoValue)]
pub enum Status {
    Open,
    Paid,
}

crate::declare! {
    table Shop(name = "refilled", pk = "pk", sk = "sk", entities(Order, Note),
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk"),
        gsi(gsi3, pk = "gsi3pk", sk = "gsi3sk"), gsi(gsi4, pk = "gsi4pk"));
    entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:05}"),
        gsi(by_total, on = gsi1, pk = "TOTAL#{status}", sk = "{total:06}"),
        gsi(by_region, on = gsi2, pk = "REGION#{region}", sk = "{number:05}", filling),
        gsi(open, on = gsi3, pk = "OPEN#{user}", sk = "{due:last}", when(status = Status::Open), filling),
        gsi(spread, on = gsi4, pk = "STATUS#{status}", shards = 4, filling))
        { user: String, number: u32, region: Option<String>, status: Status, total: u32, due: Option<u32>,
          #[dynamo(default = 3)] priority: u8, #[dynamo(ttl)] expires: Option<i64>,
          #[dynamo(version)] version: Version, #[dynamo(updated_at)] updated: Option<Timestamp> }
    /// Another entity of the same partitions.
    entity Note(table = Shop, key(pk = "USER#{user}", sk = "NOTE")) { user: String }
}

const USERS: [&str; 3] = ["ann", "bob", "cyd"];

pub(super) struct Random(pub(super) fastrand::Rng);

impl Random {
    fn order(&mut self, number: u32) -> before::Order {
        let rng = &mut self.0;
        before::Order {
            user: USERS[rng.usize(..3)].into(),
            number,
            region: [None, Some("EU"), Some("US"), Some("")][rng.usize(..4)].map(str::to_owned),
            status: [Status::Open, Status::Paid][rng.usize(..2)],
            total: rng.u32(..100),
            due: [None, Some(5), Some(70)][rng.usize(..3)],
            expires: None,
            version: Version::default(),
        }
    }

    fn new_order(&mut self, number: u32) -> Order {
        let old = self.order(number);
        Order {
            user: old.user,
            number,
            region: old.region,
            status: old.status,
            total: old.total,
            due: old.due,
            priority: self.0.u8(..5),
            expires: None,
            version: Version::default(),
            updated: None,
        }
    }

    /// A row of an old program, of a new one, or one whose derived attributes were damaged.
    async fn write(&mut self, db: &Db, number: u32) -> Result<()> {
        if self.0.u8(..4) > 0 {
            self.order(number).create().send(db).await?;
            return Ok(());
        }
        let order = self.new_order(number).create().send(db).await?;
        let mut item = db.stored(&order.key()).await;
        for name in ["gsi1sk", "gsi2pk", "gsi2sk", "gsi3pk", "gsi4pk", "priority"] {
            match self.0.u8(..6) {
                0 => drop(item.remove(name)),
                1 if name != "priority" => drop(item.insert(name.into(), s("STALE#1"))),
                _ => {}
            }
        }
        db.plant::<Order>(item).await;
        Ok(())
    }

    pub(super) fn faults(&mut self, requests: usize) -> Vec<Fault> {
        let one = |rng: &mut fastrand::Rng| match rng.u8(..12) {
            0 => Fault::Lose,
            1 => Fault::Late(rng.usize(1..6)),
            2 => Fault::throttle(),
            3 => Fault::Io,
            _ => Fault::Pass,
        };
        (0..requests).map(|_| one(&mut self.0)).collect()
    }
}

/// All items of the table.
async fn items(db: &Db) -> BTreeMap<String, Raw> {
    items_of::<Shop>(db).await
}

pub(super) async fn items_of<T: DynamoTable>(db: &Db) -> BTreeMap<String, Raw> {
    let scan = db.client().scan().table_name(db.table::<T>());
    let found = scan.consistent_read(true).send().await.expect("a scan");
    let named = |item: Raw| {
        let keys = ["pk", "sk"].into_iter().filter_map(|name| item.get(name));
        let keys = keys.map(|key| key.as_s().expect("a text").as_str());
        (keys.collect::<Vec<_>>().join(" "), item)
    };
    found
        .items
        .unwrap_or_default()
        .into_iter()
        .map(named)
        .collect()
}

/// The items as fresh puts of the same orders would store them: found by the puts themselves, in other tables.
async fn as_put(db: &Db) -> Result<BTreeMap<String, Raw>, Box<dyn std::error::Error>> {
    let other = Db::open(db.mode()).await?;
    other.create_tables([Shop::schema()]).await?;
    for order in Order::scan().consistent().all(db).await? {
        order.put().as_is().send(&other).await?;
    }
    let items = items(&other).await;
    other.close().await?;
    Ok(items)
}

fn refill<'j>() -> Bulk<'j> {
    Order::scan().page_size(7).refill().concurrency(4)
}

/// The number of rows that differ from fresh puts of them.
async fn differing(db: &Db) -> Result<u64, Box<dyn std::error::Error>> {
    let (stored, fresh) = (items(db).await, as_put(db).await?);
    assert_eq!(stored.len(), fresh.len());
    let differ = stored.iter().filter(|(key, item)| fresh[*key] != **item);
    Ok(differ.count() as u64)
}

/// Asserts that every row is what a put would store, that nothing is left to do, and that another run writes nothing.
async fn assert_filled(db: &Db) -> Outcome {
    let stored = items(db).await;
    assert_eq!(stored, as_put(db).await?);
    assert_eq!(Order::scan().unfilled(db).await?, 0);
    let again = refill().send(db).await?.complete()?;
    assert_eq!((again.written, again.unchanged), (0, stored.len() as u64));
    assert_eq!(items(db).await, stored);
    Ok(())
}

async fn a_refill_stores_what_a_put_would(db: Db) -> Outcome {
    let mut random = Random(fastrand::Rng::with_seed(8));
    for round in 0..3 {
        for number in 0..60 {
            random.write(&db, round * 60 + number).await?;
        }
        let before = Order::scan().consistent().all(&db).await?;
        let differ = differing(&db).await?;
        assert!(differ > 30, "{differ}");
        assert_eq!(Order::scan().unfilled(&db).await?, differ);
        let report = Order::scan().segments(3).refill().send(&db).await?;
        assert_eq!(report.complete()?.written, differ);
        assert_filled(&db).await?;
        assert_eq!(Order::scan().consistent().all(&db).await?, before);
    }
    Ok(())
}

async fn a_refill_tells_what_lost_answers_did(db: Db) -> Outcome {
    for seed in 0..6 {
        let mut random = Random(fastrand::Rng::with_seed(seed));
        for number in 0..40 {
            random.write(&db, seed as u32 * 40 + number).await?;
        }
        let differ = differing(&db).await?;
        let (faulty, _) = db.faulty(random.faults(400));
        let job = refill().budget(RetryBudget::rounds(50));
        let report = job.send(&faulty).await?.complete()?;
        assert_eq!(report.written, differ, "seed {seed}");
        assert_filled(&db).await?;
    }
    Ok(())
}

/// Runs the job until it has dealt with this many rows, and then drops it wherever it is.
pub(super) async fn killed(job: Bulk<'_>, db: &Dynamo, rows: u64) -> Option<Result<BulkReport>> {
    let signal = Arc::new(Notify::new());
    let kill = signal.clone();
    let job = job.on_progress(move |so_far| {
        if so_far.found >= rows {
            kill.notify_one();
        }
    });
    tokio::select! {
        biased;
        () = signal.notified() => None,
        report = job.send(db) => Some(report),
    }
}

async fn a_refill_goes_on_after_kills_beside_other_writers(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    for seed in 0..3 {
        let mut random = Random(fastrand::Rng::with_seed(100 + seed));
        for number in 0..60 {
            random.write(&db, seed as u32 * 60 + number).await?;
        }
        let stops = Arc::new(AtomicBool::new(false));
        let (others, is_over) = (Dynamo::clone(&db), stops.clone());
        let mut writer = Random(fastrand::Rng::with_seed(200 + seed));
        let writes = tokio::spawn(async move {
            let orders = Order::scan().all(&others).await.expect("rows");
            while !is_over.load(Ordering::Relaxed) {
                let key = writer.0.choice(&orders).expect("an order").key();
                let changed = writer.new_order(0);
                let write = key.modify(move |order| {
                    order.region.clone_from(&changed.region);
                    order.status = changed.status;
                    order.due = changed.due;
                });
                write.send(&others).await.expect("a change");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        let mut runs = 0;
        loop {
            runs += 1;
            let (faulty, _) = db.faulty(random.faults(200));
            let job = refill()
                .budget(RetryBudget::rounds(50))
                .checkpoint("fill", FileCheckpoint::new(folder.path().join("job")))
                .save_every(Duration::from_millis(2));
            let rows = if runs > 12 {
                u64::MAX
            } else {
                random.0.u64(1..200)
            };
            if let Some(report) = killed(job, &faulty, rows).await {
                report?.complete()?;
                break;
            }
        }
        stops.store(true, Ordering::Relaxed);
        writes.await?;
        // An attempt that was under way when the job was killed may come late, and writes nothing wrong.
        assert_filled(&db).await?;
    }
    Ok(())
}

/// The job has read all rows when the first one is done. Meanwhile others change those that follow.
async fn a_refill_keeps_changes_between_reading_and_writing(db: Db) -> Outcome {
    let mut random = Random(fastrand::Rng::with_seed(1));
    for number in 0..6 {
        let order = before::Order {
            user: "ann".into(),
            region: Some("EU".into()),
            status: Status::Open,
            ..random.order(number)
        };
        order.create().send(&db).await?;
        // This one lacks only its priority, so that nothing but an absence is compared.
        if number == 5 {
            let full = Order::key("ann", number)
                .get()
                .send(&db)
                .await?
                .expect("an order");
            full.put().as_is().send(&db).await?;
            let mut item = db.stored(&full.key()).await;
            item.remove("priority");
            db.plant::<Order>(item).await;
        }
    }
    let mut is_first = true;
    let report = Order::in_partition("ann")
        .refill()
        .concurrency(1)
        .on_progress(|_| {
            if !std::mem::take(&mut is_first) {
                return;
            }
            meanwhile(async {
                let key = |number: u32| Order::key("ann", number);
                let put = |number: u32| before::Order::key("ann", number);
                // By a program of each declaration.
                let us = key(1).modify(|order| order.region = Some("US".into()));
                us.send(&db).await.expect("a change");
                let paid = put(2).modify(|order| order.status = Status::Paid);
                paid.send(&db).await.expect("a change");
                let paid = key(3).modify(|order| order.status = Status::Paid);
                paid.send(&db).await.expect("a change");
                key(4).delete().send(&db).await.expect("a delete");
                key(5).delete().send(&db).await.expect("a delete");
            });
        })
        .send(&db)
        .await?
        .complete()?;
    // Another program has written two of the rows as they are to be.
    assert_eq!((report.found, report.vanished), (6, 2), "{report:?}");
    assert_eq!(items(&db).await.len(), 4, "no deleted row has come back");
    assert_filled(&db).await
}

async fn a_refill_leaves_expired_rows(db: Db) -> Outcome {
    let clock = HandClock::at("2026-11-01T00:00:00Z");
    let now = db.at(&clock);
    let mut random = Random(fastrand::Rng::with_seed(2));
    for number in 0..10 {
        let order = before::Order {
            expires: Some(clock.seconds() + if number < 6 { 10 } else { 1000 }),
            ..random.order(number)
        };
        order.create().send(&now).await?;
    }
    assert_eq!(Order::scan().unfilled(&now).await?, 10);
    clock.advance(20_000);
    let before = items(&db).await;
    assert_eq!(Order::scan().unfilled(&now).await?, 4);
    assert_eq!(Order::scan().include_expired().unfilled(&now).await?, 4);
    let report = Order::scan().include_expired().refill().send(&now).await?;
    assert_eq!(report.complete()?.written, 4);
    let after = items(&db).await;
    let changed = after.iter().filter(|(key, item)| before[*key] != **item);
    assert_eq!(changed.count(), 4);
    assert_eq!(Order::scan().unfilled(&now).await?, 0);
    Ok(())
}

async fn a_refill_reports_rows_that_it_cannot_read(db: Db) -> Outcome {
    let mut random = Random(fastrand::Rng::with_seed(3));
    for number in 0..8 {
        random.order(number).create().send(&db).await?;
    }
    Note { user: "ann".into() }.put().send(&db).await?;
    let mut keys = Order::scan().consistent().all(&db).await?.into_iter();
    let mut plant = async |name: &str, value: AttributeValue| {
        let key = keys.next().expect("an order").key();
        let mut item = db.stored(&key).await;
        item.insert(name.into(), value);
        db.plant::<Order>(item).await;
    };
    plant("_shape", n(2)).await;
    plant("total", s("many")).await;
    let before = items(&db).await;
    let report = refill().send(&db).await?;
    assert_eq!((report.written, report.failed), (6, 2));
    let reported = report.errors().iter().map(|row| row.key_of::<Order>());
    assert!(
        reported
            .into_iter()
            .all(|key| key.is_ok_and(|key| key.is_some()))
    );
    let after = items(&db).await;
    let changed = after.iter().filter(|(key, item)| before[*key] != **item);
    assert_eq!(changed.count(), 6);
    let refused = Order::scan().unfilled(&db).await.expect_err("an error");
    assert!(refused.to_string().contains("2 of 8 rows"), "{refused}");
    Ok(())
}

async fn a_refill_with_a_finished_checkpoint_compares_again(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut random = Random(fastrand::Rng::with_seed(4));
    for round in 0..2 {
        for number in 0..10 {
            random.order(round * 10 + number).create().send(&db).await?;
        }
        let file = FileCheckpoint::new(folder.path().join("job"));
        let report = refill().checkpoint("fill", file).send(&db).await?;
        assert!(!report.was_finished());
        assert_eq!(report.complete()?.written, 10);
    }
    let marked = |item: &Raw| {
        item.keys()
            .any(|name| name.starts_with('_') && name != "_type")
    };
    assert!(!items(&db).await.values().any(marked));
    Ok(())
}

/// The word is known to what is made of the declaration.
async fn the_schema_knows_that_refill_is_needed(_: Db) -> Outcome {
    let schema = Shop::schema();
    let order = schema.entity("Order").expect("the entity");
    let filling: Vec<_> = order
        .patterns
        .iter()
        .map(|pattern| pattern.is_filling)
        .collect();
    assert_eq!(filling, [false, true, true, true]);
    let read = TableSchema::from_json(&schema.to_json()).expect("a schema");
    assert_eq!(read, schema);
    let refused = Shop::schema().dynamic("Order")?.query("by_region", ["EU"]);
    let refused = refused.expect_err("a refusal").to_string();
    assert!(refused.contains("`filling`"), "{refused}");
    Ok(())
}
