//! `changes()`: its start, the order of the changes, and how it continues after failures.

use std::time::{Duration, SystemTime};

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use dynamo_entity::error::ErrorKind;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    ChangeEvent, ChangeStream, FollowError, StreamPosition, StreamStart, follow_records,
};

use crate::support::db::{Db, n};
use crate::support::engine::{Engine, Kind};
use crate::support::faulty::Fault;
use crate::support::suite::{Gap, Outcome};
use crate::tests;

const FORGETS_ITS_STREAM: Gap = Gap {
    engines: &[Kind::Embedded],
    why: "forgets a stream that is switched off",
};

const EXPIRES_NOTHING: Gap = Gap {
    engines: &[Kind::DynamoDbLocal],
    why: "deletes expired items when it likes, and does not mark the removals",
};

tests![
    changes_after_opening_are_delivered(Parcel),
    a_stream_is_read_from_its_oldest_change(Parcel),
    a_position_continues_after_the_last_change(Parcel),
    a_position_of_another_stream_is_rejected(Parcel, Letter),
    a_time_is_a_start(Parcel),
    a_table_without_a_stream_is_named(Silent),
    an_unreadable_record_is_an_error(Parcel),
    views_have_their_types(Keyed),
    a_collection_shows_its_members(Office),
    failures_and_lost_responses_skip_nothing(Parcel),
    a_rejection_ends_the_changes(Parcel),
    a_stream_begins_empty_after_its_table_was_created_again(Parcel),
    a_stream_that_is_switched_on_again_begins_empty(Parcel),
    removals_of_expired_items_are_marked(Lease) unless EXPIRES_NOTHING,
    a_stream_that_is_switched_off_ends(Parcel) unless FORGETS_ITS_STREAM,
];

crate::declare! {
    entity Parcel(table = "parcels", key(pk = number), stream = new_and_old_images) { number: u32, text: String }
    entity Lease(table = "leases", key(pk = id), stream = new_and_old_images) { id: u32, #[dynamo(ttl)] ends_at: SystemTime }
    entity Letter(table = "letters", key(pk = number), stream = new_and_old_images) { number: u32 }
    entity Silent(table = "silent", key(pk = number)) { number: u32 }
    entity Keyed(table = "keyed", key(pk = number), stream = keys_only) { number: u32, text: String }
    table Office(name = "office", pk = "pk", sk = "sk", entities(Desk, Chair), stream = new_and_old_images);
    entity Desk(table = Office, key(pk = "ROOM#{room}", sk = "DESK#{number:03}"), unique(by_label, label))
        { room: String, number: u32, label: String }
    entity Chair(table = Office, key(pk = "ROOM#{room}", sk = "CHAIR#{number:03}")) { room: String, number: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Office, partition(room))]
enum Room {
    Desk(Desk),
    Chair(Chair),
}

fn parcel(number: u32, text: &str) -> Parcel {
    let text = text.to_owned();
    Parcel { number, text }
}

/// Takes the next changes, which must arrive soon.
async fn take<New, Old>(
    changes: &mut ChangeStream<New, Old>,
    count: usize,
) -> Result<Vec<ChangeEvent<New, Old>>, Box<dyn std::error::Error>> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let next = tokio::time::timeout(Duration::from_secs(30), changes.next()).await?;
        taken.push(next.expect("a change")?.event);
    }
    Ok(taken)
}

async fn changes_after_opening_are_delivered(db: Db) -> Outcome {
    parcel(1, "before").put().send(&db).await?;
    let mut changes = Parcel::changes().open(&db).await?;
    let first = parcel(1, "after").put().send(&db).await?;
    parcel(2, "new").put().send(&db).await?;
    Parcel::key(1).delete().send(&db).await?;
    let wanted = [
        ChangeEvent::Changed {
            old: parcel(1, "before"),
            new: first.clone(),
        },
        ChangeEvent::Created(parcel(2, "new")),
        ChangeEvent::Removed {
            old: first,
            by_ttl: false,
        },
    ];
    assert_eq!(take(&mut changes, 3).await?, wanted);
    // A change after a long wait, during which the stream was polled and had no changes.
    let next = tokio::time::timeout(Duration::from_millis(400), changes.next()).await;
    assert!(next.is_err());
    parcel(3, "late").put().send(&db).await?;
    assert_eq!(
        take(&mut changes, 1).await?,
        [ChangeEvent::Created(parcel(3, "late"))]
    );
    Ok(())
}

