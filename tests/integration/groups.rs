//! Groups: several workers in this process, with separate connections, that join, stop and die.

mod killed;
mod rejected;
mod simulated;
mod storm;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    ConsumerEvent, HandlerError, LeaseTable, ParkedChange, ParkedTable, ShardLease, StreamGroup,
};
use futures_util::future::{Either, join_all, select};
use tokio::time::{sleep, timeout};

use killed::killed_workers_lose_no_change;
pub use killed::{CHILD, child};
use rejected::*;
use storm::{
    Tally, changes_are_handled_in_order_in_a_storm, no_handler_begins_after_a_long_pause,
    shards_are_handed_over_to_a_new_worker, writes_take_effect_once_in_a_storm,
};

use crate::support::db::Db;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_group_continues_where_it_stopped(Parcel, LeaseTable),
    a_dead_worker_is_replaced(Parcel, LeaseTable),
    workers_that_join_and_leave_lose_no_change(Parcel, LeaseTable),
    writes_take_effect_once_if_workers_die(Parcel, Total, LeaseTable),
    no_write_takes_effect_under_a_lost_lease(Parcel, Total, LeaseTable),
    a_change_that_fails_is_repeated_and_parked(Parcel, LeaseTable, ParkedTable),
    a_write_that_is_rejected_is_parked_alone(Parcel, Total, LeaseTable, ParkedTable),
    a_deleted_lease_is_an_error(Parcel, LeaseTable),
    another_stream_is_an_error(Parcel, LeaseTable),
    a_second_group_is_reported(Parcel, LeaseTable),
    another_consumer_with_the_same_name_is_an_error(Stores, LeaseTable),
    the_future_of_a_consumer_can_be_sent(Parcel, LeaseTable),
    a_new_group_begins_with_the_latest_change(Parcel, LeaseTable),
    a_group_without_its_row_is_an_error(Parcel, LeaseTable),
    a_stream_without_the_images_is_an_error(Letter, LeaseTable),
    a_worker_without_an_entity_of_the_group_ends(Stores, LeaseTable),
    a_worker_of_another_stream_ends(Parcel, LeaseTable),
    a_shutdown_ends_a_worker_that_cannot_join(Parcel, LeaseTable),
    an_idle_group_sends_the_estimated_requests(Parcel, LeaseTable),
    a_missing_table_of_parked_changes_is_an_error(Parcel, LeaseTable),
    operations_that_cannot_be_added_are_not_ignored(Parcel, Total, LeaseTable),
    changes_from_before_the_oldest_record_are_lost(LeaseTable),
    a_description_of_busy_pages_is_completed(LeaseTable),
    leases_without_transactions_are_an_error(Parcel, LeaseTable),
    trimmed_changes_are_an_error_or_an_event(LeaseTable),
    a_stream_that_is_replaced_ends_the_group(LeaseTable),
    a_table_that_is_created_again_ends_the_group(Parcel, LeaseTable),
    a_stream_that_was_replaced_is_read_to_its_end(LeaseTable),
    killed_workers_lose_no_change,
    shards_are_handed_over_to_a_new_worker(LeaseTable),
    no_handler_begins_after_a_long_pause(LeaseTable),
    changes_are_handled_in_order_in_a_storm(LeaseTable, ParkedTable),
    writes_take_effect_once_in_a_storm(Tally, LeaseTable, ParkedTable),
];

crate::declare! {
    entity Parcel(table = "group-parcels", key(pk = number), stream = new_and_old_images) { number: u32, cents: u64 }
    entity Total(table = "group-totals", key(pk = name)) { name: String, cents: u64 }
}

const LEASE: Duration = Duration::from_millis(1_500);

async fn put(db: &Dynamo, numbers: impl IntoIterator<Item = u32>) -> Outcome {
    for number in numbers {
        let cents = u64::from(number);
        Parcel { number, cents }.put().send(db).await?;
    }
    Ok(())
}

/// Waits until a condition is met.
async fn until(is_done: impl Fn() -> bool) {
    let waiting = async {
        while !is_done() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(120), waiting)
        .await
        .expect("it comes to its end");
}

