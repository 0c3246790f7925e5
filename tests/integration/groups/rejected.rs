//! Streams and tables that a group cannot use, and changes that the stream no longer has.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ConsumerEvent, LeaseTable, StreamGroup};
use tokio::time::timeout;

use super::simulated::Simulated;
use super::{Counts, LEASE, Parcel, different, note, until, work};
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
        consumer().run(&faulty, std::future::ready(())).await?;
    }
    Ok(())
}

/// A worker of a group without failures, whose records are those of the simulated stream.
fn simulate(db: &Db) -> (Simulated<SharedHttpClient>, Dynamo) {
    let simulated = Simulated::with_small_shards(db.engine().http_client());
    let config = db.engine().config();
    let through = db.through(config.http_client(SharedHttpClient::new(simulated.clone())));
    (simulated, through)
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
            if let ConsumerEvent::Lost(changes) = event {
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
    let replace = async {
        until(|| different(&counts) == written(&simulated)).await;
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
    assert_eq!(
        counts.lock().expect("no panic").values().sum::<usize>(),
        150
    );
    // So does a worker that starts later.
    let error = work(&through, &counts, std::future::pending()).await;
    let error = error.expect_err("another stream").to_string();
    assert!(
        error.contains("arn:newer") && error.contains("StreamGroup::forget"),
        "{error}"
    );
    Ok(())
}
