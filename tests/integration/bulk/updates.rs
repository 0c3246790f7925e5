//! `update_each` without other writers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;

use super::{Row, State, counts, rows};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    each_row_is_changed_once,
    only_rows_of_the_query_are_changed,
    a_row_may_be_left_alone,
    a_refused_row_is_reported_with_its_reason,
    a_row_that_does_not_decode_is_reported_alone,
    the_update_of_another_row_is_refused,
    an_update_without_changes_is_none,
    a_limit_counts_rows,
    rows_behind_an_index_of_keys_are_changed,
    shards_and_segments_are_walked(Spread),
    an_index_brings_a_moving_row_once,
    a_rate_spreads_the_writes,
    progress_is_told,
    too_many_failures_stop_it,
    a_query_that_cannot_be_is_refused_before,
];

fn plus_one(row: &Row) -> dynamo_entity::write::Update<Row> {
    row.update().apply(|r| r.count().add(1))
}

async fn each_row_is_changed_once(db: Db) -> Outcome {
    rows(&db, 500).await?;
    for concurrency in [1, 7, 64] {
        let report = Row::scan()
            .page_size(60)
            .update_each(plus_one)
            .concurrency(concurrency)
            .send(&db)
            .await?;
        let report = report.complete()?;
        assert_eq!((report.found, report.written), (500, 500));
    }
    assert_eq!(counts(&db).await?, BTreeMap::from([(3, 500)]));
    Ok(())
}

async fn only_rows_of_the_query_are_changed(db: Db) -> Outcome {
    rows(&db, 30).await?;
    let report = Row::in_partition("a")
        .number()
        .between(10..20)
        .filter(|r| r.rank().ne(13))
        .update_each(plus_one)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 9);
    for row in Row::scan().all(&db).await? {
        let is_one = (10..20).contains(&row.number) && row.number != 13;
        assert_eq!(row.count, u64::from(is_one), "{row:?}");
    }
    Ok(())
}

async fn a_row_may_be_left_alone(db: Db) -> Outcome {
    rows(&db, 20).await?;
    let report = Row::scan()
        .update_each(|row| (row.number % 2 == 0).then(|| plus_one(row)))
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(
        (report.written, report.unchanged, report.found),
        (10, 10, 20)
    );
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 10), (1, 10)]));
    Ok(())
}

async fn a_refused_row_is_reported_with_its_reason(db: Db) -> Outcome {
    rows(&db, 5).await?;
    let report = Row::in_partition("a")
        .update_each(|row| match row.number {
            2 => Err("secret words"),
            _ => Ok(Some(plus_one(row))),
        })
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (4, 1));
    let [failed] = report.errors() else {
        panic!("{report:?}")
    };
    assert_eq!(failed.key_of::<Row>()?, Some(Row::key("a", 2u32)));
    assert_eq!(failed.error().kind(), ErrorKind::CallbackError);
    assert_eq!(
        failed.error().to_string(),
        "Row: the closure rejected this row; the source of this error is its reason"
    );
    let source = std::error::Error::source(failed.error()).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("secret words"));

    let error = report.complete().expect_err("one failed");
    assert_eq!(error.kind(), ErrorKind::CallbackError);
    assert!(
        error.to_string().starts_with("1 of 5 rows failed"),
        "{error}"
    );

    // An error of the library keeps its kind.
    let report = Row::in_partition("a")
        .update_each(|row| {
            "no cursor".parse::<Cursor>()?;
            Ok::<_, Error>(plus_one(row))
        })
        .send(&db)
        .await?;
    assert_eq!(report.errors()[0].error().kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn a_row_that_does_not_decode_is_reported_alone(db: Db) -> Outcome {
    rows(&db, 10).await?;
    let mut item = db.stored(&Row::key("a", 4u32)).await;
    item.insert("count".into(), s("many"));
    db.plant::<Row>(item).await;
    let report = Row::in_partition("a")
        .page_size(3)
        .update_each(plus_one)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (9, 1));
    let failed = &report.errors()[0];
    assert_eq!(failed.key_of::<Row>()?, Some(Row::key("a", 4u32)));
    assert_eq!(failed.error().kind(), ErrorKind::Decode);
    assert_eq!(failed.error().attribute(), Some("count"));
    assert!(report.stopped().is_none());
    Ok(())
}

async fn the_update_of_another_row_is_refused(db: Db) -> Outcome {
    rows(&db, 2).await?;
    let report = Row::scan()
        .update_each(|_| Row::key("a", 0u32).update().apply(|r| r.count().add(1)))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (1, 1));
    assert_eq!(report.errors()[0].error().kind(), ErrorKind::InvalidKey);
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 1), (1, 1)]));
    Ok(())
}

async fn an_update_without_changes_is_none(db: Db) -> Outcome {
    rows(&db, 3).await?;
    let (faulty, http) = db.faulty([]);
    let report = Row::in_partition("a")
        .update_each(Row::update)
        .send(&faulty)
        .await?;
    assert_eq!(report.complete()?.unchanged, 3);
    assert_eq!(http.calls(), ["Query"]);
    Ok(())
}

