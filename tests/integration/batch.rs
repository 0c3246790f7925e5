//! Batches of writes: 25 in a request, the last write of each key wins, and no failure loses a write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dynamo_entity::RetryBudget;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::batch::{BatchCounts, BatchReport};
use dynamo_entity::prelude::*;
use rust_decimal::{Decimal, dec};
use serde_json::Value as Json;

use crate::model::{Draft, Note, Shop, draft, note, order, user};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Http};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    any_number_of_entities_and_tables(Note, Shop),
    a_put_stores_what_put_stores(Shop, Draft),
    the_last_write_of_a_key_counts(Note),
    keys_are_compared_by_value(Price),
    an_empty_batch_sends_nothing,
    large_writes_share_fewer_requests(Note),
    what_cannot_be_sent_is_reported_alone(Note, Point),
    what_cannot_be_sent_takes_no_place(Note),
    what_the_service_refuses_is_reported_alone(Ranked, Note),
    a_missing_table_leaves_its_own_writes(Note),
    what_is_left_out_is_sent_again(Note, Shop),
    only_rounds_without_progress_count(Note),
    a_throttled_request_is_a_round_without_progress(Note),
    what_is_left_is_sent_as_it_is(Draft),
    what_is_left_is_named(Note, Draft),
    retryable_reasons_come_first(Note),
    what_is_left_takes_more_writes(Note),
    what_is_left_is_counted_anew(Ranked),
    a_lost_answer_harms_nobody(Note),
    a_failed_request_keeps_the_others(Note),
    a_slow_request_does_not_hold_up_the_others(Note),
    progress_is_told(Note),
    a_dropped_batch_leaves_a_true_report(Note),
    random_faults_lose_nothing(Note, Shop),
    explain_lists_the_requests,
    no_value_is_shown(Note),
    an_iterator_is_sent_while_it_is_read(Note),
    a_streamed_batch_leaves_what_it_does_not_send(Note),
    an_iterator_is_not_read_after_its_end(Note),
    an_iterator_that_panics_loses_no_earlier_write(Note),
    a_streamed_batch_takes_any_concurrency(Note),
    an_endless_iterator_can_be_stopped,
];

fn notes(ids: impl IntoIterator<Item = usize>) -> Vec<Note> {
    let ids = ids.into_iter();
    ids.map(|id| note(&id.to_string(), "x")).collect()
}

fn puts(notes: &[Note]) -> Batch<'_> {
    Batch::new().with_all(notes.iter().map(|note| note.put()))
}

/// The number of writes in each request.
fn sent(http: &Http) -> Vec<usize> {
    let count = |body: &[u8]| {
        let body: Json = serde_json::from_slice(body).expect("JSON");
        let tables = body["RequestItems"].as_object().expect("tables");
        tables
            .values()
            .map(|writes| writes.as_array().expect("writes").len())
            .sum()
    };
    http.seen().iter().map(|seen| count(&seen.body)).collect()
}

fn kinds(report: &BatchReport) -> Vec<(usize, ErrorKind)> {
    report
        .errors
        .iter()
        .map(|wrong| (wrong.index, wrong.error.kind()))
        .collect()
}

/// A client that does not retry, so that each round of a batch is one request.
fn without_retries(db: &Db) -> (Dynamo, Http) {
    let (config, http) = db.faulty_config([]);
    (
        db.through(config.retry_config(RetryConfig::disabled())),
        http,
    )
}

async fn any_number_of_entities_and_tables(db: Db) -> Outcome {
    let old = notes(1000..1010);
    puts(&old).send(&db).await?.complete()?;
    let (notes, orders) = (notes(0..130), [order("u1", 1), order("u1", 2)]);
    let (faulty, http) = db.faulty([]);
    let report = Batch::new()
        .with_all(notes.iter().map(|note| note.put()))
        .with_all(orders.iter().map(|order| order.put().unchecked()))
        .with(user("u1").put())
        .with_all(old.iter().map(|note| note.delete()))
        .with(user("nobody").delete())
        .send(&faulty)
        .await?;
    report.complete()?;
    assert_eq!(
        (report.done, report.superseded, report.left.len()),
        (144, 0, 0)
    );
    let mut sent = sent(&http);
    sent.sort_unstable();
    assert_eq!(sent, [19, 25, 25, 25, 25, 25]);
    assert_eq!(db.count::<Note>().await, 130);
    assert_eq!(db.count::<Shop>().await, 3);
    Ok(())
}

