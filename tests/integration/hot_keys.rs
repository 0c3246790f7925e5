//! The partitions that requests are about, and those that are asked for most.

use std::sync::{Arc, Mutex};

use dynamo_entity::Item;
use dynamo_entity::observe::HotKeys;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, item};
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    every_request_tells_its_partitions,
    a_partition_of_several_attributes_is_one(Room) unless NO_MULTI_ATTRIBUTE_KEYS,
    what_only_the_table_tells_is_learned,
    the_hottest_are_named_by_pattern,
    what_is_taken_begins_anew_and_is_forgotten,
    no_key_is_shown_unasked,
];

crate::declare! {
    /// The key is a bare field that is not the first, so only its name tells it from others.
    entity Reading(table = "hot-readings", key(pk = meter, sk = at), gsi(by_area, pk = "AREA#{area}", sk = "{at}"))
        { area: u32, at: u32, meter: String }
    entity Meter(table = "hot-meters", key(pk = number)) { owner: String, number: u32 }
    entity Room(table = "hot-rooms", key(pk = id), gsi(by_place, pk = [house, floor], sk = [id]))
        { id: u32, house: String, floor: u32 }
}

fn reading(meter: &str, at: u32) -> Reading {
    Reading {
        area: 5,
        at,
        meter: meter.into(),
    }
}

type Told = Arc<Mutex<Vec<(String, Vec<String>)>>>;

/// A connection that keeps the partitions of each request.
fn watched(db: &Dynamo) -> (Dynamo, Told) {
    let told = Told::default();
    let kept = told.clone();
    let db = db.clone().with_observer(move |seen| {
        let keys = seen.partition_keys().into_iter();
        let keys = keys.map(|key| match key.index() {
            Some(index) => format!("{index}:{}", key.text()),
            None => key.text(),
        });
        let operation = seen.operation.to_owned();
        kept.lock().unwrap().push((operation, keys.collect()));
    });
    (db, told)
}

async fn open(db: &Db) -> Result<()> {
    db.create_tables([Reading::schema(), Meter::schema()])
        .await?;
    Ok(())
}

async fn every_request_tells_its_partitions(db: Db) -> Outcome {
    open(&db).await?;
    let (db, told) = watched(&db);
    let (a, b) = (reading("a", 1), reading("b", 2));
    a.put().send(&db).await?;
    a.key().get().send(&db).await?;
    a.key()
        .update()
        .apply(|r| r.area().set(5))
        .when(|r| r.at().eq(1))
        .send(&db)
        .await?;
    Reading::in_partition("a").at().ge(1).all(&db).await?;
    Reading::by_area(5).all(&db).await?;
    Reading::scan().all(&db).await?;
    Batch::new()
        .with_all([&a, &b, &reading("a", 3)].map(|reading| reading.put()))
        .with(Reading::key("c", 1).delete())
        .send(&db)
        .await?
        .complete()?;
    Reading::get_many([a.key(), b.key(), Reading::key("a", 3)])
        .send(&db)
        .await?;
    let both = Transaction::new()
        .with(a.put())
        .with(b.key().update().apply(|r| r.area().set(6)))
        .with(Reading::key("d", 1).check().if_missing());
    both.send(&db).await?;
    transact_get((a.key().get(), b.key().get()))
        .send(&db)
        .await?;
    a.delete().send(&db).await?;
    let told = told.lock().unwrap().clone();
    let known = [
        ("PutItem", &["a"][..]),
        ("GetItem", &["a"]),
        ("UpdateItem", &["a"]),
        ("Query", &["a"]),
        ("Query", &["by_area:AREA#0000000005"]),
        ("Scan", &[]),
        ("BatchWriteItem", &["a", "b", "c"]),
        ("BatchGetItem", &["a", "b"]),
        ("TransactWriteItems", &["a", "b", "d"]),
        ("TransactGetItems", &["a", "b"]),
        ("DeleteItem", &["a"]),
    ];
    let told: Vec<_> = told
        .iter()
        .map(|(operation, keys)| (&**operation, keys.iter().map(|key| &**key).collect()))
        .collect();
    let known = known.map(|(operation, keys)| (operation, keys.to_vec()));
    assert_eq!(told, known);
    Ok(())
}

async fn a_partition_of_several_attributes_is_one(db: Db) -> Outcome {
    let (db, told) = watched(&db);
    Room::by_place("h1", 3).all(&db).await?;
    Room::by_place("h1", 3).id().gt(7).all(&db).await?;
    let told = told.lock().unwrap().clone();
    for (_, keys) in &told {
        assert_eq!(*keys, ["by_place:h1,3"]);
    }
    assert_eq!(told.len(), 2);
    Ok(())
}

