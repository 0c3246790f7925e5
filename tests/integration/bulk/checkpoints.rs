//! A job that is stopped and run again skips nothing and does nothing twice.

use std::collections::BTreeMap;
use std::path::Path;

use dynamo_entity::aws_sdk_dynamodb::error::BoxError;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::{BulkReport, FileCheckpoint};
use dynamo_entity::prelude::*;
use dynamo_entity::{Bulk, Value};
use tempfile::TempDir;

use super::{Entry, Row, counts, entries, row, rows, spread_rows};
use crate::support::clock::HandClock;
use crate::support::db::{Db, s};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_job_goes_on_where_it_was_stopped,
    a_scan_in_segments_goes_on_where_it_was_stopped,
    segments_of_another_number_are_refused,
    a_finished_job_does_nothing,
    rows_between_the_save_and_the_crash_are_known_by_their_mark,
    rows_that_failed_are_tried_again,
    a_checkpoint_of_another_job_is_refused,
    a_checkpoint_is_used_by_one_job_at_a_time,
    a_job_whose_lock_was_deleted_saves_no_more,
    a_link_to_a_checkpoint_is_that_checkpoint,
    a_checkpoint_that_is_kept_is_free_after_its_job,
    what_is_no_checkpoint_is_refused,
    an_unwritable_checkpoint_stops_the_job_before_it_starts,
    jobs_side_by_side_keep_their_marks,
    the_bounds_of_the_first_run_hold,
    a_job_goes_on_from_the_end_of_its_range,
    a_limit_holds_over_all_runs,
    writes_that_were_given_go_on,
    other_writes_than_those_that_were_given_are_refused,
    a_finished_job_takes_no_other_writes,
    writes_that_failed_may_be_mended,
    entities_keep_the_mark,
    the_mark_of_an_earlier_run_is_replaced,
    a_mark_is_not_made_by_hand,
    a_mark_comes_along_with_an_item,
];

const JOB: &str = "plus-one";

fn file(folder: &TempDir) -> FileCheckpoint {
    FileCheckpoint::new(folder.path().join("job"))
}

fn plus_one(path: &Path) -> Bulk<'static> {
    let rows = Row::in_partition("a").page_size(16);
    let job = rows.update_each(|row| row.update().apply(|r| r.count().add(1)));
    job.checkpoint(JOB, FileCheckpoint::new(path))
        .concurrency(4)
}

/// Sends the job to a service that denies access after so many requests.
async fn stopped_after(db: &Db, requests: usize, job: Bulk<'_>) -> Result<BulkReport> {
    let denied = (0..20).map(|_| Fault::refuse("AccessDeniedException"));
    let plan = std::iter::repeat_n(Fault::Pass, requests).chain(denied);
    let (faulty, _) = db.faulty(plan);
    job.send(&faulty).await
}

async fn a_job_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 100).await?;
    let mut runs = 0;
    loop {
        let report = stopped_after(&db, 23, plus_one(&path)).await?;
        runs += 1;
        assert_eq!(report.failed, 0);
        if report.stopped().is_none() {
            assert_eq!(
                (report.found, report.written),
                (100, 100),
                "counted over all runs"
            );
            break;
        }
    }
    assert!(runs > 4, "{runs}");
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 100)]));
    Ok(())
}

fn plus_one_in_segments(path: &Path, segments: usize) -> Bulk<'static> {
    let rows = Row::scan().segments(segments).page_size(5);
    let rows = rows.filter(|row| row.rank().ne(7));
    let job = rows.update_each(|row| row.update().apply(|r| r.count().add(1)));
    job.checkpoint(JOB, FileCheckpoint::new(path))
        .concurrency(4)
}