async fn a_put_stores_what_put_stores(db: Db) -> Outcome {
    let clock = HandClock::at("2024-05-06T07:08:09Z");
    let at = db.at(&clock);
    let (first, page) = (order("u1", 1), draft("d1", "x"));
    first.put().send(&at).await?;
    page.put().send(&at).await?;
    // The stored items without their versions, because unchecked writes draw random ones.
    let stored = || async {
        let mut both = [db.stored(&first.key()).await, db.stored(&page.key()).await];
        let versions = both.each_mut().map(|item| item.remove("version"));
        assert!(versions.iter().all(Option::is_some));
        both
    };
    let alone = stored().await;
    first.delete().unchecked().send(&at).await?;
    page.delete().unchecked().send(&at).await?;
    let batch = Batch::new()
        .with(first.put().unchecked())
        .with(page.put().unchecked());
    batch.send(&at).await?.complete()?;
    assert_eq!(stored().await, alone);

    // A put by batch keeps the creation time.
    let stored = Draft::key("d1")
        .get()
        .send(&at)
        .await?
        .expect("it is there");
    clock.advance(1000);
    Batch::new()
        .with(stored.put().unchecked())
        .send(&at)
        .await?
        .complete()?;
    let again = Draft::key("d1")
        .get()
        .send(&at)
        .await?
        .expect("it is there");
    assert_ne!(again.version, stored.version);
    assert_eq!(
        (again.created_at, again.updated_at),
        (stored.created_at, Some(clock.time()))
    );
    Ok(())
}

async fn the_last_write_of_a_key_counts(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let filler = notes(100..200);
    let (one, two, three) = (note("k", "one"), note("k", "two"), note("gone", "three"));
    let report = Batch::new()
        .with(one.put())
        .with(Note::key("k").delete())
        .with(three.put())
        .with_all(filler.iter().map(|note| note.put()))
        .with(three.delete())
        .with(two.put())
        .send(&faulty)
        .await?;
    report.complete()?;
    assert_eq!((report.done, report.superseded), (102, 3));
    assert_eq!(sent(&http).iter().sum::<usize>(), 102);
    assert_eq!(Note::key("k").get().send(&db).await?, Some(two));
    assert_eq!(Note::key("gone").get().send(&db).await?, None);
    Ok(())
}

crate::declare! { entity Price(table = "prices", key(pk = price)) { price: Decimal, name: String } }

async fn keys_are_compared_by_value(db: Db) -> Outcome {
    let price = |price, name: &str| Price {
        price,
        name: name.into(),
    };
    let prices = [
        price(dec!(1), "a"),
        price(dec!(1.0), "b"),
        price(dec!(1.00), "c"),
    ];
    let report = Batch::new()
        .with_all(prices.iter().map(|price| price.put()))
        .send(&db)
        .await?;
    report.complete()?;
    assert_eq!((report.done, report.superseded), (1, 2));
    let stored = Price::key(dec!(1)).get().send(&db).await?;
    assert_eq!(stored.map(|price| price.name).as_deref(), Some("c"));
    Ok(())
}

async fn an_empty_batch_sends_nothing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let report = Batch::new()
        .with_all(Vec::<Note>::new().iter().map(|note| note.put()))
        .send(&faulty)
        .await?;
    report.complete()?;
    assert!(http.calls().is_empty() && Batch::new().is_empty());
    Ok(())
}

async fn large_writes_share_fewer_requests(db: Db) -> Outcome {
    // A control character is one byte in the table and six bytes in JSON.
    let large = "\u{1}".repeat(400_000);
    let notes: Vec<Note> = (0..13).map(|id| note(&id.to_string(), &large)).collect();
    let requests = puts(&notes).explain(&db)?.requests;
    let writes: Vec<usize> = requests
        .iter()
        .map(|body| body.matches("PutRequest").count())
        .collect();
    assert_eq!(writes, [6, 6, 1]);
    assert!(requests.iter().all(|body| body.len() <= 16 * 1024 * 1024));
    puts(&notes[..7]).send(&db).await?.complete()?;
    let found = Note::get_many(notes[..7].iter().map(|note| note.key()))
        .send(&db)
        .await?;
    assert!(
        found
            .iter()
            .zip(&notes)
            .all(|(found, note)| found.as_ref() == Some(note))
    );
    Ok(())
}

