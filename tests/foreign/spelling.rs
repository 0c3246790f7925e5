//! Every read refuses a row whose stored key differs from the one that its fields give. The error has its own
//! kind.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;
use dynamo_entity::{Error, ErrorKind, batch_get, transact_get};
use uuid::Uuid;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_bare_key_is_read_as_it_is_written(Visit),
    a_number_is_its_value(Gauge),
    every_read_refuses,
    a_field_that_differs_from_its_key_is_refused,
    projections_refuse,
    keys_refuse(Visit),
    a_constant_is_part_of_the_key(Profile),
    jobs_go_on,
    deletes_take_what_they_read(Visit),
    collections_go_on(Shop),
    a_changed_template_is_refused(before::Event),
    keys_of_indexes_refuse_nothing(Visit),
    rows_in_a_wrong_position_of_an_index_are_refused(Visit),
    verbatim_is_exact(Foreign),
    a_custom_key_part_must_read_back_its_own_text(Folder),
];

crate::declare! {
    entity Visit(table = "visits", key(pk = who, sk = at), gsi(by_place, pk = place, sk = seen),
        gsi(by_day, pk = "DAY#{day}", sk = "{at}", project = keys))
        { who: Uuid, at: DateTime<Utc>, day: NaiveDate, place: Uuid, seen: DateTime<Utc>, count: u32 }
}

const WHO: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
const AT: &str = "2026-03-01T12:00:00.000000000Z";
const LOUD: &str = "67E55044-10B1-426F-9247-BB680E5FE0C8";

fn who() -> Uuid {
    WHO.parse().expect("a UUID")
}

fn visit_row(who: &str, at: &str) -> Raw {
    raw([
        ("who", s(who)),
        ("at", s(at)),
        ("day", s("2026-03-01")),
        ("place", s(LOUD)),
        ("seen", s("2026-03-01T13:00:00+01:00")),
        ("count", n(1)),
        ("by_day_pk", s("DAY#2026-03-01")),
        ("by_day_sk", s(AT)),
    ])
}

/// The kind of a refusal. The message has to name key and attribute and say what to do.
fn kind<T: std::fmt::Debug>(read: Result<T>) -> ErrorKind {
    let error = read.expect_err("a refusal");
    let shown = error.to_string();
    if error.is_key_mismatch() {
        assert!(
            error.key_attribute().is_some() || error.attribute().is_some(),
            "{shown}"
        );
        assert!(shown.contains("declare the key as it is stored"), "{shown}");
        assert_eq!(error.stage(), Stage::Decode);
    }
    error.kind()
}

fn parted<T>(read: Vec<Result<T>>) -> (Vec<T>, Vec<Error>) {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for row in read {
        match row {
            Ok(row) => rows.push(row),
            Err(error) => errors.push(error),
        }
    }
    (rows, errors)
}

const MISMATCH: ErrorKind = ErrorKind::KeyMismatch;

async fn a_bare_key_is_read_as_it_is_written(db: Db) -> Outcome {
    for (who, at) in [
        (LOUD, AT),
        ("67e5504410b1426f9247bb680e5fe0c8", AT),
        ("urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8", AT),
        (WHO, "2026-03-01T12:00:00Z"),
        (WHO, "2026-03-01T12:00:00.000Z"),
        (WHO, "2026-03-01T12:00:00.000000000+00:00"),
        (WHO, "2026-03-01T12:00:00.000000+0000"),
        (WHO, "2026-03-01T13:00:00.000000000+01:00"),
        (WHO, "2026-03-01t12:00:00.000000000z"),
        (WHO, "2026-03-01 12:00:00.000000000Z"),
        (WHO, "yesterday"),
    ] {
        db.plant::<Visit>(visit_row(who, at)).await;
        let error = Visit::scan().all(&db).await.unwrap_err();
        let attribute = if who == WHO { "at" } else { "who" };
        assert_eq!(
            (error.kind(), error.attribute()),
            (MISMATCH, Some(attribute)),
            "{who} {at}"
        );
        let key = error.item_key().expect("the key of the row");
        assert_eq!(key.get("at").and_then(|at| at.as_text()), Some(at));
        assert!(error.key_of::<Visit>().is_err());
        // The refused row can be deleted by the stored key that the error returns.
        let delete = db.client().delete_item().table_name(db.table::<Visit>());
        delete.set_key(Some(key.into())).send().await?;
    }
    db.plant::<Visit>(visit_row(WHO, AT)).await;
    let read = Visit::scan().all(&db).await?.remove(0);
    assert_eq!(read.key().get().send(&db).await?, Some(read));
    Ok(())
}

