//! Requests that arrive late: the client has given an attempt up, and the service executes it afterwards.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use dynamo_entity::bulk::{BulkReport, FileCheckpoint, SingleWrite};
use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;
use dynamo_entity::{Bulk, RetryBudget};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_taken_value_may_be_taken_after_all,
    a_cancelled_write_with_a_token_may_take_effect,
    a_cancelled_transaction_may_take_effect,
    a_cancelled_unit_of_work_may_take_effect,
    a_cancelled_row_transaction_may_take_effect,
    a_cancelled_given_write_may_take_effect,
    contention_after_a_lost_answer_tells_nothing,
    a_success_by_token_is_certain,
    a_delete_does_not_follow_a_create_that_may_arrive,
    nothing_follows_a_write_without_a_mark_that_may_arrive,
    a_mark_keeps_a_late_write_away,
    a_put_that_was_sent_twice_ends_the_turn_of_its_item,
    writes_of_other_items_are_not_concerned,
    the_next_run_waits_until_nothing_can_arrive,
    a_row_that_left_the_query_may_be_changed_after_all,
    a_late_put_of_a_batch_is_counted,
    any_line_of_writes_keeps_its_order,
];

/// The request arrives when the test says so.
const LATER: Fault = Fault::Late(1_000_000);

crate::declare! {
    entity Member(table = "late-members", key(pk = "MEMBER#{id}"), unique(by_badge, badge)) { id: u32, badge: String }
    entity Seat(table = "late-seats", key(pk = id), gsi(by_state, pk = state, sk = id))
        { id: u32, state: String, count: u32 }
}

fn member(id: u32) -> Member {
    Member {
        id,
        badge: "gold".into(),
    }
}

fn seat(id: u32) -> Seat {
    Seat {
        id,
        state: "free".into(),
        count: 0,
    }
}

async fn tables(db: &Db) -> Outcome {
    db.create_tables([Member::schema(), Seat::schema()]).await?;
    Ok(())
}

/// The outcome is unknown, and the source tells what the last attempt met.
fn is_unknown_after(error: &Error, kind: ErrorKind) {
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error:?}");
    assert!(error.failures().is_empty() && !error.is_lost_race());
    let said = error.to_string();
    assert!(said.contains("read before deciding"), "{said}");
    let met = error.source().and_then(|met| met.downcast_ref::<Error>());
    assert_eq!(met.map(Error::kind), Some(kind), "{error:?}");
}

