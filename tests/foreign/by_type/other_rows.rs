//! Rows of classes that no entity declares, and keys that become those of another entity between two requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, Item, Value};

use super::{
    Animals, Count, First, Fish, Horse, Mouse, Owned, Second, fish, horse, mouse, untyped,
};
use crate::support::db::{Db, Raw, raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};

#[derive(Debug, Clone, PartialEq, DynamoProjection)]
#[dynamo(entity = First)]
struct Pages {
    pages: u32,
}

/// Both editions have one type.
pub(super) async fn projections_compare_constants(db: Db) -> Outcome {
    let key = First { id: 1, pages: 1 }.key();
    First { id: 1, pages: 1 }.create().send(&db).await?;
    let pages = key.clone().get().select::<Pages>().send(&db).await?;
    assert_eq!(pages, Some(Pages { pages: 1 }));
    Second { id: 2, pages: 20 }.create().send(&db).await?;
    let other = First { id: 2, pages: 1 }.key();
    let read = other.clone().get().select::<Pages>().send(&db).await;
    let error = read.expect_err("another edition");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert!(error.to_string().contains("edition"), "{error}");
    let read = First::get_many([key, other]).select::<Pages>().send(&db);
    assert!(read.await.is_err());
    assert_eq!(First::scan().select::<Pages>().all(&db).await?.len(), 1);
    Ok(())
}

/// The item of an own class, as a class that no entity declares.
fn renamed(mut row: Raw, cls: &str) -> Raw {
    row.insert("cls".to_owned(), s(cls));
    row
}

pub(super) async fn rows_of_no_entity_are_not_touched(db: Db) -> Outcome {
    let rat = renamed(untyped(("ann", "a")), "Rat");
    let none = untyped(("ann", "b"));
    for row in [&rat, &none] {
        db.plant::<Mouse>(row.clone()).await;
    }
    mouse(("ann", "c"), 1).create().send(&db).await?;
    horse(("ann", "d"), 1).create().send(&db).await?;
    let report = Owned::in_partition("ann").touch_each().send(&db).await?;
    assert_eq!((report.counts().written, report.failed), (2, 2));
    let report = Mouse::in_partition("ann").touch_each().send(&db).await?;
    assert_eq!((report.counts().written, report.failed), (1, 1));
    assert_eq!(report.errors()[0].error().kind(), ErrorKind::Decode);
    assert_eq!(db.stored(&mouse(("ann", "a"), 0).key()).await, rat);
    assert_eq!(db.stored(&mouse(("ann", "b"), 0).key()).await, none);
    Ok(())
}

/// A table with one declared entity, in which another program stores other classes.
#[derive(DynamoTable)]
#[dynamo(name = "birds", pk = "pk", sk = "sk", identify_by = type, entities(Robin))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
pub(super) struct Birds;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Birds, key(pk = "OWNER#{owner}", sk = "{name}"))]
#[dynamo(gsi(by_color, on = gsi1, pk = "COLOR#{color}", sk = "{name}"))]
struct Robin {
    owner: String,
    name: String,
    color: String,
}

pub(super) async fn queries_of_one_entity_leave_out_other_classes(db: Db) -> Outcome {
    let robin = |name: &str| Robin {
        owner: "ann".into(),
        name: name.into(),
        color: "red".into(),
    };
    let stored = [robin("b").create().send(&db).await?];
    let mut crow = db.stored(&robin("b").key()).await;
    crow.extend(raw([
        ("sk", s("a")),
        ("gsi1sk", s("a")),
        ("_type", s("Crow")),
    ]));
    db.plant::<Robin>(crow).await;
    assert_eq!(Robin::in_partition("ann").all(&db).await?, stored);
    assert_eq!(Robin::in_partition("ann").count(&db).await?, 1);
    assert_eq!(Robin::by_color("red").all(&db).await?, stored);
    assert_eq!(Robin::by_color("red").limit(1).all(&db).await?, stored);
    let counts = Robin::in_partition("ann").delete_each().send(&db).await?;
    assert_eq!(counts.complete()?.written, 1);
    assert!(db.raw(&robin("a").key()).await.is_some());
    Ok(())
}