crate::declare! { entity Gauge(table = "gauges", key(pk = id, sk = reading)) { id: i32, reading: f64 } }

async fn a_number_is_its_value(db: Db) -> Outcome {
    let row = |id: &str, reading: &str| raw([("id", n(id)), ("reading", n(reading))]);
    for (id, reading) in [("1.0", "0.10"), ("1E1", "1e2"), ("-0", "5")] {
        db.plant::<Gauge>(row(id, reading)).await;
        let gauge = Gauge::scan().all(&db).await?.remove(0);
        gauge.put().send(&db).await?;
        assert_eq!(db.count::<Gauge>().await, 1, "{id} {reading}");
        gauge.delete().send(&db).await?;
        assert_eq!(db.count::<Gauge>().await, 0, "{id} {reading}");
    }
    for (id, reading) in [
        ("1", "0.1000000000000000000001"),
        ("1", "12345678901234567890"),
        ("1.5", "1"),
        ("3000000000", "1"),
        ("1", "1e125"),
    ] {
        db.plant::<Gauge>(row(id, reading)).await;
        let is_float = reading == "1e125";
        match Gauge::scan().all(&db).await {
            Ok(rows) => {
                assert!(is_float, "{id} {reading}");
                rows[0].delete().send(&db).await?;
                assert_eq!(db.count::<Gauge>().await, 0);
            }
            Err(error) => {
                assert_eq!(error.kind(), MISMATCH, "{id} {reading}: {error}");
                let delete = db.client().delete_item().table_name(db.table::<Gauge>());
                let key = error.item_key().expect("the key of the row").into();
                delete.set_key(Some(key)).send().await?;
            }
        }
    }
    Ok(())
}

crate::declare! {
    entity Order(table = "orders", key(pk = "USER#{user}", sk = "ORDER#{at:date}#{number:06}"),
        gsi(by_total, pk = "ALL", sk = "{total}")) { user: Uuid, at: DateTime<Utc>, number: u32, total: u32 }
}

fn order(number: u32) -> Order {
    let at = AT.parse().expect("a time");
    Order {
        user: who(),
        at,
        number,
        total: 5,
    }
}

/// Stores an order and changes one of its fields, so that field and key differ in value or in spelling.
async fn with_a_stranger(db: &Db, name: &str, value: &str) -> Result<()> {
    db.create_tables([Order::schema()]).await?;
    for number in 1..=3 {
        order(number).put().send(db).await?;
    }
    let mut stranger = db.stored(&order(2).key()).await;
    let value = if name == "number" { n(value) } else { s(value) };
    stranger.insert(name.into(), value);
    db.plant::<Order>(stranger).await;
    Ok(())
}

async fn every_read_refuses(db: Db) -> Outcome {
    // The row is found by the key of order 2, but its field says that it is order 4.
    with_a_stranger(&db, "number", "4").await?;
    let key = || {
        Order::key(
            who(),
            NaiveDate::from_ymd_opt(2026, 3, 1).expect("a day"),
            2u32,
        )
    };
    let item: Item = db.stored(&key()).await.into();

    let refused = [
        ("get", kind(key().get().send(&db).await)),
        ("get_many", kind(Order::get_many([key()]).send(&db).await)),
        (
            "batch_get",
            kind(batch_get((key().get(), key().get())).send(&db).await),
        ),
        (
            "transact_get",
            kind(transact_get((key().get(),)).send(&db).await),
        ),
        ("query", kind(Order::in_partition(who()).all(&db).await)),
        (
            "page",
            kind(Order::in_partition(who()).limit(9).page(&db).await),
        ),
        ("index", kind(Order::by_total().all(&db).await)),
        ("scan", kind(Order::scan().all(&db).await)),
        ("from_item", kind(Order::from_item(item))),
        (
            "modify",
            kind(key().modify(|o| o.total = 6).send(&db).await),
        ),
        (
            "update",
            kind(
                key()
                    .update()
                    .apply(|o| o.total().set(6u32))
                    .send(&db)
                    .await,
            ),
        ),
        (
            "create",
            kind(
                order(2)
                    .create()
                    .send(&db)
                    .await
                    .unwrap_err()
                    .current::<Order>()
                    .transpose()
                    .expect("it came"),
            ),
        ),
    ];
    for (read, kind) in refused {
        assert_eq!(kind, MISMATCH, "{read}");
    }

    let (rows, errors) = parted(Order::in_partition(who()).lenient().all(&db).await?);
    assert_eq!(rows, [order(1), order(3)]);
    assert!(errors.iter().all(Error::is_key_mismatch) && errors.len() == 1);
    let mut rows = Order::in_partition(who()).stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.map_err(|error| error.kind()));
    }
    assert_eq!(seen, [Ok(order(1)), Err(MISMATCH), Ok(order(3))]);

    let old = key().delete().returning_old().send(&db).await;
    assert_eq!(kind(old), MISMATCH);
    Ok(())
}

