//! Request ids and consumed capacity are reported for every operation, whether it succeeds or fails, and
//! whether or not the SDK's own maps are used.

use std::sync::{Arc, Mutex};

use dynamo_entity::observe::{RequestEvent, SdkFallback, WirePath};
use dynamo_entity::prelude::*;
use dynamo_entity::{Error, Result};

use crate::support::db::{Db, Mode};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    what_succeeds_is_seen_with_its_units(Note),
    what_fails_is_seen_with_its_request_id,
    an_observer_changes_nothing(Note),
    the_way_of_each_request_is_told(Note),
    rows_attempts_and_bytes_are_told(Note),
    each_of_several_observers_is_told(Note),
];

crate::declare! {
    entity Note(table = "observed-notes", key(pk = book, sk = line)) { book: String, line: u32, text: String }
}

fn note(line: u32) -> Note {
    Note {
        book: "b".into(),
        line,
        text: "some".into(),
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Seen {
    operation: &'static str,
    table: String,
    units: f64,
    request_id: Option<String>,
    error: Option<ErrorKind>,
}

/// A connection with an observer, and what it has seen.
fn observed(db: &Dynamo) -> (Dynamo, Arc<Mutex<Vec<Seen>>>) {
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let kept = seen.clone();
    let db = db.clone().with_observer(move |observed| {
        kept.lock().unwrap().push(Seen {
            operation: observed.operation,
            table: observed.table.to_owned(),
            units: observed.units(),
            request_id: observed.request_id.map(str::to_owned),
            error: observed.error.map(Error::kind),
        });
    });
    (db, seen)
}

/// Does each DynamoDB operation once. Returns its name and its result.
async fn every_operation(db: &Dynamo) -> Vec<(&'static str, Result<()>)> {
    let (one, two) = (note(1), note(2));
    let key = || Note::key("b", 1);
    let batch = Batch::new().with_all([&one, &two].map(|note| note.put()));
    let transaction = Transaction::new()
        .with(one.put())
        .with(Note::key("b", 2).update().apply(|n| n.text().set("new")));
    let batch_write = batch
        .send(db)
        .await
        .and_then(|report| report.complete().map(drop));
    vec![
        ("BatchWriteItem", batch_write),
        ("PutItem", one.put().send(db).await.map(drop)),
        ("GetItem", key().get().send(db).await.map(drop)),
        (
            "UpdateItem",
            key()
                .update()
                .apply(|n| n.text().set("x"))
                .send(db)
                .await
                .map(drop),
        ),
        ("Query", Note::in_partition("b").all(db).await.map(drop)),
        ("Scan", Note::scan().all(db).await.map(drop)),
        (
            "BatchGetItem",
            Note::get_many([1, 2].map(|line| Note::key("b", line)))
                .send(db)
                .await
                .map(drop),
        ),
        ("TransactWriteItems", transaction.send(db).await.map(drop)),
        (
            "TransactGetItems",
            transact_get((key().get(), Note::key("b", 2).get()))
                .send(db)
                .await
                .map(drop),
        ),
        ("DeleteItem", key().delete().send(db).await.map(drop)),
    ]
}

async fn what_succeeds_is_seen_with_its_units(db: Db) -> Outcome {
    let (watched, seen) = observed(&db);
    let done = every_operation(&watched).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), done.len());
    for ((operation, outcome), seen) in done.into_iter().zip(seen.iter()) {
        assert_eq!(seen.operation, operation);
        outcome?;
        assert_eq!(seen.table, db.table::<Note>(), "{operation}");
        assert_eq!(seen.error, None, "{operation}");
        assert!(seen.request_id.is_some(), "{operation}");
        assert!(seen.units > 0.0, "{operation}");
    }
    Ok(())
}

/// There is no table, so all operations fail.
async fn what_fails_is_seen_with_its_request_id(db: Db) -> Outcome {
    let (watched, seen) = observed(&db);
    let done = every_operation(&watched).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), done.len());
    for ((operation, outcome), seen) in done.into_iter().zip(seen.iter()) {
        let error = outcome.expect_err(operation);
        assert_eq!(seen.operation, operation);
        assert_eq!(seen.error, Some(error.kind()), "{operation}");
        assert!(error.request_id().is_some(), "{operation}");
        assert_eq!(
            error.request_id(),
            seen.request_id.as_deref(),
            "{operation}"
        );
        assert_eq!(seen.units, 0.0, "{operation}");
    }
    Ok(())
}