crate::declare! { entity Point(table = "points", key(pk = id)) { id: String, x: f64 } }

async fn what_cannot_be_sent_is_reported_alone(db: Db) -> Outcome {
    let (large, nameless) = (note("large", &"x".repeat(410_000)), note("", "x"));
    let nowhere = Point {
        id: "p".into(),
        x: f64::NAN,
    };
    let fine = notes(0..60);
    let report = Batch::new()
        .with(large.put())
        .with_all(fine[..30].iter().map(|note| note.put()))
        .with(nameless.put())
        .with(nowhere.put())
        .with(Note::key("").delete())
        .with_all(fine[30..].iter().map(|note| note.put()))
        .send(&db)
        .await?;
    assert_eq!(
        kinds(&report),
        [
            (0, ErrorKind::TooLarge),
            (31, ErrorKind::InvalidKey),
            (32, ErrorKind::InvalidValue),
            (33, ErrorKind::InvalidKey)
        ]
    );
    assert_eq!((report.done, report.left.len()), (60, 0));
    let wrong = &report.errors[2];
    assert_eq!(
        (wrong.error.entity(), wrong.error.key_attribute()),
        (Some("Point"), Some("id"))
    );
    assert_eq!(wrong.error.attribute(), Some("x"));
    assert!(report.errors[0].error.key_attribute() == Some("id"));
    assert!(
        wrong
            .to_string()
            .starts_with("write 32 of the batch: Point.x"),
        "{wrong}"
    );
    let error = report.complete().expect_err("four are wrong");
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(
        error
            .to_string()
            .contains("60 writes of a batch are done, 0 are left and 4 failed"),
        "{error}"
    );
    assert_eq!(db.count::<Note>().await, 60);
    Ok(())
}

async fn what_cannot_be_sent_takes_no_place(db: Db) -> Outcome {
    // The result is as if they were sent one by one: the second put fails, the first one stays.
    let (first, large) = (note("k", "first"), note("k", &"x".repeat(410_000)));
    let report = Batch::new()
        .with(first.put())
        .with(large.put())
        .send(&db)
        .await?;
    assert_eq!((report.done, report.superseded), (1, 0));
    assert_eq!(kinds(&report), [(1, ErrorKind::TooLarge)]);
    assert_eq!(Note::key("k").get().send(&db).await?, Some(first));
    Ok(())
}

/// `Ranked` and `Named` share a table but give an index key different types. The service refuses what `Named`
/// writes.
#[derive(Debug, DynamoEntity)]
#[dynamo(table = "ranked", key(pk = id), gsi(by_rank, pk = rank))]
struct Ranked {
    id: String,
    rank: Option<u64>,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "ranked", key(pk = id))]
struct Named {
    id: String,
    rank: Option<String>,
}

async fn what_the_service_refuses_is_reported_alone(db: Db) -> Outcome {
    let named = |id: usize, rank: Option<&str>| Named {
        id: id.to_string(),
        rank: rank.map(Into::into),
    };
    let rows: Vec<Named> = (0..60)
        .map(|id| named(id, (id % 20 == 7).then_some("first")))
        .collect();
    let notes = notes(0..10);
    let (faulty, http) = db.faulty([]);
    let batch = puts(&notes).with_all(rows.iter().map(|row| row.put()));
    let report = batch.send(&faulty).await?;
    assert_eq!(
        kinds(&report),
        [
            (17, ErrorKind::Rejected),
            (37, ErrorKind::Rejected),
            (57, ErrorKind::Rejected)
        ]
    );
    assert_eq!((report.done, report.left.len()), (67, 0));
    let error = &report.errors[1].error;
    assert_eq!(
        (error.entity(), error.key_attribute()),
        (Some("Named"), Some("id"))
    );
    assert!(!error.to_string().contains("first"), "{error}");
    // Refused batches are halved until the culprits are alone, and no further.
    assert!(
        http.calls().len() <= 3 * (1 + 2 * 5),
        "{}",
        http.calls().len()
    );
    assert_eq!(
        (db.count::<Ranked>().await, db.count::<Note>().await),
        (57, 10)
    );
    Ok(())
}