type Counts = Mutex<BTreeMap<u32, usize>>;

fn note(counts: &Counts, number: u32) {
    *counts.lock().expect("no panic").entry(number).or_default() += 1;
}

fn different(counts: &Counts) -> usize {
    counts.lock().expect("no panic").len()
}

async fn work(db: &Dynamo, counts: &Counts, shutdown: impl Future<Output = ()>) -> Result<()> {
    Parcel::consumer("mailer")
        .lease_time(LEASE)
        .longest_pause(Duration::from_millis(200))
        .each(async |change| -> Result<()> {
            note(counts, change.event.after().expect("no removals").number);
            Ok(())
        })
        .run(db, shutdown)
        .await
}

async fn a_group_continues_where_it_stopped(db: Db) -> Outcome {
    let counts = Counts::default();
    for round in 1..=3 {
        put(&db, (round - 1) * 10..round * 10).await?;
        work(
            &db,
            &counts,
            until(|| different(&counts) == round as usize * 10),
        )
        .await?;
    }
    // A worker that stops saves the place, so no change is handled twice.
    assert!(
        counts
            .lock()
            .expect("no panic")
            .values()
            .all(|count| *count == 1),
        "{counts:?}"
    );
    Ok(())
}

async fn a_dead_worker_is_replaced(db: Db) -> Outcome {
    let counts = Counts::default();
    put(&db, 0..10).await?;
    // The future is dropped, as if the process had died, so no lease is released.
    let dying = std::pin::pin!(work(&db, &counts, std::future::pending()));
    match select(dying, std::pin::pin!(until(|| different(&counts) == 10))).await {
        Either::Left((ended, _)) => panic!("{ended:?}"),
        Either::Right(_) => {}
    }
    put(&db, 10..20).await?;
    work(&db, &counts, until(|| different(&counts) == 20)).await?;
    Ok(())
}

async fn workers_that_join_and_leave_lose_no_change(db: Db) -> Outcome {
    let counts = Counts::default();
    let writer = async {
        for number in 0..300 {
            put(&db, [number]).await.expect("written");
            sleep(Duration::from_millis(10)).await;
        }
    };
    let workers = (0..3_u64).map(|worker| {
        let (db, counts) = (&db, &counts);
        async move {
            sleep(Duration::from_millis(700 * worker)).await;
            // Each worker stops, and a new one starts after a while.
            for life in 0..3 {
                let life = Duration::from_millis(800 + 500 * life + 300 * worker);
                work(db, counts, sleep(life)).await.expect("a clean stop");
            }
            work(db, counts, until(|| different(counts) == 300))
                .await
                .expect("a clean stop");
        }
    });
    tokio::join!(writer, join_all(workers));
    assert_eq!(different(&counts), 300);
    Ok(())
}