/// Nothing in a put of several entities, or of items without a type, tells which attribute is the key.
async fn what_only_the_table_tells_is_learned(db: Db) -> Outcome {
    open(&db).await?;
    let (watched, told) = watched(&db);
    let hot = HotKeys::default();
    let watched = watched.with_observer(hot.observer());
    let meter = Meter {
        owner: "ann".into(),
        number: 7,
    };
    let mixed = || {
        Transaction::new()
            .with(reading("a", 1).into_put())
            .with(meter.put())
            .with(Meter::key(8).check().if_missing())
    };
    mixed().send(&watched).await?;
    let bare = || item([("number", 9_u64.into()), ("owner", "bob".into())]);
    Item::in_table("hot-meters")
        .put(bare())
        .send(&watched)
        .await?;
    let keys: Vec<_> = told
        .lock()
        .unwrap()
        .iter()
        .map(|(_, keys)| keys.clone())
        .collect();
    assert_eq!(keys, [vec!["8".to_owned()], vec![]]);
    assert_eq!(hot.take(9).len(), 1);

    // The meter learns it from what has one entity.
    reading("z", 1).put().send(&watched).await?;
    Meter::key(1).get().send(&watched).await?;
    mixed().send(&watched).await?;
    Item::in_table("hot-meters")
        .put(bare())
        .send(&watched)
        .await?;
    let mut found: Vec<_> = hot
        .hottest(9)
        .into_iter()
        .map(|hot| hot.partition)
        .collect();
    found.sort();
    assert_eq!(
        found.iter().map(|key| &**key).collect::<Vec<_>>(),
        ["1", "7", "8", "9", "a", "z"]
    );
    Ok(())
}

async fn the_hottest_are_named_by_pattern(db: Db) -> Outcome {
    open(&db).await?;
    let hot = HotKeys::default();
    let watched = db.clone();
    let watched = Dynamo::clone(&watched).with_observer(hot.observer());
    for at in 0..9 {
        reading(if at % 3 == 0 { "cold" } else { "hot" }, at)
            .put()
            .send(&watched)
            .await?;
    }
    for _ in 0..2 {
        Reading::key("cold", 3).get().send(&watched).await?;
    }
    let all = hot.hottest(2);
    let told: Vec<_> = all
        .iter()
        .map(|hot| {
            (
                hot.pattern.to_string(),
                &*hot.partition,
                hot.at_least,
                hot.at_most,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("Reading.put".to_owned(), "hot", 6, 6),
            ("Reading.put".to_owned(), "cold", 3, 3)
        ]
    );
    assert_eq!(*all[0].table, db.table::<Reading>());
    let got = hot.hottest_of("Reading.get", 5);
    assert_eq!(got.len(), 1);
    assert_eq!((&*got[0].partition, got[0].at_least), ("cold", 2));
    Ok(())
}

async fn what_is_taken_begins_anew_and_is_forgotten(db: Db) -> Outcome {
    open(&db).await?;
    let hot = HotKeys::with_partitions(1);
    let watched = Dynamo::clone(&db).with_observer(hot.observer());
    for meter in ["a", "b", "b"] {
        reading(meter, 1).put().send(&watched).await?;
    }
    let taken = hot.take(5);
    assert_eq!(taken.len(), 1);
    assert_eq!(
        (&*taken[0].partition, taken[0].at_least, taken[0].at_most),
        ("b", 2, 3)
    );
    assert_eq!(hot.hottest(5), []);
    Ok(())
}

async fn no_key_is_shown_unasked(db: Db) -> Outcome {
    open(&db).await?;
    let shown: Arc<Mutex<String>> = Arc::default();
    let (hot, kept) = (HotKeys::default(), shown.clone());
    let watched = Dynamo::clone(&db)
        .with_observer(hot.observer())
        .with_observer(move |seen| {
            let keys = seen.partition_keys();
            assert_eq!(keys[0].text(), "secret");
            *kept.lock().unwrap() += &format!("{seen:?} {keys:?}");
        });
    reading("secret", 1).put().send(&watched).await?;
    let shown = format!("{} {hot:?} {:?}", shown.lock().unwrap(), hot.hottest(1));
    assert!(
        shown.contains("HotPartition") && shown.contains("PartitionKey"),
        "{shown}"
    );
    assert!(!shown.contains("secret"), "{shown}");
    Ok(())
}