async fn a_field_that_differs_from_its_key_is_refused(db: Db) -> Outcome {
    for (name, value) in [
        ("user", "00000000-0000-0000-0000-000000000001"),
        ("at", "2026-03-02T00:00:00Z"),
        ("number", "3"),
    ] {
        with_a_stranger(&db, name, value).await?;
        let error = Order::in_partition(who()).all(&db).await.unwrap_err();
        let key = if name == "user" { "pk" } else { "sk" };
        let said = (error.kind(), error.key_attribute(), error.attribute());
        assert_eq!(said, (MISMATCH, Some(key), Some(name)));
        assert_eq!(error.key_of::<Order>()?, Some(order(2).key()));
    }
    // The same value in another spelling gives the same key, so it is no mismatch.
    for (name, value) in [("user", LOUD), ("at", "2026-03-01T23:00:00+05:00")] {
        with_a_stranger(&db, name, value).await?;
        for read in Order::in_partition(who()).all(&db).await? {
            assert_eq!(read.key().get().send(&db).await?, Some(read.clone()));
            read.put().send(&db).await?;
        }
        assert_eq!(db.count::<Order>().await, 3);
    }
    Ok(())
}

crate::declare! {
    projection Number(entity = Order) { number: u32 }
    projection Day(entity = Order) { at: DateTime<Utc> }
    projection Who(entity = Visit) { who: Uuid }
}

async fn projections_refuse(db: Db) -> Outcome {
    with_a_stranger(&db, "number", "4").await?;
    let numbers = Order::in_partition(who()).select::<Number>();
    assert_eq!(kind(numbers.all(&db).await), MISMATCH);
    let number = order(2).key().get().select::<Number>();
    assert_eq!(kind(number.send(&db).await), MISMATCH);
    let days = Order::in_partition(who()).select::<Day>().all(&db).await;
    assert_eq!(days.map_err(|error| format!("days: {error}"))?.len(), 3);

    with_a_stranger(&db, "at", "2026-03-02T00:00:00Z").await?;
    let days = Order::in_partition(who()).select::<Day>();
    assert_eq!(kind(days.all(&db).await), MISMATCH);
    let numbers = Order::in_partition(who()).select::<Number>().all(&db).await;
    assert_eq!(
        numbers.map_err(|error| format!("numbers: {error}"))?.len(),
        3
    );

    db.create_tables([Visit::schema()]).await?;
    db.plant::<Visit>(visit_row(LOUD, AT)).await;
    let whose = Visit::scan().select::<Who>();
    assert_eq!(kind(whose.all(&db).await), MISMATCH);
    Ok(())
}

async fn keys_refuse(db: Db) -> Outcome {
    db.plant::<Visit>(visit_row(LOUD, AT)).await;
    let day = NaiveDate::from_ymd_opt(2026, 3, 1).expect("a day");
    assert_eq!(kind(Visit::by_day(day).all(&db).await), MISMATCH);
    assert_eq!(kind(Visit::by_day(day).hydrate().all(&db).await), MISMATCH);
    let item: Item = visit_row(WHO, "2026-03-01T12:00:00Z").into();
    assert_eq!(kind(Visit::key_from_item(item)), MISMATCH);
    let item: Item = visit_row(WHO, AT).into();
    assert_eq!(
        Visit::key_from_item(item)?,
        Visit::key(who(), AT.parse::<DateTime<Utc>>()?)
    );
    Ok(())
}