async fn a_missing_table_leaves_its_own_writes(db: Db) -> Outcome {
    let (notes, page) = (notes(0..5), draft("d", "x"));
    let report = puts(&notes).with(page.put().unchecked()).send(&db).await?;
    assert_eq!(
        (report.done, report.left.len(), report.errors.len()),
        (5, 1, 0)
    );
    assert!(report.reasons[0].is_table_not_found());
    assert!(
        report.reasons[0].to_string().contains("drafts"),
        "{:?}",
        report.reasons
    );
    assert!(
        report
            .complete()
            .expect_err("one is left")
            .is_table_not_found()
    );
    db.create_tables([Draft::schema()]).await?;
    report.left.send(&db).await?.complete()?;
    assert_eq!(db.count::<Draft>().await, 1);
    Ok(())
}

async fn what_is_left_out_is_sent_again(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([7, 0, 5, 0, 9].map(Fault::Unprocessed));
    let (notes, orders) = (notes(0..20), [order("u1", 1), order("u1", 2)]);
    let report = puts(&notes)
        .with_all(orders.iter().map(|order| order.put().unchecked()))
        .with_all([Note::key("a"), Note::key("b")].map(Key::delete))
        .send(&faulty)
        .await?;
    report.complete()?;
    assert_eq!(report.done, 24);
    assert_eq!(sent(&http), [24, 17, 17, 12, 12, 3]);
    assert_eq!(
        (db.count::<Note>().await, db.count::<Shop>().await),
        (20, 2)
    );
    Ok(())
}

async fn only_rounds_without_progress_count(db: Db) -> Outcome {
    let notes = notes(0..20);
    let slowly = (0..20).flat_map(|_| [0, 0, 1]).map(Fault::Unprocessed);
    let (faulty, http) = db.faulty(slowly);
    puts(&notes)
        .budget(RetryBudget::rounds(3))
        .send(&faulty)
        .await?
        .complete()?;
    assert_eq!(http.calls().len(), 60);

    http.plan([2].into_iter().chain([0; 50]).map(Fault::Unprocessed));
    let report = puts(&notes)
        .budget(RetryBudget::rounds(3))
        .send(&faulty)
        .await?;
    assert_eq!((report.done, report.left.len()), (2, 18));
    assert_eq!(http.calls().len(), 1 + 3);
    assert!(report.reasons[0].is_throttled());
    assert!(report.complete().expect_err("some are left").is_throttled());
    Ok(())
}

async fn a_throttled_request_is_a_round_without_progress(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    http.plan((0..6).map(|_| Fault::throttle()));
    let some = notes(0..10);
    puts(&some).send(&faulty).await?.complete()?;
    assert_eq!(http.calls().len(), 7);

    // So is one that met a write of another region.
    http.plan((0..2).map(|_| Fault::refuse("ReplicatedWriteConflictException")));
    puts(&some).send(&faulty).await?.complete()?;
    assert_eq!(http.calls().len(), 3);

    // Once one request has used up its attempts, each other request is tried only once.
    http.plan((0..500).map(|_| Fault::throttle()));
    let many = notes(0..100);
    let report = puts(&many).concurrency(1).send(&faulty).await?;
    assert_eq!(
        (report.done, report.left.len(), report.reasons.len()),
        (0, 100, 1)
    );
    assert_eq!(http.calls().len(), 10 + 3);
    Ok(())
}

