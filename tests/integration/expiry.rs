//! An expiry that is derived from another field: every write keeps it, and a refill gives it to the rows of older programs.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::write::DynamicWrites;
use dynamo_entity::{Dynamo, ErrorKind};
use fastrand::Rng;

use crate::support::clock::HandClock;
use crate::support::db::{Db, Raw};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_write_keeps_the_expiry(Ticket, Visit, Session, Reading),
    rows_of_older_programs_are_written_and_refilled(Ticket, Visit, Session, Reading),
    another_lifetime_comes_by_a_refill(Ticket),
    the_stored_expiry_decides_for_reads(Ticket),
    an_unknown_source_is_rejected(Visit),
];

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tickets", key(pk = id))]
struct Ticket {
    id: String,
    state: String,
    #[dynamo(created_at)]
    created: Option<DateTime<Utc>>,
    #[dynamo(ttl = created + "90d")]
    expires_at: Option<DateTime<Utc>>,
}

/// The source is an ordinary field that may be missing and has a foreign form.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "visits", key(pk = "V#{id}"), unique(by_name, name))]
struct Visit {
    id: String,
    name: String,
    pages: u32,
    #[dynamo(format = "epoch_ms")]
    seen: Option<DateTime<Utc>>,
    #[dynamo(format = "epoch_ms")]
    other: Option<DateTime<Utc>>,
    #[dynamo(ttl = seen + "1d12h")]
    expires: Option<i64>,
    #[dynamo(version)]
    version: Version,
}

/// Every write changes the source.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "sessions", key(pk = "S#{id}"), unique(by_token, token))]
#[dynamo(gsi(by_expiry, pk = "TOKEN#{token}", sk = "{until}"))]
struct Session {
    id: String,
    token: String,
    pages: u32,
    #[dynamo(updated_at)]
    used: DateTime<Utc>,
    #[dynamo(ttl = used + "30d")]
    until: Option<DateTime<Utc>>,
}

/// The source is in the key.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "readings", key(pk = "R#{id}", sk = "{at}"))]
struct Reading {
    id: String,
    #[dynamo(skip)]
    at: DateTime<Utc>,
    value: Option<u32>,
    #[dynamo(ttl = at + "52w1d")]
    expires: Option<u32>,
}

const IDS: [&str; 3] = ["a", "b", "c"];
const TABLES: [&str; 4] = ["tickets", "visits", "sessions", "readings"];

/// The items of a table, without the library.
async fn rows(db: &Db, table: &str) -> Vec<Raw> {
    let table = format!("{}-{table}", db.prefix());
    let found = db.client().scan().table_name(table).consistent_read(true);
    found.send().await.expect("items").items.unwrap_or_default()
}

fn number(row: &Raw, name: &str) -> Option<i64> {
    let number = row.get(name)?.as_n().expect("a number");
    Some(number.parse().expect("a whole number"))
}

fn time(row: &Raw, name: &str) -> Option<i64> {
    let time = row.get(name)?.as_s().expect("a text");
    let time: DateTime<Utc> = time.parse().expect("a time");
    Some(time.timestamp())
}

/// The expiry that a row has, and the one that it should have.
fn expiries(table: &str, row: &Raw) -> (Option<i64>, Option<i64>) {
    const DAY: i64 = 86_400;
    match table {
        "tickets" => (
            number(row, "expires_at"),
            time(row, "created").map(|at| at + 90 * DAY),
        ),
        "visits" => (
            number(row, "expires"),
            number(row, "seen").map(|at| at.div_euclid(1000) + DAY + DAY / 2),
        ),
        "sessions" => (
            number(row, "until"),
            time(row, "used").map(|at| at + 30 * DAY),
        ),
        _ => (
            number(row, "expires"),
            time(row, "sk").map(|at| at + 365 * DAY),
        ),
    }
}

/// Whether it is not the item of a unique value.
fn is_row(row: &Raw) -> bool {
    let id = row.get("id").and_then(|id| id.as_s().ok());
    id.is_some_and(|id| IDS.contains(&id.as_str()))
}

