//! Under throttling, failures and lost answers, every report is true.

use std::collections::BTreeMap;

use dynamo_entity::RetryBudget;
use dynamo_entity::bulk::{BulkReport, FileCheckpoint};
use dynamo_entity::prelude::*;

use super::{Row, State, counts, row, rows, spread_rows};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_lost_answer_is_an_unknown_outcome,
    a_lost_answer_is_resolved_by_the_mark,
    random_faults_leave_each_row_changed_once,
    random_faults_leave_no_row_undeleted,
    random_faults_leave_each_write_done_once,
    throttling_slows_it_down,
    a_service_that_stays_busy_stops_it,
    a_read_that_is_throttled_goes_on,
    segments_that_are_throttled_go_on,
    a_refusal_stops_it,
    unfinished_writes_are_reported_in_doubt,
];

async fn plus_one(db: &Dynamo) -> Result<BulkReport> {
    let rows = Row::in_partition("a").page_size(20);
    let job = rows.update_each(|row| row.update().apply(|r| r.count().add(1)));
    job.concurrency(1).send(db).await
}

async fn a_lost_answer_is_an_unknown_outcome(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let (faulty, _) = db.faulty([Fault::Pass, Fault::Pass, Fault::Lose, Fault::Io]);
    let report = plus_one(&faulty).await?;
    assert_eq!((report.written, report.failed), (4, 2));
    let kinds: Vec<_> = report
        .errors()
        .iter()
        .map(|row| row.error().kind())
        .collect();
    assert_eq!(kinds, [ErrorKind::OutcomeUnknown; 2]);
    // One of the two writes took effect, and neither was sent again.
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 1), (1, 5)]));
    Ok(())
}

async fn a_lost_answer_is_resolved_by_the_mark(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let folder = tempfile::tempdir()?;
    let file = FileCheckpoint::new(folder.path().join("job"));
    let (faulty, http) = db.faulty([
        Fault::Pass,
        Fault::Pass,
        Fault::Lose,
        Fault::Pass,
        Fault::Io,
    ]);
    let report = Row::in_partition("a")
        .update_each(|row| row.update().apply(|r| r.count().add(1)))
        .checkpoint("plus-one", file)
        .concurrency(1)
        .send(&faulty)
        .await?;
    assert_eq!(report.complete()?.written, 6);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 6)]));
    let calls = http.calls();
    let gets = calls.iter().filter(|call| *call == "GetItem").count();
    let updates = calls.iter().filter(|call| *call == "UpdateItem").count();
    assert_eq!((gets, updates), (2, 7), "{calls:?}");
    Ok(())
}

/// A plan of a thousand steps, most of which pass the request on.
fn plan(seed: u64) -> Vec<Fault> {
    let mut random = fastrand::Rng::with_seed(seed);
    let fault = |number| match number {
        0 => Fault::Lose,
        1 => Fault::Io,
        2 => Fault::internal(),
        3 => Fault::throttle(),
        4 => Fault::refuse("TransactionConflictException"),
        5 => Fault::Timeout,
        6 => Fault::Refused,
        _ => Fault::Pass,
    };
    (0..1000).map(|_| fault(random.u8(0..30))).collect()
}

fn patient() -> RetryBudget {
    RetryBudget::rounds(50)
}

async fn random_faults_leave_each_row_changed_once(db: Db) -> Outcome {
    for seed in 0..6 {
        rows(&db, 120).await?;
        let folder = tempfile::tempdir()?;
        let file = FileCheckpoint::new(folder.path().join("job"));
        let (faulty, _) = db.faulty(plan(seed));
        // Each update moves the row within the index, so the index shows it again.
        let report = Row::by_state(State::Open)
            .page_size(17)
            .update_each(|row| {
                let ahead = row.rank + 30;
                row.update()
                    .apply(move |r| (r.count().add(1), r.rank().set(ahead)))
            })
            .checkpoint(format!("seed-{seed}"), file)
            .budget(patient())
            .send(&faulty)
            .await?;
        assert_eq!(
            report.complete().expect("all done").written,
            120,
            "seed {seed}"
        );
        assert_eq!(
            counts(&db).await?,
            BTreeMap::from([(1, 120)]),
            "seed {seed}"
        );
    }
    Ok(())
}

