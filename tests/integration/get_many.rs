//! Many items by their keys: any number of them, in order, even if the service leaves some out of an answer.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use dynamo_entity::RetryBudget;
use dynamo_entity::prelude::*;
use futures_core::Stream;
use rust_decimal::Decimal;
use rust_decimal::dec;
use serde_json::Value as Json;

use crate::model::{Note, Order, Session, Shop, User, note, order, session, user};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Http, raw, s};
use crate::support::faulty::{Fault, Faults};
use crate::support::rewriting::Rewriting;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    any_number_comes_in_order,
    no_keys_are_no_request,
    a_key_is_asked_for_once,
    keys_are_compared_by_value(Price),
    what_is_left_out_is_asked_for_again,
    only_rounds_without_progress_count,
    an_answer_that_is_full_is_followed_at_once,
    a_throttled_request_is_a_round_without_progress,
    a_request_that_breaks_off_is_asked_again,
    the_time_of_a_budget_ends_it_too,
    a_slow_request_does_not_hold_up_the_others,
    some_fields_are_asked_for(Shop),
    expired_items_are_hidden(Session),
    strong_reads_are_asked_for,
    a_wrong_key_sends_nothing,
    lenient_keeps_what_can_be_read,
    a_failed_request_keeps_the_others,
    random_answers_lose_nothing,
    a_stream_keeps_the_order,
    a_stream_takes_no_more_than_it_needs,
    a_stream_of_keys_is_read_as_they_come,
    several_tables_share_requests,
    two_ways_of_asking_one_table_are_two_requests,
    a_missing_table_fails_its_own_keys,
];

async fn notes(db: &Db, ids: impl IntoIterator<Item = usize>) -> Result<()> {
    db.create_tables([Note::schema()]).await?;
    for id in ids {
        note(&id.to_string(), "x").put().send(db).await?;
    }
    Ok(())
}

fn keys(ids: impl IntoIterator<Item = usize>) -> Vec<Key<Note>> {
    let ids = ids.into_iter();
    ids.map(|id| Note::key(id.to_string())).collect()
}

fn ids(found: &[Option<Note>]) -> Vec<Option<usize>> {
    let id = |note: &Note| note.id.parse().expect("a number");
    found.iter().map(|note| note.as_ref().map(id)).collect()
}

/// The number of keys in each request.
fn asked(http: &Http) -> Vec<usize> {
    let count = |body: &[u8]| {
        let body: Json = serde_json::from_slice(body).expect("JSON");
        let tables = body["RequestItems"].as_object().expect("tables");
        let keys = tables
            .values()
            .map(|table| table["Keys"].as_array().expect("keys").len());
        keys.sum()
    };
    http.seen().iter().map(|seen| count(&seen.body)).collect()
}

async fn any_number_comes_in_order(db: Db) -> Outcome {
    notes(&db, (0..250).filter(|id| id % 5 != 0)).await?;
    let (faulty, http) = db.faulty([]);
    let wanted: Vec<usize> = (0..250).rev().collect();
    let found = Note::get_many(keys(wanted.clone())).send(&faulty).await?;
    let expected = wanted.into_iter().map(|id| (id % 5 != 0).then_some(id));
    assert_eq!(ids(&found), expected.collect::<Vec<_>>());
    let mut asked = asked(&http);
    asked.sort_unstable();
    assert_eq!(asked, [50, 100, 100]);
    let requests = Note::get_many(keys(0..250)).explain(&db)?;
    assert_eq!(requests.operation, Some("BatchGetItem"));
    assert_eq!(requests.requests.len(), 3);
    Ok(())
}