/// Every row has its expiry, and so has its unique value.
async fn check(db: &Db, history: &[String]) {
    for table in TABLES {
        let (rows, values): (Vec<_>, Vec<_>) = rows(db, table).await.into_iter().partition(is_row);
        for row in &rows {
            let (stored, expected) = expiries(table, row);
            assert_eq!(stored, expected, "{table} {row:?} after {history:#?}");
        }
        if !values.is_empty() {
            let ttl = if table == "visits" {
                "expires"
            } else {
                "until"
            };
            let sorted = |rows: &[Raw]| {
                let mut times: Vec<_> = rows.iter().map(|row| number(row, ttl)).collect();
                times.sort_unstable();
                times
            };
            assert_eq!(sorted(&values), sorted(&rows), "{table} after {history:#?}");
        }
        // An index key is made of the expiry.
        for row in rows.iter().filter(|_| table == "sessions") {
            let key = time(row, "by_expiry_sk");
            assert_eq!(key, number(row, "until"), "{row:?} after {history:#?}");
        }
    }
}

/// A time with milliseconds.
fn some_time(rng: &mut Rng, clock: &HandClock) -> DateTime<Utc> {
    clock.time() + TimeDelta::milliseconds(rng.i64(-3_600_000..50_000_000))
}

fn maybe(rng: &mut Rng, clock: &HandClock) -> Option<DateTime<Utc>> {
    rng.bool().then(|| some_time(rng, clock))
}

/// A wrong expiry in the struct, which no write stores.
fn wrong(rng: &mut Rng) -> Option<i64> {
    rng.bool().then(|| rng.i64(1..5_000_000_000))
}

fn ticket(rng: &mut Rng, clock: &HandClock, id: &str) -> Ticket {
    Ticket {
        id: id.into(),
        state: ["new", "", "old"][rng.usize(..3)].into(),
        created: maybe(rng, clock),
        expires_at: wrong(rng).and_then(|at| DateTime::from_timestamp(at, 0)),
    }
}

fn visit(rng: &mut Rng, clock: &HandClock, id: &str) -> Visit {
    Visit {
        id: id.into(),
        name: format!("{id}{}", rng.u8(..3)),
        pages: rng.u32(..9),
        seen: maybe(rng, clock),
        other: maybe(rng, clock),
        expires: wrong(rng),
        version: Version::default(),
    }
}

fn session(rng: &mut Rng, clock: &HandClock, id: &str) -> Session {
    Session {
        id: id.into(),
        token: format!("{id}{}", rng.u8(..3)),
        pages: rng.u32(..9),
        used: some_time(rng, clock),
        until: wrong(rng).and_then(|at| DateTime::from_timestamp(at, 0)),
    }
}

