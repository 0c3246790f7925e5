//! Copies and imports into tables whose unique values are in any state: a row that is stored has its values afterwards, and any
//! other row is reported.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;
use dynamo_entity::testing::{Fault, Faults};
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::{RetryBudget, Timestamp, Value};

use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    stored_rows_have_their_values(Club),
    a_copied_table_without_its_values_is_noticed(Club),
    equal_rows_cost_a_read_for_each_value(Club),
    expired_equal_rows_are_unchanged(Club),
    a_value_that_cannot_be_restored_is_reported(Club),
];

crate::declare! {
    pub(super) table Club(name = "club", pk = "pk", sk = "sk", entities(Member, Visit));
    pub(super) entity Member(table = Club, key(pk = "M#{id}", sk = "M"), unique(by_email, email),
        unique(by_nick, team, nick))
        { pub(super) id: u32, pub(super) email: String, pub(super) team: String, pub(super) nick: Option<String>,
          #[dynamo(version)] pub(super) version: Version,
          #[dynamo(ttl)] pub(super) expires_at: Option<Timestamp> }
    pub(super) entity Visit(table = Club, key(pk = "V#{id}", sk = "V")) { pub(super) id: u32 }
}

/// Items by their partition keys.
type Items = BTreeMap<String, Item>;

fn pk(item: &Item) -> String {
    let pk = item.get("pk").and_then(Value::as_text);
    pk.expect("a key").to_owned()
}

fn by_key(items: impl IntoIterator<Item = Item>) -> Items {
    let items = items.into_iter();
    items.map(|item| (pk(&item), item)).collect()
}

async fn memory() -> Result<Dynamo> {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Club::schema()]).await?;
    Ok(db)
}

async fn every_item(db: &Dynamo) -> Result<Items> {
    let scan = Club::schema().scan_items()?.consistent();
    Ok(by_key(scan.all(db).await?))
}

async fn plant(db: &Dynamo, items: impl IntoIterator<Item = &Item>) -> Result<()> {
    for item in items {
        Item::in_table("club").put(item.clone()).send(db).await?;
    }
    Ok(())
}

fn member(id: u32, email: u8) -> Member {
    Member {
        id,
        email: format!("{email}@club.org"),
        team: "red".into(),
        nick: None,
        version: Version::from(1),
        expires_at: None,
    }
}

fn any_member(random: &mut fastrand::Rng, id: u32) -> Member {
    let later = |days: i64| Timestamp::from_unix(4_000_000_000 + days, 0).expect("a time");
    Member {
        team: ["red", "blue"][random.usize(..2)].into(),
        nick: random.bool().then(|| random.u8(..4).to_string()),
        version: Version::from(random.u64(1..9)),
        expires_at: random.bool().then(|| later(random.i64(0..9))),
        ..member(id, random.u8(..6))
    }
}

/// The items that a fresh put of a member stores: its row, and those of its unique values.
struct Fresh {
    row: Item,
    values: Items,
}

/// Puts the member into an empty database, and deletes it again.
async fn fresh(db: &Dynamo, member: &Member) -> Result<Fresh> {
    member.put().as_is().send(db).await?;
    let mut items = every_item(db).await?;
    Member::key(member.id).delete().send(db).await?;
    let row = items.remove(&format!("M#{}", pad(member.id)));
    Ok(Fresh {
        row: row.expect("its row"),
        values: items,
    })
}

fn pad(id: u32) -> String {
    format!("{id:010}")
}

fn key_of(id: u32) -> String {
    format!("M#{}", pad(id))
}

/// The owner that an item of a unique value names.
fn owner(value: &Item) -> String {
    let Some(Value::M(owner)) = value.get("$unique") else {
        panic!("an owner");
    };
    pk(owner)
}

fn owned_by(mut value: Item, id: u32) -> Item {
    let owner = Item::from_iter([("pk", Value::from(key_of(id))), ("sk", "M".into())]);
    value.insert("$unique", Value::M(owner));
    value
}

/// The rows of the source, and the items of the target.
struct Tables {
    source: Vec<Fresh>,
    target: Items,
}

const IDS: u32 = 6;

async fn any_tables(empty: &Dynamo, random: &mut fastrand::Rng) -> Result<Tables> {
    let (mut source, mut target) = (Vec::new(), Items::new());
    let mut values = Items::new();
    for id in 0..IDS {
        let row = fresh(empty, &any_member(random, id)).await?;
        values.extend(row.values.clone());
        match random.u8(..5) {
            0 | 1 => drop(target.insert(key_of(id), row.row.clone())),
            2 => {
                let other = fresh(empty, &any_member(random, id)).await?;
                values.extend(other.values);
                target.insert(key_of(id), other.row);
            }
            _ => {}
        }
        source.push(row);
    }
    for (key, mut value) in values {
        match random.u8(..6) {
            0 | 1 => {}
            2 => drop(target.insert(key, owned_by(value, random.u32(..IDS + 2)))),
            3 => {
                value.remove("expires_at");
                target.insert(key, value);
            }
            _ => drop(target.insert(key, value)),
        }
    }
    Ok(Tables { source, target })
}

