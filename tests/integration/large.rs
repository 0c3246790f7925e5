//! Lists and blobs beside an item: whatever is written at the same time, fails or dies, a reader finds the list as one of the
//! writes left it, and a sweep deletes what nothing refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat_n;
use std::time::Duration;

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::{DynamoValue, ErrorKind};
use futures_util::TryStreamExt as _;

pub mod guarantees;
pub mod late;
pub mod outside;

use crate::support::clock::HandClock;
use crate::support::db::{Db, Raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_list_is_read_as_it_was_written(Hall, Theatre),
    rows_have_the_documented_form(Hall, Theatre),
    writes_of_the_item_leave_the_list(Hall),
    deletes_of_the_item_delete_its_lists(Hall, Theatre),
    the_item_must_exist(Hall),
    concurrent_appends_all_succeed(Hall),
    pages_are_those_of_one_list(Hall),
    a_blob_is_read_as_it_was_written(Hall),
    a_damaged_blob_is_an_error(Hall),
    what_does_not_fit_is_an_error(Hall, Archive),
    no_read_returns_the_rows(Hall, Theatre),
    random_operations_match_a_model(Hall),
    a_write_may_die_at_every_request(Hall),
    a_sweep_never_takes_what_is_in_use(Hall, Theatre),
    a_late_head_is_not_written(Hall),
    costs_are_shown(Hall),
];

const HOUR: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Seat {
    row: u32,
    name: String,
}

crate::declare! {
    entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat), chunked(numbers: u32), blob(plan))
        { id: u32, name: String, #[dynamo(default)] visits: u32 }
    entity Archive(table = "archives", key(pk = "ARCHIVE#{name}"), chunked(pages: u32)) { name: String }
    table Theatre(name = "theatre", pk = "pk", sk = "sk", entities(Show, Note));
    entity Show(table = Theatre, key(pk = "SHOW#{id}", sk = "DAY#{day}"), unique(by_code, code),
        chunked(guests: String, rename = "visitors"), blob(poster))
        { id: u32, day: u32, code: String, #[dynamo(version)] version: Version }
    entity Note(table = Theatre, key(pk = "SHOW#{id}", sk = "NOTE#{number}")) { id: u32, number: u32 }
}

fn hall(id: u32) -> Hall {
    Hall {
        id,
        name: "Large".into(),
        visits: 0,
    }
}

fn show(id: u32, day: u32) -> Show {
    Show {
        id,
        day,
        code: format!("{id}/{day}"),
        version: Version::default(),
    }
}

fn seats(numbers: std::ops::Range<u32>) -> Vec<Seat> {
    let seat = |row| Seat {
        row,
        name: format!("seat {row} %#$ ü"),
    };
    numbers.map(seat).collect()
}

/// All rows of the table whose keys begin with this.
async fn rows<T: DynamoTable>(db: &Db, front: &str) -> Vec<Raw> {
    let items = db.client().scan().table_name(db.table::<T>());
    let items = items.consistent_read(true).into_paginator().items().send();
    let items = items.collect::<Result<Vec<_>, _>>().await.expect("a scan");
    let is_row = |item: &Raw| matches!(&item["pk"], AttributeValue::S(pk) if pk.starts_with(front));
    items.into_iter().filter(is_row).collect()
}

async fn count<T: DynamoTable>(db: &Db) -> usize {
    rows::<T>(db, "$LARGE#").await.len()
}

/// The ids in the heads, and those of the stored parts.
async fn ids<T: DynamoTable>(db: &Db) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut named, mut stored) = (BTreeSet::new(), BTreeSet::new());
    for row in rows::<T>(db, "$LARGE#").await {
        if let Some(AttributeValue::L(parts)) = row.get("$large.parts") {
            named.extend(
                parts
                    .iter()
                    .map(|part| part.as_s().expect("a name").clone()),
            );
        }
        if let Some(AttributeValue::S(name)) = row.get("$large.part") {
            stored.insert(name.clone());
        }
    }
    (named, stored)
}

