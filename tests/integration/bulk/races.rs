//! Others write the same rows meanwhile: none of their changes is lost, and no row is done twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use dynamo_entity::RetryBudget;
use dynamo_entity::aws_sdk_dynamodb::config::SharedHttpClient;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;

use super::{Entry, Row, State, counts, entries, row, rows};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::rewriting::Rewriting;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    every_change_of_others_is_kept,
    a_lost_race_runs_the_closure_again,
    a_row_that_is_gone_is_left,
    a_row_that_left_the_index_is_left,
    a_row_that_left_the_filter_is_left,
    a_row_that_moved_within_the_range_is_changed,
    a_row_that_stands_while_a_condition_fails_has_failed,
    a_row_that_never_rests_fails_alone,
    a_row_that_never_rests_takes_no_attempts_of_others,
    no_item_is_no_evidence,
    given_writes_are_known_without_the_item,
    a_filter_and_a_condition_are_told_apart,
    a_failed_recheck_is_not_reported_as_a_conflict,
    a_condition_behind_a_lost_answer_tells_nothing,
];

/// Each entry gets one cent from the job, and two cents from each of three other writers.
async fn every_change_of_others_is_kept(db: Db) -> Outcome {
    entries(&db, 60).await?;
    let others = (0..3).map(|_| {
        let db = Dynamo::clone(&db);
        tokio::spawn(async move {
            for number in (0..60u32).rev() {
                let entry = Entry::key("a", number);
                let changed = entry.modify(|entry| entry.cents += 2).send(&db).await;
                changed.expect("a change");
            }
        })
    });
    let others: Vec<_> = others.collect();
    let mut runs = 0;
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            runs += 1;
            let cents = entry.cents + 1;
            entry.update().apply(move |e| e.cents().set(cents))
        })
        .concurrency(8)
        .budget(RetryBudget::rounds(100))
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 60);
    for other in others {
        other.await?;
    }
    assert!(runs >= 60);
    for entry in Entry::scan().consistent().all(&db).await? {
        assert_eq!(entry.cents, 7, "{entry:?}");
    }
    Ok(())
}

async fn a_lost_race_runs_the_closure_again(db: Db) -> Outcome {
    entries(&db, 1).await?;
    let mut seen = Vec::new();
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            seen.push(entry.cents);
            if seen.len() < 4 {
                let other = Entry::key("a", 0u32).modify(|entry| entry.cents += 10);
                meanwhile(other.send(&db)).expect("a change");
            }
            let cents = entry.cents + 1;
            entry.update().apply(move |e| e.cents().set(cents))
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 1);
    assert_eq!(seen, [0, 10, 20, 30]);
    let entry = Entry::key("a", 0u32).get().send(&db).await?;
    assert_eq!(entry.map(|entry| entry.cents), Some(31));
    Ok(())
}

async fn a_row_that_is_gone_is_left(db: Db) -> Outcome {
    rows(&db, 4).await?;
    let report = Row::in_partition("a")
        .update_each(|row| {
            if row.number == 2 {
                meanwhile(row.delete().send(&db)).expect("a delete");
            }
            row.update().apply(|r| r.count().add(1))
        })
        .send(&db)
        .await?;
    let report = report.complete()?;
    assert_eq!((report.written, report.vanished), (3, 1));
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 3)]));
    Ok(())
}

/// An index lags behind its table, so a row that it shows may have left it.
async fn a_row_that_left_the_index_is_left(db: Db) -> Outcome {
    rows(&db, 4).await?;
    let report = Row::by_state(State::Open)
        .update_each(|row| {
            if row.number == 2 {
                let done = Row::key("a", 2u32)
                    .update()
                    .apply(|r| r.rank().set(2))
                    .apply(|r| r.state().set(State::Done));
                meanwhile(done.send(&db)).expect("an update");
            }
            row.update().apply(|r| r.note().set("still open"))
        })
        .send(&db)
        .await?;
    let report = report.complete()?;
    assert_eq!((report.written, report.left_query), (3, 1));
    let noted = Row::scan().filter(|r| r.note().exists()).all(&db).await?;
    assert!(noted.iter().all(|row| row.state == State::Open));
    assert_eq!(noted.len(), 3);
    Ok(())
}