async fn a_limit_counts_rows(db: Db) -> Outcome {
    rows(&db, 30).await?;
    let report = Row::in_partition("a")
        .limit(12)
        .page_size(5)
        .update_each(plus_one)
        .send(&db)
        .await?;
    let position = report.position().cloned();
    assert_eq!(report.complete()?.written, 12);
    let rest = Row::in_partition("a")
        .resume(position)
        .update_each(plus_one)
        .send(&db)
        .await?;
    assert_eq!(rest.complete()?.written, 18);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 30)]));
    Ok(())
}

async fn rows_behind_an_index_of_keys_are_changed(db: Db) -> Outcome {
    rows(&db, 250).await?;
    let report = Row::keys_by_state(State::Open)
        .hydrate()
        .update_each(|row| {
            row.update()
                .apply(|r| (r.count().add(1), r.state().set(State::Done)))
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 250);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 250)]));
    assert_eq!(Row::by_state(State::Done).count(&db).await?, 250);
    Ok(())
}

crate::declare! {
    entity Spread(table = "spread", key(pk = id), gsi(by_kind, pk = "K#{kind}", sk = "{id:05}", shards = 4))
        { id: u32, kind: String, count: u64 }
}

async fn shards_and_segments_are_walked(db: Db) -> Outcome {
    for id in 0..60 {
        let kind = if id % 3 == 0 { "x" } else { "y" };
        Spread {
            id,
            kind: kind.into(),
            count: 0,
        }
        .put()
        .send(&db)
        .await?;
    }
    let change = |row: &Spread| row.update().apply(|r| r.count().add(1));
    let kinds = Spread::by_kind(any_of(["x", "y"]));
    let report = kinds.update_each(change).send(&db).await?;
    assert!(report.position().is_some());
    assert_eq!(report.complete()?.written, 60);
    let report = Spread::scan()
        .segments(5)
        .update_each(change)
        .send(&db)
        .await?;
    assert!(report.position().is_some());
    assert_eq!(report.complete()?.written, 60);
    let all = Spread::scan().all(&db).await?;
    assert!(all.iter().all(|row| row.count == 2), "{all:?}");
    Ok(())
}

/// Each change moves the row ahead in the index, which then shows it again.
async fn an_index_brings_a_moving_row_once(db: Db) -> Outcome {
    rows(&db, 40).await?;
    let report = Row::by_state(State::Open)
        .page_size(7)
        .update_each(|row| {
            let ahead = row.rank + 15;
            row.update()
                .apply(move |r| (r.count().add(1), r.rank().set(ahead)))
        })
        .concurrency(3)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 40);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 40)]));
    Ok(())
}

async fn a_rate_spreads_the_writes(db: Db) -> Outcome {
    rows(&db, 20).await?;
    let began = Instant::now();
    let report = Row::scan()
        .update_each(plus_one)
        .rate(100)
        .concurrency(20)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 20);
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(190), "{took:?}");
    Ok(())
}

async fn progress_is_told(db: Db) -> Outcome {
    rows(&db, 25).await?;
    // All rows before the saved place are done. How many behind it are done, too, depends on the slowest row.
    for (concurrency, left) in [(1, 13..=13), (4, 13..=25)] {
        let behind = left_at_twelve(&db, concurrency).await?;
        assert!(left.contains(&behind), "{behind}");
    }
    Ok(())
}

/// The number of rows behind the saved place when the twelfth row is reported.
async fn left_at_twelve(db: &Db, concurrency: usize) -> Result<u64, Box<dyn std::error::Error>> {
    let told = AtomicU64::new(0);
    let mut halfway = None;
    let report = Row::in_partition("a")
        .update_each(|row| (row.number != 3).then(|| plus_one(row)))
        .concurrency(concurrency)
        .on_progress(|progress| {
            let before = told.swap(progress.found, Ordering::Relaxed);
            assert_eq!(progress.found, before + 1);
            assert_eq!(progress.written + progress.unchanged, progress.found);
            if progress.found == 12 {
                halfway = progress.position();
            }
        })
        .send(db)
        .await?;
    assert_eq!(report.complete()?.found, 25);
    assert_eq!(told.into_inner(), 25);
    Ok(Row::in_partition("a").resume(halfway).count(db).await?)
}

async fn too_many_failures_stop_it(db: Db) -> Outcome {
    rows(&db, 50).await?;
    let report = Row::in_partition("a")
        .update_each(|row| match row.number {
            ..10 => Ok(plus_one(row)),
            _ => Err("no"),
        })
        .concurrency(1)
        .max_failures(5)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (10, 6));
    assert_eq!(
        report.stopped().map(|error| error.kind()),
        Some(ErrorKind::RowsFailed)
    );
    let error = report.complete().expect_err("stopped");
    assert!(
        error.to_string().contains("stopped after 16 rows"),
        "{error}"
    );
    Ok(())
}

async fn a_query_that_cannot_be_is_refused_before(db: Db) -> Outcome {
    rows(&db, 3).await?;
    let (faulty, http) = db.faulty([]);
    let too_long = Row::in_partition("x".repeat(3000));
    let refused = too_long.update_each(plus_one).send(&faulty).await;
    assert_eq!(
        refused.expect_err("no such key").kind(),
        ErrorKind::InvalidKey
    );
    assert!(http.calls().is_empty());
    Ok(())
}
