//! Consumers of a stream: what is reported, counted and parked, and effects that take place once. Deliveries are those
//! of Lambda: a reported record is delivered again with all after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    BatchResponse, OnceEffect, OnceError, ParkedChange, ParkedPart, ParkedTable, Ran, StreamEvent,
    once,
};
use fastrand::Rng;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::support::clock::HandClock;
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_failure_stops_the_batch,
    a_pipe_is_told_of_all_that_is_left,
    a_change_is_parked_after_its_attempts(ParkedTable),
    a_panic_and_an_unread_record_are_attempts(ParkedTable),
    images_of_any_size_are_parked(ParkedTable),
    a_replay_that_fails_stays_parked(ParkedTable),
    what_was_discarded_begins_anew(ParkedTable),
    parked_changes_name_their_items(ParkedTable),
    all_are_replayed_in_the_order_of_each_item(ParkedTable),
    the_function_itself_replays(ParkedTable),
    all_of_a_consumer_are_discarded(ParkedTable),
    attempts_at_once_are_counted_once_each(ParkedTable),
    random_faults_lose_no_change(ParkedTable),
    an_effect_takes_place_once_among_many(OnceEffect),
    random_faults_run_no_effect_twice(OnceEffect),
    an_interrupted_effect_is_an_error(OnceEffect),
    an_effect_that_is_not_recorded_is_not_repeated(OnceEffect),
    a_panic_leaves_the_effect_interrupted(OnceEffect),
    the_row_of_an_effect_tells_its_state(OnceEffect),
    a_failed_effect_is_tried_again(OnceEffect),
    an_effect_that_lost_its_row_says_so(OnceEffect),
    an_effect_is_forgotten_after_its_time(OnceEffect),
];

crate::declare! { entity Parcel(table = "followed", key(pk = number)) { number: u32, text: String } }

/// A record of a parcel that was created.
fn record(number: u32, text: &str) -> String {
    format!(
        r#"{{"eventID":"e{number}","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{{
            "Keys":{{"number":{{"N":"{number}"}}}},
            "NewImage":{{"number":{{"N":"{number}"}},"text":{{"S":"{text}"}}}},
            "SequenceNumber":"10000000000000000000{number}","StreamViewType":"NEW_AND_OLD_IMAGES"}}}}"#
    )
}

fn sequence(number: u32) -> String {
    format!("10000000000000000000{number}")
}