async fn a_list_is_read_as_it_was_written(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    show(1, 2).create().send(&db).await?;
    let list = Hall::seats(1).part_bytes(500);
    assert_eq!(list.len(&db).await?, 0);
    assert_eq!(list.all(&db).await?, []);

    list.append(&seats(0..100)).send(&db).await?;
    list.append(&seats(100..101)).send(&db).await?;
    list.append(&[]).send(&db).await?;
    assert_eq!(list.len(&db).await?, 101);
    assert_eq!(list.all(&db).await?, seats(0..101));
    assert_eq!(
        list.stream(&db).try_collect::<Vec<_>>().await?,
        seats(0..101)
    );
    let (mut pages, mut found) = (list.pages(&db), Vec::new());
    while let Some(page) = pages.next_page().await? {
        found.push(page);
    }
    assert!(found.len() > 5);
    assert_eq!(found.concat(), seats(0..101));

    // Former parts are deleted at once if no late request can name them.
    let clock = HandClock::at("2100-01-01T00:00:00Z");
    let now = db.at(&clock);
    list.replace(&seats(7..9)).send(&now).await?;
    assert_eq!(list.all(&db).await?, seats(7..9));
    assert_eq!(count::<Hall>(&db).await, 2, "the former parts are deleted");
    list.append(&seats(9..12)).send(&now).await?;
    clock.advance(HOUR);
    list.compact(&now).await?;
    assert_eq!(list.all(&db).await?, seats(7..12));
    assert_eq!(count::<Hall>(&db).await, 2);
    clock.advance(HOUR);
    list.delete().send(&now).await?;
    list.delete().send(&now).await?;
    assert_eq!(list.all(&db).await?, []);
    assert_eq!(count::<Hall>(&db).await, 0);

    // Another value of the item, another item, and a table with a sort key.
    Hall::numbers(1).append(&[1, 2]).send(&db).await?;
    hall(2).create().send(&db).await?;
    Hall::numbers(2).append(&[3]).send(&db).await?;
    assert_eq!(Hall::numbers(1).all(&db).await?, [1, 2]);
    let guests = ["ann".to_owned(), "bob".to_owned()];
    Show::guests(1, 2).append(&guests).send(&db).await?;
    assert_eq!(Show::guests(1, 2).all(&db).await?, guests);
    assert_eq!(Show::guests(1, 3).len(&db).await?, 0);
    Ok(())
}

async fn rows_have_the_documented_form(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    show(1, 2).create().send(&db).await?;
    Hall::numbers(1).append(&[5, 6]).send(&db).await?;
    Show::poster(1, 2).write(b"abc").send(&db).await?;
    let found = rows::<Hall>(&db, "$LARGE#numbers#HALL%230000000001").await;
    let (heads, parts): (Vec<Raw>, Vec<Raw>) = found
        .into_iter()
        .partition(|row| row.contains_key("$large.parts"));
    let (head, part) = (&heads[0], &parts[0]);
    let AttributeValue::L(names) = &head["$large.parts"] else {
        panic!("{head:?}")
    };
    let (id, number) = names[0]
        .as_s()
        .expect("a name")
        .split_once(' ')
        .expect("two words");
    assert_eq!((id.len(), number), (32, "2"));
    assert_eq!(
        part["pk"],
        s(&format!("$LARGE#numbers#HALL%230000000001#{id}"))
    );
    assert_eq!(part["$large.part"], names[0]);
    let owner = AttributeValue::M([("pk".into(), s("HALL#0000000001"))].into());
    assert_eq!((&head["$unique"], &part["$unique"]), (&owner, &owner));
    assert_eq!(head["$large.length"], AttributeValue::N("2".into()));
    let numbers = ["5", "6"].map(|number| AttributeValue::N(number.into()));
    assert_eq!(part["$large.items"], AttributeValue::L(numbers.into()));

    let found = rows::<Theatre>(&db, "$LARGE#Show#poster#SHOW%230000000001#DAY%230000000002").await;
    assert_eq!(found.len(), 2);
    for row in &found {
        assert_eq!((&row["sk"], &row["_type"]), (&s("$"), &s("$unique")));
    }
    Ok(())
}