/// The owner of a unique value has another class when a refill reads it, and is a fish again when the refill writes.
pub(super) async fn a_value_of_a_live_owner_is_kept(db: Db) -> Outcome {
    let owner = fish(("ann", "a"), 1).create().send(&db).await?;
    let row = db.stored(&owner.key()).await;
    db.plant::<Fish>(renamed(row.clone(), "Rat")).await;
    let (writer, reads) = (db.clone(), AtomicUsize::new(0));
    let racing = (*db).clone().with_observer(move |seen| {
        if seen.operation == "GetItem" && reads.fetch_add(1, Ordering::SeqCst) == 0 {
            meanwhile(writer.plant::<Fish>(row.clone()));
        }
    });
    let report = Fish::scan().refill().send(&racing).await?;
    assert_eq!(report.complete()?.written, 0);
    assert_eq!(Fish::by_tag("ann/a").send(&db).await?, Some(owner));
    Ok(())
}

pub(super) async fn a_value_of_another_class_is_not_found(db: Db) -> Outcome {
    let owner = fish(("ann", "a"), 1).create().send(&db).await?;
    let row = db.stored(&owner.key()).await;
    db.plant::<Fish>(renamed(row, "Rat")).await;
    assert_eq!(Fish::by_tag("ann/a").send(&db).await?, None);
    Ok(())
}

/// An attempt got no answer, and an item of another entity has the key when the job reads it again.
pub(super) async fn an_unknown_outcome_stays_unknown(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let place = ("ann", "a");
    let key = fish(place, 1).key();
    fish(place, 1).create().send(&db).await?;
    // A transaction is sent again a few times; reads are, too.
    let faults = [Fault::Pass].into_iter().chain((0..5).map(|_| Fault::Lose));
    let (faulty, _) = db.faulty(faults);
    let (writer, item) = (db.clone(), key.to_item()?);
    let is_done = AtomicUsize::new(0);
    let racing = faulty.with_observer(move |seen| {
        let is_write = seen.operation == "TransactWriteItems";
        if is_write && is_done.fetch_add(1, Ordering::SeqCst) == 0 {
            meanwhile(async {
                let delete = writer.client().delete_item();
                let delete = delete.table_name(writer.table::<Animals>());
                let deleted = delete.set_key(Some(item.clone().into())).send().await;
                deleted.expect("a delete");
                horse(place, 9)
                    .create()
                    .send(&writer)
                    .await
                    .expect("a horse");
            });
        }
    });
    let report = put_each([fish(place, 2).put()])
        .checkpoint("fish", FileCheckpoint::new(folder.path().join("job")))
        .send(&racing)
        .await?;
    assert_eq!(report.failed, 1, "{report:?}");
    let error = report.errors()[0].error();
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(db.stored(&key).await["cls"], s("Horse"));
    Ok(())
}

pub(super) async fn modify_returns_the_item_of_the_other_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = horse(place, 3).create().send(&db).await?;
    let modify = mouse(place, 0).key().modify(|row| row.count = 1);
    let error = modify.send(&db).await.expect_err("another entity");
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert_eq!(error.current::<Horse>()?, Some(stored));
    Ok(())
}

/// The condition on the type still holds after the first attempt.
pub(super) async fn lines_without_a_response_are_sent_again(db: Db) -> Outcome {
    let line = "{\"pk\":\"OWNER#ann\",\"sk\":\"a\",\"count\":5,\"cls\":\"Mouse\"}\n";
    let (faulty, _) = db.faulty([Fault::Timeout]);
    let operations = Arc::new(AtomicUsize::new(0));
    let seen = operations.clone();
    let watched = faulty.with_observer(move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
    });
    let import = Mouse::import(line.as_bytes()).replace().as_is();
    let report = import.send(&watched).await?;
    assert_eq!(report.counts().written, 1, "{report:?}");
    // The operation itself was sent again, and not the import of the line.
    assert_eq!(operations.load(Ordering::SeqCst), 1);
    Ok(())
}

/// The index has read the keys of a mouse, and a horse has its key when the whole items are read.
pub(super) async fn hydrated_rows_are_those_of_the_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    mouse(place, 1).create().send(&db).await?;
    let (writer, is_done) = (db.clone(), AtomicUsize::new(0));
    let racing = (*db).clone().with_observer(move |seen| {
        if seen.operation == "Query" && is_done.fetch_add(1, Ordering::SeqCst) == 0 {
            meanwhile(async {
                let deleted = mouse(place, 0).key().delete().send(&writer).await;
                deleted.expect("the mouse is deleted");
                let created = horse(place, 1).create().send(&writer).await;
                created.expect("a horse");
            });
        }
    });
    let mice = Mouse::mice_by_count(1).hydrate().all(&racing).await?;
    assert_eq!(mice, []);
    Ok(())
}