async fn write_ticket(db: &Dynamo, rng: &mut Rng, clock: &HandClock, id: &str) -> Result<()> {
    let (key, new) = (Ticket::key(id), ticket(rng, clock, id));
    let state = new.state.clone();
    match rng.u8(..13) {
        0 => drop(new.put().send(db).await?),
        1 => drop(new.create().send(db).await?),
        2 => Batch::new()
            .with(new.put())
            .send(db)
            .await?
            .complete()
            .map(drop)?,
        3 => drop(Transaction::new().with(new.put()).send(db).await?),
        4 => drop(
            key.update()
                .apply(|t| t.state().set(state))
                .send(db)
                .await?,
        ),
        5 | 6 => drop(
            key.upsert()
                .apply(|t| t.state().set(state))
                .send(db)
                .await?,
        ),
        7 => drop(key.modify(|t| t.state.clone_from(&state)).send(db).await?),
        8 => {
            if let Some(old) = key.get().send(db).await? {
                drop(
                    old.update()
                        .apply(|t| t.state().set(state))
                        .send(db)
                        .await?,
                );
            }
        }
        9 => {
            if let Some(old) = key.get().send(db).await? {
                let next = Ticket {
                    state,
                    expires_at: new.expires_at,
                    ..old.clone()
                };
                drop(old.changes_to(&next).send(db).await?);
            }
        }
        10 => {
            let job =
                Ticket::scan().update_each(|t| t.update().apply(|t| t.state().set(state.as_str())));
            job.send(db).await?.complete().map(drop)?;
        }
        11 => {
            let item = Item::from_json(&format!(r#"{{"id": "{id}", "state": "{state}"}}"#))?;
            DynamicWrites::of::<Ticket>()
                .put(item)?
                .send(db)
                .await
                .map(drop)?;
        }
        _ => key.delete().send(db).await?,
    }
    Ok(())
}

async fn write_visit(db: &Dynamo, rng: &mut Rng, clock: &HandClock, id: &str) -> Result<()> {
    let (key, new) = (Visit::key(id), visit(rng, clock, id));
    let old = Visit::key(id).get().send(db).await?;
    let (seen, pages) = (new.seen, new.pages);
    match (rng.u8(..12), old) {
        (0, None) => drop(new.put().send(db).await?),
        (0, Some(old)) => {
            let next = Visit {
                version: old.version,
                ..new
            };
            drop(next.put().send(db).await?);
        }
        (1, _) => drop(new.create().send(db).await?),
        (2, _) => drop(Transaction::new().with(new.create()).send(db).await?),
        (3, Some(old)) => {
            let update = old.update().apply(|v| v.seen().set_or_remove(seen));
            drop(update.send(db).await?);
        }
        (4, Some(old)) => {
            let update = old.update().apply(|v| v.pages().add(pages));
            drop(update.send(db).await?);
        }
        (5, Some(old)) => {
            // The values are known by the condition, so that the update by key can renew the unique value.
            let update = key.update().when(|v| v.name().eq(old.name.as_str()));
            drop(
                update
                    .apply(|v| v.seen().set_or_remove(seen))
                    .send(db)
                    .await?,
            );
        }
        (6, _) => {
            let upsert = key.upsert().apply(|v| {
                (
                    v.name().set(new.name.as_str()),
                    v.pages().set(pages),
                    v.seen().set_or_remove(seen),
                )
            });
            drop(upsert.send(db).await?);
        }
        (7, _) => {
            let upsert = key
                .upsert()
                .apply(|v| (v.name().set(new.name.as_str()), v.pages().set(pages)));
            drop(upsert.send(db).await?);
        }
        (8, _) => {
            let modify = key.modify(|v| {
                (v.seen, v.pages, v.expires) = (new.seen, new.pages, new.expires);
            });
            drop(modify.send(db).await?);
        }
        (9, _) => {
            let job =
                Visit::scan().update_each(|v| v.update().apply(|v| v.seen().set_or_remove(seen)));
            job.send(db).await?.complete().map(drop)?;
        }
        (10, Some(old)) => {
            let next = Visit {
                version: old.version,
                ..new
            };
            drop(old.changes_to(&next).send(db).await?);
        }
        (11, Some(old)) => old.delete().send(db).await?,
        _ => {}
    }
    Ok(())
}

async fn write_session(db: &Dynamo, rng: &mut Rng, clock: &HandClock, id: &str) -> Result<()> {
    let (key, new) = (Session::key(id), session(rng, clock, id));
    let old = Session::key(id).get().send(db).await?;
    match (rng.u8(..8), old) {
        (0, _) => drop(new.put().send(db).await?),
        (1, Some(old)) => drop(old.update().apply(|s| s.pages().add(1)).send(db).await?),
        (2, Some(old)) => {
            let update = key.update().when(|s| s.token().eq(old.token.as_str()));
            drop(update.apply(|s| s.pages().add(1)).send(db).await?);
        }
        (3, _) => {
            let upsert = key
                .upsert()
                .apply(|s| (s.token().set(new.token.as_str()), s.pages().set(new.pages)));
            drop(upsert.send(db).await?);
        }
        (4, _) => drop(key.modify(|s| s.pages += 1).send(db).await?),
        (5, _) => {
            let modify = key.modify(|s| s.token.clone_from(&new.token));
            drop(modify.send(db).await?);
        }
        (6, Some(old)) => drop(old.changes_to(&new).send(db).await?),
        (7, Some(old)) if rng.bool() => old.delete().send(db).await?,
        _ => {}
    }
    Ok(())
}

async fn write_reading(db: &Dynamo, rng: &mut Rng, clock: &HandClock, id: &str) -> Result<()> {
    let at = clock.time() + TimeDelta::minutes(rng.i64(0..2));
    let (key, value) = (Reading::key(id, at), rng.u32(..9));
    let new = Reading {
        id: id.into(),
        at,
        value: Some(value),
        expires: wrong(rng).and_then(|at| at.try_into().ok()),
    };
    match rng.u8(..5) {
        0 => drop(new.put().send(db).await?),
        1 => drop(
            key.upsert()
                .apply(|r| r.value().set(value))
                .send(db)
                .await?,
        ),
        2 => drop(
            key.update()
                .apply(|r| r.value().set(value))
                .send(db)
                .await?,
        ),
        3 => Batch::new()
            .with(new.put())
            .send(db)
            .await?
            .complete()
            .map(drop)?,
        _ => drop(key.modify(|r| r.value = Some(value)).send(db).await?),
    }
    Ok(())
}

/// A write of any kind. The row may be missing or exist already, and the names of others may be taken.
async fn write(db: &Dynamo, rng: &mut Rng, clock: &HandClock, history: &mut Vec<String>) {
    let (id, table, seed) = (IDS[rng.usize(..3)], rng.usize(..4), rng.u64(..));
    let rng = &mut Rng::with_seed(seed);
    let kind = Rng::with_seed(seed).u8(..13);
    let done = match table {
        0 => write_ticket(db, rng, clock, id).await,
        1 => write_visit(db, rng, clock, id).await,
        2 => write_session(db, rng, clock, id).await,
        _ => write_reading(db, rng, clock, id).await,
    };
    history.push(format!("{} {id} {kind} {done:?}", TABLES[table]));
    if let Err(error) = done {
        let is_expected = [ErrorKind::NotFound, ErrorKind::AlreadyExists].contains(&error.kind());
        assert!(is_expected, "{error} after {history:#?}");
    }
}

fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let asked = std::env::var("EXPIRY_HISTORIES");
    let count = asked
        .ok()
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(count);
    let first = fastrand::u64(..1 << 32);
    (first..first + count).inspect(|seed| eprintln!("seed {seed}"))
}

async fn every_write_keeps_the_expiry(db: Db) -> Outcome {
    // In the future, because a server deletes what has expired by its own clock.
    let clock = HandClock::at("2036-11-01T00:00:00.250Z");
    let now = db.at(&clock);
    for seed in seeds(4) {
        let rng = &mut Rng::with_seed(seed);
        let mut history = Vec::new();
        for _ in 0..60 {
            write(&now, rng, &clock, &mut history).await;
            check(&db, &history).await;
            clock.advance(rng.i64(0..100_000));
        }
    }
    Ok(())
}

/// Removes the expiry of some rows and of their unique values, or changes it.
async fn damage(db: &Db, rng: &mut Rng) {
    for (table, ttl) in TABLES
        .into_iter()
        .zip(["expires_at", "expires", "until", "expires"])
    {
        for mut row in rows(db, table).await {
            match rng.u8(..3) {
                0 => continue,
                1 => drop(row.remove(ttl)),
                _ => {
                    let late = AttributeValue::N(rng.i64(4_000_000_000..4_100_000_000).to_string());
                    row.insert(ttl.into(), late);
                }
            }
            let table = format!("{}-{table}", db.prefix());
            let put = db.client().put_item().table_name(table).set_item(Some(row));
            put.send().await.expect("a row");
        }
    }
}

async fn unfilled(now: &Dynamo) -> Result<u64> {
    Ok(Ticket::scan().unfilled(now).await?
        + Visit::scan().unfilled(now).await?
        + Session::scan().unfilled(now).await?
        + Reading::scan().unfilled(now).await?)
}

/// Returns the number of written rows.
async fn refill(now: &Dynamo) -> Result<u64> {
    Ok(Ticket::scan().refill().send(now).await?.complete()?.written
        + Visit::scan().refill().send(now).await?.complete()?.written
        + Session::scan()
            .refill()
            .send(now)
            .await?
            .complete()?
            .written
        + Reading::scan()
            .refill()
            .send(now)
            .await?
            .complete()?
            .written)
}

/// Nothing but the expiry, and the index key that is made of it.
fn rest(row: &Raw) -> BTreeMap<&String, &AttributeValue> {
    let derived = [
        "expires_at",
        "expires",
        "until",
        "by_expiry_sk",
        "by_expiry_pk",
    ];
    let rest = row
        .iter()
        .filter(|(name, _)| !derived.contains(&name.as_str()));
    rest.collect()
}

async fn rows_of_older_programs_are_written_and_refilled(db: Db) -> Outcome {
    let clock = HandClock::at("2036-11-01T00:00:00.250Z");
    let now = db.at(&clock);
    for seed in seeds(4) {
        let rng = &mut Rng::with_seed(seed);
        let mut history = Vec::new();
        for round in 0..4 {
            for _ in 0..15 {
                write(&now, rng, &clock, &mut history).await;
            }
            damage(&db, rng).await;
            history.push("damage".into());
            // No write fails because of the expiry that the row has.
            for _ in 0..if round % 2 == 0 { 0 } else { 8 } {
                write(&now, rng, &clock, &mut history).await;
            }
            let mut before = Vec::new();
            for table in TABLES {
                before.push(rows(&db, table).await);
            }
            let left = unfilled(&now).await?;
            let written = refill(&now).await?;
            assert!(written >= left.min(1), "{written} {left}");
            for (table, before) in TABLES.into_iter().zip(&before) {
                let after = rows(&db, table).await;
                let same = |rows: &[Raw]| {
                    let mut rows: Vec<_> =
                        rows.iter().map(|row| format!("{:?}", rest(row))).collect();
                    rows.sort();
                    rows
                };
                assert_eq!(same(before), same(&after), "{table} after {history:#?}");
            }
            history.push("refill".into());
            check(&db, &history).await;
            assert_eq!(unfilled(&now).await?, 0, "{history:#?}");
            assert_eq!(refill(&now).await?, 0, "{history:#?}");
            clock.advance(rng.i64(0..100_000));
        }
    }
    Ok(())
}

/// The next deployment, with a shorter lifetime.
mod shorter {
    use super::*;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "tickets", key(pk = id))]
    pub struct Ticket {
        pub id: String,
        pub state: String,
        #[dynamo(created_at)]
        pub created: Option<DateTime<Utc>>,
        #[dynamo(ttl = created + "30d")]
        pub expires_at: Option<DateTime<Utc>>,
    }
}