async fn an_observer_changes_nothing(db: Db) -> Outcome {
    let (watched, seen) = observed(&db);
    let refused = note(1).put().if_exists().send(&watched).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    let created = note(1).create().send(&watched).await?;
    let refused = created.create().send(&watched).await.unwrap_err();
    assert!(refused.is_already_exists());
    assert_eq!(refused.current::<Note>()?, Some(created));
    // This connection has no observer.
    Note::key("b", 1).get().send(&db).await?;
    let seen = seen.lock().unwrap();
    // Only puts are compared, because a refused put may be followed by a read.
    let puts = seen.iter().filter(|seen| seen.operation == "PutItem");
    let kinds: Vec<_> = puts.map(|seen| seen.error).collect();
    let expected = [Some(ErrorKind::Conflict), None, Some(ErrorKind::Conflict)];
    assert_eq!(kinds, expected);
    Ok(())
}

/// This test fails on every engine if the library no longer understands the SDK.
async fn the_way_of_each_request_is_told(db: Db) -> Outcome {
    let paths: Arc<Mutex<Vec<WirePath>>> = Arc::default();
    let kept = paths.clone();
    let dynamo: &Dynamo = &db;
    let watched = dynamo.clone().with_observer(move |observed| {
        kept.lock().unwrap().push(observed.path.clone());
    });
    for _ in 0..2 {
        for (_, outcome) in every_operation(&watched).await {
            outcome?;
        }
    }
    let refused = note(1).create().send(&watched).await.is_err();
    assert!(!refused, "the last operation has deleted it");
    assert!(note(1).create().send(&watched).await.is_err());
    let mut paths = std::mem::take(&mut *paths.lock().unwrap());
    let last = paths.pop();
    match db.mode() {
        Mode::Raw | Mode::Silent => {
            assert_eq!(paths.remove(0), WirePath::Sdk(SdkFallback::Learning));
            assert_eq!(paths, vec![WirePath::Direct; 20]);
            // The SDK itself decodes refusals.
            assert_eq!(last, Some(WirePath::Replayed));
        }
        Mode::Sdk | Mode::Hooks => {
            assert_eq!(paths, vec![WirePath::Sdk(SdkFallback::Asked); 21]);
            assert_eq!(last, paths.pop());
        }
        Mode::Direct => assert_eq!(paths, vec![WirePath::InProcess; 21]),
    }
    Ok(())
}

async fn rows_attempts_and_bytes_are_told(db: Db) -> Outcome {
    let kept: Arc<Mutex<Vec<(u64, u64, u64)>>> = Arc::default();
    let seen = kept.clone();
    let count = move |observed: &RequestEvent<'_>| {
        assert!(observed.request_bytes > 2);
        assert_eq!(observed.answer_bytes > 0, observed.error.is_none());
        let counts = (observed.rows, observed.looked_at, observed.attempts);
        seen.lock().unwrap().push(counts);
    };
    let watched = (*db).clone().with_observer(count.clone());
    for (_, outcome) in every_operation(&watched).await {
        outcome?;
    }
    let found = [0, 0, 1, 0, 2, 2, 2, 0, 2, 0].map(|rows| (rows, rows, 1));
    assert_eq!(std::mem::take(&mut *kept.lock().unwrap()), found);
    note(1).put().send(&watched).await?;
    let of_first = Note::in_partition("b").filter(|n| n.text().eq("some"));
    assert_eq!(of_first.clone().all(&watched).await?.len(), 1);
    assert_eq!(of_first.count(&watched).await?, 1);
    let (faulty, _http) = db.faulty([Fault::throttle(), Fault::internal()]);
    Note::key("b", 1)
        .get()
        .send(&faulty.with_observer(count))
        .await?;
    let counts = std::mem::take(&mut *kept.lock().unwrap());
    assert_eq!(counts, [(0, 0, 1), (1, 2, 1), (1, 2, 1), (1, 1, 3)]);
    Ok(())
}

async fn each_of_several_observers_is_told(db: Db) -> Outcome {
    let (once, first) = observed(&db);
    let (twice, second) = observed(&once);
    note(1).put().send(&twice).await?;
    note(2).put().send(&once).await?;
    let told = |seen: &Mutex<Vec<Seen>>| seen.lock().unwrap().len();
    assert_eq!((told(&first), told(&second)), (2, 1));
    Ok(())
}