async fn writes_of_the_item_leave_the_list(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    Hall::seats(1).append(&seats(0..3)).send(&db).await?;
    hall(1).put().send(&db).await?;
    Hall::key(1)
        .update()
        .apply(|h| h.name().set("x"))
        .send(&db)
        .await?;
    Hall::key(1)
        .upsert()
        .apply(|h| (h.name().set("y"), h.visits().add(1)))
        .send(&db)
        .await?;
    Hall::key(1).modify(|h| h.visits += 1).send(&db).await?;
    put_each([hall(1).put()]).send(&db).await?.complete()?;
    assert_eq!(Hall::seats(1).all(&db).await?, seats(0..3));
    Ok(())
}

async fn deletes_of_the_item_delete_its_lists(db: Db) -> Outcome {
    for way in 0..5 {
        hall(1).create().send(&db).await?;
        Hall::seats(1).append(&seats(0..3)).send(&db).await?;
        Hall::plan(1).write([7; 10]).send(&db).await?;
        let settled = db.at(&HandClock::at("2100-01-01T00:00:00Z"));
        match way {
            0 => Hall::key(1).delete().send(&settled).await?,
            1 => hall(1).delete().if_exists().send(&settled).await?,
            2 => {
                let old = Hall::key(1).delete().returning_old();
                let old = old.send(&settled).await?;
                assert_eq!(old, Some(hall(1)));
            }
            3 => {
                let new = hall(9);
                let both = Transaction::new()
                    .with(Hall::key(1).delete())
                    .with(new.put());
                let stored = both.send(&db).await?;
                assert_eq!(
                    stored.get::<Hall>(1),
                    Some(&new),
                    "operations keep their numbers"
                );
                new.delete().send(&db).await?;
            }
            _ => Hall::scan()
                .delete_each()
                .send(&db)
                .await?
                .complete()
                .map(drop)?,
        }
        assert_eq!(Hall::seats(1).all(&db).await?, [], "{way}");
        assert_eq!(Hall::plan(1).read(&db).await?, None, "{way}");
        // Transactions and jobs leave the parts to a sweep.
        let left = if way < 3 { 0 } else { 2 };
        assert_eq!(count::<Hall>(&db).await, left, "{way}");
        let later = HandClock::at("2100-01-01T00:00:00Z");
        let report = Hall::sweep_large_values().send(&db.at(&later)).await?;
        assert_eq!(
            (report.heads_deleted, report.parts_deleted),
            (0, left as u64)
        );
        assert_eq!(count::<Hall>(&db).await, 0, "{way}");
        // A new item with the same key has none of it.
        hall(1).create().send(&db).await?;
        assert_eq!(Hall::seats(1).all(&db).await?, []);
        Hall::key(1).delete().send(&db).await?;
    }
    for way in 0..4 {
        let stored = show(1, 1).create().send(&db).await?;
        Show::guests(1, 1)
            .append(&["ann".to_owned()])
            .send(&db)
            .await?;
        match way {
            0 => stored.delete().send(&db).await?,
            1 => Show::key(1, 1).delete().send(&db).await?,
            2 => Transaction::new()
                .with(stored.delete())
                .send(&db)
                .await
                .map(drop)?,
            _ => Show::scan()
                .delete_each()
                .send(&db)
                .await?
                .complete()
                .map(drop)?,
        }
        assert_eq!(Show::guests(1, 1).len(&db).await?, 0, "{way}");
        assert_eq!(Show::by_code("1/1").send(&db).await?, None);
    }
    Ok(())
}

async fn the_item_must_exist(db: Db) -> Outcome {
    let refused = Hall::seats(1).append(&seats(0..1)).send(&db).await;
    assert_eq!(refused.expect_err("no item").kind(), ErrorKind::NotFound);
    let refused = Hall::seats(1).replace(&seats(0..1)).send(&db).await;
    assert!(refused.expect_err("no item").is_not_found());
    assert!(
        Hall::plan(1)
            .write([1])
            .send(&db)
            .await
            .expect_err("no item")
            .is_not_found()
    );
    assert_eq!(Hall::seats(1).len(&db).await?, 0);
    hall(1).create().send(&db).await?;
    let other = Hall::seats(1)
        .replace(&seats(0..1))
        .when(|h| h.name().eq("Small"));
    assert!(
        other
            .send(&db)
            .await
            .expect_err("another name")
            .is_conflict()
    );
    assert_eq!(count::<Hall>(&db).await, 0, "rejected writes leave nothing");
    let same = Hall::seats(1)
        .append(&seats(0..1))
        .when(|h| h.name().eq("Large"));
    same.send(&db).await?;
    Ok(())
}