async fn add_up(db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()> {
    Parcel::consumer("adder")
        .lease_time(LEASE)
        .longest_pause(Duration::from_millis(200))
        .each_in(|change, tx| {
            let cents = change.event.after().expect("no removals").cents;
            tx.with(
                Total::key("all")
                    .upsert()
                    .apply(|total| total.cents().add(cents)),
            )
        })
        .run(db, shutdown)
        .await
}

async fn total(db: &Dynamo) -> Result<u64> {
    let total = Total::key("all").get().consistent().send(db).await?;
    Ok(total.map_or(0, |total| total.cents))
}

/// Workers die in the middle of their work, because their futures are dropped. In the end, the total is the sum of all
/// rows.
async fn writes_take_effect_once_if_workers_die(db: Db) -> Outcome {
    let all: u64 = (0..200).sum();
    let writer = async {
        put(&db, 0..200).await.expect("written");
    };
    let workers = (0..2_u64).map(|worker| {
        let db = &db;
        async move {
            for life in 0..4 {
                let life = Duration::from_millis(300 + 450 * life + 170 * worker);
                let dying = add_up(db, std::future::pending());
                drop(timeout(life, dying).await);
            }
        }
    });
    tokio::join!(writer, join_all(workers));
    let is_done = async {
        while total(&db).await.expect("read") < all {
            sleep(Duration::from_millis(50)).await;
        }
        // A change that is handled twice would be handled again now.
        sleep(Duration::from_millis(500)).await;
    };
    timeout(Duration::from_secs(120), add_up(&db, is_done)).await??;
    assert_eq!(total(&db).await?, all);
    Ok(())
}

async fn no_write_takes_effect_under_a_lost_lease(db: Db) -> Outcome {
    put(&db, 1..=3).await?;
    let is_stolen = AtomicUsize::new(0);
    let steal = async || {
        let leases = ShardLease::in_partition("adder")
            .consistent()
            .all(&db)
            .await?;
        let lease = leases
            .iter()
            .find(|lease| lease.owner.is_some())
            .expect("a lease");
        let epoch = lease.epoch + 1;
        let key = ShardLease::key("adder", &lease.shard);
        let stolen = key
            .update()
            .apply(|lease| (lease.owner().set("thief"), lease.epoch().set(epoch)));
        stolen.send(&db).await
    };
    let stop = async {
        until(|| is_stolen.load(Ordering::Relaxed) == 1).await;
        sleep(Duration::from_millis(400)).await;
    };
    Parcel::consumer("adder")
        .lease_time(LEASE)
        .each_in(|change, tx| {
            let parcel = change.event.after().expect("no removals");
            if parcel.number == 3 {
                meanwhile(steal())?;
                is_stolen.store(1, Ordering::Relaxed);
            }
            let cents = parcel.cents;
            tx.with(
                Total::key("all")
                    .upsert()
                    .apply(|total| total.cents().add(cents)),
            )
        })
        .run(&db, stop)
        .await?;
    assert_eq!(
        total(&db).await?,
        1,
        "the second change was sent after the third one was planned"
    );
    Ok(())
}

async fn a_change_that_fails_is_repeated_and_parked(db: Db) -> Outcome {
    let (tries, done) = (AtomicUsize::new(0), Counts::default());
    put(&db, 1..=3).await?;
    Parcel::consumer("mailer")
        .lease_time(LEASE)
        .park_after(3)
        .each(async |change| {
            let number = change.event.after().expect("no removals").number;
            if number == 2 {
                tries.fetch_add(1, Ordering::Relaxed);
                return Err("no such address");
            }
            note(&done, number);
            Ok(())
        })
        .run(&db, until(|| different(&done) == 2))
        .await?;
    // 3 is handled after 2 was parked, or before that on a server with several shards.
    let parked = ParkedChange::list("mailer", &db).await?;
    assert_eq!(tries.load(Ordering::Relaxed), 3);
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].reason, "no such address");
    Ok(())
}

