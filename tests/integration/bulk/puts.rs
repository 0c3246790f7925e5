//! `put_each` takes writes of any kind, each with its own condition and its own result.

use dynamo_entity::bulk::SingleWrite;
use dynamo_entity::prelude::*;

use super::{Entry, Row, entries, entry, row, rows};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    writes_of_every_kind_go_together,
    each_failure_names_its_write,
    what_cannot_be_planned_fails_alone,
    many_are_taken_as_they_come,
];

async fn writes_of_every_kind_go_together(db: Db) -> Outcome {
    rows(&db, 3).await?;
    entries(&db, 3).await?;
    let stored = Entry::scan().all(&db).await?;
    let new = row(7);
    let mut writes: Vec<Box<dyn SingleWrite + '_>> = vec![
        Box::new(new.create()),
        Box::new(Row::key("a", 0u32).update().apply(|r| r.count().add(5))),
        Box::new(Row::key("a", 1u32).delete().if_exists()),
        Box::new(Row::key("a", 2u32).delete()),
    ];
    writes.extend(
        stored
            .iter()
            .map(|entry| Box::new(entry.put()) as Box<dyn SingleWrite>),
    );
    let report = put_each(writes).send(&db).await?;
    assert_eq!(report.complete()?.written, 7);
    let mut left = Row::scan().all(&db).await?;
    left.sort_by_key(|row| row.number);
    assert_eq!(left, [Row { count: 5, ..row(0) }, row(7)]);
    let raised = Entry::scan().all(&db).await?;
    assert!(raised.iter().all(|entry| entry.version.number() == Some(2)));
    Ok(())
}

async fn each_failure_names_its_write(db: Db) -> Outcome {
    entries(&db, 3).await?;
    let stale = Entry::scan().all(&db).await?;
    Entry::key("a", 1u32).touch().send(&db).await?;
    let new = entry(9);
    let writes = stale.iter().chain([&new]).map(Entry::put);
    let report = put_each(writes).send(&db).await?;
    assert_eq!((report.written, report.failed), (3, 1));
    let failed = &report.errors()[0];
    let at = stale.iter().position(|entry| entry.number == 1);
    assert_eq!(failed.index(), at);
    assert_eq!(failed.key_of::<Entry>()?, Some(Entry::key("a", 1u32)));
    assert!(failed.error().is_conflict());
    let current = failed.error().current::<Entry>()?;
    assert_eq!(current.and_then(|entry| entry.version.number()), Some(2));
    assert_eq!(
        failed.to_string(),
        format!(
            "write {} of the job: {}",
            at.unwrap_or_default(),
            failed.error()
        )
    );
    assert_eq!((report.counts().written, report.counts().found), (3, 4));
    let counts = report.counts();
    assert_eq!(*report, counts);
    assert!(report.complete().is_err_and(|error| error.is_conflict()));
    Ok(())
}

async fn what_cannot_be_planned_fails_alone(db: Db) -> Outcome {
    rows(&db, 0).await?;
    let bad = Row {
        group: "x".repeat(3000),
        ..row(1)
    };
    let large = Row {
        note: Some("x".repeat(500_000)),
        ..row(2)
    };
    let good = row(3);
    let report = put_each([&bad, &large, &good].map(Row::create))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (1, 2));
    let kinds: Vec<_> = report
        .errors()
        .iter()
        .map(|row| (row.index(), row.error().kind()))
        .collect();
    assert_eq!(
        kinds,
        [
            (Some(0), ErrorKind::InvalidKey),
            (Some(1), ErrorKind::TooLarge)
        ]
    );
    Ok(())
}

/// No write is taken from the iterator before there is room for it.
async fn many_are_taken_as_they_come(db: Db) -> Outcome {
    rows(&db, 0).await?;
    let (taken, done) = (
        std::sync::atomic::AtomicU64::new(0),
        std::sync::atomic::AtomicU64::new(0),
    );
    let all: Vec<Row> = (0..200).map(row).collect();
    let writes = all.iter().map(|row| {
        let taken = 1 + taken.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let done = done.load(std::sync::atomic::Ordering::SeqCst);
        assert!(
            taken <= done + 5,
            "{taken} were taken when {done} were done"
        );
        row.create()
    });
    let report = put_each(writes)
        .concurrency(5)
        .on_progress(|progress| done.store(progress.found, std::sync::atomic::Ordering::SeqCst))
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 200);
    assert_eq!(db.count::<Row>().await, 200);
    Ok(())
}
