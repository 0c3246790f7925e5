//! On executors other than tokio's, and on tokio without timers, everything waits as it should or says what
//! it needs. Nothing panics.

use std::thread;
use std::time::{Duration, Instant};

use dynamo_entity::Batch;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use futures_util::StreamExt;
use futures_util::future::join_all;

use crate::support::db::Db;
use crate::support::engine::Engine;
use crate::support::faulty::{Fault, Faults};
use crate::support::suite::{Outcome, block_on};
use crate::tests;

tests![
    everything_waits_without_a_runtime,
    everything_waits_in_a_runtime_without_time,
    a_connection_over_the_network_says_what_it_needs,
];

crate::declare! {
    entity Counter(table = "counters", key(pk = group, sk = number)) { group: String, number: u32, count: u64 }
}

/// Runs the work on a thread that belongs to no runtime.
fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().expect("no panic"))
}

async fn everything_waits_without_a_runtime(db: Db) -> Outcome {
    match db.engine() {
        Engine::Embedded(_) => outside(|| block_on(everything())).map_err(Into::into),
        Engine::Server(_) => Ok(()),
    }
}

async fn everything_waits_in_a_runtime_without_time(db: Db) -> Outcome {
    let Engine::Embedded(_) = db.engine() else {
        return Ok(());
    };
    let done = outside(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(everything())
    });
    done.map_err(Into::into)
}

async fn everything() -> Result<()> {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Counter::schema()]).await?;
    let all: Vec<Counter> = (0..60)
        .map(|number| Counter {
            group: "a".into(),
            number,
            count: 0,
        })
        .collect();
    let batch = Batch::new().with_all(all.iter().map(Counter::put));
    batch.send(&db).await?.complete()?;

    // The changes race, so some of them have to be tried again.
    let one = Counter::key("a", 0u32);
    let changes = (0..12).map(|_| one.clone().modify(|one| one.count += 1).send(&db));
    for changed in join_all(changes).await {
        changed?;
    }
    let counted = one.clone().get().send(&db).await?;
    assert_eq!(counted.map(|one| one.count), Some(12));

    // Rates of reads and writes, checkpoints, and requests that are sent ahead.
    let folder = tempfile::tempdir().expect("a folder");
    let file = FileCheckpoint::new(folder.path().join("job"));
    let began = Instant::now();
    let job = Counter::in_partition("a")
        .page_size(20)
        .read_units_per_second(20)
        .update_each(|row| row.update().apply(|r| r.count().add(1)))
        .checkpoint("executors", &file)
        .save_every(Duration::ZERO)
        .rate(1000);
    assert_eq!(job.send(&db).await?.complete()?.written, 60);
    assert!(began.elapsed() >= Duration::from_millis(59));
    let mut rows = Counter::in_partition("a").page_size(7).stream(&db);
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row?;
        count += 1;
    }
    assert_eq!(count, 60);
    let keys = (0..250).map(|number| Counter::key("a", number));
    let found = Counter::get_many(keys);
    let found: Vec<_> = found.stream(&db).collect().await;
    assert_eq!(found.into_iter().flatten().flatten().count(), 60);

    // The service is busy, so the library and the SDK have to pause.
    let faults = Faults::new((0..8).map(|_| Fault::throttle()).chain([
        Fault::Unprocessed(1),
        Fault::Delay(Duration::from_millis(5)),
    ]));
    let busy = db.with_faults(&faults)?;
    let keys = (0..60u32).map(|number| Counter::key("a", number));
    let found = Counter::get_many(keys).send(&busy).await?;
    assert_eq!(found.into_iter().flatten().count(), 60);
    faults.plan(
        (0..4)
            .map(|_| Fault::throttle())
            .chain([Fault::Unprocessed(3)]),
    );
    let batch = Batch::new().with_all(all.iter().map(Counter::put));
    batch.send(&busy).await?.complete()?;
    faults.plan([Fault::refuse("TransactionConflictException")]);
    one.clone()
        .update()
        .apply(|one| one.count().add(1))
        .send(&busy)
        .await?;
    Ok(())
}

async fn a_connection_over_the_network_says_what_it_needs(db: Db) -> Outcome {
    let url = match db.engine() {
        Engine::Embedded(_) => "http://localhost:1".to_owned(),
        Engine::Server(url) => url.clone(),
    };
    let db = Dynamo::connect(&url).await?.with_prefix(db.prefix());
    let errors = outside(|| {
        block_on(async {
            let get = Counter::key("a", 1u32).get().send(&db).await.map(drop);
            let tables = db.create_tables([Counter::schema()]).await;
            let aws = Dynamo::connect("aws://eu-west-1").await.map(drop);
            [get, tables, aws]
        })
    });
    for error in errors {
        let error = error.expect_err("no runtime");
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
        assert!(error.to_string().contains("tokio"), "{error}");
    }
    Ok(())
}