/// The job is stopped or crashes: every other run finds an older checkpoint.
async fn a_scan_in_segments_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    spread_rows(&db, 100).await?;
    for (round, segments) in [1, 3, 9].into_iter().enumerate() {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("job");
        let job = || plus_one_in_segments(&path, segments);
        let mut older: Option<Vec<u8>> = None;
        let mut runs = 0;
        let report = loop {
            let report = stopped_after(&db, 31, job()).await?;
            runs += 1;
            assert_eq!(report.failed, 0);
            if report.stopped().is_none() {
                break report;
            }
            match older.take() {
                Some(bytes) => std::fs::write(&path, bytes)?,
                None => older = Some(std::fs::read(&path)?),
            }
        };
        assert!(runs > 4, "{runs}");
        assert_eq!(
            (report.found, report.written + report.already_done),
            (99, 99)
        );
        let round = round as u64 + 1;
        assert_eq!(counts(&db).await?, BTreeMap::from([(0, 1), (round, 99)]));
        assert!(job().send(&db).await?.was_finished());
    }
    Ok(())
}

async fn segments_of_another_number_are_refused(db: Db) -> Outcome {
    spread_rows(&db, 20).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let _ = stopped_after(&db, 9, plus_one_in_segments(&path, 4)).await?;
    for segments in [3, 5] {
        let refused = plus_one_in_segments(&path, segments).send(&db).await;
        assert_eq!(refused.expect_err("others").kind(), ErrorKind::Checkpoint);
    }
    let report = plus_one_in_segments(&path, 4).send(&db).await?.complete()?;
    assert_eq!(report.found, 19);
    Ok(())
}

async fn a_finished_job_does_nothing(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 20).await?;
    let first = plus_one(&path).send(&db).await?;
    assert!(!first.was_finished() && first.stopped().is_none());
    let (faulty, http) = db.faulty([]);
    let again = plus_one(&path).send(&faulty).await?;
    assert!(again.was_finished());
    assert_eq!((again.written, again.position()), (20, first.position()));
    assert!(http.calls().is_empty());
    Ok(())
}

/// An older checkpoint is what a crash leaves behind.
async fn rows_between_the_save_and_the_crash_are_known_by_their_mark(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 100).await?;
    let report = stopped_after(&db, 30, plus_one(&path)).await?;
    assert!(report.stopped().is_some());
    let older = std::fs::read(&path)?;
    let report = stopped_after(&db, 40, plus_one(&path)).await?;
    assert!(report.stopped().is_some());
    std::fs::write(&path, older)?;
    let report = plus_one(&path).send(&db).await?.complete()?;
    assert_eq!(report.found, 100);
    assert!(report.already_done > 20, "{report:?}");
    assert_eq!(report.written + report.already_done, 100);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 100)]));
    Ok(())
}

async fn rows_that_failed_are_tried_again(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 40).await?;
    let sound = db.stored(&Row::key("a", 7u32)).await;
    let mut broken = sound.clone();
    broken.insert("count".into(), s("many"));
    db.plant::<Row>(broken).await;
    let report = plus_one(&path).send(&db).await?;
    assert_eq!((report.written, report.failed), (39, 1));
    // The job has reached its end, but the broken row is still to be done.
    let report = plus_one(&path).send(&db).await?;
    assert_eq!((report.found, report.written, report.failed), (40, 39, 1));
    assert_eq!(report.errors().len(), 1);
    db.plant::<Row>(sound).await;
    let report = plus_one(&path).send(&db).await?.complete()?;
    assert_eq!((report.found, report.written, report.failed), (40, 40, 0));
    assert!(plus_one(&path).send(&db).await?.was_finished());
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 40)]));
    Ok(())
}

