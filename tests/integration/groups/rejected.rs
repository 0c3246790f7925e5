//! Streams and tables that a group cannot use, and changes that the stream no longer has.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ConsumerEvent, LeaseTable, StreamGroup};
use tokio::time::timeout;

use super::simulated::{Simulated, simulate};
use super::{Counts, LEASE, Parcel, Store, StoreRow, Total, different, note, put, until, work};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;

crate::declare! {
    pub entity Letter(table = "group-letters", key(pk = number), stream = new_image) { number: u32 }
}

/// The fleet would repeat each change for ever, or park all of them.
pub async fn a_stream_without_the_images_is_an_error(db: Db) -> Outcome {
    Letter { number: 1 }.put().send(&db).await?;
    let consumer = Letter::consumer("reader").each(async |_| Ok::<_, Error>(()));
    let error = consumer.run(&db, std::future::pending()).await;
    let error = error.expect_err("the stream has no old images");
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(
        error.to_string().contains("`Letter::new_image_consumer`"),
        "{error}"
    );
    assert_eq!(StreamGroup::key("reader").get().send(&db).await?, None);
    let seen = Counts::default();
    Letter::new_image_consumer("reader")
        .each(async |change| -> Result<()> {
            note(&seen, change.event.after().expect("no removals").number);
            Ok(())
        })
        .run(&db, until(|| different(&seen) == 1))
        .await
        .map_err(Into::into)
}

pub async fn leases_without_transactions_are_an_error(db: Db) -> Outcome {
    let name = db.table::<LeaseTable>();
    let described = |more: &str| {
        let table = format!(
            r#"{{"Table":{{"TableName":"{name}","TableStatus":"ACTIVE","TableArn":"arn:aws:dynamodb:eu-west-1:1:table/{name}",
            "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}},{{"AttributeName":"sk","KeyType":"RANGE"}}],
            "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}},{{"AttributeName":"sk","AttributeType":"S"}}]
            {more}}}}}"#
        );
        Fault::Reply(200, table)
    };
    let strong = r#","Replicas":[{"RegionName":"eu-west-2"}],"MultiRegionConsistency":"STRONG""#;
    let (faulty, http) = db.faulty([described(strong)]);
    let consumer = || Parcel::consumer("adder").each_in(|_, _| Ok::<_, Error>(()));
    let error = consumer().run(&faulty, std::future::pending()).await;
    let error = error.expect_err("no transactions");
    assert_eq!(error.kind(), ErrorKind::NoTransactions, "{error}");
    assert!(error.to_string().contains(&name), "{error}");
    assert_eq!(http.calls(), ["DescribeTable"]);
    assert_eq!(StreamGroup::key("adder").get().send(&db).await?, None);
    // Any other table passes, also one that the caller may not describe.
    for reply in [described(""), Fault::refuse("AccessDeniedException")] {
        let (faulty, _) = db.faulty([reply]);
        let has_begun = Arc::new(AtomicUsize::new(0));
        let begun = has_begun.clone();
        let consumer = Parcel::consumer("adder")
            .lease_time(LEASE)
            .on_event(move |event| {
                if let ConsumerEvent::ShardStarted { .. } = event {
                    begun.store(1, Ordering::Relaxed);
                }
            });
        let consumer = consumer.each_in(|_, _| Ok::<_, Error>(()));
        let has_begun = || has_begun.load(Ordering::Relaxed) == 1;
        consumer.run(&faulty, until(has_begun)).await?;
    }
    Ok(())
}

/// Writes this many changes, whose items are numbered from zero, one after the other.
fn write(simulated: &Simulated<SharedHttpClient>, changes: usize) {
    for _ in 0..changes {
        simulated.world().write();
    }
}

/// The number of items with changes.
fn written(simulated: &Simulated<SharedHttpClient>) -> usize {
    simulated.world().versions.len()
}

pub async fn trimmed_changes_are_an_error_or_an_event(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    write(&simulated, 100);
    let counts = Counts::default();
    work(
        &through,
        &counts,
        until(|| different(&counts) == written(&simulated)),
    )
    .await?;
    let handled: usize = counts.lock().expect("no panic").values().sum();

    write(&simulated, 100);
    simulated.world().trim();
    let ended = work(&through, &counts, std::future::pending());
    let error = timeout(Duration::from_secs(60), ended)
        .await?
        .expect_err("a loss");
    assert_eq!(error.kind(), ErrorKind::ChangesLost, "{error}");

    // The changes after the loss are handled, and each lost place is reported once.
    write(&simulated, 100);
    let (lost, seen) = (Arc::new(Mutex::new(Vec::new())), Counts::default());
    let heard = lost.clone();
    let all = || seen.lock().expect("no panic").values().sum::<usize>() == 100;
    Parcel::consumer("mailer")
        .lease_time(LEASE)
        .longest_pause(Duration::from_millis(200))
        .continue_after_loss()
        .on_event(move |event| {
            if let ConsumerEvent::ChangesLost(changes) = event {
                heard.lock().expect("no panic").push(changes.shard.clone());
            }
        })
        .each(async |change| -> Result<()> {
            note(&seen, change.event.after().expect("no removals").number);
            Ok(())
        })
        .run(&through, until(all))
        .await?;
    let mut lost = lost.lock().expect("no panic").clone();
    let count = lost.len();
    lost.sort();
    lost.dedup();
    assert!(count > 1 && count == lost.len(), "{lost:?}");
    let again: usize = counts.lock().expect("no panic").values().sum();
    assert_eq!(again, handled, "a lost change was handled");
    Ok(())
}