async fn concurrent_appends_all_succeed(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let appends = (0..8).map(|writer| {
        let db = db.clone();
        tokio::spawn(async move {
            for round in 0..5 {
                let numbers: Vec<u32> = (0..3).map(|at| writer * 100 + round * 10 + at).collect();
                Hall::numbers(1)
                    .part_bytes(5)
                    .append(&numbers)
                    .send(&db)
                    .await?;
            }
            Ok::<_, Error>(())
        })
    });
    let appends: Vec<_> = appends.collect();
    // Joining parts in between loses no append.
    while !appends.iter().all(tokio::task::JoinHandle::is_finished) {
        Hall::numbers(1).compact(&db).await?;
    }
    for append in appends {
        append.await??;
    }
    let found = Hall::numbers(1).all(&db).await?;
    assert_eq!(found.len(), 8 * 5 * 3);
    assert_eq!(Hall::numbers(1).len(&db).await?, 8 * 5 * 3);
    for elements in found.chunks(3) {
        let first = elements[0];
        assert_eq!(
            elements,
            [first, first + 1, first + 2],
            "an append stays together"
        );
    }
    for writer in 0..8 {
        let mine = found.iter().filter(|number| **number / 100 == writer);
        assert!(mine.is_sorted(), "appends of one writer are in order");
    }
    Ok(())
}

async fn pages_are_those_of_one_list(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::seats(1).part_bytes(200);
    list.append(&seats(0..50)).send(&db).await?;
    let (mut fresh, mut begun) = (list.pages(&db), list.pages(&db));
    let first = begun.next_page().await?.expect("a page");
    list.append(&seats(50..60)).send(&db).await?;
    let second = begun.next_page().await?.expect("a page");
    let begin = first.len() + second.len();
    assert_eq!([first, second].concat(), seats(0..begin as u32));

    let later = db.at(&HandClock::at("2100-01-01T00:00:00Z"));
    list.replace(&seats(100..150)).send(&later).await?;
    let error = begun
        .next_page()
        .await
        .expect_err("the parts no longer exist");
    assert!(error.is_conflict(), "{error:?}");
    let mut found = Vec::new();
    while let Some(page) = fresh.next_page().await? {
        found.extend(page);
    }
    assert_eq!(found, seats(100..150));

    // Readers beside a writer find one of its lists.
    let writer = tokio::spawn({
        let (db, list) = (db.clone(), Hall::seats(1).part_bytes(200));
        async move {
            for round in 0..30 {
                let begin = round * 100;
                list.replace(&seats(begin..begin + 20 + round))
                    .send(&db)
                    .await?;
            }
            Ok::<_, Error>(())
        }
    });
    let mut reads = 0;
    while !writer.is_finished() {
        let found = list.all(&db).await?;
        let (begin, length) = (found[0].row, found.len() as u32);
        assert_eq!(found, seats(begin..begin + length));
        assert!(length == 50 || length == 20 + begin / 100);
        reads += 1;
    }
    writer.await??;
    assert!(reads > 0);
    Ok(())
}

async fn a_blob_is_read_as_it_was_written(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let plan = Hall::plan(1);
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    assert_eq!((plan.read(&db).await?, plan.len(&db).await?), (None, None));
    let large: Vec<u8> = (0..1_000_000_u32)
        .map(|at| (at.wrapping_mul(at) >> 7) as u8)
        .collect();
    for bytes in [&large[..], &large[..600_000], b"", b"a", &large[5..350_005]] {
        plan.write(bytes).send(&now).await?;
        clock.advance(HOUR);
        assert!(
            plan.read(&db).await?.as_deref() == Some(bytes),
            "{}",
            bytes.len()
        );
        assert_eq!(plan.len(&db).await?, Some(bytes.len() as u64));
        assert_eq!(count::<Hall>(&db).await, 1 + bytes.len().div_ceil(350_000));
    }
    plan.delete().send(&now).await?;
    assert_eq!((plan.read(&db).await?, count::<Hall>(&db).await), (None, 0));
    Ok(())
}