async fn what_is_left_is_sent_as_it_is(db: Db) -> Outcome {
    let clock = HandClock::at("2024-05-06T07:08:09Z");
    let (faulty, http) = without_retries(&db);
    let faulty = faulty.with_clock(clock.clone());
    let drafts: Vec<Draft> = (0..30).map(|id| draft(&id.to_string(), "x")).collect();
    http.plan([Fault::refuse("AccessDeniedException"), Fault::Io]);
    let batch = Batch::new().with_all(drafts.iter().map(|draft| draft.put().unchecked()));
    let report = batch.concurrency(1).send(&faulty).await?;
    assert_eq!((report.done, report.left.len()), (0, 30));
    let reasons: Vec<_> = report.reasons.iter().map(Error::kind).collect();
    assert_eq!(reasons, [ErrorKind::AccessDenied, ErrorKind::Unavailable]);
    let first: Vec<_> = http.seen().into_iter().map(|seen| seen.body).collect();

    clock.advance(60_000);
    http.plan([]);
    report.left.concurrency(1).send(&faulty).await?.complete()?;
    let second: Vec<_> = http.seen().into_iter().map(|seen| seen.body).collect();
    assert!(first == second);
    assert_eq!(db.count::<Draft>().await, 30);
    Ok(())
}

async fn what_is_left_is_named(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    http.plan((0..100).map(|_| Fault::refuse("AccessDeniedException")));
    let some = notes(0..24);
    let report = puts(&some)
        .with(Draft::key("d1").delete())
        .send(&faulty)
        .await?;
    assert_eq!((report.done, report.left.len()), (0, 25));
    let left: Vec<_> = report.left_keys().collect();
    assert_eq!(left.len(), 25);
    assert_eq!(left[7].key_of::<Note>()?, Some(Note::key("7")));
    assert_eq!((left[7].index(), left[7].is_delete()), (7, false));
    assert_eq!((left[24].entity(), left[24].is_delete()), ("Draft", true));
    assert_eq!(left[24].key(), Draft::key("d1").to_item()?);
    assert_eq!(left[24].key_of::<Draft>()?, Some(Draft::key("d1")));
    assert_eq!(left[24].key_of::<Note>()?, None);
    report.left.send(&db).await?.complete()?;
    Ok(())
}

async fn retryable_reasons_come_first(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    http.plan((0..500).map(|_| Fault::throttle()));
    let some = notes(0..3);
    let report = puts(&some)
        .with(Note::key("").delete())
        .send(&faulty)
        .await?;
    assert_eq!((report.left.len(), report.errors.len()), (3, 1));
    let error = report.complete().expect_err("some are left");
    assert!(error.is_throttled(), "{error:?}");
    assert!(
        error.to_string().contains("write 3 of the batch"),
        "{error}"
    );
    Ok(())
}

async fn what_is_left_takes_more_writes(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    http.plan([Fault::refuse("AccessDeniedException")]);
    let three = notes(0..3);
    let report = puts(&three).send(&faulty).await?;
    let newer = note("1", "newer");
    let report = report
        .left
        .with(newer.put())
        .with(Note::key("2").delete())
        .send(&db)
        .await?;
    report.complete()?;
    assert_eq!((report.done, report.superseded), (3, 2));
    assert_eq!(Note::key("1").get().send(&db).await?, Some(newer));
    assert_eq!(db.count::<Note>().await, 2);
    Ok(())
}

async fn what_is_left_is_counted_anew(db: Db) -> Outcome {
    let rows: Vec<Named> = (0..30)
        .map(|id| Named {
            id: id.to_string(),
            rank: (id == 28).then(|| "first".into()),
        })
        .collect();
    let (faulty, http) = without_retries(&db);
    http.plan([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let batch = Batch::new().with_all(rows.iter().map(|row| row.put()));
    let report = batch.concurrency(1).send(&faulty).await?;
    assert_eq!((report.done, report.left.len()), (25, 5));
    let report = report.left.send(&db).await?;
    assert_eq!(kinds(&report), [(3, ErrorKind::Rejected)]);
    assert_eq!(report.done, 4);
    Ok(())
}

async fn a_lost_answer_harms_nobody(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Lose, Fault::internal()]);
    let notes = notes(0..5);
    puts(&notes).send(&faulty).await?.complete()?;
    assert_eq!(http.calls().len(), 3);

    // The writes took effect, but their answer was lost, so they count as left.
    http.plan((0..3).map(|_| Fault::Lose));
    let report = puts(&notes).send(&faulty).await?;
    assert_eq!((report.done, report.left.len()), (0, 5));
    assert!(report.reasons[0].is_unavailable());
    report.left.send(&db).await?.complete()?;
    assert_eq!(db.count::<Note>().await, 5);
    Ok(())
}