/// The rest of the old stream is handled first.
pub async fn a_stream_that_is_replaced_ends_the_group(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    write(&simulated, 100);
    let counts = Counts::default();
    let all = || counts.lock().expect("no panic").values().sum::<usize>();
    let replace = async {
        until(|| all() == 100).await;
        let mut world = simulated.world();
        (0..50).for_each(|_| world.write());
        world.replace();
    };
    let ended = timeout(
        Duration::from_secs(120),
        work(&through, &counts, std::future::pending()),
    );
    let (ended, ()) = tokio::join!(ended, replace);
    let error = ended?.expect_err("another stream");
    assert!(error.to_string().contains("arn:newer"), "{error}");
    assert_eq!(all(), 150);
    // So does a worker that starts later.
    let error = work(&through, &counts, std::future::pending()).await;
    let error = error.expect_err("another stream").to_string();
    assert!(
        error.contains("arn:newer") && error.contains("StreamGroup::forget"),
        "{error}"
    );
    Ok(())
}

pub async fn a_table_that_is_created_again_ends_the_group(db: Db) -> Outcome {
    put(&db, 0..3).await?;
    let counts = Counts::default();
    let create = async {
        until(|| different(&counts) == 3).await;
        let name = db.table::<Parcel>();
        db.client().delete_table().table_name(&name).send().await?;
        db.create_tables([Parcel::schema()]).await?;
        put(&db, 5..9).await
    };
    let ended = timeout(
        Duration::from_secs(90),
        work(&db, &counts, std::future::pending()),
    );
    let (ended, created) = tokio::join!(ended, create);
    created?;
    let error = ended?.expect_err("another stream");
    assert!(error.to_string().contains("StreamGroup::forget"), "{error}");
    // The new stream belongs to the group that is created next.
    assert_eq!(different(&counts), 3, "{counts:?}");
    StreamGroup::forget("mailer", &db).await?;
    let again = Counts::default();
    work(&db, &again, until(|| different(&again) == 4))
        .await
        .map_err(Into::into)
}

/// The workers were not running when the stream was replaced.
pub async fn a_stream_that_was_replaced_is_read_to_its_end(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    write(&simulated, 100);
    let counts = Counts::default();
    let all = || counts.lock().expect("no panic").values().sum::<usize>();
    work(&through, &counts, until(|| all() == 100)).await?;
    write(&simulated, 50);
    simulated.world().replace();
    let ended = timeout(
        Duration::from_secs(120),
        work(&through, &counts, std::future::pending()),
    );
    let error = ended.await?.expect_err("another stream");
    assert!(error.to_string().contains("arn:newer"), "{error}");
    assert_eq!(all(), 150);
    Ok(())
}

/// A start before the oldest record asks for changes that the stream no longer has.
pub async fn changes_from_before_the_oldest_record_are_lost(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    write(&simulated, 20);
    let start = |hours: u64| SystemTime::now() - Duration::from_secs(hours * 3_600);
    let consumer = |name: &str, hours| {
        let consumer = Parcel::consumer(name).lease_time(LEASE);
        consumer
            .start_at(start(hours))
            .each(async |_| Ok::<_, Error>(()))
    };
    let ended = consumer("late", 25).run(&through, std::future::pending());
    let error = timeout(Duration::from_secs(60), ended)
        .await?
        .expect_err("a loss");
    assert_eq!(error.kind(), ErrorKind::ChangesLost, "{error}");
    let running = consumer("early", 23).run(&through, tokio::time::sleep(Duration::from_secs(2)));
    running.await.map_err(Into::into)
}

/// DynamoDB allows ten descriptions a second, so a page of a long description may be throttled each time.
pub async fn a_description_of_busy_pages_is_completed(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    simulated.world().is_busy = true;
    write(&simulated, 100);
    let counts = Counts::default();
    let handled = work(
        &through,
        &counts,
        until(|| different(&counts) == written(&simulated)),
    );
    timeout(Duration::from_secs(60), handled)
        .await?
        .map_err(Into::into)
}