fn event(records: &[String]) -> StreamEvent {
    let json = format!(r#"{{"Records":[{}]}}"#, records.join(","));
    StreamEvent::from_json(json.as_bytes()).expect("an event")
}

fn numbered(numbers: impl IntoIterator<Item = u32>) -> StreamEvent {
    let records: Vec<String> = numbers
        .into_iter()
        .map(|number| record(number, "x"))
        .collect();
    event(&records)
}

fn json(response: &BatchResponse) -> String {
    serde_json::to_string(response).expect("JSON")
}

/// Handles an event; the parcels of `poison` always fail.
async fn deliver(
    event: &StreamEvent,
    attempts: usize,
    poison: &BTreeSet<u32>,
    handled: &std::sync::Mutex<Vec<u32>>,
    db: &Dynamo,
) -> BatchResponse {
    let changes = Parcel::changes_of(event).park_after(attempts, "mailer", db);
    changes
        .each(async |change| {
            let number = change.event.after().expect("a parcel").number;
            handled.lock().expect("no panic").push(number);
            match poison.contains(&number) {
                true => Err(format!("no address {number}")),
                false => Ok(()),
            }
        })
        .await
}

async fn a_failure_stops_the_batch(_: Db) -> Outcome {
    let mut handled = Vec::new();
    let response = Parcel::changes_of(&numbered([1, 2, 3]))
        .each(|change| {
            let number = change.event.after().expect("a parcel").number;
            handled.push(number);
            async move { if number == 2 { Err("no") } else { Ok(()) } }
        })
        .await;
    assert_eq!(handled, [1, 2]);
    let reported = format!(
        r#"{{"batchItemFailures":[{{"itemIdentifier":"{}"}}]}}"#,
        sequence(2)
    );
    assert_eq!(json(&response), reported);
    let failed = response.failed().expect("the failure");
    assert_eq!(
        (failed.record.event_id(), &*failed.error.to_string()),
        (Some("e2"), "no")
    );

    let all = Parcel::changes_of(&numbered([1, 2, 3]))
        .each(async |_| Ok::<(), Error>(()))
        .await;
    assert_eq!(json(&all), r#"{"batchItemFailures":[]}"#);
    // A record with a fault is named, so that those before it are not repeated.
    let keyless = record(2, "x").replace("\"Keys\"", "\"Key\"");
    let response = Parcel::changes_of(&event(&[record(1, "x"), keyless]));
    let response = response.each(async |_| Ok::<(), Error>(())).await;
    assert_eq!(response.identifiers(), [sequence(2)]);
    // A record without a number cannot be named: an empty name fails the whole batch.
    let nameless = event(&[r#"{"eventID":"e1"}"#.to_owned()]);
    let response = Parcel::changes_of(&nameless)
        .each(async |_| Ok::<(), Error>(()))
        .await;
    assert_eq!(
        json(&response),
        r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#
    );
    Ok(())
}

async fn a_pipe_is_told_of_all_that_is_left(_: Db) -> Outcome {
    let records: Vec<String> = (1..=3).map(|number| record(number, "x")).collect();
    let event = StreamEvent::from_json(format!("[{}]", records.join(",")).as_bytes())?;
    let response = Parcel::changes_of(&event)
        .each(
            async |change| match change.event.after().expect("a parcel").number {
                2 => Err("no"),
                _ => Ok(()),
            },
        )
        .await;
    assert_eq!(response.identifiers(), ["e2", "e3"]);
    Ok(())
}

async fn a_change_is_parked_after_its_attempts(db: Db) -> Outcome {
    let (handled, poison) = (std::sync::Mutex::default(), BTreeSet::from([2]));
    let first = deliver(&numbered([1, 2, 3]), 3, &poison, &handled, &db).await;
    assert_eq!(first.identifiers(), [sequence(2)]);
    let second = deliver(&numbered([2, 3]), 3, &poison, &handled, &db).await;
    assert_eq!(second.identifiers(), [sequence(2)]);
    assert!(ParkedChange::list("mailer", &db).await?.is_empty());
    let third = deliver(&numbered([2, 3]), 3, &poison, &handled, &db).await;
    assert!(third.identifiers().is_empty());
    assert_eq!(third.parked()[0].record.event_id(), Some("e2"));
    assert_eq!(*handled.lock().expect("no panic"), [1, 2, 2, 2, 3]);

    let [parked] = &*ParkedChange::list("mailer", &db).await? else {
        panic!("one is parked");
    };
    assert_eq!((&*parked.event_id, &*parked.reason), ("e2", "no address 2"));
    assert_eq!((parked.attempts.len(), parked.expires_at), (3, None));
    assert!(ParkedChange::list("other", &db).await?.is_empty());
    // It is delivered once more, by an invocation whose response was lost.
    let stray = deliver(&numbered([2]), 3, &poison, &handled, &db).await;
    assert!(stray.identifiers().is_empty());
    let after = ParkedChange::list("mailer", &db).await?;
    assert_eq!(after, std::slice::from_ref(parked));
    Ok(())
}

async fn a_panic_and_an_unread_record_are_attempts(db: Db) -> Outcome {
    let broken = record(2, "x").replace(r#""text":{"S""#, r#""text":{"N""#);
    let event = event(&[record(1, "x"), broken, record(3, "x")]);
    let changes = Parcel::changes_of(&event).park_after(1, "mailer", &db);
    let response = changes
        .each(
            async |change| match change.event.after().expect("a parcel").number {
                1 => panic!("out of paper"),
                _ => Ok::<(), Error>(()),
            },
        )
        .await;
    assert!(response.identifiers().is_empty(), "{response:?}");
    let parked = ParkedChange::list("mailer", &db).await?;
    let reasons: Vec<&str> = parked.iter().map(|parked| &*parked.reason).collect();
    assert_eq!(
        reasons,
        [
            "the handler panicked: out of paper",
            "Parcel.text: expected S, found N"
        ]
    );
    Ok(())
}

async fn images_of_any_size_are_parked(db: Db) -> Outcome {
    let text = "long ".repeat(75_000);
    let record = record(1, &text).replace(
        "\"SequenceNumber\"",
        &format!(
            r#""OldImage":{{"number":{{"N":"1"}},"text":{{"S":"old {text}"}}}},"SequenceNumber""#
        ),
    );
    let event = event(&[record]);
    let changes = Parcel::changes_of(&event).park_after(1, "mailer", &db);
    let response = changes.each(async |_| Err::<(), _>("no")).await;
    assert!(response.identifiers().is_empty(), "{response:?}");
    let parked = ParkedChange::list("mailer", &db).await?;
    assert_eq!(parked[0].parts, 3);
    let stored = parked[0].event(&db).await?;
    let images = |event: &StreamEvent| {
        let record = &event.records()[0];
        (record.old_image(), record.new_image())
    };
    assert_eq!(images(&stored), images(&event));
    parked[0].discard(&db).await?;
    assert_eq!(db.count::<ParkedTable>().await, 0);
    Ok(())
}

async fn a_replay_that_fails_stays_parked(db: Db) -> Outcome {
    let handled = std::sync::Mutex::default();
    deliver(&numbered([1]), 1, &BTreeSet::from([1]), &handled, &db).await;
    let parked = ParkedChange::list("mailer", &db).await?.remove(0);
    let failed = parked.replay(&db, async |_| Err(not_yet())).await;
    assert!(failed.is_err());
    assert_eq!(ParkedChange::list("mailer", &db).await?.len(), 1);
    let mut seen = Vec::new();
    let replayed = parked.replay(&db, |event| {
        seen.extend(Parcel::changes_of(&event).filter_map(Result::ok));
        async { Ok::<(), Error>(()) }
    });
    replayed.await?;
    assert_eq!(seen[0].event.after().map(|parcel| parcel.number), Some(1));
    assert_eq!(db.count::<ParkedTable>().await, 0);
    Ok(())
}

fn not_yet() -> Error {
    StreamEvent::from_json(b"?").expect_err("no event")
}

async fn what_was_discarded_begins_anew(db: Db) -> Outcome {
    let (handled, poison) = (std::sync::Mutex::default(), BTreeSet::from([1]));
    deliver(&numbered([1]), 1, &poison, &handled, &db).await;
    let first = ParkedChange::list("mailer", &db).await?.remove(0);
    first.discard(&db).await?;
    let again = deliver(&numbered([1]), 2, &poison, &handled, &db).await;
    assert_eq!(again.identifiers(), [sequence(1)]);
    deliver(&numbered([1]), 2, &poison, &handled, &db).await;
    // One that still has the first list does not touch what was parked since.
    first.discard(&db).await?;
    let second = ParkedChange::list("mailer", &db).await?.remove(0);
    assert_eq!(second.attempts.len(), 2);
    assert_eq!(second.event(&db).await?.records().len(), 1);
    assert!(first.event(&db).await.is_err(), "its parts are gone");
    Ok(())
}

/// A change of a parcel, with an id that does not tell its place.
fn change(id: &str, number: u32, sequence: u32) -> String {
    record(number, id)
        .replace(&format!(r#""e{number}""#), &format!("{id:?}"))
        .replace(&self::sequence(number), &sequence.to_string())
        .replace(
            r#""eventSource""#,
            r#""eventSourceARN":"arn:aws:dynamodb:eu-west-1:1:table/followed/stream/1","eventSource""#,
        )
}

/// Parks all changes of the event.
async fn park_all(event: &StreamEvent, consumer: &str, db: &Dynamo) {
    let changes = Parcel::changes_of(event).park_after(1, consumer, db);
    let response = changes.each(async |_| Err::<(), _>("not now")).await;
    assert_eq!(
        response.parked().len(),
        event.records().len(),
        "{response:?}"
    );
}

fn ids<'p>(parked: impl IntoIterator<Item = &'p ParkedChange>) -> Vec<&'p str> {
    parked.into_iter().map(|parked| &*parked.event_id).collect()
}

async fn parked_changes_name_their_items(db: Db) -> Outcome {
    let event = event(&[change("b", 7, 99), change("a", 7, 100)]);
    // The later change is parked first, as if the earlier one had more attempts.
    park_all(&self::event(&[change("a", 7, 100)]), "mailer", &db).await;
    park_all(&self::event(&[change("b", 7, 99)]), "mailer", &db).await;
    park_all(&event, "audit", &db).await;
    // A failed attempt alone is no parked change.
    deliver(
        &numbered([1]),
        2,
        &BTreeSet::from([1]),
        &Default::default(),
        &db,
    )
    .await;
    let parked = ParkedChange::list("mailer", &db).await?;
    assert_eq!(ids(&parked), ["b", "a"], "in the order of the changes");
    assert_eq!(parked[0].item_table.as_deref(), Some("followed"));
    assert_eq!(parked[0].item_key, Some(Parcel::key(7).to_item()?));
    assert_eq!(parked[0].sequence.as_deref(), Some("99"));
    let all = ParkedChange::list_all(&db).await?;
    assert_eq!(ids(&all), ["b", "a", "b", "a"]);
    assert_eq!((&*all[0].consumer, &*all[2].consumer), ("audit", "mailer"));

    let found = ParkedChange::find("mailer", "a", &db).await?;
    assert_eq!(found.as_ref(), parked.get(1));
    assert_eq!(ParkedChange::find("mailer", "e1", &db).await?, None);
    // The event of a parked change is that of a function.
    let json = parked[0].event(&db).await?.to_json();
    let of_function = StreamEvent::from_json(&json)?;
    let response = Parcel::changes_of(&of_function).each(async |_| Err::<(), _>("no"));
    assert_eq!(response.await.identifiers(), ["99"]);
    let both = StreamEvent::from_json(&event.to_json())?;
    assert_eq!(both.records().len(), 2);
    Ok(())
}

async fn all_are_replayed_in_the_order_of_each_item(db: Db) -> Outcome {
    let all = [
        change("d", 1, 9),
        change("c", 2, 10),
        change("b", 1, 11),
        change("a", 2, 12),
        change("e", 3, 13),
    ];
    park_all(&event(&all), "mailer", &db).await;
    let replay = async |fails: &[&str]| {
        let mut seen = Vec::new();
        let report = ParkedChange::replay_all("mailer", &db, |event| {
            let id = event.records()[0].event_id().expect("an id").to_owned();
            let fails = fails.contains(&&*id);
            seen.push(id.clone());
            async move {
                assert_ne!(id, "e", "out of paper");
                if fails { Err("no") } else { Ok(()) }
            }
        });
        (report.await, seen)
    };
    let (report, seen) = replay(&["d"]).await;
    let report = report?;
    assert_eq!(seen, ["d", "c", "a", "e"], "`b` waits for `d`");
    assert_eq!(report.replayed, 2);
    let failed: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
    assert_eq!(failed[0], "d: no");
    assert!(
        failed[1].starts_with("e: the handler panicked:"),
        "{failed:?}"
    );
    assert_eq!(ids(&report.waiting), ["b"]);
    let error = report.complete().expect_err("two have failed");
    assert_eq!(error.to_string(), "no");
    let left = ParkedChange::list("mailer", &db).await?;
    assert_eq!(ids(&left), ["d", "b", "e"]);

    let (report, seen) = replay(&[]).await;
    assert_eq!((report?.replayed, seen.len()), (2, 3));
    assert_eq!(ids(&ParkedChange::list("mailer", &db).await?), ["e"]);
    Ok(())
}

async fn the_function_itself_replays(db: Db) -> Outcome {
    let (handled, poison) = (std::sync::Mutex::default(), BTreeSet::from([1]));
    deliver(&numbered([1, 2]), 1, &poison, &handled, &db).await;
    // It fails again, and its response is that of a parked change: a success for the stream, and none for the replay.
    let again =
        async |event: StreamEvent| deliver(&event, 1, &poison, &handled, &db).await.complete();
    let report = ParkedChange::replay_all("mailer", &db, again).await?;
    assert_eq!((report.replayed, report.failed.len()), (0, 1));
    assert_eq!(ids(&ParkedChange::list("mailer", &db).await?), ["e1"]);

    let cured = BTreeSet::new();
    let again =
        async |event: StreamEvent| deliver(&event, 1, &cured, &handled, &db).await.complete();
    let report = ParkedChange::replay_all("mailer", &db, again).await?;
    assert_eq!(report.complete().expect("no failure"), 1);
    assert_eq!(*handled.lock().expect("no panic"), [1, 2, 1, 1]);
    assert_eq!(db.count::<ParkedTable>().await, 0);
    Ok(())
}

async fn all_of_a_consumer_are_discarded(db: Db) -> Outcome {
    park_all(&numbered(1..=3), "mailer", &db).await;
    park_all(&numbered(1..=2), "audit", &db).await;
    let poison = BTreeSet::from([4]);
    deliver(&numbered([4]), 2, &poison, &Default::default(), &db).await;
    assert_eq!(ParkedChange::discard_all("mailer", &db).await?, 3);
    assert_eq!(ParkedChange::discard_all("mailer", &db).await?, 0);
    assert_eq!(ids(&ParkedChange::list_all(&db).await?), ["e1", "e2"]);
    // The attempt that was counted before is the first of two.
    let second = deliver(&numbered([4]), 2, &poison, &Default::default(), &db).await;
    assert_eq!(second.parked().len(), 1);
    Ok(())
}

async fn attempts_at_once_are_counted_once_each(db: Db) -> Outcome {
    const AT_ONCE: usize = 12;
    let mut invocations = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (db, _) = db.faulty([Fault::Lose, Fault::throttle()]);
        invocations.spawn(async move {
            let handled = std::sync::Mutex::default();
            let poison = BTreeSet::from([1]);
            deliver(&numbered([1]), AT_ONCE, &poison, &handled, &db).await
        });
    }
    let responses = invocations.join_all().await;
    let parked = ParkedChange::list("mailer", &db).await?.remove(0);
    assert_eq!(parked.attempts.len(), AT_ONCE);
    let succeeded = responses
        .iter()
        .filter(|response| response.identifiers().is_empty());
    assert!(succeeded.count() >= 1);
    let parts = ParkedPart::in_partition("mailer").all(&db).await?;
    assert_eq!(parts.len(), 1, "the parts of others are discarded");
    Ok(())
}

fn any_fault(random: &mut Rng) -> Fault {
    match random.u8(0..12) {
        0 => Fault::Lose,
        1 => Fault::Io,
        2 => Fault::Late(random.usize(1..6)),
        3 => Fault::throttle(),
        4 => Fault::internal(),
        5 => Fault::refuse("AccessDeniedException"),
        _ => Fault::Pass,
    }
}

async fn random_faults_lose_no_change(db: Db) -> Outcome {
    for seed in 0..crate::random(40).cases {
        let mut random = Rng::with_seed(seed.into());
        let consumer = format!("mailer{seed}");
        let poison: BTreeSet<u32> = (1..=5).filter(|_| random.u8(0..3) == 0).collect();
        let attempts = random.usize(1..4);
        let plan: Vec<Fault> = (0..60).map(|_| any_fault(&mut random)).collect();
        let (unlucky, faults) = db.faulty(plan);
        let mut done = BTreeMap::<u32, usize>::new();
        let mut failures = BTreeMap::<u32, usize>::new();
        let mut from = 1;
        let mut deliveries = 0;
        while from <= 5 {
            deliveries += 1;
            assert!(deliveries < 100, "seed {seed} never ends");
            let event = numbered(from..=5);
            let changes = Parcel::changes_of(&event).park_after(attempts, &consumer, &unlucky);
            let mut last = from - 1;
            let response = changes
                .each(|change| {
                    let number = change.event.after().expect("a parcel").number;
                    assert_eq!(number, last + 1, "seed {seed}: in order");
                    last = number;
                    let is_poison = poison.contains(&number);
                    let of = if is_poison { &mut failures } else { &mut done };
                    *of.entry(number).or_default() += 1;
                    async move { if is_poison { Err("no") } else { Ok(()) } }
                })
                .await;
            from = match response.identifiers() {
                [] => 6,
                [one] => (1..=5)
                    .find(|number| sequence(*number) == *one)
                    .expect("a record"),
                _ => panic!("one failure"),
            };
        }
        faults.deliver().await;
        assert!(
            (1..=5).all(|number| done.get(&number) == (!poison.contains(&number)).then_some(&1))
        );
        let parked = ParkedChange::list(&consumer, &db).await?;
        let ids: Vec<String> = poison.iter().map(|number| format!("e{number}")).collect();
        let found: Vec<&str> = parked.iter().map(|parked| &*parked.event_id).collect();
        assert_eq!(found, ids, "seed {seed}");
        for (parked, number) in parked.iter().zip(&poison) {
            let counted = parked.attempts.len();
            assert!(
                counted >= attempts && counted <= failures[number],
                "seed {seed}"
            );
            assert_eq!(
                parked.event(&db).await?.records()[0].event_id(),
                Some(&*parked.event_id)
            );
        }
    }
    Ok(())
}

async fn an_effect_takes_place_once_among_many(db: Db) -> Outcome {
    for round in 0..4 {
        let effects = Arc::new(AtomicUsize::new(0));
        let mut calls = JoinSet::new();
        for _ in 0..12 {
            let (db, _) = db.faulty([Fault::Lose, Fault::Pass, Fault::Lose]);
            let effects = Arc::clone(&effects);
            calls.spawn(async move {
                let key = format!("mail{round}");
                let effect = async || {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    effects.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, Error>("sent".to_owned())
                };
                match once(key).run(&db, effect).await {
                    Ok(ran) => Some(ran.into_result()),
                    Err(OnceError::InProgress { .. }) => None,
                    Err(other) => panic!("{other:?}"),
                }
            });
        }
        let results = calls.join_all().await;
        assert_eq!(effects.load(Ordering::SeqCst), 1);
        assert!(results.into_iter().flatten().all(|result| result == "sent"));
    }
    Ok(())
}

async fn random_faults_run_no_effect_twice(db: Db) -> Outcome {
    for seed in 0..crate::random(60).cases {
        let mut random = Rng::with_seed(seed.into());
        let key = format!("mail{seed}");
        let (mut effects, mut failures, mut was_told) = (0, 0, false);
        for _ in 0..4 {
            let plan: Vec<Fault> = (0..12).map(|_| any_fault(&mut random)).collect();
            let (unlucky, faults) = db.faulty(plan);
            let fails = random.u8(0..4) == 0;
            let ran = once(&key)
                .run(&unlucky, async || match fails {
                    true => {
                        failures += 1;
                        Err("refused")
                    }
                    false => {
                        effects += 1;
                        Ok(17)
                    }
                })
                .await;
            faults.deliver().await;
            assert!(effects <= 1, "seed {seed}");
            match ran {
                Ok(Ran::Now(number) | Ran::Unrecorded(number, _)) => {
                    assert!(!was_told && effects == 1 && number == 17, "seed {seed}");
                    was_told = true;
                }
                Ok(Ran::Before(number)) => assert!(was_told && number == 17, "seed {seed}"),
                Err(OnceError::Failed(_)) => assert!(effects == 0 && failures > 0, "seed {seed}"),
                Err(_) => {}
            }
        }
    }
    Ok(())
}

async fn an_interrupted_effect_is_an_error(db: Db) -> Outcome {
    let clock = HandClock::at("2026-03-01T08:00:00Z");
    let db = db.at(&clock);
    let effect = || once("mail").lease(Duration::from_secs(60));
    // Its owner dies while it runs.
    let began = Notify::new();
    let never = effect().run(&db, async || {
        began.notify_one();
        std::future::pending::<Result<()>>().await
    });
    tokio::select! {
        _ = never => panic!("it never ends"),
        () = began.notified() => {}
    }
    let again = effect().run(&db, async || Ok::<(), Error>(())).await;
    assert!(
        matches!(again, Err(OnceError::InProgress { .. })),
        "{again:?}"
    );
    clock.advance(60_000);
    let later = effect().run(&db, async || Ok::<(), Error>(())).await;
    assert!(
        matches!(later, Err(OnceError::Interrupted { .. })),
        "{later:?}"
    );
    let patient = effect().retry_after(Duration::from_secs(90));
    let early = patient.clone().run(&db, async || Ok::<(), Error>(())).await;
    assert!(
        matches!(early, Err(OnceError::Interrupted { .. })),
        "{early:?}"
    );
    clock.advance(30_000);
    let retried = patient.run(&db, async || Ok::<(), Error>(())).await?;
    assert!(matches!(retried, Ran::Now(())));
    assert!(matches!(
        effect().run(&db, async || Ok::<(), Error>(())).await?,
        Ran::Before(())
    ));
    Ok(())
}

/// Between the effect and its record, the function loses the table.
async fn an_effect_that_is_not_recorded_is_not_repeated(db: Db) -> Outcome {
    let clock = HandClock::at("2026-03-01T08:00:00Z");
    let (unlucky, _) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let unlucky = unlucky.with_clock(clock.clone());
    let db = db.at(&clock);
    let effect = || once("mail").lease(Duration::from_secs(60));
    let ran = effect().run(&unlucky, async || Ok::<_, Error>(17)).await?;
    assert!(matches!(ran, Ran::Unrecorded(17, _)), "{ran:?}");
    let never = async || -> Result<u32> { panic!("run twice") };
    let again = effect().run(&db, never).await;
    assert!(
        matches!(again, Err(OnceError::InProgress { .. })),
        "{again:?}"
    );
    clock.advance(60_000);
    let later = effect().run(&db, never).await;
    assert!(
        matches!(later, Err(OnceError::Interrupted { .. })),
        "{later:?}"
    );
    // A person has found the effect, and says so.
    let found = OnceEffect::key("mail").get().send(&db).await?;
    let mut found = found.expect("its row");
    found.is_done = true;
    found.result = Some(17.into());
    found.put().send(&db).await?;
    let known = effect().run(&db, never).await?;
    assert!(matches!(known, Ran::Before(17)), "{known:?}");
    Ok(())
}

async fn a_panic_leaves_the_effect_interrupted(db: Db) -> Outcome {
    let own = db.clone();
    let call = tokio::spawn(async move {
        let effect = async || -> Result<()> { panic!("in the middle") };
        once("mail").lease(Duration::ZERO).run(&own, effect).await
    });
    assert!(call.await.expect_err("a panic").is_panic());
    let again = once("mail").run(&db, async || Ok::<(), Error>(())).await;
    assert!(
        matches!(again, Err(OnceError::Interrupted { .. })),
        "{again:?}"
    );
    Ok(())
}

async fn the_row_of_an_effect_tells_its_state(db: Db) -> Outcome {
    let clock = HandClock::at("2026-03-01T08:00:00Z");
    let db = db.at(&clock);
    let stored = async || {
        let row = OnceEffect::key("mail").get().consistent().send(&db).await;
        row.expect("no failure").expect("a row")
    };
    let after = |row: &OnceEffect, time| time == row.since + Duration::from_secs(60);
    let effect = once("mail")
        .lease(Duration::from_secs(60))
        .keep_for(Duration::from_secs(61));
    let effect = effect.run(&db, async || {
        let row = stored().await;
        assert!(
            !row.is_done && row.result.is_none() && row.expires_at.is_none(),
            "{row:?}"
        );
        assert!(after(&row, row.until) && !row.owner.is_empty(), "{row:?}");
        clock.advance(1_000);
        Ok::<_, Error>(row.owner)
    });
    let owner = effect.await?.into_result();
    let row = stored().await;
    assert!(row.is_done && row.owner == owner, "{row:?}");
    let kept = row.since + Duration::from_secs(62);
    assert_eq!(row.expires_at, Some(kept), "from the end of the effect");
    let result = row.result.expect("the result");
    assert_eq!(result, owner.into());
    // Another call has another owner, and changes nothing.
    once("mail")
        .run(&db, async || Ok::<_, Error>(String::new()))
        .await?;
    assert_eq!(stored().await.version, row.version);
    Ok(())
}

async fn a_failed_effect_is_tried_again(db: Db) -> Outcome {
    let failed = once("mail")
        .run(&db, async || Err::<(), _>("refused"))
        .await;
    assert!(
        matches!(failed, Err(OnceError::Failed("refused"))),
        "{failed:?}"
    );
    assert_eq!(db.count::<OnceEffect>().await, 0);
    let sent = once("mail")
        .run(&db, async || Ok::<_, &str>(vec![1u32, 2]))
        .await;
    assert!(matches!(sent, Ok(Ran::Now(_))), "{sent:?}");
    let before = once("mail")
        .run(&db, async || Err::<Vec<u32>, _>("not run"))
        .await;
    assert_eq!(before.expect("its result").into_result(), [1, 2]);
    // The result of another type is an error, and the effect is not run.
    let other = once("mail")
        .run(&db, async || -> Result<bool> { panic!("run twice") })
        .await;
    assert!(matches!(other, Err(OnceError::Table(_))), "{other:?}");
    Ok(())
}

async fn an_effect_that_lost_its_row_says_so(db: Db) -> Outcome {
    let clock = HandClock::at("2026-03-01T08:00:00Z");
    let db = db.at(&clock);
    let slow = once("mail").run(&db, async || {
        clock.advance(100_000);
        let hasty = once("mail").retry_after(Duration::from_secs(90));
        let second = hasty.run(&db, async || Ok::<_, Error>(2)).await;
        assert!(matches!(second, Ok(Ran::Now(2))), "{second:?}");
        Ok::<_, Error>(1)
    });
    let slow = slow.await?;
    assert!(
        matches!(&slow, Ran::Unrecorded(1, error) if error.is_conflict()),
        "{slow:?}"
    );
    let stored = once("mail").run(&db, async || Ok::<_, Error>(3)).await?;
    assert_eq!(stored.into_result(), 2);
    Ok(())
}

async fn an_effect_is_forgotten_after_its_time(db: Db) -> Outcome {
    let clock = HandClock::at("2026-03-01T08:00:00Z");
    let db = db.at(&clock);
    let short = || once("mail").keep_for(Duration::from_secs(60));
    assert!(matches!(
        short().run(&db, async || Ok::<_, Error>(1)).await?,
        Ran::Now(1)
    ));
    clock.advance(59_000);
    assert!(matches!(
        short().run(&db, async || Ok::<_, Error>(2)).await?,
        Ran::Before(1)
    ));
    clock.advance(2_000);
    assert!(matches!(
        short().run(&db, async || Ok::<_, Error>(3)).await?,
        Ran::Now(3)
    ));
    Ok(())
}