async fn a_taken_value_may_be_taken_after_all(db: Db) -> Outcome {
    tables(&db).await?;
    member(1).create().send(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let error = member(2).create().send(&slow).await.unwrap_err();
    assert_eq!(http.calls(), ["TransactWriteItems"; 2]);
    is_unknown_after(&error, ErrorKind::UniqueViolation);
    let met = error.source().and_then(|met| met.downcast_ref::<Error>());
    let holder = met.map(Error::holder::<Member>).transpose()?.flatten();
    assert_eq!(holder, Some(Member::key(1)));
    // This is why: the holder gives the value up, and the first attempt arrives.
    Member::key(1).delete().send(&db).await?;
    assert_eq!(http.deliver().await, 1);
    let found = Member::by_badge("gold").send(&db).await?;
    assert_eq!(found, Some(member(2)));
    // A write that reads first is no other.
    http.plan([Fault::Pass, LATER]);
    let error = member(3).put().send(&slow).await.unwrap_err();
    assert_eq!(http.calls()[1..], ["TransactWriteItems"; 2]);
    is_unknown_after(&error, ErrorKind::UniqueViolation);
    Ok(())
}

async fn a_cancelled_write_with_a_token_may_take_effect(db: Db) -> Outcome {
    tables(&db).await?;
    seat(1).put().send(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let error = seat(1).create().idempotent().send(&slow).await;
    is_unknown_after(&error.unwrap_err(), ErrorKind::AlreadyExists);
    Seat::key(1u32).delete().send(&db).await?;
    http.deliver().await;
    assert_eq!(Seat::key(1u32).get().send(&db).await?, Some(seat(1)));
    // The current item comes with what the last attempt met.
    http.plan([LATER]);
    let error = seat(1).create().idempotent().send(&slow).await.unwrap_err();
    let met = error.source().and_then(|met| met.downcast_ref::<Error>());
    let current = met.map(Error::current::<Seat>).transpose()?.flatten();
    assert_eq!(current, Some(seat(1)));
    Ok(())
}

async fn a_cancelled_transaction_may_take_effect(db: Db) -> Outcome {
    tables(&db).await?;
    seat(1).put().send(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let both = Transaction::new()
        .with(seat(1).into_create())
        .with(seat(2).into_create());
    let error = both.send(&slow).await.unwrap_err();
    is_unknown_after(&error, ErrorKind::AlreadyExists);
    let met = error.source().and_then(|met| met.downcast_ref::<Error>());
    let failed = met.map(Error::failures).unwrap_or_default();
    assert_eq!((failed.len(), failed[0].index()), (1, 0));
    Seat::key(1u32).delete().send(&db).await?;
    http.deliver().await;
    assert_eq!(Seat::scan().all(&db).await?.len(), 2);
    Ok(())
}

/// The closure does not run again, because its first transaction may still take effect.
async fn a_cancelled_unit_of_work_may_take_effect(db: Db) -> Outcome {
    tables(&db).await?;
    seat(1).put().send(&db).await?;
    // Another writer comes in between, so the second attempt is cancelled.
    let (slow, http) = db.faulty([Fault::Pass, LATER]);
    let runs = std::sync::atomic::AtomicU32::new(0);
    let done = transact(&slow, async |tx| {
        runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let seat = tx.get(Seat::key(1u32)).await?;
        let mut seat = seat.expect("it is stored");
        let other = Seat::key(1u32).update().apply(|s| s.count().add(10));
        other.send(&db).await?;
        seat.count += 1;
        tx.put(&seat)
    });
    is_unknown_after(&done.await.unwrap_err(), ErrorKind::Conflict);
    assert_eq!(runs.load(std::sync::atomic::Ordering::Relaxed), 1);
    let back = Seat::key(1u32).update().apply(|s| s.count().set(0));
    back.send(&db).await?;
    http.deliver().await;
    let stored = Seat::key(1u32).get().send(&db).await?;
    assert_eq!(stored.map(|seat| seat.count), Some(1));
    Ok(())
}

async fn a_cancelled_row_transaction_may_take_effect(db: Db) -> Outcome {
    tables(&db).await?;
    for id in [1, 9] {
        seat(id).put().send(&db).await?;
    }
    let (slow, http) = db.faulty([Fault::Pass, LATER]);
    let job = Seat::scan().filter(|s| s.count().eq(0)).transact_each(|s| {
        (s.id == 1).then(|| {
            let other = seat(9).into_create();
            Transaction::new().with(s.delete()).with(other)
        })
    });
    let report = job.send(&slow).await?;
    let [failed] = report.errors() else {
        panic!("{report:?}");
    };
    is_unknown_after(failed.error(), ErrorKind::AlreadyExists);
    Seat::key(9u32).delete().send(&db).await?;
    http.deliver().await;
    assert_eq!(Seat::key(1u32).get().send(&db).await?, None);
    Ok(())
}

async fn a_cancelled_given_write_may_take_effect(db: Db) -> Outcome {
    tables(&db).await?;
    member(1).create().send(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let report = put_each([member(2).into_create()]).send(&slow).await?;
    let [failed] = report.errors() else {
        panic!("{report:?}");
    };
    is_unknown_after(failed.error(), ErrorKind::UniqueViolation);
    Member::key(1).delete().send(&db).await?;
    http.deliver().await;
    assert_eq!(Member::by_badge("gold").send(&db).await?, Some(member(2)));
    Ok(())
}

async fn contention_after_a_lost_answer_tells_nothing(db: Db) -> Outcome {
    tables(&db).await?;
    seat(1).put().send(&db).await?;
    let busy = || Fault::refuse("TransactionInProgressException");
    let conflict = || crate::idempotent::cancelled(&["TransactionConflict"]);
    let mismatch = || Fault::refuse("IdempotentParameterMismatchException");
    for plan in [
        // It is cancelled in a later round, after another request was in the way.
        vec![Fault::Io, conflict()],
        vec![busy()],
        vec![busy(), busy()],
        vec![Fault::Io, mismatch()],
    ] {
        let (faulty, _) = db.faulty(plan.clone());
        let error = seat(1).create().idempotent().send(&faulty).await;
        let error = error.unwrap_err();
        assert!(error.is_outcome_unknown(), "{plan:?}: {error:?}");
    }
    // Nothing was lost here, so the refusal stands.
    for (plan, kind) in [
        (vec![conflict()], ErrorKind::AlreadyExists),
        (vec![Fault::Refused], ErrorKind::AlreadyExists),
        (vec![Fault::throttle()], ErrorKind::AlreadyExists),
        (vec![mismatch()], ErrorKind::Rejected),
    ] {
        let (faulty, _) = db.faulty(plan.clone());
        let error = seat(1).create().idempotent().send(&faulty).await;
        assert_eq!(error.unwrap_err().kind(), kind, "{plan:?}");
    }
    Ok(())
}

async fn a_success_by_token_is_certain(db: Db) -> Outcome {
    tables(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    seat(1).put().send(&db).await?;
    let add = Seat::key(1u32).update().apply(|s| s.count().add(1));
    add.idempotent().send(&slow).await?;
    assert_eq!(http.deliver().await, 1);
    let stored = Seat::key(1u32).get().send(&db).await?;
    assert_eq!(stored.map(|seat| seat.count), Some(1));
    Ok(())
}

/// A job of these writes, with a checkpoint if there is a folder.
fn job<'j>(writes: Vec<Box<dyn SingleWrite + 'j>>, folder: Option<&tempfile::TempDir>) -> Bulk<'j> {
    let job = put_each(writes).budget(RetryBudget::rounds(5));
    match folder {
        Some(folder) => job.checkpoint("late", FileCheckpoint::new(folder.path().join("job"))),
        None => job,
    }
}

fn kinds(report: &BulkReport) -> Vec<(Option<usize>, ErrorKind)> {
    let errors = report.errors().iter();
    errors
        .map(|row| (row.index(), row.error().kind()))
        .collect()
}

fn create_and_delete<'j>() -> Vec<Box<dyn SingleWrite + 'j>> {
    vec![
        Box::new(seat(1).into_create()),
        Box::new(Seat::key(1u32).delete()),
    ]
}

/// With a checkpoint the mark tells that the create was done, but the delete would take the mark away.
async fn a_delete_does_not_follow_a_create_that_may_arrive(db: Db) -> Outcome {
    tables(&db).await?;
    let folder = tempfile::tempdir()?;
    for arrives_at in [1, 2, 1_000_000] {
        let (slow, http) = db.faulty([Fault::Late(arrives_at)]);
        let folder = tempfile::tempdir_in(folder.path())?;
        let report = job(create_and_delete(), Some(&folder)).send(&slow).await?;
        http.deliver().await;
        assert_eq!(
            (report.written, kinds(&report)),
            (1, vec![(Some(1), ErrorKind::OutcomeUnknown)]),
            "{report:?}"
        );
        let said = report.errors()[0].error().to_string();
        assert!(said.contains("number 0 of the input"), "{said}");
        let stored = Seat::key(1u32).get().send(&db).await?;
        assert_eq!(stored, Some(seat(1)), "it was not deleted");
        Seat::key(1u32).delete().send(&db).await?;
    }
    Ok(())
}

async fn nothing_follows_a_write_without_a_mark_that_may_arrive(db: Db) -> Outcome {
    tables(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let report = job(create_and_delete(), None).send(&slow).await?;
    let unknown = |at| (Some(at), ErrorKind::OutcomeUnknown);
    assert_eq!(kinds(&report), [unknown(0), unknown(1)]);
    assert_eq!(http.calls(), ["PutItem"]);
    http.deliver().await;
    // A later put would be overwritten, and a later item deleted.
    http.plan([LATER]);
    let writes: Vec<Box<dyn SingleWrite>> = vec![
        Box::new(Seat::key(1u32).delete()),
        Box::new(seat(1).into_create()),
        Box::new(seat(1).into_put()),
    ];
    let report = job(writes, None).send(&slow).await?;
    assert_eq!(
        (report.written, kinds(&report)),
        (1, vec![unknown(1), unknown(2)])
    );
    http.deliver().await;
    assert_eq!(Seat::key(1u32).get().send(&db).await?, None);
    Ok(())
}

async fn a_mark_keeps_a_late_write_away(db: Db) -> Outcome {
    tables(&db).await?;
    let folder = tempfile::tempdir()?;
    let (slow, http) = db.faulty([LATER]);
    let second = Seat {
        count: 7,
        ..seat(1)
    };
    let writes: Vec<Box<dyn SingleWrite>> = vec![
        Box::new(seat(1).into_create()),
        Box::new(second.into_put()),
        Box::new(Seat::key(1u32).update().apply(|s| s.count().add(1))),
    ];
    let report = job(writes, Some(&folder)).send(&slow).await?.complete()?;
    assert_eq!(report.written, 3);
    assert_eq!(http.deliver().await, 1);
    let stored = Seat::key(1u32).get().send(&db).await?;
    assert_eq!(stored.map(|seat| seat.count), Some(8));
    Ok(())
}

/// An unconditional put is sent again, and succeeds. The first attempt would overwrite what follows.
async fn a_put_that_was_sent_twice_ends_the_turn_of_its_item(db: Db) -> Outcome {
    tables(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let second = Seat {
        count: 7,
        ..seat(1)
    };
    let writes: Vec<Box<dyn SingleWrite>> = vec![
        Box::new(seat(1).into_put()),
        Box::new(second.into_put()),
        Box::new(Seat::key(1u32).delete()),
    ];
    let report = job(writes, None).send(&slow).await?;
    let unknown = |at| (Some(at), ErrorKind::OutcomeUnknown);
    assert_eq!(
        (report.written, kinds(&report)),
        (1, vec![unknown(1), unknown(2)])
    );
    http.deliver().await;
    assert_eq!(Seat::key(1u32).get().send(&db).await?, Some(seat(1)));
    Ok(())
}

async fn writes_of_other_items_are_not_concerned(db: Db) -> Outcome {
    tables(&db).await?;
    let (slow, http) = db.faulty([LATER]);
    let mut writes = create_and_delete();
    for id in 2..10 {
        writes.push(Box::new(seat(id).into_put()));
        writes.push(Box::new(Seat::key(id).delete()));
    }
    let report = job(writes, None).concurrency(1).send(&slow).await?;
    assert_eq!((report.written, report.failed), (16, 2));
    http.deliver().await;
    assert_eq!(Seat::scan().all(&db).await?, [seat(1)]);
    Ok(())
}

/// The write that was not done is done by a run that begins when no request of the first one can arrive any more.
async fn the_next_run_waits_until_nothing_can_arrive(db: Db) -> Outcome {
    tables(&db).await?;
    let folder = tempfile::tempdir()?;
    let (slow, http) = db.faulty([LATER]);
    let writes = || {
        let mut writes = create_and_delete();
        writes.push(Box::new(seat(1).into_create()));
        writes
    };
    let begun = SystemTime::now();
    let at = |db: &Dynamo, minutes: u64| {
        let now = begun + Duration::from_secs(60 * minutes);
        db.clone().with_clock(move || now)
    };
    for (minutes, db) in [(0, &slow), (1, &db), (15, &db)] {
        let report = job(writes(), Some(&folder)).send(&at(db, minutes)).await?;
        assert_eq!(
            (report.written + report.already_done, report.failed),
            (1, 2)
        );
        let expected = [
            (Some(1), ErrorKind::OutcomeUnknown),
            (Some(2), ErrorKind::Checkpoint),
        ];
        assert_eq!(kinds(&report), expected, "after {minutes} minutes");
    }
    http.deliver().await;
    let report = job(writes(), Some(&folder)).send(&at(&db, 21)).await?;
    let report = report.complete()?;
    assert_eq!((report.written, report.failed), (3, 0));
    assert_eq!(Seat::key(1u32).get().send(&db).await?, Some(seat(1)));
    Ok(())
}

/// The closure changes its mind about a row of which a first attempt is under way.
async fn a_row_that_left_the_query_may_be_changed_after_all(db: Db) -> Outcome {
    tables(&db).await?;
    seat(1).put().send(&db).await?;
    let folder = tempfile::tempdir()?;
    let (slow, http) = db.faulty([Fault::Pass, LATER]);
    let runs = std::sync::atomic::AtomicU32::new(0);
    let job = Seat::scan()
        .update_each(|s| {
            let first = runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            first.then(|| s.update().apply(|s| s.count().add(1)))
        })
        .checkpoint("late", FileCheckpoint::new(folder.path().join("job")));
    let report = job.send(&slow).await?;
    assert_eq!(
        kinds(&report),
        [(None, ErrorKind::OutcomeUnknown)],
        "{report:?}"
    );
    http.deliver().await;
    let stored = Seat::key(1u32).get().send(&db).await?;
    assert_eq!(stored.map(|seat| seat.count), Some(1));
    Ok(())
}

/// Within a batch each key is written by one request, so nothing is out of order. The report says how many writes
/// may arrive once more, for the caller's next write of the same items.
async fn a_late_put_of_a_batch_is_counted(db: Db) -> Outcome {
    tables(&db).await?;
    let seats: Vec<Seat> = (0..30).map(seat).collect();
    let batch = || Batch::new().with_all(seats.iter().map(|seat| seat.put()));
    let (slow, http) = db.faulty([LATER]);
    let report = batch().concurrency(1).send(&slow).await?;
    assert_eq!((report.done, report.sent_twice), (30, 25));
    report.complete()?;
    http.plan([]);
    http.deliver().await;
    let report = batch().send(&slow).await?;
    assert_eq!((report.done, report.sent_twice), (30, 0));
    assert_eq!(Seat::scan().all(&db).await?.len(), 30);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Put,
    Create,
    Add,
    Delete,
}

/// The seat's count after a write, or `None` in place of the whole where the write is refused.
fn after(verb: Verb, number: u32, count: Option<u32>) -> Option<Option<u32>> {
    match (verb, count) {
        (Verb::Put, _) | (Verb::Create, None) => Some(Some(100 * number)),
        (Verb::Add, Some(count)) => Some(Some(count + 1)),
        (Verb::Delete, _) => Some(None),
        (Verb::Create, Some(_)) | (Verb::Add, None) => None,
    }
}

fn given<'j>(verb: Verb, number: u32) -> Box<dyn SingleWrite + 'j> {
    let seat = Seat {
        count: 100 * number,
        ..seat(1)
    };
    match verb {
        Verb::Put => Box::new(seat.into_put()),
        Verb::Create => Box::new(seat.into_create()),
        Verb::Add => Box::new(Seat::key(1u32).update().apply(|s| s.count().add(1))),
        Verb::Delete => Box::new(Seat::key(1u32).delete()),
    }
}

fn verb() -> impl Strategy<Value = Verb> {
    prop_oneof![
        Just(Verb::Put),
        Just(Verb::Create),
        Just(Verb::Add),
        Just(Verb::Delete)
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        10 => Just(Fault::Pass),
        3 => (0..6_usize).prop_map(Fault::Late),
        1 => Just(Fault::Lose),
        1 => Just(Fault::Io),
        1 => Just(Fault::Refused),
        1 => Just(Fault::throttle()),
    ]
}

/// Several writes of one item: each that was written took effect in its place, each of unknown outcome in its place or
/// not at all, whatever arrives late.
async fn any_line_of_writes_keeps_its_order(db: Db) -> Outcome {
    tables(&db).await?;
    let cases = (
        prop::collection::vec(verb(), 1..7),
        prop::collection::vec(fault(), 12),
        any::<bool>(),
    );
    let mut runner = TestRunner::new(Config {
        cases: 60,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    });
    Ok(runner.run(&cases, |(verbs, faults, is_kept)| {
        let line = line(&db, &verbs, &faults, is_kept);
        meanwhile(line).map_err(|error| TestCaseError::fail(error.to_string()))
    })?)
}

async fn line(db: &Db, verbs: &[Verb], faults: &[Fault], is_kept: bool) -> Outcome {
    Seat::key(1u32).delete().send(db).await?;
    let folder = tempfile::tempdir()?;
    let (faulty, http) = db.faulty(faults.iter().cloned());
    let writes = verbs.iter().zip(0..).map(|(verb, at)| given(*verb, at));
    let report = job(writes.collect(), is_kept.then_some(&folder));
    let report = report.concurrency(4).send(&faulty).await?;
    http.deliver().await;
    let mut may_be = vec![None];
    for (verb, at) in verbs.iter().zip(0..) {
        let failed = report.errors().iter().find(|row| row.index() == Some(at));
        let in_doubt = report.in_doubt().iter().any(|row| row.index() == Some(at));
        let done = || {
            may_be
                .iter()
                .filter_map(|count| after(*verb, at as u32, *count))
        };
        may_be = match failed.map(|row| (row.error().kind(), row.error().stage())) {
            // It was not sent, because an earlier one may still arrive.
            Some((ErrorKind::OutcomeUnknown, Stage::Request)) => may_be,
            Some((ErrorKind::OutcomeUnknown, _)) => done().chain(may_be.clone()).collect(),
            Some(_) => may_be,
            None if report.stopped().is_some() || in_doubt => {
                done().chain(may_be.clone()).collect()
            }
            None => done().collect(),
        };
    }
    let stored = Seat::key(1u32).get().consistent().send(db).await?;
    let stored = stored.map(|seat| seat.count);
    match may_be.contains(&stored) {
        true => Ok(()),
        false => Err(format!("{stored:?} and not one of {may_be:?}: {report:?}").into()),
    }
}