async fn a_checkpoint_of_another_job_is_refused(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 30).await?;
    let path = folder.path().join("job");
    let report = stopped_after(&db, 20, plus_one(&path)).await?;
    assert!(report.stopped().is_some());
    let change = |row: &Row| row.update().apply(|r| r.count().add(1));
    let new = row(1);
    let others = [
        Row::in_partition("a")
            .update_each(change)
            .checkpoint("other", file(&folder)),
        Row::in_partition("b")
            .update_each(change)
            .checkpoint(JOB, file(&folder)),
        Row::in_partition("a")
            .descending()
            .update_each(change)
            .checkpoint(JOB, file(&folder)),
        Row::in_partition("a")
            .filter(|r| r.rank().gt(3))
            .update_each(change)
            .checkpoint(JOB, file(&folder)),
        Row::scan()
            .update_each(change)
            .checkpoint(JOB, file(&folder)),
        Row::in_partition("a")
            .delete_each()
            .checkpoint(JOB, file(&folder)),
        put_each([new.create()]).checkpoint(JOB, file(&folder)),
    ];
    for other in others {
        let refused = other.send(&db).await.expect_err("another job");
        assert_eq!(refused.kind(), ErrorKind::Checkpoint, "{refused}");
    }
    let tenant = Dynamo::clone(&db).with_prefix("another");
    let refused = plus_one(&path)
        .send(&tenant)
        .await
        .expect_err("another table");
    assert_eq!(refused.kind(), ErrorKind::Checkpoint);
    for name in ["", "a b", "a/b", &"x".repeat(65)] {
        let job = Row::scan()
            .update_each(change)
            .checkpoint(name, file(&folder));
        assert_eq!(
            job.send(&db).await.expect_err(name).kind(),
            ErrorKind::Checkpoint
        );
    }
    assert_eq!(plus_one(&path).send(&db).await?.complete()?.written, 30);
    Ok(())
}

async fn a_checkpoint_is_used_by_one_job_at_a_time(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 3).await?;
    let mut inner = None;
    let report = plus_one(&path)
        .on_progress(|_| {
            inner.get_or_insert_with(|| meanwhile(plus_one(&path).send(&db)).map(|_| ()));
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 3);
    let refused = inner.expect("it was called").expect_err("two at once");
    assert_eq!(refused.kind(), ErrorKind::Locked);
    assert!(refused.to_string().contains("job is in use"), "{refused}");
    assert!(plus_one(&path).send(&db).await?.was_finished());
    Ok(())
}

async fn a_job_whose_lock_was_deleted_saves_no_more(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 60).await?;
    let mut inner = None;
    let report = plus_one(&path)
        .on_progress(|_| {
            inner.get_or_insert_with(|| {
                std::fs::remove_file(folder.path().join("job.lock"))?;
                let report = meanwhile(plus_one(&path).send(&db))?;
                Ok::<_, BoxError>((report, std::fs::read(&path)?))
            });
        })
        .send(&db)
        .await?;
    let (other, kept) = inner.expect("it was called").expect("another job");
    assert!(other.stopped().is_none(), "{other:?}");
    let stopped = report.stopped().expect("nothing was saved");
    assert_eq!(stopped.kind(), ErrorKind::Locked, "{stopped}");
    assert!(stopped.to_string().contains("was deleted"), "{stopped}");
    assert_eq!(std::fs::read(&path)?, kept);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 60)]));
    Ok(())
}

async fn a_link_to_a_checkpoint_is_that_checkpoint(db: Db) -> Outcome {
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir()?;
        let [path, link] = ["job", "link"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&path, &link)?;
        rows(&db, 60).await?;
        let mut inner = None;
        let report = plus_one(&link)
            .on_progress(|_| {
                inner.get_or_insert_with(|| meanwhile(plus_one(&path).send(&db)).map(|_| ()));
            })
            .send(&db)
            .await?;
        assert_eq!(report.complete()?.written, 60);
        let refused = inner.expect("it was called").expect_err("two at once");
        assert_eq!(refused.kind(), ErrorKind::Locked);
        assert!(std::fs::symlink_metadata(&link)?.is_symlink());
        assert!(plus_one(&path).send(&db).await?.was_finished());
    }
    Ok(())
}