async fn a_write_that_is_rejected_is_parked_alone(db: Db) -> Outcome {
    put(&db, 1..=5).await?;
    let is_over = async {
        while total(&db).await.expect("read") < 12 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    Parcel::consumer("adder")
        .lease_time(LEASE)
        .park_after(2)
        .each_in(|change, tx| {
            let parcel = change.event.after().expect("no removals");
            if parcel.number == 3 {
                // The condition fails, because the item does not exist.
                tx.with(
                    Total::key("none")
                        .update()
                        .apply(|total| total.cents().add(1)),
                )?;
            }
            let cents = parcel.cents;
            tx.with(
                Total::key("all")
                    .upsert()
                    .apply(|total| total.cents().add(cents)),
            )
        })
        .run(&db, is_over)
        .await?;
    assert_eq!(total(&db).await?, 12, "1 + 2 + 4 + 5");
    assert_eq!(ParkedChange::list("adder", &db).await?.len(), 1);
    Ok(())
}

async fn a_deleted_lease_is_an_error(db: Db) -> Outcome {
    let counts = Counts::default();
    put(&db, 0..3).await?;
    work(&db, &counts, until(|| different(&counts) == 3)).await?;
    let leases = ShardLease::in_partition("mailer").all(&db).await?;
    ShardLease::key("mailer", &leases[0].shard)
        .delete()
        .send(&db)
        .await?;
    let ended = timeout(
        Duration::from_secs(60),
        work(&db, &counts, std::future::pending()),
    )
    .await?;
    let error = ended.expect_err("a deleted lease");
    assert!(error.to_string().contains(&leases[0].shard), "{error}");

    StreamGroup::forget("mailer", &db).await?;
    let again = Counts::default();
    work(&db, &again, until(|| different(&again) == 3)).await?;
    Ok(())
}

async fn another_stream_is_an_error(db: Db) -> Outcome {
    let counts = Counts::default();
    put(&db, 0..1).await?;
    work(&db, &counts, until(|| different(&counts) == 1)).await?;
    let renamed = StreamGroup::key("mailer")
        .update()
        .apply(|group| group.stream().set("arn:old"));
    renamed.send(&db).await?;
    let error = work(&db, &counts, std::future::pending())
        .await
        .expect_err("another stream");
    assert!(error.to_string().contains("arn:old"), "{error}");
    Ok(())
}

async fn a_second_group_is_reported(db: Db) -> Outcome {
    let counts = Counts::default();
    put(&db, 0..1).await?;
    work(&db, &counts, until(|| different(&counts) == 1)).await?;
    let (others, seen) = (
        std::sync::Arc::new(Mutex::new(Vec::new())),
        Counts::default(),
    );
    let heard = others.clone();
    Parcel::consumer("indexer")
        .lease_time(LEASE)
        .on_event(move |event| {
            if let ConsumerEvent::OtherGroups(groups) = event {
                heard.lock().expect("no panic").extend_from_slice(groups);
            }
        })
        .each(async |change| -> Result<()> {
            note(&seen, change.event.after().expect("no removals").number);
            Ok(())
        })
        .run(&db, until(|| different(&seen) == 1))
        .await?;
    assert_eq!(*others.lock().expect("no panic"), ["mailer"]);
    Ok(())
}

crate::declare! {
    table Stores(name = "group-stores", pk = "pk", sk = "sk", entities(Store, Shelf), stream = new_and_old_images);
    entity Store(table = Stores, key(pk = "STORE#{id}", sk = "STORE")) { id: u32 }
    entity Shelf(table = Stores, key(pk = "STORE#{id}", sk = "SHELF#{shelf}")) { id: u32, shelf: u32 }
}

#[derive(Debug, DynamoCollection)]
#[dynamo(table = Stores, partition(id))]
enum StoreRow {
    Store(Store),
    Shelf(Shelf),
}

/// Two consumers with one name would skip the changes of each other.
async fn another_consumer_with_the_same_name_is_an_error(db: Db) -> Outcome {
    let is_done = AtomicUsize::new(0);
    Store { id: 1 }.put().send(&db).await?;
    let stores = Store::consumer("mailer").each(async |_| -> Result<()> {
        is_done.store(1, Ordering::Relaxed);
        Ok(())
    });
    stores
        .run(&db, until(|| is_done.load(Ordering::Relaxed) == 1))
        .await?;
    let shelves = Shelf::consumer("mailer").each(async |_| Ok::<_, Error>(()));
    let error = shelves
        .run(&db, std::future::pending())
        .await
        .expect_err("another entity");
    assert!(error.to_string().contains("Shelf"), "{error}");
    Ok(())
}

/// The estimate is of an hour; a few seconds show the same rates, apart from the beginning.
async fn an_idle_group_sends_the_estimated_requests(db: Db) -> Outcome {
    let (counted, http) = db.faulty([]);
    let consumer = || {
        let consumer = Parcel::consumer("mailer").lease_time(Duration::from_secs(3));
        consumer.longest_pause(Duration::from_millis(500))
    };
    let seconds = 8;
    let shutdown = sleep(Duration::from_secs(seconds));
    let handled = consumer().each(async |_| Ok::<_, Error>(()));
    handled.run(&counted, shutdown).await?;
    let calls = http.calls();
    let count = |names: &[&str]| {
        calls
            .iter()
            .filter(|call| names.contains(&&***call))
            .count() as f64
    };
    let cost = consumer().idle_cost(1, 1);
    let of_time = |an_hour: f64| an_hour * seconds as f64 / 3_600.0;
    for (sent, estimated) in [
        (count(&["GetRecords"]), of_time(cost.stream_reads)),
        (count(&["UpdateItem"]), of_time(cost.write_units)),
        (count(&["Query"]), of_time(cost.read_units)),
    ] {
        let is_near = sent >= 0.6 * estimated && sent <= 1.4 * estimated + 4.0;
        assert!(is_near, "{sent} requests instead of {estimated}: {calls:?}");
    }
    Ok(())
}

async fn the_future_of_a_consumer_can_be_sent(db: Db) -> Outcome {
    let counts = std::sync::Arc::new(Counts::default());
    put(&db, 0..3).await?;
    let (seen, dynamo) = (counts.clone(), Dynamo::clone(&db));
    let each = tokio::spawn(async move {
        let handled = seen.clone();
        let handler = move |change: dynamo_entity::streams::ItemChange<Parcel>| {
            let handled = handled.clone();
            async move {
                note(&handled, change.event.after().expect("no removals").number);
                Ok::<_, Error>(())
            }
        };
        let consumer = Parcel::consumer("mailer").each(handler);
        consumer
            .run(&dynamo, until(move || different(&seen) == 3))
            .await
    });
    each.await??;
    let dynamo = Dynamo::clone(&db);
    let each_in = tokio::spawn(async move {
        let consumer = Parcel::consumer("adder").each_in(|_, _| Ok::<_, Error>(()));
        consumer
            .run(&dynamo, sleep(Duration::from_millis(100)))
            .await
    });
    each_in.await??;
    // The same with closures that the chapter shows, whose error is any error.
    let (dynamo, counts) = (Dynamo::clone(&db), std::sync::Arc::new(Counts::default()));
    let each = tokio::spawn(async move {
        let consumer = Parcel::consumer("reader").each(async |change| {
            note(&counts, change.event.after().expect("no removals").number);
            Ok::<_, HandlerError>(())
        });
        consumer
            .run(&dynamo, until(|| different(&counts) == 3))
            .await
    });
    each.await??;
    let dynamo = Dynamo::clone(&db);
    let each_in = tokio::spawn(async move {
        let consumer = Parcel::consumer("counter").each_in(|_, _| Ok::<_, HandlerError>(()));
        consumer.run(&dynamo, async {}).await
    });
    each_in.await??;
    Ok(())
}

async fn a_new_group_begins_with_the_latest_change(db: Db) -> Outcome {
    // DynamoDB Local rounds the times of records to a minute.
    let is_exact = matches!(db.engine(), crate::support::engine::Engine::Embedded(_));
    put(&db, 0..5).await?;
    if is_exact {
        sleep(Duration::from_millis(12_100)).await;
    }
    let counts = Counts::default();
    let consumer = Parcel::consumer("mailer")
        .start_at_latest()
        .longest_pause(Duration::from_millis(200))
        .each(async |change| -> Result<()> {
            note(&counts, change.event.after().expect("no removals").number);
            Ok(())
        });
    let is_last = || counts.lock().expect("no panic").contains_key(&9);
    let writer = async {
        while !is_last() {
            put(&db, 9..10).await.expect("written");
            Parcel {
                number: 9,
                cents: 1,
            }
            .put()
            .send(&db)
            .await
            .expect("written");
            sleep(Duration::from_millis(100)).await;
        }
    };
    let (ran, ()) = tokio::join!(consumer.run(&db, until(is_last)), writer);
    ran?;
    if is_exact {
        assert_eq!(different(&counts), 1, "{counts:?}");
    }
    Ok(())
}

/// A new row of the group would not have its start.
async fn a_group_without_its_row_is_an_error(db: Db) -> Outcome {
    let counts = Counts::default();
    put(&db, 0..1).await?;
    work(&db, &counts, until(|| different(&counts) == 1)).await?;
    StreamGroup::key("mailer").delete().send(&db).await?;
    let error = work(&db, &counts, std::future::pending())
        .await
        .expect_err("no row");
    assert!(
        error.to_string().contains("the row of the group"),
        "{error}"
    );
    // The group can be started again, as the error says.
    StreamGroup::forget("mailer", &db).await?;
    let again = Counts::default();
    work(&db, &again, until(|| different(&again) == 1)).await?;
    Ok(())
}