async fn another_lifetime_comes_by_a_refill(db: Db) -> Outcome {
    let clock = HandClock::at("2036-11-01T00:00:00Z");
    let now = db.at(&clock);
    for (id, days) in [("a", 0), ("b", 20), ("c", 40)] {
        let created = Some(clock.time() - TimeDelta::days(days));
        let ticket = Ticket {
            id: id.into(),
            state: "new".into(),
            created,
            expires_at: None,
        };
        ticket.put().as_is().send(&now).await?;
    }
    let old = shorter::Ticket::key("c")
        .get()
        .send(&now)
        .await?
        .expect("a ticket");
    // An update that does not concern the time leaves the expiry, also if all attributes are compared.
    let next = shorter::Ticket {
        state: "old".into(),
        ..old.clone()
    };
    let stored = old.changes_to(&next).send(&now).await?;
    assert_eq!(stored.expires_at, old.expires_at);
    assert_eq!(shorter::Ticket::scan().all(&now).await?.len(), 3);
    let report = shorter::Ticket::scan().refill().send(&now).await?;
    assert_eq!(report.complete()?.written, 3);
    // The oldest one has expired by it.
    assert_eq!(shorter::Ticket::scan().all(&now).await?.len(), 2);
    assert_eq!(shorter::Ticket::scan().unfilled(&now).await?, 0);
    Ok(())
}