/// A kept checkpoint value does not block the next job once its own is done, stopped, refused or dropped.
async fn a_checkpoint_that_is_kept_is_free_after_its_job(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 3).await?;
    let kept = FileCheckpoint::new(folder.path().join("job"));
    let rows = || Row::in_partition("a").page_size(16);
    let change = |row: &Row| row.update().apply(|r| r.count().add(1));
    let job = || rows().update_each(change).checkpoint(JOB, kept.clone());

    let stopped = stopped_after(&db, 1, job()).await?;
    assert!(stopped.stopped().is_some());
    let other = rows().update_each(change).checkpoint("other", kept.clone());
    let refused = other.send(&db).await.expect_err("another job");
    assert_eq!(refused.kind(), ErrorKind::Checkpoint);
    let (hanging, http) = db.faulty([Fault::Pass, Fault::Hang, Fault::Hang, Fault::Hang]);
    let hangs = async {
        while http.calls().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    let dropped = tokio::select! {
        _ = job().send(&hanging) => false,
        () = hangs => true,
    };
    assert!(dropped);
    // Neither a job that is never sent nor one that does not get the lock disturbs the running job.
    let mut inner = Vec::new();
    let report = job()
        .on_progress(|_| {
            drop(job());
            inner.push(meanwhile(job().send(&db)).map(|_| ()));
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 3);
    assert_eq!(inner.len(), 3);
    for refused in inner {
        assert_eq!(refused.expect_err("two at once").kind(), ErrorKind::Locked);
    }
    for _ in 0..2 {
        assert!(job().send(&db).await?.was_finished());
        let by_reference = rows().update_each(change).checkpoint(JOB, &kept);
        assert!(by_reference.send(&db).await?.was_finished());
    }
    Ok(())
}

async fn what_is_no_checkpoint_is_refused(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 3).await?;
    for text in ["", "{}", "no JSON", "{\"version\":{\"N\":\"99\"}}"] {
        std::fs::write(&path, text)?;
        let refused = plus_one(&path).send(&db).await.expect_err(text);
        assert_eq!(refused.kind(), ErrorKind::Checkpoint, "{text}: {refused}");
    }
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 3)]));
    Ok(())
}

async fn an_unwritable_checkpoint_stops_the_job_before_it_starts(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 3).await?;
    let path = folder.path().join("no such folder").join("job");
    assert!(plus_one(&path).send(&db).await.is_err());
    assert_eq!(
        counts(&db).await?,
        BTreeMap::from([(0, 3)]),
        "nothing was begun"
    );
    Ok(())
}

async fn jobs_side_by_side_keep_their_marks(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 60).await?;
    let change = |row: &Row| row.update().apply(|r| r.count().add(1));
    let job = |name: &'static str| {
        let path = folder.path().join(name);
        Row::scan()
            .update_each(change)
            .checkpoint(name, FileCheckpoint::new(path))
    };
    let mut begun = BTreeMap::new();
    for name in ["one", "two"] {
        assert!(stopped_after(&db, 0, job(name)).await?.stopped().is_some());
        begun.insert(name, std::fs::read(folder.path().join(name))?);
        assert!(stopped_after(&db, 40, job(name)).await?.stopped().is_some());
    }
    // Both jobs are set back to their first checkpoints, so only their marks tell which rows are done.
    for name in ["one", "two"] {
        std::fs::write(folder.path().join(name), &begun[name])?;
    }
    let (one, two) = (job("one"), job("two"));
    let (one, two) = (one.send(&db), two.send(&db));
    let one = tokio::join!(one, two);
    assert_eq!(
        (one.0?.complete()?.failed, one.1?.complete()?.failed),
        (0, 0)
    );
    assert_eq!(counts(&db).await?, BTreeMap::from([(2, 60)]));
    Ok(())
}

async fn the_bounds_of_the_first_run_hold(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 60).await?;
    let upto = |end: u32| {
        let rows = Row::in_partition("a").number().lt(end);
        let job = rows.update_each(|row| row.update().apply(|r| r.count().add(1)));
        job.checkpoint(JOB, file(&folder)).concurrency(1)
    };
    assert!(stopped_after(&db, 11, upto(20)).await?.stopped().is_some());
    let report = upto(40).send(&db).await?.complete()?;
    assert_eq!(report.written, 20);
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 40), (1, 20)]));
    Ok(())
}