/// The changes from the oldest one, while there are some.
async fn oldest(db: &Dynamo) -> Result<Vec<ChangeEvent<Parcel>>, Box<dyn std::error::Error>> {
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(db)
        .await?;
    let mut taken = Vec::new();
    while let Ok(next) = tokio::time::timeout(Duration::from_secs(1), changes.next()).await {
        taken.push(next.expect("a change")?.event);
    }
    Ok(taken)
}

async fn a_stream_begins_empty_after_its_table_was_created_again(db: Db) -> Outcome {
    parcel(1, "old").put().send(&db).await?;
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    take(&mut changes, 1).await?;
    let position = changes.position();
    let name = db.table::<Parcel>();
    db.client().delete_table().table_name(&name).send().await?;
    db.create_tables([Parcel::schema()]).await?;
    parcel(2, "new").put().send(&db).await?;
    assert_eq!(oldest(&db).await?, [ChangeEvent::Created(parcel(2, "new"))]);
    // Neither the old stream nor its position shows the records of the new one.
    if let Ok(Some(Ok(change))) = tokio::time::timeout(Duration::from_secs(2), changes.next()).await
    {
        panic!("{:?}", change.event);
    }
    // The old stream may be listed for a day.
    let start = StreamStart::Position(position);
    match Parcel::changes().start(start).open(&db).await {
        Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidCursor),
        Ok(mut again) => {
            let next = tokio::time::timeout(Duration::from_secs(1), again.next()).await;
            assert!(!matches!(next, Ok(Some(Ok(_)))), "{next:?}");
        }
    }
    Ok(())
}

async fn a_stream_that_is_switched_on_again_begins_empty(db: Db) -> Outcome {
    parcel(1, "old").put().send(&db).await?;
    let name = db.table::<Parcel>();
    for is_enabled in [false, true] {
        let stream = StreamSpecification::builder().stream_enabled(is_enabled);
        let stream = match is_enabled {
            true => stream.stream_view_type(StreamViewType::NewAndOldImages),
            false => stream,
        };
        let update = db.client().update_table().table_name(&name);
        update.stream_specification(stream.build()?).send().await?;
        db.ready([Parcel::schema()]).await;
    }
    parcel(2, "new").put().send(&db).await?;
    assert_eq!(oldest(&db).await?, [ChangeEvent::Created(parcel(2, "new"))]);
    Ok(())
}

async fn removals_of_expired_items_are_marked(db: Db) -> Outcome {
    let Engine::Embedded(engine) = db.engine() else {
        return Ok(());
    };
    db.enable_ttl([Lease::schema()]).await?;
    let mut changes = Lease::changes().open(&db).await?;
    let now = SystemTime::now();
    let lease = |id: u32, ends_at| Lease { id, ends_at };
    let (expired, living) = (
        lease(1, now - Duration::from_secs(60)),
        lease(2, now + Duration::from_secs(3_600)),
    );
    expired.put().send(&db).await?;
    living.put().send(&db).await?;
    assert_eq!(engine.sweep_expired().await?, 1);
    assert_eq!(engine.sweep_expired().await?, 0);
    let events = take(&mut changes, 3).await?;
    assert!(
        matches!(&events[2], ChangeEvent::Removed { old, by_ttl: true } if old.id == 1),
        "{events:?}"
    );
    assert_eq!(db.count::<Lease>().await, 1);
    Ok(())
}

async fn a_stream_is_read_from_its_oldest_change(db: Db) -> Outcome {
    for number in 0..30 {
        parcel(number % 3, &number.to_string())
            .put()
            .send(&db)
            .await?;
    }
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    let texts: Vec<String> = take(&mut changes, 30)
        .await?
        .iter()
        .map(|event| event.after().expect("a parcel").text.clone())
        .collect();
    let wanted: Vec<String> = (0..30).map(|number: u32| number.to_string()).collect();
    for item in 0..3 {
        let of_item = |texts: &[String]| -> Vec<String> {
            texts.iter().skip(item).step_by(3).cloned().collect()
        };
        // Only the order of each item is guaranteed. A stream with one shard has the order of all writes.
        assert_eq!(of_item(&texts), of_item(&wanted));
    }
    Ok(())
}