async fn a_row_that_left_the_filter_is_left(db: Db) -> Outcome {
    rows(&db, 4).await?;
    let report = Row::in_partition("a")
        .filter(|r| r.note().missing())
        .update_each(|row| {
            if row.number == 2 {
                let noted = Row::key("a", 2u32).update().apply(|r| r.note().set("mine"));
                meanwhile(noted.send(&db)).expect("an update");
            }
            row.update().apply(|r| r.note().set("of the job"))
        })
        .send(&db)
        .await?;
    let report = report.complete()?;
    assert_eq!((report.written, report.left_query), (3, 1));
    let mine = Row::key("a", 2u32).get().send(&db).await?;
    assert_eq!(mine.and_then(|row| row.note).as_deref(), Some("mine"));
    Ok(())
}

async fn a_row_that_moved_within_the_range_is_changed(db: Db) -> Outcome {
    rows(&db, 4).await?;
    let mut is_first = true;
    let report = Row::by_state(State::Open)
        .rank()
        .lt(2000)
        .update_each(|row| {
            if row.number == 2 && std::mem::take(&mut is_first) {
                let moved = row.update().apply(|r| r.rank().set(1000));
                meanwhile(moved.send(&db)).expect("an update");
            }
            let rank = row.rank + 1;
            row.update()
                .apply(move |r| (r.rank().set(rank), r.count().add(1)))
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 4);
    let moved = Row::key("a", 2u32)
        .get()
        .send(&db)
        .await?
        .map(|row| (row.rank, row.count));
    assert_eq!(moved, Some((1001, 1)));
    Ok(())
}

async fn a_row_that_stands_while_a_condition_fails_has_failed(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let report = Row::in_partition("a")
        .update_each(|row| {
            row.update()
                .apply(|r| r.count().add(1))
                .when(|r| r.rank().lt(4))
        })
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed, report.vanished), (4, 2, 0));
    for failed in report.errors() {
        assert!(failed.error().is_conflict(), "{failed:?}");
        let current = failed.error().current::<Row>()?;
        assert_eq!(current.map(|row| row.key()), failed.key_of()?);
    }
    assert!(report.complete().is_err_and(|error| error.is_conflict()));
    Ok(())
}

async fn a_row_that_never_rests_fails_alone(db: Db) -> Outcome {
    entries(&db, 3).await?;
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            if entry.number == 1 {
                let other = Entry::key("a", 1u32).touch();
                meanwhile(other.send(&db)).expect("a touch");
            }
            entry.update().apply(|e| e.cents().add(1))
        })
        .budget(RetryBudget::rounds(3))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (2, 1));
    let failed = &report.errors()[0];
    assert_eq!(failed.error().kind(), ErrorKind::Conflict);
    assert!(failed.error().current::<Entry>()?.is_some());
    assert_eq!(
        failed.key().get("number"),
        Some(&dynamo_entity::Value::from(1))
    );
    Ok(())
}

/// The second row loses two races, after the first one has lost all of its own.
async fn a_row_that_never_rests_takes_no_attempts_of_others(db: Db) -> Outcome {
    entries(&db, 3).await?;
    let mut races = 2;
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            if entry.number == 0 || entry.number == 1 && races > 0 {
                races -= i32::from(entry.number == 1);
                let other = Entry::key("a", entry.number).touch();
                meanwhile(other.send(&db)).expect("a touch");
            }
            entry.update().apply(|e| e.cents().add(1))
        })
        .concurrency(1)
        .budget(RetryBudget::rounds(3))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (2, 1), "{report:?}");
    assert_eq!(races, 0);
    let failed = report.errors()[0].key().get("number");
    assert_eq!(failed, Some(&dynamo_entity::Value::from(0)));
    Ok(())
}

/// A connection to a server that does not support `ReturnValuesOnConditionCheckFailure`.
fn without_items(db: &Db) -> Dynamo {
    fn strip(value: &mut serde_json::Value) {
        if let Some(object) = value.as_object_mut() {
            object.remove("Item");
            object.values_mut().for_each(strip);
        }
        value.as_array_mut().into_iter().flatten().for_each(strip);
    }
    let http = Rewriting::new(db.engine().http_client(), |answer| {
        if answer.status == 400 {
            let mut body = serde_json::from_slice(&answer.body).expect("JSON");
            strip(&mut body);
            answer.body = body.to_string().into_bytes();
        }
    });
    let http = SharedHttpClient::new(http);
    db.through(db.engine().config().http_client(http))
}