/// The job may stop anywhere, also after its last row, where the range ends.
async fn a_job_goes_on_from_the_end_of_its_range(db: Db) -> Outcome {
    const ROWS: u32 = 6;
    entries(&db, ROWS).await?;
    for stop in 0..16 {
        let folder = TempDir::new()?;
        let job = || {
            let rows = Entry::in_partition("a").number().le(ROWS - 1).page_size(3);
            let job = rows.update_each(|row| row.update().apply(|r| r.cents().add(1)));
            job.checkpoint(JOB, file(&folder)).concurrency(1)
        };
        let _ = stopped_after(&db, stop, job()).await;
        job().send(&db).await?.complete()?;
        let cents = Entry::in_partition("a").all(&db).await?;
        let cents: Vec<i64> = cents.iter().map(|row| row.cents).collect();
        assert_eq!(cents, [i64::try_from(stop)? + 1; ROWS as usize], "{stop}");
    }
    Ok(())
}

async fn a_limit_holds_over_all_runs(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 60).await?;
    let some = || {
        let rows = Row::in_partition("a").limit(25);
        let job = rows.update_each(|row| row.update().apply(|r| r.count().add(1)));
        job.checkpoint(JOB, file(&folder)).concurrency(1)
    };
    assert!(stopped_after(&db, 11, some()).await?.stopped().is_some());
    assert_eq!(some().send(&db).await?.complete()?.written, 25);
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 35), (1, 25)]));
    Ok(())
}

async fn writes_that_were_given_go_on(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    rows(&db, 50).await?;
    let all: Vec<Row> = (25..75).map(row).collect();
    // Each existing row is changed twice, and half of the rows to create exist already.
    let job = || {
        let adds = (0..2).flat_map(|_| 0..25u32);
        let adds = adds.map(|number| Row::key("a", number).update().apply(|r| r.count().add(1)));
        let adds = adds.map(|add| Box::new(add) as Box<dyn dynamo_entity::bulk::SingleWrite>);
        let creates = all
            .iter()
            .map(|row| Box::new(row.create()) as Box<dyn dynamo_entity::bulk::SingleWrite>);
        put_each(adds.chain(creates))
            .checkpoint(JOB, file(&folder))
            .concurrency(3)
    };
    let mut older = None;
    for _ in 0..20 {
        let report = stopped_after(&db, 17, job()).await?;
        if report.stopped().is_none() {
            break;
        }
        // Every other run gets an older checkpoint, as after a crash.
        match older.take() {
            Some(bytes) => std::fs::write(&path, &bytes as &Vec<u8>)?,
            None => older = Some(std::fs::read(&path)?),
        }
    }
    let report = job().send(&db).await?;
    assert!(report.was_finished());
    assert_eq!((report.found, report.failed), (100, 25));
    assert_eq!(report.written + report.already_done, 75);
    let error = report.complete().expect_err("some were there");
    assert!(error.to_string().contains("earlier run"), "{error}");
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 50), (2, 25)]));
    Ok(())
}

fn creates_of<'r>(rows: &[&'r Row], folder: &TempDir) -> Bulk<'r> {
    let creates: Vec<_> = rows.iter().map(|row| row.create()).collect();
    put_each(creates)
        .checkpoint(JOB, file(folder))
        .concurrency(1)
}

/// Somebody edits the list of writes between the runs.
async fn other_writes_than_those_that_were_given_are_refused(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 0).await?;
    let all: Vec<Row> = (0..100).map(row).collect();
    let given: Vec<&Row> = all.iter().collect();
    let stopped = stopped_after(&db, 75, creates_of(&given, &folder)).await?;
    assert!(stopped.stopped().is_some());

    let (mut swapped, mut without) = (given.clone(), given.clone());
    swapped.swap(3, 4);
    without.remove(10);
    let shifted: Vec<&Row> = [&given[1..], &given[..1]].concat();
    let (faulty, http) = db.faulty([]);
    for other in [&shifted, &swapped, &without, &given[..70].to_vec()] {
        let refused = creates_of(other, &folder)
            .send(&faulty)
            .await
            .expect_err("other writes");
        assert_eq!(refused.kind(), ErrorKind::Checkpoint);
        assert!(refused.to_string().contains("skipped"), "{refused}");
    }
    let deletes = all.iter().map(|row| row.delete());
    let deletes = put_each(deletes).checkpoint(JOB, file(&folder));
    assert!(deletes.send(&faulty).await.is_err(), "another verb");
    let elsewhere = faulty.with_prefix("elsewhere");
    assert!(
        creates_of(&given, &folder).send(&elsewhere).await.is_err(),
        "another table"
    );
    assert!(http.calls().is_empty());

    // Writes that the job has not come to yet may be replaced.
    let rest = row(200);
    let longer = [&given[..99], &[&rest]].concat();
    assert_eq!(
        creates_of(&longer, &folder)
            .send(&db)
            .await?
            .complete()?
            .written,
        100
    );
    assert_eq!(db.count::<Row>().await, 100);
    Ok(())
}