crate::declare! {
    entity Profile(table = "profiles", key(pk = "USER#{user}", sk = "INFO"))
        { #[dynamo(skip)] user: String, name: String }
}

async fn a_constant_is_part_of_the_key(db: Db) -> Outcome {
    let profile = Profile {
        user: "ann".into(),
        name: "Ann".into(),
    };
    let profile = profile.put().send(&db).await?;
    let mut row = db.stored(&profile.key()).await;
    row.insert("sk".into(), s("INFOS"));
    db.plant::<Profile>(row).await;
    let error = Profile::scan().all(&db).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.key_attribute()),
        (MISMATCH, Some("sk"))
    );
    let (rows, errors) = parted(Profile::scan().lenient().all(&db).await?);
    assert_eq!((rows, errors.len()), (vec![profile], 1));
    Ok(())
}

async fn jobs_go_on(db: Db) -> Outcome {
    with_a_stranger(&db, "number", "4").await?;
    let report = Order::in_partition(who())
        .update_each(|o: &Order| o.update().apply(|o| o.total().set(9u32)))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed, report.vanished), (2, 1, 0));
    assert!(report.errors()[0].error().is_key_mismatch());
    assert!(report.stopped().is_none());
    assert_eq!(db.stored(&order(2).key()).await["total"], n(5));

    db.create_tables([Visit::schema()]).await?;
    for (who, at) in [(WHO, AT), (LOUD, AT), (WHO, "2026-03-01T12:00:00Z")] {
        db.plant::<Visit>(visit_row(who, at)).await;
    }
    let report = Visit::scan()
        .update_each(|v: &Visit| v.update().apply(|v| v.count().set(9u32)))
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed, report.vanished), (1, 2, 0));
    let told = report.errors().iter().map(ToString::to_string);
    for told in told {
        assert!(
            told.starts_with("a row with the key `at`, `who`: Visit."),
            "{told}"
        );
        let values = [LOUD, "12:00:00"];
        assert!(!values.iter().any(|value| told.contains(value)), "{told}");
    }
    Ok(())
}

/// In a table of its own, a delete job deletes rows by the stored key that it read, however it found them.
async fn deletes_take_what_they_read(db: Db) -> Outcome {
    let day: NaiveDate = "2026-03-01".parse()?;
    let jobs = [
        Visit::scan().delete_each(),
        Visit::in_partition(who()).delete_each(),
        Visit::by_day(day).delete_each(),
        Visit::scan().filter(|v| v.count().eq(1)).delete_each(),
    ];
    for (nth, job) in jobs.into_iter().enumerate() {
        for (who, at) in [(WHO, AT), (LOUD, AT), (WHO, "2026-03-01T12:00:00Z")] {
            db.plant::<Visit>(visit_row(who, at)).await;
        }
        let report = job.send(&db).await?;
        // A query asks for the partition in the library's spelling, so it does not find the row in the other
        // spelling.
        let found = if nth == 1 { 2 } else { 3 };
        assert_eq!((report.written, report.failed), (found, 0), "{nth}");
        assert_eq!(db.count::<Visit>().await as u64, 3 - found, "{nth}");
    }
    Ok(())
}

#[derive(Debug, DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Buyer, Bill))]
struct Shop;

crate::declare! {
    entity Buyer(table = Shop, key(pk = "BUYER#{buyer}", sk = "INFO")) { buyer: Uuid }
    entity Bill(table = Shop, key(pk = "BUYER#{buyer}", sk = "BILL#{number:04}")) { buyer: Uuid, number: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop, partition(buyer))]
enum Account {
    Buyer(Buyer),
    Bill(Bill),
    #[dynamo(other)]
    Other(Item),
}

async fn collections_go_on(db: Db) -> Outcome {
    Buyer { buyer: who() }.put().send(&db).await?;
    for number in 1..=2 {
        Bill {
            buyer: who(),
            number,
        }
        .put()
        .send(&db)
        .await?;
    }
    let mut row = db.stored(&Bill::key(who(), 1u32)).await;
    row.insert("sk".into(), s("BILL#7"));
    db.plant::<Bill>(row).await;
    assert_eq!(kind(Account::in_partition(who()).all(&db).await), MISMATCH);
    let (rows, errors) = parted(Account::in_partition(who()).lenient().all(&db).await?);
    assert_eq!((rows.len(), errors.len()), (3, 1));
    assert!(errors[0].is_key_mismatch());
    assert_eq!(errors[0].entity(), Some("Bill"));
    Ok(())
}

/// One table before and after its template, a type or a width was changed.
mod before {
    use super::*;