/// The rows that were not stored, by their keys.
type Failures = BTreeMap<String, Failure>;

struct Sent {
    failures: Failures,
    written: u64,
    unchanged: u64,
}

#[derive(Debug, Clone, Copy)]
struct Way {
    is_import: bool,
    replaces: bool,
}

async fn send(db: &Dynamo, other: &Dynamo, way: Way) -> Result<Sent> {
    match way.is_import {
        true => import(db, other, way.replaces).await,
        false => copy(db, other, way.replaces).await,
    }
}

async fn copy(db: &Dynamo, other: &Dynamo, replaces: bool) -> Result<Sent> {
    let copy = Member::scan().consistent().copy_to(other).concurrency(3);
    let copy = if replaces { copy.replace() } else { copy };
    let report = copy.send(db).await?;
    assert!(report.stopped().is_none());
    let failed = report.errors().iter();
    let failed = failed.map(|row| (pk(row.key()), again(row.error())));
    Ok(Sent {
        failures: failed.collect(),
        written: report.written,
        unchanged: report.unchanged,
    })
}

async fn import(db: &Dynamo, other: &Dynamo, replaces: bool) -> Result<Sent> {
    let mut file = Vec::new();
    let export = Member::scan().consistent().export(&mut file);
    export.format(RowFormat::Json).send(db).await?.complete()?;
    let lines: Vec<Value> = file
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter_map(|line| Some(Value::from(line.get("pk")?.as_str()?)))
        .collect();
    let import = Member::import(&file[..]).concurrency(3);
    let import = if replaces { import.replace() } else { import };
    let report = import.send(other).await?;
    assert!(report.stopped().is_none());
    let failed = report.errors().iter().map(|line| {
        let key = &lines[line.number() as usize - 1];
        (
            key.as_text().unwrap_or_default().to_owned(),
            again(line.error()),
        )
    });
    Ok(Sent {
        failures: failed.collect(),
        written: report.written,
        unchanged: report.unchanged,
    })
}

/// Its kind and its text.
fn again(error: &Error) -> Failure {
    (error.kind(), error.to_string())
}

type Failure = (ErrorKind, String);

/// Whether the owner of a value is a row of the table that has the value.
async fn is_held(empty: &Dynamo, value: &Item, table: &Items) -> Result<bool> {
    let Some(row) = table.get(&owner(value)) else {
        return Ok(false);
    };
    let fresh = fresh(empty, &read(row)?).await?;
    Ok(fresh.values.contains_key(&pk(value)))
}

fn read(row: &Item) -> Result<Member> {
    let number = |name: &str| {
        let number = row.get(name).and_then(Value::as_number);
        number.and_then(|number| number.as_str().parse::<i64>().ok())
    };
    let text = |name: &str| row.get(name).and_then(Value::as_text).map(str::to_owned);
    Ok(Member {
        id: number("id")
            .unwrap_or_default()
            .try_into()
            .unwrap_or_default(),
        email: text("email").unwrap_or_default(),
        team: text("team").unwrap_or_default(),
        nick: text("nick"),
        version: Version::from(
            number("version")
                .unwrap_or_default()
                .try_into()
                .unwrap_or(1),
        ),
        expires_at: number("expires_at").and_then(|at| Timestamp::from_unix(at, 0)),
    })
}

async fn check(
    empty: &Dynamo,
    tables: &Tables,
    after: &Items,
    sent: &Sent,
    (way, seed): (Way, u64),
) -> Result<()> {
    let before = &tables.target;
    let told = format!("seed {seed}, {way:?}");
    let mut kept = Items::new();
    for row in &tables.source {
        let key = pk(&row.row);
        let Some((kind, text)) = sent.failures.get(&key) else {
            assert_eq!(after.get(&key), Some(&row.row), "{told}: {key} is stored");
            for (value, item) in &row.values {
                assert_eq!(after.get(value), Some(item), "{told}: {value} of {key}");
            }
            kept.extend(row.values.clone());
            continue;
        };
        assert_eq!(after.get(&key), before.get(&key), "{told}: {key} failed");
        let is_equal = before.get(&key) == Some(&row.row);
        match kind {
            ErrorKind::AlreadyExists => {
                assert!(
                    !is_equal && before.contains_key(&key) && !way.replaces,
                    "{told}"
                );
            }
            ErrorKind::UniqueViolation => {
                // A row that is replaced later may release the value.
                let earlier = before.iter().filter(|_| way.replaces);
                let found = after.iter().chain(earlier);
                let found = found.filter(|(value, _)| row.values.contains_key(*value));
                let found = found.map(|(_, value)| value);
                let others: Vec<&Item> = found.filter(|value| owner(value) != key).collect();
                assert!(!others.is_empty(), "{told}: {key}: {text}");
                // An equal row takes its values from items that do not have them.
                if is_equal && !way.replaces {
                    let mut is_taken = false;
                    for other in others {
                        is_taken |= is_held(empty, other, after).await?;
                    }
                    assert!(is_taken, "{told}: {key}: {text}");
                }
            }
            other => panic!("{told}: {key}: {other:?}: {text}"),
        }
    }
    for (key, value) in after.iter().filter(|(_, item)| item.contains("$unique")) {
        let is_known = kept.get(key) == Some(value) || before.get(key) == Some(value);
        assert!(is_known, "{told}: {key} of no stored row");
    }
    for (key, value) in before.iter().filter(|(_, item)| item.contains("$unique")) {
        let owner = owner(value);
        let is_replaced = way.replaces && !sent.failures.contains_key(&owner);
        assert!(after.contains_key(key) || is_replaced, "{told}: {key}");
    }
    Ok(())
}