async fn a_failed_request_keeps_the_others(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let notes = notes(0..100);
    let report = puts(&notes).concurrency(1).send(&faulty).await?;
    assert_eq!((report.done, report.left.len()), (75, 25));
    assert_eq!(db.count::<Note>().await, 75);
    // An answer that was cut off tells nothing about the outcome.
    http.plan([Fault::Cut(1)]);
    let report = puts(&notes).concurrency(1).send(&faulty).await?;
    assert_eq!(report.done + report.left.len() as u64, 100);
    Ok(())
}

async fn a_slow_request_does_not_hold_up_the_others(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Delay(Duration::from_secs(40))]);
    let notes = notes(0..250);
    let sending = puts(&notes).concurrency(2).send(&faulty);
    let progress = sending.progress();
    let early = async {
        for _ in 0..3_500 {
            if progress.counts().done == 225 {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    };
    tokio::pin!(sending);
    let early = tokio::select! {
        report = &mut sending => return Err(format!("{:?} came too early", report?).into()),
        early = early => early,
    };
    // Nobody waits for the slow one.
    assert!(early, "{:?}, {} requests", progress, http.calls().len());
    Ok(())
}

async fn progress_is_told(db: Db) -> Outcome {
    let (faulty, _) = db.faulty([Fault::Unprocessed(10)]);
    let (notes, large) = (notes(0..60), note("large", &"x".repeat(410_000)));
    let told: Arc<Mutex<Vec<BatchCounts>>> = Arc::default();
    let teller = told.clone();
    let report = puts(&notes)
        .with(notes[0].put())
        .with(large.put())
        .concurrency(1)
        .on_progress(move |counts| teller.lock().expect("no panic").push(counts))
        .send(&faulty)
        .await?;
    let told = told.lock().expect("no panic").clone();
    let done: Vec<u64> = told.iter().map(|counts| counts.done).collect();
    assert_eq!(done, [10, 25, 50, 60]);
    let last = told.last().expect("it was told");
    assert_eq!(
        (last.total, last.superseded, last.failed, last.left()),
        (62, 1, 1, 0)
    );
    assert_eq!((report.done, report.errors.len()), (60, 1));
    Ok(())
}

async fn a_dropped_batch_leaves_a_true_report(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Pass, Fault::Unprocessed(5), Fault::Hang]);
    let notes = notes(0..100);
    let sending = puts(&notes).concurrency(1).send(&faulty);
    let progress = sending.progress();
    assert_eq!(progress.counts().left(), 100);
    let third = async {
        while http.calls().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        report = sending => panic!("the third is never answered: {report:?}"),
        () = third => {}
    }
    let report = progress.report();
    assert_eq!((report.done, report.left.len()), (30, 70));
    assert!(report.reasons.is_empty());
    assert!(
        report
            .complete()
            .expect_err("some are left")
            .to_string()
            .contains("stopped")
    );
    assert_eq!(db.count::<Note>().await, 30);
    http.plan([]);
    let rest = report.left.send(&faulty).await?;
    rest.complete()?;
    assert_eq!((rest.done, db.count::<Note>().await), (70, 100));
    Ok(())
}