async fn no_keys_are_no_request(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let none: [Key<Note>; 0] = [];
    assert!(Note::get_many(none).send(&faulty).await?.is_empty());
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_key_is_asked_for_once(db: Db) -> Outcome {
    notes(&db, [1, 2]).await?;
    let (faulty, http) = db.faulty([]);
    let keys = keys((0..300).map(|at| at % 3));
    let found = Note::get_many(&keys).send(&faulty).await?;
    assert_eq!(found.len(), 300);
    assert_eq!(ids(&found)[297..], [None, Some(1), Some(2)]);
    assert_eq!(asked(&http), [3]);
    Ok(())
}

crate::declare! { entity Price(table = "prices", key(pk = price)) { price: Decimal } }

async fn keys_are_compared_by_value(db: Db) -> Outcome {
    Price { price: dec!(100) }.put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let same = [dec!(100), dec!(100.0), dec!(1e2)].map(Price::key);
    let found = Price::get_many(same).send(&faulty).await?;
    assert!(found.iter().all(Option::is_some));
    assert_eq!(asked(&http), [1]);
    Ok(())
}

async fn what_is_left_out_is_asked_for_again(db: Db) -> Outcome {
    notes(&db, 0..40).await?;
    let left_out = [7, 0, 0, 5, 0, 28].map(Fault::Unprocessed);
    let (faulty, http) = db.faulty(left_out);
    let found = Note::get_many(keys(0..40)).send(&faulty).await?;
    assert_eq!(ids(&found), (0..40).map(Some).collect::<Vec<_>>());
    assert_eq!(asked(&http), [40, 33, 33, 33, 28, 28]);
    Ok(())
}

async fn only_rounds_without_progress_count(db: Db) -> Outcome {
    notes(&db, 0..20).await?;
    let slowly = (0..20).flat_map(|_| [0, 0, 1]).map(Fault::Unprocessed);
    let (faulty, http) = db.faulty(slowly);
    let patient = Note::get_many(keys(0..20)).budget(RetryBudget::rounds(3));
    assert!(patient.send(&faulty).await?.iter().all(Option::is_some));
    assert_eq!(http.calls().len(), 60);

    http.plan((0..50).map(|_| Fault::Unprocessed(0)));
    let patient = Note::get_many(keys(0..20)).budget(RetryBudget::rounds(3));
    let Err(error) = patient.send(&faulty).await else {
        return Err("nothing was read".into());
    };
    assert!(error.is_throttled(), "{error:?}");
    assert_eq!(error.entity(), Some("Note"));
    assert!(error.to_string().contains("3 times in a row"), "{error}");
    assert_eq!(http.calls().len(), 3);
    Ok(())
}

/// A client that does not retry, so that each round is one request.
fn without_retries(db: &Db) -> (Dynamo, Http) {
    use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
    let (config, http) = db.faulty_config([]);
    (
        db.through(config.retry_config(RetryConfig::disabled())),
        http,
    )
}

/// A full answer is no sign of overload, so no pause follows unless it brought nothing.
async fn an_answer_that_is_full_is_followed_at_once(db: Db) -> Outcome {
    const ROUNDS: usize = 12;
    notes(&db, 0..ROUNDS).await?;
    for (brought, rounds, pauses) in [(1, ROUNDS, false), (0, 6, true)] {
        let faults = Faults::new((1..rounds).map(|_| Fault::Unprocessed(brought)));
        let http = faults.around(db.engine().http_client());
        // A pause lasts at most as long as the last attempt took, so each attempt is made slow.
        let slow = Rewriting::new(http, |_| std::thread::sleep(Duration::from_millis(20)));
        let slow = db.through(db.engine().config().http_client(slow));
        let attempts = Arc::new(Mutex::new(Vec::new()));
        let seen = attempts.clone();
        let watched = slow.with_observer(move |request| {
            let attempt = (Instant::now(), request.duration);
            seen.lock().expect("no panic").push(attempt);
        });
        let patient = Note::get_many(keys(0..ROUNDS)).budget(RetryBudget::rounds(20));
        let found = patient.send(&watched).await?;
        assert!(found.iter().all(Option::is_some));
        let attempts = attempts.lock().expect("no panic");
        let waited = |pair: &[(Instant, Duration)]| {
            let began = pair[1].0.checked_sub(pair[1].1).expect("a time");
            began.saturating_duration_since(pair[0].0)
        };
        let mut waits: Vec<Duration> = attempts.windows(2).map(waited).collect();
        waits.sort_unstable();
        let (usual, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
        let short = Duration::from_millis(4);
        assert!(
            if pauses {
                longest > short
            } else {
                usual < short
            },
            "{waits:?}"
        );
    }
    Ok(())
}

async fn a_throttled_request_is_a_round_without_progress(db: Db) -> Outcome {
    notes(&db, 0..3).await?;
    let (faulty, http) = without_retries(&db);
    http.plan((0..5).map(|_| Fault::throttle()));
    let found = Note::get_many(keys(0..3)).send(&faulty).await?;
    assert!(found.iter().all(Option::is_some));
    assert_eq!(http.calls().len(), 6);

    http.plan((0..50).map(|_| Fault::throttle()));
    let error = Note::get_many(keys(0..3))
        .send(&faulty)
        .await
        .expect_err("it is throttled");
    assert!(error.is_throttled());
    assert_eq!(http.calls().len(), 10);

    // Once one request has used up its attempts, fewer attempts are made for the others.
    http.plan((0..500).map(|_| Fault::throttle()));
    let lenient = Note::get_many(keys(0..500)).lenient().concurrency(1);
    let found = lenient.send(&faulty).await?;
    assert!(
        found
            .iter()
            .all(|row| matches!(row, Some(Err(error)) if error.is_throttled()))
    );
    assert_eq!(http.calls().len(), 10 + 4);
    Ok(())
}

/// The client's own retries are few, and the budget is what the caller gave.
async fn a_request_that_breaks_off_is_asked_again(db: Db) -> Outcome {
    notes(&db, 0..3).await?;
    let (faulty, http) = without_retries(&db);
    let broken = [Fault::internal(), Fault::Io, Fault::Lose, Fault::Timeout];
    http.plan(broken.clone());
    let found = Note::get_many(keys(0..3)).send(&faulty).await?;
    assert!(found.iter().all(Option::is_some));
    assert_eq!(http.calls().len(), 5);

    http.plan(broken.into_iter().cycle().take(50));
    let get = Note::get_many(keys(0..3)).budget(RetryBudget::rounds(4));
    let error = get.send(&faulty).await.expect_err("nothing answers");
    assert!(error.is_unavailable(), "{error:?}");
    assert_eq!(http.calls().len(), 4);
    Ok(())
}

async fn the_time_of_a_budget_ends_it_too(db: Db) -> Outcome {
    notes(&db, 0..3).await?;
    let (faulty, http) = db.faulty((0..900).map(|_| Fault::Unprocessed(0)));
    let budget = RetryBudget::rounds(900).within(Duration::from_millis(50));
    let error = Note::get_many(keys(0..3))
        .budget(budget)
        .send(&faulty)
        .await;
    assert!(error.is_err_and(|error| error.is_throttled()));
    assert!(http.calls().len() < 900);
    Ok(())
}

async fn a_slow_request_does_not_hold_up_the_others(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    let (faulty, http) = db.faulty([Fault::Delay(Duration::from_secs(40))]);
    let found = Note::get_many(keys(0..1000)).concurrency(2).send(&faulty);
    let early = async {
        // The first request is still waiting.
        for _ in 0..3_500 {
            if http.calls().len() == 10 {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    };
    tokio::pin!(found);
    let early = tokio::select! {
        found = &mut found => return Err(format!("{} rows came too early", found?.len()).into()),
        early = early => early,
    };
    // Nobody waits for the slow one.
    assert!(early, "{} requests", http.calls().len());
    Ok(())
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Order)]
struct OrderRow {
    order_no: u32,
    total: Decimal,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Session)]
struct SessionRow {
    user: String,
}

async fn some_fields_are_asked_for(db: Db) -> Outcome {
    let stored = order("u1", 7).create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let rows = Order::get_many([stored.key()])
        .select::<OrderRow>()
        .send(&faulty)
        .await?;
    let row = OrderRow {
        order_no: 7,
        total: stored.total,
    };
    assert_eq!(rows, [Some(row)]);
    let body: Json = serde_json::from_slice(&http.seen()[0].body)?;
    let table = &body["RequestItems"][db.table::<Shop>()];
    assert_eq!(table["ProjectionExpression"], "#n0, #n1, #n2, #n3, #n4");
    let names = &table["ExpressionAttributeNames"];
    let asked = ["#n0", "#n1", "#n2", "#n3", "#n4"].map(|name| &names[name]);
    assert_eq!(asked, ["pk", "sk", "expires_at", "total", "_shape"]);
    Ok(())
}

async fn expired_items_are_hidden(db: Db) -> Outcome {
    session("old", Some("2124-01-01T00:00:00Z"))
        .put()
        .send(&db)
        .await?;
    session("new", Some("2124-01-03T00:00:00Z"))
        .put()
        .send(&db)
        .await?;
    let clock = HandClock::at("2124-01-01T00:00:00Z");
    let db = db.at(&clock);
    let sessions = || Session::get_many(["old", "new"].map(Session::key));
    let is_there = |found: Vec<bool>| found;
    let found = sessions().send(&db).await?;
    assert_eq!(
        is_there(found.iter().map(Option::is_some).collect()),
        [false, true]
    );
    let found = sessions().include_expired().send(&db).await?;
    assert!(found.iter().all(Option::is_some));
    let rows = sessions().select::<SessionRow>().send(&db).await?;
    assert_eq!(rows, [None, Some(SessionRow { user: "u1".into() })]);
    let rows = sessions()
        .include_expired()
        .select::<SessionRow>()
        .send(&db)
        .await?;
    assert!(rows.iter().all(Option::is_some));
    Ok(())
}

async fn strong_reads_are_asked_for(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    let strong = Note::get_many(keys([1])).consistent();
    let weak = Note::get_many(keys([1]));
    assert!(strong.explain(&db)?.requests[0].contains(r#""ConsistentRead":true"#));
    assert!(!weak.explain(&db)?.requests[0].contains("ConsistentRead"));
    assert!(Note::get_many(keys([1])).consistent().send(&db).await?[0].is_some());
    Ok(())
}

async fn a_wrong_key_sends_nothing(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    let (faulty, http) = db.faulty([]);
    let error = Note::get_many(["1", ""].map(Note::key))
        .send(&faulty)
        .await
        .expect_err("a key is empty");
    assert_eq!(error.kind(), ErrorKind::InvalidKey);
    assert_eq!(
        (error.entity(), error.key_attribute()),
        (Some("Note"), Some("id"))
    );
    assert!(http.calls().is_empty());
    Ok(())
}

async fn lenient_keeps_what_can_be_read(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    db.plant::<Note>(raw([("id", s("broken"))])).await;
    let keys = || ["1", "broken", "", "none"].map(Note::key);
    let error = Note::get_many([Note::key("broken")])
        .send(&db)
        .await
        .expect_err("it has no text");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let found = Note::get_many(keys()).lenient().send(&db).await?;
    let kind =
        |row: &Option<Result<Note>>| row.as_ref().map(|row| row.as_ref().err().map(Error::kind));
    let kinds: Vec<_> = found.iter().map(kind).collect();
    assert_eq!(
        kinds,
        [
            Some(None),
            Some(Some(ErrorKind::Decode)),
            Some(Some(ErrorKind::InvalidKey)),
            None
        ]
    );
    Ok(())
}

async fn a_failed_request_keeps_the_others(db: Db) -> Outcome {
    notes(&db, [1, 101, 201]).await?;
    let (faulty, http) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let found = Note::get_many(keys(0..300))
        .concurrency(1)
        .lenient()
        .send(&faulty)
        .await?;
    let denied = found
        .iter()
        .filter(|row| matches!(row, Some(Err(error)) if error.kind() == ErrorKind::AccessDenied));
    assert_eq!(denied.count(), 100);
    assert!(matches!(&found[1], Some(Ok(note)) if note.id == "1"));
    assert!(matches!(&found[101], Some(Err(error)) if error.entity() == Some("Note")));
    assert!(matches!(&found[201], Some(Ok(_))));

    // Without `lenient`, the first failure ends the read.
    http.plan([Fault::refuse("AccessDeniedException")]);
    let error = Note::get_many(keys(0..300))
        .concurrency(1)
        .send(&faulty)
        .await;
    assert!(error.is_err_and(|error| error.kind() == ErrorKind::AccessDenied));
    assert_eq!(http.calls().len(), 1);
    Ok(())
}

async fn random_answers_lose_nothing(db: Db) -> Outcome {
    notes(&db, (0..300).step_by(2)).await?;
    let mut random = fastrand::Rng::with_seed(7);
    let (faulty, http) = db.faulty([]);
    for _ in 0..30 {
        http.plan((0..random.usize(0..40)).map(|_| match random.u8(0..8) {
            0 => Fault::throttle(),
            1 => Fault::internal(),
            2 => Fault::Lose,
            3 => Fault::Io,
            4 | 5 => Fault::Unprocessed(random.usize(0..60)),
            _ => Fault::Pass,
        }));
        let wanted: Vec<usize> = (0..random.usize(0..400))
            .map(|_| random.usize(0..320))
            .collect();
        let expected: HashMap<usize, Option<usize>> = wanted
            .iter()
            .map(|id| (*id, (*id < 300 && id % 2 == 0).then_some(*id)))
            .collect();
        let get = Note::get_many(keys(wanted.clone())).concurrency(random.usize(1..5));
        let found = get.lenient().send(&faulty).await?;
        assert_eq!(found.len(), wanted.len());
        for (id, row) in wanted.iter().zip(found) {
            match row {
                // Four faults in a row are more than the client retries.
                Some(Err(error)) => {
                    assert!(error.is_unavailable() || error.is_throttled(), "{error:?}")
                }
                Some(Ok(note)) => assert_eq!(expected[id], Some(note.id.parse()?)),
                None => assert_eq!(expected[id], None, "{id}"),
            }
        }
    }
    Ok(())
}

async fn a_stream_keeps_the_order(db: Db) -> Outcome {
    notes(&db, (0..1000).step_by(3)).await?;
    let (faulty, http) = db.faulty([
        Fault::Delay(Duration::from_millis(100)),
        Fault::Unprocessed(3),
    ]);
    let mut found = Note::get_many(keys(0..1000)).concurrency(3).stream(&faulty);
    let mut at = 0;
    while let Some(note) = found.next().await {
        let id = note?.map(|note| note.id.parse::<usize>()).transpose()?;
        assert_eq!(id, (at % 3 == 0).then_some(at));
        at += 1;
    }
    assert_eq!(at, 1000);
    assert_eq!(http.calls().len(), 11);

    // A row that fails is an error in its place.
    let mut found = Note::get_many(["0", "", "3"].map(Note::key)).stream(&db);
    assert!(matches!(found.next().await, Some(Ok(Some(_)))));
    assert!(
        matches!(found.next().await, Some(Err(error)) if error.kind() == ErrorKind::InvalidKey)
    );
    assert!(matches!(found.next().await, Some(Ok(Some(_)))));
    assert!(found.next().await.is_none() && found.next().await.is_none());
    Ok(())
}

async fn a_stream_takes_no_more_than_it_needs(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = {
        let taken = taken.clone();
        (0..).inspect(move |_| {
            taken.fetch_add(1, Ordering::SeqCst);
        })
    };
    let keys = counted.map(|id: usize| Note::key(id.to_string()));
    let mut found = Note::get_many(keys).concurrency(2).stream(&db);
    assert_eq!(taken.load(Ordering::SeqCst), 0);
    assert!(
        found
            .next()
            .await
            .is_some_and(|note| note.is_ok_and(|note| note.is_none()))
    );
    assert!(
        found
            .next()
            .await
            .is_some_and(|note| note.is_ok_and(|note| note.is_some()))
    );
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..50 {
        found.next().await.expect("endless")?;
    }
    let most = (1 + 2 * 4 + 1) * 100;
    assert!(taken.load(Ordering::SeqCst) <= most, "{taken:?}");
    Ok(())
}

/// A stream that gives one key at a time and is pending in between.
struct Slowly {
    left: Vec<usize>,
    is_ready: bool,
}

impl Stream for Slowly {
    type Item = Key<Note>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Key<Note>>> {
        self.is_ready = !self.is_ready;
        if self.is_ready {
            return Poll::Ready(self.left.pop().map(|id| Note::key(id.to_string())));
        }
        let waker = cx.waker().clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            waker.wake();
        });
        Poll::Pending
    }
}

async fn a_stream_of_keys_is_read_as_they_come(db: Db) -> Outcome {
    notes(&db, [1, 2, 4]).await?;
    let keys = Slowly {
        left: (0..150).rev().map(|at| at % 5).collect(),
        is_ready: true,
    };
    let mut found = Note::get_stream(keys).stream(&db);
    let mut at = 0;
    while let Some(note) = found.next().await {
        assert_eq!(note?.is_some(), [1, 2, 4].contains(&(at % 5)));
        at += 1;
    }
    assert_eq!(at, 150);
    Ok(())
}

async fn several_tables_share_requests(db: Db) -> Outcome {
    notes(&db, [1, 2]).await?;
    db.create_tables([Shop::schema()]).await?;
    user("u1").put().send(&db).await?;
    let stored = order("u1", 7).create().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Unprocessed(2)]);
    let (found, me, orders, nobody) = batch_get((
        Note::get_many(keys([2, 9, 1])),
        user("u1").key().get(),
        Order::get_many([stored.key(), order("u1", 8).key()]),
        User::get_many([user("u2").key()]),
    ))
    .send(&faulty)
    .await?;
    assert_eq!(ids(&found), [Some(2), None, Some(1)]);
    assert_eq!(me, Some(user("u1")));
    assert_eq!(orders, [Some(stored), None]);
    assert_eq!(nobody, [None]);
    assert_eq!(asked(&http), [7, 5]);
    let explained =
        batch_get((Note::get_many(keys(0..150)), user("u1").key().get())).explain(&db)?;
    assert_eq!(explained.requests.len(), 2);
    let nested = (
        vec![user("u1").key().get(), user("u2").key().get()],
        [Note::get_many(keys([2, 2])), Note::get_many(keys([9, 1]))],
    );
    let (users, [two, others]) = batch_get(nested).send(&db).await?;
    assert_eq!(users, [Some(user("u1")), None]);
    assert_eq!(ids(&two), [Some(2), Some(2)]);
    assert_eq!(ids(&others), [None, Some(1)]);
    Ok(())
}