async fn follow_stores(db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()> {
    let consumer = Store::consumer("stores").lease_time(LEASE);
    consumer
        .each(async |_| Ok::<_, Error>(()))
        .run(db, shutdown)
        .await
}

/// It would move the place past the changes of the other entity.
pub async fn a_worker_without_an_entity_of_the_group_ends(db: Db) -> Outcome {
    let has_ended = AtomicUsize::new(0);
    let is_over = || until(|| has_ended.load(Ordering::Relaxed) == 1);
    let old = async {
        let ended = timeout(
            Duration::from_secs(60),
            follow_stores(&db, std::future::pending()),
        );
        let ended = ended.await;
        has_ended.store(1, Ordering::Relaxed);
        ended
    };
    let new = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let consumer = StoreRow::consumer("stores").lease_time(LEASE);
        consumer
            .each(async |_| Ok::<_, Error>(()))
            .run(&db, is_over())
            .await
    };
    let (old, new) = tokio::join!(old, new);
    new?;
    let error = old?.expect_err("another entity");
    assert!(error.to_string().contains("Shelf"), "{error}");
    // An older program cannot join any more, unless it says that the entity is retired.
    let error = follow_stores(&db, std::future::pending()).await;
    let error = error.expect_err("another entity").to_string();
    assert!(error.contains("with_fewer_entities"), "{error}");
    let consumer = Store::consumer("stores").with_fewer_entities();
    let consumer = consumer.each(async |_| Ok::<_, Error>(()));
    consumer
        .run(&db, tokio::time::sleep(Duration::from_millis(500)))
        .await?;
    follow_stores(&db, tokio::time::sleep(Duration::from_millis(500)))
        .await
        .map_err(Into::into)
}

/// The group was forgotten and created again while the worker was running.
pub async fn a_worker_of_another_stream_ends(db: Db) -> Outcome {
    let counts = Counts::default();
    let rename = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let renamed = StreamGroup::key("mailer").update();
        let renamed = renamed.apply(|group| group.stream().set("arn:newer"));
        renamed
            .when(|group| group.stream().exists())
            .send(&db)
            .await
    };
    let ended = timeout(
        Duration::from_secs(60),
        work(&db, &counts, std::future::pending()),
    );
    let (ended, renamed) = tokio::join!(ended, rename);
    renamed?;
    let error = ended?.expect_err("another stream");
    assert!(error.to_string().contains("arn:newer"), "{error}");
    Ok(())
}

pub async fn a_shutdown_ends_a_worker_that_cannot_join(db: Db) -> Outcome {
    let (faulty, _) = db.faulty(std::iter::repeat_with(|| Fault::Hang).take(50));
    let counts = Counts::default();
    let shutdown = tokio::time::sleep(Duration::from_millis(300));
    timeout(Duration::from_secs(5), work(&faulty, &counts, shutdown)).await??;
    Ok(())
}

/// Otherwise it would be noticed at the first change that fails.
pub async fn a_missing_table_of_parked_changes_is_an_error(db: Db) -> Outcome {
    let consumer = Parcel::consumer("mailer").park_after(3);
    let consumer = consumer.each(async |_| Ok::<_, Error>(()));
    let ended = timeout(
        Duration::from_secs(60),
        consumer.run(&db, std::future::pending()),
    );
    let error = ended.await?.expect_err("no table");
    assert_eq!(error.kind(), ErrorKind::TableNotFound, "{error}");
    Ok(())
}

pub async fn operations_that_cannot_be_added_are_not_ignored(db: Db) -> Outcome {
    put(&db, 0..1).await?;
    let errors = Arc::new(Mutex::new(Vec::new()));
    for ignored in [0, 100] {
        let heard = errors.clone();
        let consumer = Parcel::consumer(format!("adder-{ignored}")).on_event(move |event| {
            if let ConsumerEvent::AttemptFailed { error, .. } = event {
                heard.lock().expect("no panic").push(error.to_string());
            }
        });
        let consumer = consumer.each_in(|_, tx| -> Result<()> {
            for number in 0..ignored {
                let name = number.to_string();
                tx.with(Total { name, cents: 0 }.put())?;
            }
            // An empty key.
            drop(
                tx.with(
                    Total {
                        name: String::new(),
                        cents: 0,
                    }
                    .put(),
                ),
            );
            Ok(())
        });
        let expected = if ignored == 0 { 1 } else { 2 };
        let is_done = || errors.lock().expect("no panic").len() >= expected;
        consumer.run(&db, until(is_done)).await?;
    }
    assert!(Total::scan().all(&db).await?.is_empty());
    Ok(())
}