async fn a_finished_job_takes_no_other_writes(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 0).await?;
    let all: Vec<Row> = (0..20).map(row).collect();
    let job = |rows: std::ops::Range<usize>| {
        put_each(all[rows].iter().map(Row::create)).checkpoint(JOB, file(&folder))
    };
    assert_eq!(job(0..10).send(&db).await?.complete()?.written, 10);
    for other in [0..20, 0..9, 10..20] {
        let refused = job(other).send(&db).await.expect_err("other writes");
        assert_eq!(refused.kind(), ErrorKind::Checkpoint);
    }
    let again = job(0..10).send(&db).await?;
    assert!(again.was_finished());
    assert_eq!(db.count::<Row>().await, 10);
    Ok(())
}

async fn writes_that_failed_may_be_mended(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 0).await?;
    let mut given: Vec<Row> = (0..5).map(row).collect();
    given[1].group = "x".repeat(3000);
    given[3].note = Some("x".repeat(500_000));
    let broken = given.clone();
    let job = |rows| put_each(Vec::from_iter(rows)).checkpoint(JOB, file(&folder));
    let report = job(broken.iter().map(Row::put)).send(&db).await?;
    assert_eq!((report.written, report.failed), (3, 2));

    given[1].group = "b".into();
    given[3].note = None;
    let report = job(given.iter().map(Row::put)).send(&db).await?;
    assert_eq!(report.complete()?.written, 5);
    assert!(
        job(given.iter().map(Row::put))
            .send(&db)
            .await?
            .was_finished()
    );
    assert!(job(broken.iter().map(Row::put)).send(&db).await.is_err());
    Ok(())
}

async fn entities_keep_the_mark(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    entries(&db, 2).await?;
    let job = Entry::scan().update_each(|entry| entry.update().apply(|e| e.cents().add(1)));
    job.checkpoint(JOB, file(&folder))
        .send(&db)
        .await?
        .complete()?;
    let key = Entry::key("a", 1u32);
    let mark = db.stored(&key).await.get("_job.plus-one").cloned();
    assert!(mark.is_some());
    let entry = key.clone().get().send(&db).await?.expect("an entry");
    assert!(entry.rest.is_empty(), "it is nobody's attribute");
    let entry = entry.update().apply(|e| e.cents().add(1)).send(&db).await?;
    let entry = Entry { cents: 9, ..entry }.put().send(&db).await?;
    assert_eq!(Entry::from_item(entry.to_item()?)?, entry);
    key.clone()
        .modify(|entry| entry.cents += 1)
        .send(&db)
        .await?;
    assert_eq!(db.stored(&key).await.get("_job.plus-one").cloned(), mark);
    let by_clock = db.at(&HandClock::at("2026-01-01T00:00:00Z"));
    key.clone().touch().send(&by_clock).await?;
    assert_eq!(db.stored(&key).await.get("_job.plus-one").cloned(), mark);
    Ok(())
}