async fn random_faults_lose_nothing(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(11);
    let (faulty, http) = db.faulty([]);
    let mut model: HashMap<String, String> = HashMap::new();
    for round in 0..30 {
        http.plan((0..random.usize(0..30)).map(|_| match random.u8(0..9) {
            0 => Fault::throttle(),
            1 => Fault::internal(),
            2 => Fault::Lose,
            3 => Fault::Io,
            4..=6 => Fault::Unprocessed(random.usize(0..25)),
            7 => Fault::refuse("ValidationException"),
            _ => Fault::Pass,
        }));
        let writes: Vec<(Note, bool)> = (0..random.usize(0..200))
            .map(|at| {
                (
                    note(&random.u8(..).to_string(), &format!("{round}.{at}")),
                    random.bool(),
                )
            })
            .collect();
        let mut batch = Batch::new().concurrency(random.usize(1..5));
        for (note, put) in &writes {
            batch = match put {
                true => batch.with(note.put()),
                false => batch.with(note.delete()),
            };
        }
        let mut report = batch.send(&faulty).await?;
        let settled = report.done + report.superseded;
        let others = report.left.len() + report.errors.len();
        assert_eq!(settled, (writes.len() - others) as u64);
        // A planned refusal of a single write is believed, although the write is valid.
        let wrong: Vec<usize> = report.errors.iter().map(|wrong| wrong.index).collect();
        http.plan([]);
        while !report.left.is_empty() {
            report = report.left.send(&faulty).await?;
        }
        for index in wrong {
            let (note, put) = &writes[index];
            match put {
                true => note.put().send(&db).await.map(|_| ())?,
                false => note.delete().send(&db).await?,
            }
        }
        for (note, put) in &writes {
            match put {
                true => model.insert(note.id.clone(), note.text.clone()),
                false => model.remove(&note.id),
            };
        }
        let ids: Vec<String> = (0..=255).map(|id: u8| id.to_string()).collect();
        let stored = Note::get_many(ids.iter().map(Note::key))
            .consistent()
            .send(&db)
            .await?;
        for (id, stored) in ids.iter().zip(stored) {
            assert_eq!(
                stored.map(|note| note.text).as_ref(),
                model.get(id),
                "{id} in round {round}"
            );
        }
    }
    Ok(())
}

async fn explain_lists_the_requests(db: Db) -> Outcome {
    let notes = notes(0..30);
    let explained = puts(&notes).with(user("u1").put()).explain(&db)?;
    assert_eq!(explained.operation, Some("BatchWriteItem"));
    assert_eq!(explained.requests.len(), 2);
    let first: Json = serde_json::from_str(&explained.requests[0])?;
    let table = &first["RequestItems"][db.table::<Note>()];
    assert_eq!(
        table[0],
        serde_json::json!({"PutRequest": {"Item": {"id": {"S": "0"}, "text": {"S": "x"}}}})
    );
    let last: Json = serde_json::from_str(&explained.requests[1])?;
    assert_eq!(
        last["RequestItems"].as_object().map(|tables| tables.len()),
        Some(2)
    );
    let refused = Batch::new().with(Note::key("").delete()).explain(&db);
    assert!(refused.is_err_and(|error| error.kind() == ErrorKind::InvalidKey));
    Ok(())
}

async fn no_value_is_shown(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    let secret = note("secret", "secret");
    let batch = Batch::new().with(secret.put());
    assert_eq!(format!("{batch:?}"), "Batch(1 writes)");
    http.plan([Fault::Reply(
        400,
        r#"{"__type":"ValidationException","message":"bad secret"}"#.into(),
    )]);
    let report = batch.send(&faulty).await?;
    assert_eq!(report.errors.len(), 1);
    http.plan([Fault::refuse("AccessDeniedException")]);
    let left = Batch::new().with(secret.put()).send(&faulty).await?;
    assert_eq!(left.left.len(), 1);
    for shown in [
        format!("{report:?}"),
        format!("{left:?}"),
        report.errors[0].to_string(),
    ] {
        assert!(!shown.contains("secret"), "{shown}");
    }
    Ok(())
}

async fn an_iterator_is_sent_while_it_is_read(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let log = http.clone();
    // When the 500th write is read, the first ones are stored.
    let mut sent_before = Vec::new();
    let writes = (0..520).map(|number| {
        if number == 519 {
            sent_before.push(log.calls().len());
        }
        note(&number.to_string(), "x").into_put()
    });
    let counts = Arc::new(Mutex::new(Vec::new()));
    let told = counts.clone();
    let report = Batch::streamed(writes)
        .concurrency(1)
        .on_progress(move |counts| told.lock().expect("a list").push(counts.done))
        .send(&faulty)
        .await?;
    report.complete()?;
    assert_eq!((report.done, report.superseded), (520, 0));
    assert_eq!(sent_before, [16]);
    assert_eq!(*counts.lock().expect("a list"), [200, 400, 520]);
    assert_eq!(sent(&http).iter().sum::<usize>(), 520);
    assert_eq!(Note::scan().count(&db).await?, 520);

    // The last write of a key counts, near and far.
    let puts = [(0, "a"), (1, "a"), (0, "b")].into_iter();
    let far = puts
        .chain((2..400).map(|number| (number, "x")))
        .chain([(1, "c")]);
    let puts = far.map(|(number, text)| note(&number.to_string(), text).into_put());
    let report = Batch::streamed(puts).concurrency(1).send(&faulty).await?;
    report.complete()?;
    assert_eq!((report.done, report.superseded), (401, 1));
    for (number, text) in [("0", "b"), ("1", "c")] {
        let found = Note::key(number).get().send(&db).await?;
        assert_eq!(found, Some(note(number, text)));
    }
    Ok(())
}