async fn random_faults_leave_no_row_undeleted(db: Db) -> Outcome {
    for seed in 10..16 {
        rows(&db, 120).await?;
        let keep = Row {
            state: State::Done,
            ..row(500)
        };
        keep.put().send(&db).await?;
        let (faulty, _) = db.faulty(plan(seed));
        let report = match seed % 2 {
            0 => Row::in_partition("a")
                .number()
                .lt(400)
                .page_size(17)
                .delete_each(),
            _ => Row::by_state(State::Open).page_size(17).delete_each(),
        };
        let report = report.budget(patient()).send(&faulty).await?.complete()?;
        // An index may show a row again after it was deleted.
        assert_eq!(report.written, 120, "seed {seed}");
        assert_eq!(
            Row::scan().consistent().all(&db).await?,
            [keep],
            "seed {seed}"
        );
    }
    Ok(())
}

async fn random_faults_leave_each_write_done_once(db: Db) -> Outcome {
    for seed in 20..26 {
        rows(&db, 60).await?;
        Row::in_partition("a")
            .number()
            .ge(30)
            .delete_each()
            .send(&db)
            .await?
            .complete()?;
        let folder = tempfile::tempdir()?;
        let file = FileCheckpoint::new(folder.path().join("job"));
        let (faulty, _) = db.faulty(plan(seed));
        let new: Vec<Row> = (30..60).map(row).collect();
        let mut writes: Vec<Box<dyn dynamo_entity::bulk::SingleWrite + '_>> = Vec::new();
        for number in 0..30u32 {
            writes.push(Box::new(
                Row::key("a", number).update().apply(|r| r.count().add(1)),
            ));
        }
        writes.extend(
            new.iter()
                .map(|row| Box::new(row.create()) as Box<dyn dynamo_entity::bulk::SingleWrite>),
        );
        let report = put_each(writes)
            .checkpoint(format!("seed-{seed}"), file)
            .budget(patient())
            .send(&faulty)
            .await?;
        assert_eq!(
            report.complete().expect("all done").written,
            60,
            "seed {seed}"
        );
        assert_eq!(
            counts(&db).await?,
            BTreeMap::from([(0, 30), (1, 30)]),
            "seed {seed}"
        );
    }
    Ok(())
}

async fn throttling_slows_it_down(db: Db) -> Outcome {
    rows(&db, 10).await?;
    let throttled = (0..30).map(|at| {
        if at == 0 {
            Fault::Pass
        } else {
            Fault::throttle()
        }
    });
    let (faulty, _) = db.faulty(throttled);
    let report = plus_one(&faulty).await?;
    assert_eq!(report.complete()?.written, 10);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 10)]));
    Ok(())
}

async fn a_service_that_stays_busy_stops_it(db: Db) -> Outcome {
    rows(&db, 30).await?;
    let busy = [const { Fault::Pass }; 11]
        .into_iter()
        .chain((0..500).map(|_| Fault::throttle()));
    let (faulty, _) = db.faulty(busy);
    let report = Row::in_partition("a")
        .update_each(|row| row.update().apply(|r| r.count().add(1)))
        .concurrency(1)
        .budget(RetryBudget::rounds(2))
        .send(&faulty)
        .await?;
    assert_eq!((report.written, report.failed), (10, 0));
    assert!(report.stopped().is_some_and(Error::is_throttled));
    let position = report.position().cloned();
    assert!(report.complete().is_err_and(|error| error.is_throttled()));
    let rest = Row::in_partition("a")
        .resume(position)
        .update_each(|row| row.update().apply(|r| r.count().add(1)))
        .send(&db)
        .await?;
    assert_eq!(rest.complete()?.written, 20);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 30)]));
    Ok(())
}