async fn two_ways_of_asking_one_table_are_two_requests(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    db.create_tables([Shop::schema()]).await?;
    user("u1").put().send(&db).await?;
    let stored = order("u1", 7).create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let (weak, strong, rows, found) = batch_get((
        user("u1").key().get(),
        User::get_many([user("u1").key()]).consistent(),
        Order::get_many([stored.key()]).select::<OrderRow>(),
        Note::get_many(keys([1])),
    ))
    .send(&faulty)
    .await?;
    assert!(weak.is_some() && strong[0].is_some() && rows[0].is_some() && found[0].is_some());
    let mut asked = asked(&http);
    asked.sort_unstable();
    assert_eq!(asked, [1, 1, 2]);
    Ok(())
}

async fn a_missing_table_fails_its_own_keys(db: Db) -> Outcome {
    notes(&db, [1]).await?;
    let (found, missing) = batch_get((
        Note::get_many(keys([1])),
        Session::get_many(["a"].map(Session::key)).lenient(),
    ))
    .send(&db)
    .await?;
    assert!(found[0].is_some());
    assert!(
        matches!(&missing[0], Some(Err(error)) if error.is_table_not_found() && error.entity() == Some("Session"))
    );
    let strict = batch_get((
        Note::get_many(keys([1])),
        Session::get_many(["a"].map(Session::key)),
    ));
    let error = strict.send(&db).await.expect_err("a table is missing");
    assert!(
        error.is_table_not_found() && error.to_string().contains("sessions"),
        "{error}"
    );
    Ok(())
}