async fn no_item_is_no_evidence(db: Db) -> Outcome {
    entries(&db, 30).await?;
    let silent = without_items(&db);
    let mut met = BTreeSet::new();
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            let cents = entry.cents + 1;
            if met.insert(entry.number) {
                match entry.number % 3 {
                    0 => meanwhile(entry.delete().send(&db)).expect("a delete"),
                    1 => drop(meanwhile(entry.key().touch().send(&db)).expect("a touch")),
                    _ => {
                        let other = entry.key().modify(|entry| entry.cents += 10);
                        drop(meanwhile(other.send(&db)).expect("a change"));
                    }
                }
            }
            entry.update().apply(move |e| e.cents().set(cents))
        })
        .budget(RetryBudget::rounds(50))
        .send(&silent)
        .await?
        .complete()?;
    assert_eq!((report.written, report.vanished), (20, 10));
    for entry in Entry::scan().consistent().all(&db).await? {
        let cents = if entry.number % 3 == 1 { 1 } else { 11 };
        assert_eq!(entry.cents, cents, "{entry:?}");
    }

    // A row that still exists has failed, and the error contains it.
    let report = Entry::in_partition("a")
        .update_each(|entry| {
            let update = entry.update().when(|e| e.cents().gt(5));
            update.apply(|e| e.cents().set(0))
        })
        .send(&silent)
        .await?;
    assert_eq!(
        (report.written, report.failed, report.vanished),
        (10, 10, 0)
    );
    for failed in report.errors() {
        assert_eq!(failed.error().kind(), ErrorKind::Conflict);
        let current = failed.error().current::<Entry>()?;
        assert_eq!(current.map(|entry| entry.cents), Some(1));
    }
    Ok(())
}

async fn given_writes_are_known_without_the_item(db: Db) -> Outcome {
    rows(&db, 2).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let silent = without_items(&db);
    let job = || {
        let adds = (0..2u32).map(|number| Row::key("a", number).update());
        put_each(adds.map(|add| add.apply(|r| r.count().add(1))))
            .checkpoint("add", FileCheckpoint::new(&path))
    };
    let (denied, _) = db.faulty([Fault::refuse("AccessDeniedException")]);
    let stopped = job().concurrency(1).send(&denied).await?;
    let older = std::fs::read(&path)?;
    assert!(stopped.stopped().is_some());
    assert_eq!(job().send(&db).await?.complete()?.written, 2);
    std::fs::write(&path, older)?;
    let report = job().send(&silent).await?.complete()?;
    assert_eq!((report.written, report.already_done), (0, 2));
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 2)]));
    Ok(())
}

/// A condition of the closure belongs to the row as it was read, and its failure is an error. A row that no
/// longer matches the filter of the query is only left out.
async fn a_filter_and_a_condition_are_told_apart(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let report = Row::by_state(State::Open)
        .filter(|r| r.note().missing())
        .update_each(|row| {
            let key = row.key();
            match row.number {
                0 => {
                    let noted = key.update().apply(|r| r.note().set("left"));
                    meanwhile(noted.send(&db)).map(drop).expect("an update");
                }
                1 => meanwhile(key.delete().send(&db)).expect("a delete"),
                2 => {
                    let done = key.update();
                    let done = done.apply(|r| (r.state().set(State::Done), r.rank().set(2)));
                    meanwhile(done.send(&db)).map(drop).expect("an update");
                }
                _ => {}
            }
            row.update()
                .apply(|r| r.count().add(1))
                .when(|r| r.rank().ne(5))
        })
        .concurrency(1)
        .send(&db)
        .await?;
    assert_eq!(
        (
            report.written,
            report.left_query,
            report.vanished,
            report.failed,
            report.found
        ),
        (2, 2, 1, 1, 6)
    );
    let failed = &report.errors()[0];
    assert_eq!(failed.key_of::<Row>()?, Some(Row::key("a", 5u32)));
    assert!(failed.error().is_conflict());
    Ok(())
}