    crate::declare! {
        pub entity Event(table = "events", key(pk = "E#{id}", sk = "{at}#{number:04}"))
            { pub id: String, pub at: DateTime<Utc>, pub number: u32 }
    }
}

macro_rules! after {
    ($($name:ident: $pk:literal, $sk:literal;)*) => {$(
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = "events", key(pk = $pk, sk = $sk))]
        struct $name { id: String, at: DateTime<Utc>, number: u32 }
    )*};
}

after! {
    Renamed: "EVENT#{id}", "{at}#{number:04}";
    Wider: "E#{id}", "{at}#{number:06}";
    Unpadded: "E#{id}", "{at}#{number}";
    Coarser: "E#{id}", "{at:s}#{number:04}";
    Turned: "E#{id}", "{number:04}#{at}";
    Shorter: "E#{id}", "{at}";
}

async fn a_changed_template_is_refused(db: Db) -> Outcome {
    let at = AT.parse()?;
    before::Event {
        id: "a".into(),
        at,
        number: 7,
    }
    .put()
    .send(&db)
    .await?;
    assert_eq!(kind(Renamed::scan().all(&db).await), MISMATCH);
    assert_eq!(kind(Wider::scan().all(&db).await), MISMATCH);
    assert_eq!(kind(Unpadded::scan().all(&db).await), MISMATCH);
    assert_eq!(kind(Coarser::scan().all(&db).await), MISMATCH);
    assert_eq!(kind(Turned::scan().all(&db).await), MISMATCH);
    assert_eq!(kind(Shorter::scan().all(&db).await), MISMATCH);
    assert_eq!(before::Event::scan().all(&db).await?.len(), 1);
    Ok(())
}

async fn keys_of_indexes_refuse_nothing(db: Db) -> Outcome {
    db.plant::<Visit>(visit_row(WHO, AT)).await;
    let read = Visit::scan().all(&db).await?.remove(0);
    assert_eq!((read.place, read.seen), (who(), AT.parse()?));
    // Stale keys in derived index attributes refuse nothing either.
    let mut row = visit_row(WHO, AT);
    row.insert("by_day_pk".into(), s("DAY#1999-01-01"));
    db.plant::<Visit>(row).await;
    assert_eq!(Visit::scan().all(&db).await?, std::slice::from_ref(&read));
    let day = NaiveDate::from_ymd_opt(1999, 1, 1).expect("a day");
    assert_eq!(Visit::by_day(day).all(&db).await?, [read.key()]);
    Ok(())
}

/// Four texts of one noon: each query returns the error for every row that it meets in a position of another value. A
/// scan has no positions.
async fn rows_in_a_wrong_position_of_an_index_are_refused(db: Db) -> Outcome {
    let spellings = [
        AT,
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00.000Z",
        "2026-03-01T12:00:00+00:00",
    ];
    let noon: DateTime<Utc> = AT.parse()?;
    for (nth, seen) in spellings.into_iter().enumerate() {
        let mut row = visit_row(WHO, &format!("2026-03-0{}T12:00:00.000000000Z", nth + 1));
        row.insert("seen".into(), s(seen));
        row.insert("place".into(), s(WHO));
        db.plant::<Visit>(row).await;
    }
    let by_place = || Visit::by_place(who());
    for (queried, rows, errors) in [
        (by_place().into(), 1, 3),
        (by_place().seen().eq(noon).into(), 1, 0),
        (by_place().seen().ge(noon).into(), 1, 2),
        (by_place().seen().gt(noon).into(), 0, 2),
        (by_place().seen().le(noon).into(), 1, 1),
        (by_place().seen().lt(noon).into(), 0, 1),
    ] {
        let query: Query<Visit> = queried;
        let strict = query.clone().all(&db).await;
        let read = parted(query.lenient().all(&db).await?);
        assert_eq!((read.0.len(), read.1.len()), (rows, errors));
        for error in &read.1 {
            let said = (error.kind(), error.attribute(), error.key_attribute());
            assert_eq!(said, (MISMATCH, Some("seen"), Some("seen")), "{error}");
            assert!(error.key_of::<Visit>()?.is_some());
        }
        assert_eq!(
            strict
                .map_err(|error| kind::<()>(Err(error)))
                .ok()
                .is_some(),
            errors == 0
        );
    }
    let whole = by_place().select::<Who>().hydrate().lenient();
    assert_eq!(
        whole
            .all(&db)
            .await?
            .into_iter()
            .filter(Result::is_err)
            .count(),
        3
    );
    assert_eq!(Visit::scan().all(&db).await?.len(), 4);

    // To store the rows again is the way out. Their table still returns them.
    for visit in Visit::scan().all(&db).await? {
        visit.put().send(&db).await?;
    }
    assert_eq!(by_place().seen().eq(noon).all(&db).await?.len(), 4);
    Ok(())
}