async fn a_streamed_batch_leaves_what_it_does_not_send(db: Db) -> Outcome {
    let (faulty, http) = without_retries(&db);
    // The first 200 writes are done, then the service is busy for good.
    http.plan(
        (0..8)
            .map(|_| Fault::Pass)
            .chain((0..500).map(|_| Fault::throttle())),
    );
    let too_large = "x".repeat(410 * 1024);
    let writes = (0..900).map(|number| match number {
        650 => note("650", &too_large).into_put(),
        number => note(&number.to_string(), "x").into_put(),
    });
    let report = Batch::streamed(writes)
        .concurrency(1)
        .budget(RetryBudget::rounds(2))
        .send(&faulty)
        .await?;
    assert_eq!((report.done, report.left.len()), (200, 699));
    assert_eq!(kinds(&report), [(650, ErrorKind::TooLarge)]);
    let places: Vec<usize> = report.left_keys().map(|key| key.index()).collect();
    assert_eq!(
        places,
        (200..900).filter(|place| *place != 650).collect::<Vec<_>>()
    );
    assert!(report.complete().expect_err("some are left").is_throttled());
    let calls = http.calls().len();
    assert!(calls < 8 + 30, "{calls} requests");
    report.left.send(&db).await?.complete()?;
    assert_eq!(Note::scan().count(&db).await?, 899);
    Ok(())
}

async fn an_iterator_is_not_read_after_its_end(db: Db) -> Outcome {
    let mut numbers = 0..10;
    let mut is_over = false;
    // Iterators may do anything after their first `None`.
    let writes = std::iter::from_fn(|| {
        assert!(!is_over, "the iterator is read after its end");
        let next = numbers.next();
        is_over = next.is_none();
        next.map(|number| note(&number.to_string(), "x").into_put())
    });
    let report = Batch::streamed(writes).send(&db).await?;
    report.complete()?;
    assert_eq!(report.done, 10);
    Ok(())
}

async fn an_iterator_that_panics_loses_no_earlier_write(db: Db) -> Outcome {
    let sending = db.clone();
    let task = tokio::spawn(async move {
        let writes = (0..500).map(|number| {
            assert!(number < 450, "the last writes cannot be read");
            note(&number.to_string(), "x").into_put()
        });
        Batch::streamed(writes).concurrency(1).send(&sending).await
    });
    assert!(task.await.expect_err("a panic").is_panic());
    assert_eq!(Note::scan().count(&db).await?, 400);
    Ok(())
}

async fn a_streamed_batch_takes_any_concurrency(db: Db) -> Outcome {
    for concurrency in [0, 1_000_000_000, usize::MAX] {
        let writes = (0..30).map(|number| note(&number.to_string(), "x").into_put());
        let batch = Batch::streamed(writes).concurrency(concurrency);
        let report = batch.send(&db).await?;
        report.complete()?;
        assert_eq!(report.done, 30);
    }
    Ok(())
}

/// Writes that are not sent are kept, and other tasks run meanwhile.
async fn an_endless_iterator_can_be_stopped(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::refuse("AccessDeniedException")]);
    let mut read = 0;
    let writes = (0_u64..).map(|number| {
        read = number;
        assert!(number < 3_000_000, "the timeout never comes");
        note("1", "x").into_put()
    });
    let sending = Batch::streamed(writes).concurrency(1).send(&faulty);
    let stopped = tokio::time::timeout(Duration::from_millis(50), sending).await;
    assert!(stopped.is_err());
    // It goes on behind the rejected request.
    assert!(read > 50, "{read}");
    assert_eq!(http.calls().len(), 1);
    Ok(())
}