/// The job reads again to learn whether the filter or the condition failed. If that read fails, its error is
/// reported.
async fn a_failed_recheck_is_not_reported_as_a_conflict(db: Db) -> Outcome {
    rows(&db, 1).await?;
    let job = async |answers: Vec<Fault>| {
        let plan = [Fault::Pass, Fault::Pass].into_iter().chain(answers);
        // On a silent server, the failed write is followed by a read of the item, which passes.
        let (faulty, http) = db.faulty(plan);
        let job = Row::scan().filter(|r| r.note().missing());
        let job = job.update_each(|row| {
            let update = row.update().apply(|r| r.count().add(1));
            update.when(|r| r.rank().ne(0))
        });
        let report = job.budget(RetryBudget::rounds(2)).send(&faulty).await?;
        Ok::<_, Error>((report, http.calls()))
    };
    let (known, calls) = job(Vec::new()).await?;
    assert_eq!(known.errors()[0].error().kind(), ErrorKind::Conflict);
    let asked = calls.len() - 1;
    let reads = asked - 2;
    for (fault, kind) in [
        (
            Fault::refuse("AccessDeniedException"),
            ErrorKind::AccessDenied,
        ),
        (Fault::throttle(), ErrorKind::Throttled),
        (Fault::internal(), ErrorKind::Unavailable),
    ] {
        let answers = std::iter::repeat_n(Fault::Pass, reads);
        let answers = answers.chain(std::iter::repeat_n(fault, 100));
        let (report, _) = job(answers.collect()).await?;
        assert_eq!(report.stopped().map(Error::kind), Some(kind));
        assert_eq!(report.failed, 0, "{kind:?}: nobody knows");
    }
    // A fault that passes is retried.
    for fault in [Fault::throttle(), Fault::Lose, Fault::internal()] {
        let answers = std::iter::repeat_n(Fault::Pass, reads);
        let (report, _) = job(answers.chain([fault]).collect()).await?;
        assert!(report.stopped().is_none());
        assert_eq!(report.errors()[0].error().kind(), ErrorKind::Conflict);
    }
    let (report, _) = {
        let answers = std::iter::repeat_n(Fault::Pass, reads);
        let refused = Fault::refuse("ValidationException");
        job(answers.chain([refused]).collect()).await?
    };
    assert_eq!(report.errors()[0].error().kind(), ErrorKind::Rejected);
    Ok(())
}

/// A connection on which the first update takes effect, its answer is lost, and another program then replaces
/// the item and so removes its mark.
fn replaced_behind_a_lost_answer(db: &Db) -> Dynamo {
    let is_lost = AtomicBool::new(false);
    let other = db.clone();
    let http = Rewriting::new(db.engine().http_client(), move |answer| {
        if answer.operation != "UpdateItem" || is_lost.swap(true, Ordering::SeqCst) {
            return;
        }
        let put = Row { rank: 0, ..row(1) };
        meanwhile(put.put().send(&other)).expect("a put");
        answer.status = 500;
        answer.body = br#"{"__type":"InternalServerError"}"#.to_vec();
    });
    let http = SharedHttpClient::new(http);
    db.through(db.engine().config().http_client(http))
}

/// The write did take effect, so a condition that fails afterwards does not prove that it did not.
async fn a_condition_behind_a_lost_answer_tells_nothing(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    rows(&db, 2).await?;
    let lost = replaced_behind_a_lost_answer(&db);
    let job = || {
        let update = Row::key("a", 1u32).update().when(|r| r.rank().eq(1));
        put_each([update.apply(|r| r.rank().set(0))])
            .checkpoint("given", FileCheckpoint::new(folder.path().join("given")))
    };
    let report = job().send(&lost).await?;
    assert_eq!((report.written, report.failed), (0, 1));
    let failed = report.errors()[0].error();
    assert_eq!(failed.kind(), ErrorKind::OutcomeUnknown, "{failed}");
    let current = failed.current::<Row>()?;
    assert_eq!(current.map(|row| row.rank), Some(0));
    // With its condition met again, the next run could do the write a second time.
    Row::key("a", 1u32)
        .update()
        .apply(|r| r.rank().set(1))
        .send(&db)
        .await?;
    let again = job().send(&db).await?;
    assert_eq!(
        (again.written, again.failed, again.was_finished()),
        (0, 1, true)
    );

    let lost = replaced_behind_a_lost_answer(&db);
    let report = Row::in_partition("a")
        .number()
        .eq(1)
        .update_each(|row| {
            let update = row.update().when(|r| r.rank().eq(1));
            update.apply(|r| r.rank().set(0))
        })
        .checkpoint("rows", FileCheckpoint::new(folder.path().join("rows")))
        .send(&lost)
        .await?;
    assert_eq!((report.written, report.failed), (0, 1));
    let failed = report.errors()[0].error();
    assert_eq!(failed.kind(), ErrorKind::OutcomeUnknown, "{failed}");
    Ok(())
}