async fn a_position_continues_after_the_last_change(db: Db) -> Outcome {
    for number in 0..12 {
        parcel(number, "x").put().send(&db).await?;
    }
    let mut seen = Vec::new();
    let mut start = StreamStart::Oldest;
    for _ in 0..4 {
        let mut changes = Parcel::changes().start(start).open(&db).await?;
        let taken = take(&mut changes, 3).await?;
        seen.extend(
            taken
                .iter()
                .map(|event| event.after().expect("a parcel").number),
        );
        let position: StreamPosition = changes.position().to_string().parse()?;
        assert_eq!(position, changes.position());
        start = StreamStart::Position(position);
    }
    assert_eq!(seen, Vec::from_iter(0..12));
    // A position before the first change contains the start.
    let unread = Parcel::changes().open(&db).await?.position();
    parcel(20, "x").put().send(&db).await?;
    let start = StreamStart::Position(unread);
    let mut changes = Parcel::changes().start(start).open(&db).await?;
    let mut last = None;
    while last != Some(20) {
        last = take(&mut changes, 1).await?[0]
            .after()
            .map(|parcel| parcel.number);
    }
    Ok(())
}

async fn a_position_of_another_stream_is_rejected(db: Db) -> Outcome {
    let position = Letter::changes().open(&db).await?.position();
    let start = StreamStart::Position(position);
    let error = Parcel::changes()
        .start(start)
        .open(&db)
        .await
        .expect_err("another stream");
    assert_eq!(error.kind(), ErrorKind::InvalidCursor);
    let message = error.to_string();
    assert!(
        message.contains("letters") && message.contains("parcels"),
        "{message}"
    );
    Ok(())
}

async fn a_time_is_a_start(db: Db) -> Outcome {
    parcel(1, "x").put().send(&db).await?;
    let hour = Duration::from_secs(3_600);
    let before = StreamStart::since(SystemTime::now() - hour);
    let mut changes = Parcel::changes().start(before).open(&db).await?;
    assert_eq!(
        take(&mut changes, 1).await?,
        [ChangeEvent::Created(parcel(1, "x"))]
    );
    let later = StreamStart::since(SystemTime::now() + hour);
    let mut changes = Parcel::changes().start(later).open(&db).await?;
    let next = tokio::time::timeout(Duration::from_millis(500), changes.next()).await;
    assert!(next.is_err(), "{next:?}");
    Ok(())
}

async fn a_table_without_a_stream_is_named(db: Db) -> Outcome {
    let error = Silent::changes().open(&db).await.expect_err("no stream");
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(
        error.to_string().contains("silent` has no stream"),
        "{error}"
    );
    Ok(())
}

async fn an_unreadable_record_is_an_error(db: Db) -> Outcome {
    parcel(1, "x").put().send(&db).await?;
    let put = db.client().put_item().table_name(db.table::<Parcel>());
    put.item("number", n(2)).item("text", n(5)).send().await?;
    parcel(3, "x").put().send(&db).await?;
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    take(&mut changes, 1).await?;
    let unread = match changes.next().await.expect("a record") {
        Err(FollowError::Unread(unread)) => unread,
        other => panic!("{other:?}"),
    };
    assert_eq!(unread.kind(), ErrorKind::Decode);
    assert_eq!(
        take(&mut changes, 1).await?,
        [ChangeEvent::Created(parcel(3, "x"))]
    );
    let mut records = follow_records(Parcel::schema())
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    for number in 1..=3_u32 {
        let record = records.next().await.expect("a record")?;
        assert_eq!(
            record.key().expect("a key").get("number"),
            Some(&Value::from(number))
        );
    }
    Ok(())
}

async fn views_have_their_types(db: Db) -> Outcome {
    let keyed = Keyed {
        number: 7,
        text: "x".into(),
    };
    keyed.put().send(&db).await?;
    let mut changes = Keyed::key_changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    assert_eq!(
        take(&mut changes, 1).await?,
        [ChangeEvent::Created(Keyed::key(7))]
    );
    let mut changes = Keyed::changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    let error = changes
        .next()
        .await
        .expect("a record")
        .expect_err("no images");
    assert!(error.to_string().contains("keys_of"), "{error}");
    Ok(())
}