async fn stored_rows_have_their_values(db: Db) -> Outcome {
    let other = (*db).clone().with_prefix(format!("{}-0", db.prefix()));
    other.create_tables([Club::schema()]).await?;
    let empty = memory().await?;
    let runs = if Kind::here().is_server() { 3 } else { 12 };
    for number in 0..runs {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let way = Way {
            is_import: number % 2 == 1,
            replaces: number % 6 > 3,
        };
        let tables = any_tables(&empty, &mut random).await?;
        for db in [&*db, &other] {
            db.truncate([Club::schema()]).even_on_aws().await?;
        }
        plant(&db, tables.source.iter().map(|row| &row.row)).await?;
        plant(&other, tables.target.values()).await?;
        let sent = send(&db, &other, way).await?;
        let after = every_item(&other).await?;
        check(&empty, &tables, &after, &sent, (way, seed)).await?;
        if way.replaces {
            continue;
        }
        let again = send(&db, &other, way).await?;
        assert_eq!(every_item(&other).await?, after, "seed {seed}");
        assert_eq!(
            (again.written, again.unchanged),
            (0, sent.written + sent.unchanged),
            "seed {seed}"
        );
    }
    Ok(())
}

/// The copy of a table stores a row although another item of the target has its value. A copy of its entity reports that.
async fn a_copied_table_without_its_values_is_noticed(db: Db) -> Outcome {
    let other = memory().await?;
    member(1, 0).create().send(&db).await?;
    member(2, 0).create().send(&other).await?;
    let items = Club::schema().scan_items()?;
    let report = items.copy_to(&other).send(&db).await?;
    assert_eq!((report.written, report.existing), (1, 1));
    for is_import in [false, true] {
        let way = Way {
            is_import,
            replaces: false,
        };
        let sent = send(&db, &other, way).await?;
        let (kind, text) = &sent.failures[&key_of(1)];
        assert_eq!(*kind, ErrorKind::UniqueViolation, "{text}");
        assert!(text.contains("another item has this value"), "{text}");
    }
    Member::key(2).delete().send(&other).await?;
    let way = Way {
        is_import: false,
        replaces: false,
    };
    let sent = send(&db, &other, way).await?;
    assert_eq!((sent.written, sent.unchanged), (1, 0));
    let found = Member::by_email("0@club.org").send(&other).await?;
    assert_eq!(found.map(|found| found.id), Some(1));
    Ok(())
}

async fn equal_rows_cost_a_read_for_each_value(db: Db) -> Outcome {
    let other = (*db).clone().with_prefix(format!("{}-0", db.prefix()));
    other.create_tables([Club::schema()]).await?;
    let two = Member {
        nick: Some("two".into()),
        ..member(2, 2)
    };
    for member in [member(1, 1), two] {
        member.create().send(&db).await?;
    }
    Visit { id: 1 }.create().send(&db).await?;
    Member::scan().copy_to(&other).send(&db).await?.complete()?;
    Visit::scan().copy_to(&other).send(&db).await?.complete()?;

    let faults = Faults::new([]);
    let watched = other.with_faults(&faults)?;
    let copied = Member::scan().consistent().copy_to(&watched).concurrency(1);
    assert_eq!(copied.send(&db).await?.complete()?.unchanged, 2);
    let calls = faults.calls();
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    // Some servers return no item with a failed condition, so it is read.
    let read = if db.mode() == Mode::Silent { 1 } else { 0 };
    assert_eq!(
        (count("TransactWriteItems"), count("GetItem"), calls.len()),
        (2, 3 + 2 * read, 6 + 2 * read), // and `DescribeTable`
        "{calls:?}"
    );
    let before = calls.len();
    let copied = Visit::scan().consistent().copy_to(&watched);
    assert_eq!(copied.send(&db).await?.complete()?.unchanged, 1);
    let calls = ["DescribeTable", "PutItem", "GetItem"];
    assert_eq!(faults.calls()[before..], calls[..2 + read]);
    Ok(())
}