async fn a_read_that_is_throttled_goes_on(db: Db) -> Outcome {
    rows(&db, 50).await?;
    // Passed are the first read and the writes of its rows. Then the second read is throttled many times.
    let plan = [const { Fault::Pass }; 21]
        .into_iter()
        .chain((0..8).map(|_| Fault::throttle()));
    let (faulty, http) = db.faulty(plan);
    let report = plus_one(&faulty).await?;
    assert_eq!(report.complete()?.written, 50);
    assert!(http.calls()[21..29].iter().all(|call| call == "Query"));
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 50)]));
    Ok(())
}

/// All requests that are under way fail with all their retries, and a segment loses what it has read.
async fn segments_that_are_throttled_go_on(db: Db) -> Outcome {
    spread_rows(&db, 120).await?;
    let storm = || std::iter::repeat_n(Fault::throttle(), 24);
    let calm = || std::iter::repeat_n(Fault::Pass, 9);
    let plan = calm().chain((0..5).flat_map(|_| storm().chain(calm())));
    let (faulty, http) = db.faulty(plan);
    let report = Row::scan()
        .segments(4)
        .page_size(5)
        .update_each(|row| row.update().apply(|r| r.count().add(1)))
        .send(&faulty)
        .await?;
    let counted = report.complete()?;
    assert_eq!((counted.found, counted.written), (120, 120));
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 120)]));
    let scans = http.calls().iter().filter(|call| *call == "Scan").count();
    assert!(scans > 30, "{scans}");
    Ok(())
}

async fn a_refusal_stops_it(db: Db) -> Outcome {
    rows(&db, 30).await?;
    let plan = [const { Fault::Pass }; 6]
        .into_iter()
        .chain([Fault::refuse("AccessDeniedException")]);
    let (faulty, http) = db.faulty(plan);
    let report = plus_one(&faulty).await?;
    assert_eq!((report.written, report.found), (5, 5));
    let stopped = report.stopped().map(|error| (error.kind(), error.entity()));
    assert_eq!(stopped, Some((ErrorKind::AccessDenied, Some("Row"))));
    assert_eq!(http.calls().len(), 7);
    let next = Row::in_partition("a")
        .resume(report.position().cloned())
        .first(&db)
        .await?;
    assert_eq!(next.map(|row| row.number), Some(5));
    Ok(())
}

/// A delete by key is always sent again, so a job that stops in between cannot tell whether it was done.
async fn unfinished_writes_are_reported_in_doubt(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let throttled = (0..50).map(|_| Fault::throttle());
    let plan = [Fault::Pass, Fault::Pass, Fault::Lose]
        .into_iter()
        .chain(throttled);
    let (faulty, _) = db.faulty(plan);
    let job = || Row::in_partition("a").delete_each().concurrency(1);
    let report = job().budget(RetryBudget::rounds(1)).send(&faulty).await?;
    assert!(report.stopped().is_some_and(Error::is_throttled));
    assert_eq!((report.written, report.found, report.failed), (1, 1, 0));
    let [doubtful] = report.in_doubt() else {
        return Err(format!("{report:?}").into());
    };
    assert_eq!(doubtful.key_of::<Row>()?, Some(Row::key("a", 1u32)));
    assert!(doubtful.error().is_outcome_unknown());
    assert_eq!(db.count::<Row>().await, 4, "it was done");
    assert_eq!(job().send(&db).await?.complete()?.written, 4);

    // An update is not sent again. The report says that its outcome is unknown.
    rows(&db, 2).await?;
    let throttled = (0..50).map(|_| Fault::throttle());
    let (faulty, _) = db.faulty([Fault::Pass].into_iter().chain(throttled));
    let job = Row::in_partition("a").update_each(|row| row.update().apply(|r| r.count().add(1)));
    let job = job.concurrency(1).budget(RetryBudget::rounds(1));
    let report = job.send(&faulty).await?;
    assert!(report.stopped().is_some() && report.in_doubt().is_empty());
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 2)]));
    Ok(())
}