/// An index that another program has created may not contain the type.
pub(super) async fn rows_of_an_index_without_types_are_explained(db: Db) -> Outcome {
    let stored = mouse(("ann", "a"), 7).create().send(&db).await?;
    let mut row = db.stored(&stored.key()).await;
    row.remove("cls");
    db.plant::<Mouse>(row).await;
    let error = Mouse::mice_by_count(7).all(&db).await.expect_err("no type");
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(error.to_string().contains("the index `gsi1`"), "{error}");
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "whales", pk = "pk", identify_by = type, entities(Whale, Calf))]
pub(super) struct Whales;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Whales, constant("genus" = "a"), key(pk = "WHALE#{id}"))]
struct Whale {
    id: u32,
    #[dynamo(ttl)]
    until: u64,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Whales, constant("genus" = "b"), key(pk = "WHALE#{id}"))]
struct Calf {
    id: u32,
}

/// DynamoDB takes 300 operators. A row with more attributes than fit is rejected with an error that says so.
pub(super) async fn large_rows_are_compared_within_the_limit(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut written = 0;
    for many in 136..=146 {
        let names = (0..many).map(|at| (format!("a{at}"), Value::from(1)));
        let whale = Whale {
            id: many,
            until: 4_000_000_000,
            rest: names.collect(),
        };
        whale.create().send(&db).await?;
        let report = Whale::scan()
            .transact_each(|row: &Whale| {
                let update = row.update().apply(|p| p.until().set(4_000_000_001));
                Transaction::new().with(update)
            })
            .checkpoint(
                "whales",
                FileCheckpoint::new(folder.path().join(format!("{many}"))),
            )
            .send(&db)
            .await?;
        for row in report.errors() {
            let text = row.error().to_string();
            assert!(text.contains("such comparisons"), "{many}: {text}");
        }
        written += report.counts().written;
        Whale::key(many).delete().send(&db).await?;
    }
    assert!(written > 3, "{written}");
    Ok(())
}

/// A query reports an item whose type is NULL, as a read of its key does, and no write replaces it.
pub(super) async fn a_null_is_no_type(db: Db) -> Outcome {
    let place = ("ann", "a");
    let mut row = untyped(place);
    row.insert("cls".into(), AttributeValue::Null(true));
    db.plant::<Mouse>(row.clone()).await;
    let key = mouse(place, 0).key();
    assert!(key.clone().get().send(&db).await.is_err());
    assert_eq!(Mouse::scan().count(&db).await?, 1);
    for rows in [
        Mouse::scan().lenient().all(&db).await?,
        Mouse::in_partition("ann").lenient().all(&db).await?,
    ] {
        assert!(matches!(&rows[..], [Err(_)]), "{rows:?}");
    }
    assert!(mouse(place, 1).put().send(&db).await.is_err());
    let report = Mouse::scan().delete_each().send(&db).await;
    assert!(report.is_err() || report.is_ok_and(|report| report.complete().is_err()));
    assert_eq!(db.stored(&key).await, row);
    Ok(())
}

pub(super) async fn items_without_a_type_belong_to_no_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    db.plant::<Mouse>(untyped(place)).await;
    let key = mouse(place, 0).key();
    let error = key.clone().get().send(&db).await.expect_err("no type");
    assert!(
        error.to_string().contains("an item without a type"),
        "{error}"
    );
    assert!(key.clone().get().select::<Count>().send(&db).await.is_err());
    assert!(Mouse::from_item(Item::from(untyped(place))).is_err());
    let error = mouse(place, 1).put().send(&db).await.expect_err("no type");
    assert!(error.to_string().contains("has no type"), "{error}");
    let report = Mouse::in_partition("ann").delete_each().send(&db).await;
    assert!(report.is_err() || report.is_ok_and(|report| report.complete().is_err()));
    assert_eq!(db.stored(&key).await, untyped(place));
    assert_eq!(Mouse::in_partition("ann").count(&db).await?, 1);
    assert_eq!(
        Owned::in_partition("ann").lenient().all(&db).await?.len(),
        1
    );

    let typed = Item::from_iter([("cls", Value::S("Mouse".into()))]);
    let mut item = Item::from(untyped(place));
    item.extend(typed);
    Item::in_table("animals").put(item).send(&db).await?;
    assert_eq!(key.get().send(&db).await?, Some(mouse(place, 7)));
    Ok(())
}