async fn a_damaged_blob_is_an_error(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    Hall::plan(1)
        .part_bytes(4)
        .write(b"abcdefg")
        .send(&db)
        .await?;
    let mut parts = rows::<Hall>(&db, "$LARGE#plan#").await.into_iter();
    let mut part = parts
        .find(|row| row.contains_key("$large.bytes"))
        .expect("a part");
    let key = part["pk"].clone();
    part.insert(
        "$large.bytes".into(),
        AttributeValue::B(b"x".to_vec().into()),
    );
    db.client()
        .put_item()
        .table_name(db.table::<Hall>())
        .set_item(Some(part))
        .send()
        .await?;
    let error = Hall::plan(1).read(&db).await.expect_err("another checksum");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error:?}");
    assert_eq!(error.attribute(), Some("plan"));
    db.client()
        .delete_item()
        .table_name(db.table::<Hall>())
        .key("pk", key)
        .send()
        .await?;
    let error = Hall::plan(1).read(&db).await.expect_err("no part");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error:?}");
    Ok(())
}

async fn what_does_not_fit_is_an_error(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let seat = |bytes| Seat {
        row: 1,
        name: "x".repeat(bytes),
    };
    Hall::seats(1)
        .append(&[seat(390_000), seat(1)])
        .send(&db)
        .await?;
    let error = Hall::seats(1)
        .append(&[seat(420_000)])
        .send(&db)
        .await
        .expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error:?}");
    assert!(
        error.reason().contains("an element of `seats`"),
        "{error:?}"
    );
    assert_eq!(Hall::seats(1).len(&db).await?, 2);

    // The rows of a list have longer keys than its item, which can be deleted all the same.
    let archive = Archive {
        name: "x".repeat(2035),
    };
    archive.create().send(&db).await?;
    let error = Archive::pages(&archive.name).append(&[1]).send(&db).await;
    assert_eq!(error.expect_err("too long").kind(), ErrorKind::InvalidKey);
    Archive::key(&archive.name).delete().send(&db).await?;
    assert_eq!(Archive::key(&archive.name).get().send(&db).await?, None);
    Ok(())
}

async fn no_read_returns_the_rows(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    show(1, 1).create().send(&db).await?;
    Note { id: 1, number: 1 }.create().send(&db).await?;
    Hall::seats(1).append(&seats(0..3)).send(&db).await?;
    Show::guests(1, 1)
        .append(&["ann".to_owned()])
        .send(&db)
        .await?;
    Show::poster(1, 1).write(b"abc").send(&db).await?;
    assert_eq!(Hall::scan().consistent().all(&db).await?, [hall(1)]);
    assert_eq!(Hall::scan().count(&db).await?, 1);
    assert_eq!(Show::scan().consistent().all(&db).await?.len(), 1);
    assert_eq!(Note::scan().consistent().all(&db).await?.len(), 1);
    assert_eq!(Show::in_partition(1).all(&db).await?.len(), 1);
    let mut lines = Vec::new();
    let report = Hall::scan().export(&mut lines).send(&db).await?;
    assert_eq!(report.rows, 1);
    for row in rows::<Hall>(&db, "$LARGE#").await {
        let item: Item = row
            .into_iter()
            .map(|(name, value)| (name, value_of(value)))
            .collect();
        assert!(Hall::from_item(item).is_err());
    }
    Ok(())
}

fn value_of(value: AttributeValue) -> dynamo_entity::Value {
    match value {
        AttributeValue::S(text) => text.into(),
        AttributeValue::M(map) => {
            let map: BTreeMap<String, dynamo_entity::Value> = map
                .into_iter()
                .map(|(name, value)| (name, value_of(value)))
                .collect();
            dynamo_entity::Value::M(map.into_iter().collect())
        }
        _ => 1.into(),
    }
}

/// The list of a model.
type Model = Option<Vec<u32>>;