async fn the_stored_expiry_decides_for_reads(db: Db) -> Outcome {
    let clock = HandClock::at("2036-11-01T00:00:00Z");
    let now = db.at(&clock);
    let ticket = Ticket {
        id: "a".into(),
        state: "new".into(),
        created: None,
        expires_at: None,
    };
    let stored = ticket.put().send(&now).await?;
    assert_eq!(stored.expires_at, Some(clock.time() + TimeDelta::days(90)));
    assert_eq!(
        Ticket::key("a").get().send(&now).await?.as_ref(),
        Some(&stored)
    );
    let found = Ticket::scan().filter(|t| t.expires_at().lt(clock.time()));
    assert_eq!(found.all(&now).await?, []);
    clock.advance(90 * 86_400_000 - 1);
    assert!(Ticket::key("a").get().send(&now).await?.is_some());
    clock.advance(1);
    assert_eq!(Ticket::key("a").get().send(&now).await?, None);
    assert_eq!(Ticket::scan().all(&now).await?, []);
    // The same row, as an older program wrote it.
    let mut row = db.stored(&Ticket::key("a")).await;
    row.remove("expires_at");
    db.plant::<Ticket>(row).await;
    let found = Ticket::key("a").get().send(&now).await?.expect("a ticket");
    assert_eq!((found.created, found.expires_at), (stored.created, None));
    assert_eq!(Ticket::scan().unfilled(&now).await?, 1);
    assert_eq!(
        Ticket::scan()
            .refill()
            .send(&now)
            .await?
            .complete()?
            .written,
        1
    );
    assert_eq!(Ticket::key("a").get().send(&now).await?, None);
    assert_eq!(Ticket::scan().unfilled(&now).await?, 0);
    // A revived row begins anew.
    let ticket = Ticket::key("a").upsert().apply(|t| t.state().set("new"));
    let error = ticket.send(&now).await.expect_err("it has expired");
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    Ok(())
}

async fn an_unknown_source_is_rejected(db: Db) -> Outcome {
    let visit = visit(
        &mut Rng::with_seed(1),
        &HandClock::at("2036-11-01T00:00:00Z"),
        "a",
    );
    visit.create().send(&db).await?;
    let update = Visit::key("a")
        .update()
        .when(|v| v.name().eq(visit.name.as_str()));
    let error = update.apply(|v| v.seen().set(v.other())).send(&db).await;
    let error = error.expect_err("another field has another form or is not known");
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    assert!(error.to_string().contains("must be known"), "{error}");
    Ok(())
}