/// The entity's `rest` brings the old mark along. If both marks were sent, either of them could win.
async fn the_mark_of_an_earlier_run_is_replaced(db: Db) -> Outcome {
    let (updates, puts) = (tempfile::tempdir()?, tempfile::tempdir()?);
    entries(&db, 2).await?;
    let job = Entry::scan().update_each(|entry| entry.update().apply(|e| e.cents().add(1)));
    job.checkpoint(JOB, file(&updates))
        .send(&db)
        .await?
        .complete()?;
    let read = Entry::scan().all(&db).await?;
    let before = marks(&db).await;
    assert_eq!(before.len(), 2);

    // The mark shows that the write with the lost answer was done.
    let (faulty, http) = db.faulty([Fault::Lose]);
    let job = put_each(read.iter().map(Entry::put)).concurrency(1);
    let report = job.checkpoint(JOB, file(&puts)).send(&faulty).await?;
    assert_eq!(report.complete()?.written, 2);
    for seen in http
        .seen()
        .iter()
        .filter(|seen| seen.operation == "PutItem")
    {
        let body = String::from_utf8_lossy(&seen.body);
        assert_eq!(body.matches("\"_job.plus-one\":{").count(), 1);
    }
    for entry in Entry::scan().all(&db).await? {
        assert_eq!(entry.version.number(), Some(3));
    }
    let after = marks(&db).await;
    assert!(after.len() == 2 && after.iter().all(|mark| !before.contains(mark)));
    Ok(())
}

/// The marks in the stored items of both entries.
async fn marks(db: &Db) -> Vec<AttributeValue> {
    let mut marks = Vec::new();
    for number in 0..2_u32 {
        let stored = db.stored(&Entry::key("a", number)).await;
        marks.extend(stored.get("_job.plus-one").cloned());
    }
    marks
}

/// Reserved names are refused before anything is sent, in puts and updates. In nested maps they are allowed.
async fn a_mark_is_not_made_by_hand(db: Db) -> Outcome {
    entries(&db, 1).await?;
    let key = Entry::key("a", 0u32);
    let entry = key.clone().get().send(&db).await?.expect("an entry");
    let (faulty, http) = db.faulty([]);
    for name in ["$unique", "_shape", "_job.plus-one", "_job.", "_fill.cents"] {
        let mut forged = entry.clone();
        forged.rest.insert(name, "x");
        let by_path =
            |e: <Entry as DynamoEntity>::Paths| e.rest().entry(name).set(Value::from("x"));
        let removed = |e: <Entry as DynamoEntity>::Paths| e.rest().entry(name).remove();
        let modified = |entry: &mut Entry| drop(entry.rest.insert(name, "x"));
        for refused in [
            forged.put().send(&faulty).await,
            forged.create().send(&faulty).await,
            entry.update().apply(by_path).send(&faulty).await,
            key.clone().update().apply(removed).send(&faulty).await,
            key.clone().modify(modified).send(&db).await,
        ] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidValue, "{name}: {refused}");
            assert!(refused.to_string().contains(name), "{refused}");
        }
    }
    assert!(http.calls().is_empty());
    let names = ["$unique", "_shape", "_job.x"].map(|name| (name, Value::from(1)));
    let inside: Item = names.into_iter().collect();
    let mut entry = entry;
    entry.rest.insert("inside", inside);
    entry.rest.insert("job", 1);
    let entry = entry.put().send(&db).await?;
    assert_eq!(key.get().send(&db).await?, Some(entry));
    Ok(())
}

/// Items of streams and exports have marks, too. An entity made of such an item keeps them for what is made
/// of it.
async fn a_mark_comes_along_with_an_item(db: Db) -> Outcome {
    entries(&db, 1).await?;
    let key = Entry::key("a", 0u32);
    let mut stored = db.stored(&key).await;
    for name in ["_job.a", "_job.b", "others"] {
        stored.insert(name.into(), s("x"));
    }
    db.plant::<Entry>(stored.clone()).await;
    let entry = Entry::from_item(stored.clone())?;
    assert_eq!(entry.rest, [("others", "x")].into_iter().collect::<Item>());
    assert_eq!(entry.to_item()?, stored.clone().into());
    let read = key.clone().get().send(&db).await?.expect("an entry");
    let put = Entry {
        cents: 5,
        ..read.clone()
    }
    .put()
    .send(&db)
    .await?;
    let modified = key.clone().modify(|entry| entry.cents = 6);
    assert_eq!(modified.send(&db).await?.cents, 6);
    assert_eq!(put.cents, 5);
    let now = db.stored(&key).await;
    for (name, value) in &stored {
        let is_changed = ["cents", "version"].contains(&name.as_str());
        assert!(is_changed || now.get(name) == Some(value), "{name}");
    }
    assert_eq!(now.len(), stored.len());
    Ok(())
}