/// One random operation, and the list after it.
async fn any_operation(
    db: &Dynamo,
    model: &Model,
    random: &mut fastrand::Rng,
) -> (Model, Result<()>) {
    let numbers: Vec<u32> = (0..random.u32(0..8)).map(|_| random.u32(..1000)).collect();
    let list = Hall::numbers(1).part_bytes(random.usize(1..12));
    let mut after = model.clone();
    let done = match (random.u32(0..8), &mut after) {
        (0 | 1, Some(elements)) => {
            elements.clone_from(&numbers);
            list.replace(&numbers).send(db).await
        }
        (2, Some(elements)) => {
            elements.clear();
            list.delete().send(db).await
        }
        (3, Some(_)) => list.compact(db).await,
        (4, after) => {
            *after = None;
            Hall::key(1).delete().send(db).await
        }
        (_, Some(elements)) => {
            elements.extend(&numbers);
            list.append(&numbers).send(db).await
        }
        (_, after) => {
            *after = Some(Vec::new());
            hall(1).put().send(db).await.map(drop)
        }
    };
    (after, done)
}

async fn random_operations_match_a_model(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let (faulty, http) = db.faulty([]);
    let mut model: Model = None;
    for step in 0..150 {
        let faults = (0..8).map(|_| match random.u32(0..16) {
            0 => Fault::Lose,
            1 => Fault::Io,
            2 => Fault::throttle(),
            _ => Fault::Pass,
        });
        http.plan(faults.collect::<Vec<_>>());
        let (after, done) = any_operation(&faulty, &model, &mut random).await;
        http.plan([]);
        let when = format!("seed {seed}, step {step}, {model:?} -> {after:?}: {done:?}");
        let owner = Hall::key(1).get().consistent().send(&db).await?;
        let found = Hall::numbers(1).all(&db).await?;
        let found = owner.map(|_| found);
        match done {
            Ok(()) => assert_eq!(found, after, "{when}"),
            Err(error) => {
                let fine =
                    error.is_outcome_unknown() || error.is_throttled() || error.is_unavailable();
                assert!(fine, "{when}");
                assert!(found == after || found == model, "{when}, found {found:?}");
            }
        }
        if let Some(found) = &found {
            assert_eq!(
                Hall::numbers(1).len(&db).await?,
                found.len() as u64,
                "{when}"
            );
        }
        model = found;
    }
    let later = HandClock::at("2100-01-01T00:00:00Z");
    Hall::sweep_large_values().send(&db.at(&later)).await?;
    let (named, stored) = ids::<Hall>(&db).await;
    assert_eq!(named, stored, "seed {seed}");
    let found = Hall::numbers(1).all(&db).await?;
    assert_eq!(found, model.unwrap_or_default(), "seed {seed}");
    Ok(())
}

/// The program dies before a request, after it, or its future is dropped there. Whatever it left, the list is the former one or
/// the new one, and after a sweep only the parts of the list are stored.
async fn a_write_may_die_at_every_request(db: Db) -> Outcome {
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let mut id = 0;
    for what in 0..5 {
        for by in [Fault::Refused, Fault::Lose] {
            for after in 0.. {
                id += 1;
                hall(id).create().send(&db).await?;
                let list = Hall::seats(id).part_bytes(100);
                list.append(&seats(0..9)).send(&db).await?;
                let dead = repeat_n(Fault::Refused, 200);
                let plan = repeat_n(Fault::Pass, after).chain([by.clone()]).chain(dead);
                let (dying, faults) = db.faulty(plan);
                let done = match what {
                    0 => list.append(&seats(9..18)).send(&dying).await,
                    1 => list.replace(&seats(20..30)).send(&dying).await,
                    2 => list.delete().send(&dying).await,
                    3 => list.compact(&dying).await,
                    _ => Hall::key(id).delete().send(&dying).await,
                };
                let survived = done.is_ok();
                let when = format!("{what}, after {after} requests, {by:?}: {done:?}");
                let owner = Hall::key(id).get().consistent().send(&db).await?;
                let found = list.all(&db).await?;
                let new = match what {
                    0 => seats(0..18),
                    1 => seats(20..30),
                    3 => seats(0..9),
                    _ => Vec::new(),
                };
                assert!(
                    found == new || !survived && found == seats(0..9),
                    "{when}: {found:?}"
                );
                assert_eq!(owner.is_none(), what == 4 && found.is_empty(), "{when}");
                Hall::sweep_large_values().send(&db.at(&later)).await?;
                let (named, stored) = ids::<Hall>(&db).await;
                assert_eq!(named, stored, "{when}");
                assert_eq!(list.all(&db).await?, found, "{when}");
                Hall::key(id).delete().send(&db).await?;
                if survived && faults.calls().len() <= after {
                    assert!(after > 1, "{when}");
                    break;
                }
            }
        }
    }
    Ok(())
}