crate::declare! {
    entity Foreign(table = "foreign", verbatim(delimiter = ":"),
        key(pk = "u:{user}", sk = "{kind}:{number}:{level:03}:{rest}"))
        { user: String, kind: String, number: i32, level: i16, rest: String }
}

async fn verbatim_is_exact(db: Db) -> Outcome {
    let row = |sk: &str, kind: &str, number: i32, level: i16, rest: &str| {
        raw([
            ("pk", s("u:Ann")),
            ("sk", s(sk)),
            ("user", s("Ann")),
            ("kind", s(kind)),
            ("number", n(number)),
            ("level", n(level)),
            ("rest", s(rest)),
        ])
    };
    for row in [
        row("a:7:007:x:y", "a", 7, 7, "x:y"),
        row("A:-7:000:é%#", "A", -7, 0, "é%#"),
    ] {
        db.plant::<Foreign>(row.clone()).await;
        let read = Foreign::in_partition("Ann").all(&db).await?.remove(0);
        assert_eq!(db.stored(&read.key()).await, row);
        read.put().send(&db).await?;
        assert_eq!(db.count::<Foreign>().await, 1);
        assert_eq!(read.key().get().send(&db).await?, Some(read.clone()));
        read.delete().send(&db).await?;
        assert_eq!(db.count::<Foreign>().await, 0);
    }
    for row in [
        row("a:07:007:x", "a", 7, 7, "x"),
        row("a:+7:007:x", "a", 7, 7, "x"),
        row("a:7:7:x", "a", 7, 7, "x"),
        row("a:7:0007:x", "a", 7, 7, "x"),
        row("a:7:-993:x", "a", 7, -6, "x"),
        row("a:7:-06:x", "a", 7, -6, "x"),
        row("A:7:007:x", "a", 7, 7, "x"),
        row("a:b:7:007:x", "a:b", 7, 7, "x"),
        row(":7:007:x", "", 7, 7, "x"),
        row("a:7:007:", "a", 7, 7, ""),
        row("a:7:007", "a", 7, 7, "x"),
    ] {
        db.plant::<Foreign>(row.clone()).await;
        let error = Foreign::in_partition("Ann").all(&db).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.key_attribute()),
            (MISMATCH, Some("sk")),
            "{row:?}"
        );
        let delete = db.client().delete_item().table_name(db.table::<Foreign>());
        let key = error.item_key().expect("the key of the row").into();
        delete.set_key(Some(key)).send().await?;
    }
    Ok(())
}

/// A key part that accepts texts that it would not write, which is an easy mistake.
#[derive(Debug, Clone, PartialEq)]
struct Folded(String);

impl dynamo_entity::key::KeyPart for Folded {
    const WIDTH: dynamo_entity::schema::Width = dynamo_entity::schema::Width::Variable;

    fn write_part(
        &self,
        writer: &mut dynamo_entity::key::PartWriter<'_>,
    ) -> Result<(), dynamo_entity::codec::CodecError> {
        writer.text(&self.0.to_lowercase());
        Ok(())
    }

    fn parse_part(text: &dynamo_entity::key::PartText<'_>) -> Option<Self> {
        text.text().map(|text| Folded(text.into_owned()))
    }

    fn to_part(&self) -> Self {
        self.clone()
    }
}

crate::declare! { entity Folder(table = "folders", key(pk = "F#{name}")) { #[dynamo(skip)] name: Folded, size: u32 } }

async fn a_custom_key_part_must_read_back_its_own_text(db: Db) -> Outcome {
    let folder = Folder {
        name: Folded("ann".into()),
        size: 1,
    };
    folder.put().send(&db).await?;
    assert_eq!(Folder::scan().all(&db).await?, [folder]);
    db.plant::<Folder>(raw([("pk", s("F#Bob")), ("size", n(1))]))
        .await;
    let (rows, errors) = parted(Folder::scan().lenient().all(&db).await?);
    assert_eq!((rows.len(), errors.len()), (1, 1));
    assert!(errors[0].is_key_mismatch());
    Ok(())
}