async fn a_collection_shows_its_members(db: Db) -> Outcome {
    let mut changes = Room::changes().open(&db).await?;
    let desk = Desk {
        room: "A".into(),
        number: 1,
        label: "D1".into(),
    };
    let chair = Chair {
        room: "A".into(),
        number: 1,
    };
    desk.create().send(&db).await?;
    chair.put().send(&db).await?;
    // The item that stores the unique label is not shown.
    let wanted = [
        ChangeEvent::Created(Room::Desk(desk)),
        ChangeEvent::Created(Room::Chair(chair)),
    ];
    let mut taken = take(&mut changes, 2).await?;
    taken.sort_by_key(|event| matches!(event.after(), Some(Room::Chair(_))));
    assert_eq!(taken, wanted);
    Ok(())
}

async fn failures_and_lost_responses_skip_nothing(db: Db) -> Outcome {
    for number in 0..20 {
        parcel(number, "x").put().send(&db).await?;
    }
    let throttled = || Fault::refuse("ProvisionedThroughputExceededException");
    let busy = || Fault::refuse("LimitExceededException");
    let expired = || Fault::refuse("ExpiredIteratorException");
    let plan = [
        throttled(),
        Fault::Lose,
        busy(),
        Fault::Io,
        Fault::Pass,
        Fault::Lose,
        Fault::Lose,
        throttled(),
        Fault::Pass,
        Fault::Pass,
        expired(),
        Fault::Pass,
        Fault::Cut(20),
        expired(),
    ];
    let (faulty, http) = db.faulty(plan);
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&faulty)
        .await?;
    let taken = take(&mut changes, 20).await?;
    let numbers = taken
        .iter()
        .map(|event| event.after().expect("a parcel").number);
    assert_eq!(Vec::from_iter(numbers), Vec::from_iter(0..20));
    drop(http);
    Ok(())
}

async fn a_rejection_ends_the_changes(db: Db) -> Outcome {
    let plan = [Fault::Pass, Fault::refuse("AccessDeniedException")];
    let (faulty, _http) = db.faulty(plan);
    let error = Parcel::changes()
        .open(&faulty)
        .await
        .expect_err("no access");
    assert_eq!(error.kind(), ErrorKind::AccessDenied);

    let plan = [
        Fault::Pass,
        Fault::Pass,
        Fault::refuse("AccessDeniedException"),
    ];
    let (faulty, _http) = db.faulty(plan);
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&faulty)
        .await?;
    let error = changes
        .next()
        .await
        .expect("an error")
        .expect_err("no access");
    assert_eq!(error.kind(), ErrorKind::AccessDenied);
    assert!(matches!(error, FollowError::Failed(_)));
    assert!(changes.next().await.is_none());
    Ok(())
}

async fn a_stream_that_is_switched_off_ends(db: Db) -> Outcome {
    parcel(1, "x").put().send(&db).await?;
    let off = StreamSpecification::builder()
        .stream_enabled(false)
        .build()?;
    let table = db.table::<Parcel>();
    let update = db.client().update_table().table_name(&table);
    update.stream_specification(off).send().await?;
    let mut changes = Parcel::changes()
        .start(StreamStart::Oldest)
        .open(&db)
        .await?;
    assert_eq!(
        take(&mut changes, 1).await?,
        [ChangeEvent::Created(parcel(1, "x"))]
    );
    let end = tokio::time::timeout(Duration::from_secs(30), changes.next()).await?;
    assert!(end.is_none());

    // The position belongs to the stream that was switched off, which can still be read.
    let on = StreamSpecification::builder().stream_enabled(true);
    let on = on
        .stream_view_type(StreamViewType::NewAndOldImages)
        .build()?;
    let update = db.client().update_table().table_name(&table);
    update.stream_specification(on).send().await?;
    parcel(2, "y").put().send(&db).await?;
    let start = StreamStart::Position(changes.position());
    let mut older = Parcel::changes().start(start).open(&db).await?;
    let end = tokio::time::timeout(Duration::from_secs(30), older.next()).await?;
    assert!(end.is_none());
    let newer = Parcel::changes().start(StreamStart::Oldest);
    let mut newer = newer.open(&db).await?;
    assert_eq!(
        take(&mut newer, 1).await?,
        [ChangeEvent::Created(parcel(2, "y"))]
    );
    Ok(())
}