/// An expired row keeps its place, but another row may have its unique value by then.
async fn expired_equal_rows_are_unchanged(db: Db) -> Outcome {
    let other = (*db).clone().with_prefix(format!("{}-0", db.prefix()));
    other.create_tables([Club::schema()]).await?;
    let at = |seconds: i64| Timestamp::from_unix(4_000_000_000 + seconds, 0).expect("a time");
    for expired in [
        member(1, 0),
        Member {
            email: String::new(),
            ..member(3, 0)
        },
    ] {
        let expires_at = Some(at(0));
        let row = Member {
            expires_at,
            ..expired
        };
        row.create().send(&db).await?;
    }
    let (late, late_other) = (
        (*db).clone().with_clock(move || at(60)),
        other.with_clock(move || at(60)),
    );
    let faults = Faults::new([]);
    let watched = late_other.with_faults(&faults)?;
    let copy = || {
        let rows = Member::scan().consistent().include_expired();
        rows.copy_to(&watched).concurrency(1).send(&late)
    };
    assert_eq!(copy().await?.complete()?.written, 2);
    member(2, 0).create().send(&late).await?;
    let counts = copy().await?.complete()?;
    assert_eq!((counts.written, counts.unchanged), (1, 2));

    let before = faults.calls().len();
    assert_eq!(copy().await?.complete()?.unchanged, 3);
    let calls = &faults.calls()[before..];
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!(
        (count("TransactWriteItems"), count("PutItem")),
        (2, 1),
        "{calls:?}"
    );
    // Of the live row only. Some servers return no item with a failed condition, so it is read.
    if db.mode() != Mode::Silent {
        assert_eq!(count("GetItem"), 1, "{calls:?}");
    }
    let found = Member::by_email("0@club.org").send(&watched).await?;
    assert_eq!(found.map(|found| found.id), Some(2));
    Ok(())
}

async fn a_value_that_cannot_be_restored_is_reported(db: Db) -> Outcome {
    let (other, empty) = (memory().await?, memory().await?);
    let fresh = fresh(&empty, &member(1, 0)).await?;
    plant(&db, [&fresh.row]).await?;
    let value = fresh.values.values().next().expect("a value").clone();
    plant(&other, [&fresh.row, &owned_by(value.clone(), 9)]).await?;

    // The item that the value names changes after each read.
    let body = r#"{"__type":"TransactionCanceledException","Message":"cancelled","CancellationReasons":[{"Code":"None"},{"Code":"None"},{"Code":"ConditionalCheckFailed","Item":{"pk":{"S":"M#0000000009"},"sk":{"S":"M"}}}]}"#;
    let lost = || Fault::Reply(400, body.into());
    let round = || [Fault::Pass, Fault::Pass, Fault::Pass, lost()];
    let faults = Faults::new(
        [Fault::Pass]
            .into_iter()
            .chain((0..2).flat_map(|_| round())),
    );
    let watched = other.clone().with_faults(&faults)?;
    let copied = Member::scan().consistent().copy_to(&watched);
    let copied = copied.budget(RetryBudget::rounds(2)).send(&db).await?;
    assert_eq!((copied.existing, copied.failed), (0, 1), "{copied:?}");
    let (kind, text) = again(copied.errors()[0].error());
    assert_eq!(kind, ErrorKind::Conflict, "{text}");
    assert!(text.contains("unique values were not restored"), "{text}");
    assert!(copied.errors()[0].error().current_item()?.is_none());
    let calls = faults.calls();
    let round = [
        "TransactWriteItems",
        "GetItem",
        "GetItem",
        "TransactWriteItems",
    ];
    assert_eq!(calls[1..], [round, round].concat(), "{calls:?}");

    // An item without an owner is there to stay.
    let mut nobodys = value;
    nobodys.remove("$unique");
    plant(&other, [&nobodys]).await?;
    let before = faults.calls().len();
    let copied = Member::scan().consistent().copy_to(&watched);
    let copied = copied.send(&db).await?;
    assert_eq!((copied.existing, copied.failed), (0, 1), "{copied:?}");
    let (kind, text) = again(copied.errors()[0].error());
    assert_eq!(kind, ErrorKind::UniqueViolation, "{text}");
    assert!(text.contains("names no owner"), "{text}");
    let calls = &faults.calls()[before..];
    let round = ["TransactWriteItems", "GetItem"];
    assert_eq!(calls[1..], [round, round].concat(), "{calls:?}");
    Ok(())
}