async fn a_sweep_never_takes_what_is_in_use(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let (now, hour) = (db.at(&clock), 3_600_000);
    hall(1).create().send(&now).await?;
    show(1, 1).create().send(&now).await?;
    Hall::seats(1)
        .part_bytes(100)
        .append(&seats(0..9))
        .send(&now)
        .await?;
    Hall::plan(1).write([7; 9]).send(&now).await?;
    Show::guests(1, 1)
        .append(&["ann".to_owned()])
        .send(&now)
        .await?;
    let all = count::<Hall>(&db).await;

    // A part without a head: its program died after the part was written, which is the only request of this one.
    let (dying, _) = db.faulty(
        [Fault::Pass]
            .into_iter()
            .chain(repeat_n(Fault::Refused, 100)),
    );
    let dying = dying.with_clock(clock.clone());
    assert!(Hall::numbers(1).append(&[1]).send(&dying).await.is_err());
    assert_eq!(count::<Hall>(&db).await, all + 1);

    clock.advance(23 * hour);
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!((report.heads_deleted, report.parts_deleted), (0, 0));
    assert!(report.parts_young as usize > 1);
    clock.advance(2 * hour);
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!(
        (
            report.heads_deleted,
            report.parts_deleted,
            report.parts_young
        ),
        (0, 1, 0)
    );
    assert_eq!(count::<Hall>(&db).await, all);
    Show::sweep_large_values().send(&now).await?;
    assert_eq!(Hall::seats(1).all(&db).await?, seats(0..9));
    assert_eq!(Hall::plan(1).read(&db).await?, Some(vec![7; 9]));
    assert_eq!(Show::guests(1, 1).all(&db).await?, ["ann"]);

    // Another program deletes the item alone.
    Item::in_table(Hall::schema().name)
        .delete(Hall::key(1).to_item()?)
        .send(&db)
        .await?;
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!(report.heads_deleted, 2);
    Hall::sweep_large_values().send(&now).await?;
    assert_eq!(count::<Hall>(&db).await, 0);

    let refused = Hall::sweep_large_values()
        .older_than(Duration::from_secs(3600))
        .send(&now)
        .await;
    assert_eq!(refused.expect_err("too young").kind(), ErrorKind::Config);
    Ok(())
}

/// A clock that moves on by hours between two requests.
#[derive(Clone)]
struct SlowProgram(HandClock);

impl dynamo_entity::Clock for SlowProgram {
    fn now(&self) -> dynamo_entity::Timestamp {
        self.0.advance(5 * 3_600_000);
        dynamo_entity::Clock::now(&self.0)
    }
}

async fn a_late_head_is_not_written(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let slow = Dynamo::clone(&db).with_clock(SlowProgram(HandClock::at("2026-01-01T00:00:00Z")));
    let error = Hall::seats(1)
        .append(&seats(0..9))
        .send(&slow)
        .await
        .expect_err("too late");
    assert_eq!(error.kind(), ErrorKind::Rejected, "{error:?}");
    assert!(error.reason().contains("12 hours"), "{error:?}");
    assert_eq!(Hall::seats(1).len(&db).await?, 0);
    Ok(())
}

async fn costs_are_shown(db: Db) -> Outcome {
    let explained = Hall::seats(1)
        .part_bytes(100)
        .append(&seats(0..9))
        .explain(&db)?;
    let (head, parts) = explained.requests.split_last().expect("requests");
    assert_eq!(explained.operation, Some("PutItem"));
    assert!(parts.len() > 2 && parts.iter().all(|part| part.contains("$large.items")));
    assert!(
        head.contains("ConditionCheck") && head.contains("list_append"),
        "{head}"
    );
    let deleted = Hall::key(1).delete().explain(&db)?;
    assert_eq!(deleted.operation, Some("TransactWriteItems"));
    Ok(())
}
