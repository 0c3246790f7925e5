//! Rows as other programs write them, and entities as one would declare them for their tables. The rows are
//! read, queried, updated, modified, changed in a job, put back and deleted. Each stays one row, or it is
//! refused.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::CodecError;
use dynamo_entity::key::{
    EpochMillis, JavaScriptTime, KeyPart, Millis, PartText, PartWriter, Seconds,
};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::Width;
use dynamo_entity::{Number, Value};
use uuid::Uuid;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    boto3,
    one_table,
    electrodb,
    electrodb_in_lower_case,
    electrodb_times_in_numbers,
    electrodb_half_index_keys,
    java_script_times_as_keys,
    pynamodb,
    dynamodb_toolbox,
    java,
    swift,
    a_key_that_others_spell_is_refused(Session),
];

/// Runs everything that can be done with rows on this row. Attributes of other programs stay in it.
async fn stays_one_row<E>(
    db: &Db,
    row: Raw,
    change: fn(&mut E),
    update: fn(&E) -> dynamo_entity::write::Update<E>,
) -> Outcome
where
    E: ChangeableEntity + PartialEq + std::fmt::Debug,
{
    db.create_tables([<E::Table as DynamoTable>::schema()])
        .await?;
    db.plant::<E>(row.clone()).await;
    let read = E::scan().all(db).await?.remove(0);
    let key = || read.key();
    assert_eq!(key().get().send(db).await?.as_ref(), Some(&read));
    assert_eq!(
        E::get_many([key()]).send(db).await?,
        [Some(E::from_item(row.clone())?)]
    );

    key().modify(change).send(db).await?;
    stands(db, &row, "modify").await?;
    db.plant::<E>(row.clone()).await;
    update(&read).send(db).await?;
    stands(db, &row, "update").await?;
    db.plant::<E>(row.clone()).await;
    let report = E::scan().update_each(update).send(db).await?;
    assert_eq!((report.written, report.failed, report.vanished), (1, 0, 0));
    stands(db, &row, "update_each").await?;
    db.plant::<E>(row.clone()).await;
    read.put().send(db).await?;
    stands(db, &row, "put").await?;
    db.plant::<E>(row.clone()).await;
    Transaction::new().with(update(&read)).send(db).await?;
    stands(db, &row, "transaction").await?;

    db.plant::<E>(row.clone()).await;
    read.delete().send(db).await?;
    assert_eq!(db.count::<E::Table>().await, 0, "delete");
    db.plant::<E>(row).await;
    assert_eq!(
        E::scan().delete_each().send(db).await?.complete()?.written,
        1
    );
    assert_eq!(db.count::<E::Table>().await, 0, "delete_each");
    Ok(())
}

/// Checks that the row is the only one and still has its key and the attributes that no field knows.
async fn stands(db: &Db, row: &Raw, after: &str) -> Outcome {
    let tables = db
        .client()
        .list_tables()
        .exclusive_start_table_name(db.prefix());
    let tables = tables.send().await?;
    let own = |name: &&String| name.starts_with(db.prefix());
    for table in tables.table_names().iter().filter(own) {
        let rows = db
            .client()
            .scan()
            .table_name(table)
            .consistent_read(true)
            .send()
            .await?;
        let rows = rows.items();
        assert_eq!(rows.len(), 1, "{after}: {rows:?}");
        for (name, value) in row {
            let is_kept = [
                "pk",
                "sk",
                "PK",
                "SK",
                "id",
                "at",
                "__edb_e__",
                "__edb_v__",
                "theirs",
            ];
            if is_kept.contains(&&**name) {
                assert_eq!(rows[0].get(name), Some(value), "{after}: {name}");
            }
        }
    }
    Ok(())
}

fn null() -> AttributeValue {
    AttributeValue::Null(true)
}

// --- boto3 and the DocumentClient: native keys, numbers in any form

crate::declare! {
    entity Boto(table = "boto", key(pk = id, sk = at))
        { id: String, at: u64, price: Number, note: Option<String>, tags: HashSet<String>,
          #[dynamo(default)] stars: u32, #[dynamo(rest)] rest: Item }
}

async fn boto3(db: Db) -> Outcome {
    let row = raw([
        ("id", s("a#b%")),
        ("at", n("1772366400")),
        ("price", n("12.5000")),
        ("note", null()),
        ("tags", AttributeValue::Ss(vec!["b".into(), "a".into()])),
        ("theirs", AttributeValue::L(vec![n("1"), null()])),
    ]);
    let change = |b: &mut Boto| b.stars += 1;
    stays_one_row(&db, row, change, |b| {
        b.update().apply(|b| b.stars().set(5u32))
    })
    .await
}

// --- OneTable: `_type`, times of JavaScript, keys of templates

crate::declare! {
    table One(name = "one", pk = "PK", sk = "SK", verbatim, type_attribute = "_type", entities(Member),
        gsi(gs1, pk = "gs1pk", sk = "gs1sk"));
    entity Member(table = One, rename = "User", key(pk = "user#{name}", sk = "joined#{joined:ms}"),
        gsi(by_email, on = gs1, pk = "email#{email}", sk = "{joined:ms}"))
        { name: String, joined: DateTime<Utc>, email: String,
          #[dynamo(created_at, format = "rfc3339")] created: Option<DateTime<Utc>>,
          #[dynamo(updated_at, format = "rfc3339")] updated: Option<DateTime<Utc>>,
          #[dynamo(version)] version: Version, #[dynamo(rest)] rest: Item }
}

async fn one_table(db: Db) -> Outcome {
    let time = "2026-03-01T12:00:00.000Z";
    let row = raw([
        ("PK", s("user#Ann Lee")),
        ("SK", s(&format!("joined#{time}"))),
        ("gs1pk", s("email#ann@x.org")),
        ("gs1sk", s(time)),
        ("_type", s("User")),
        ("name", s("Ann Lee")),
        ("joined", s(time)),
        ("email", s("ann@x.org")),
        ("created", s(time)),
        ("updated", s(time)),
        ("version", n(1)),
        ("theirs", s("x")),
    ]);
    let change = |m: &mut Member| m.email = "lee@x.org".into();
    let update = |m: &Member| m.update().apply(|m| m.email().set("lee@x.org"));
    stays_one_row(&db, row.clone(), change, update).await?;

    // OneTable keeps unique values in rows that belong to no entity.
    db.plant::<Member>(row).await;
    let unique = raw([
        ("PK", s("_unique#User#email#ann@x.org")),
        ("SK", s("_unique#")),
    ]);
    db.plant::<Member>(unique).await;
    assert_eq!(Member::scan().all(&db).await?.len(), 1);
    let found = Member::by_email("ann@x.org").all(&db).await?;
    let changed = found[0]
        .update()
        .apply(|m| m.email().set("lee@x.org"))
        .send(&db)
        .await?;
    assert_eq!(Member::by_email("lee@x.org").all(&db).await?, [changed]);
    assert!(!Member::by_email("ann@x.org").exists(&db).await?);
    Ok(())
}

// --- ElectroDB: prefixed keys in lower case

crate::declare! {
    table Electro(name = "electro", pk = "pk", sk = "sk", verbatim, type_attribute = "__edb_e__", entities(Purchase));
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Electro, rename = "order", key(pk = "$shop#customer_{customer}", sk = "$order_1#number_{number}"))]
struct Purchase {
    customer: String,
    number: u32,
    total: u64,
    #[dynamo(rest)]
    rest: Item,
}

fn purchase(customer: &str, folded: &str, number: &str) -> Raw {
    raw([
        ("pk", s(&format!("$shop#customer_{folded}"))),
        ("sk", s(&format!("$order_1#number_{number}"))),
        ("__edb_e__", s("order")),
        ("__edb_v__", s("1")),
        ("customer", s(customer)),
        ("number", n(7)),
        ("total", n(5)),
    ])
}

async fn electrodb(db: Db) -> Outcome {
    let change = |p: &mut Purchase| p.total += 1;
    let update = |p: &Purchase| p.update().apply(|p| p.total().add(1));
    stays_one_row(&db, purchase("ann", "ann", "7"), change, update).await?;

    // Keys in lower case or with padding are not what this declaration writes, so the rows are refused.
    for row in [
        purchase("Ann", "ann", "7"),
        purchase("ann", "ann", "000007"),
    ] {
        db.plant::<Purchase>(row.clone()).await;
        let refused = Purchase::scan().all(&db).await.unwrap_err();
        assert!(refused.is_key_mismatch(), "{refused}");
        let report = Purchase::scan().update_each(update).send(&db).await?;
        assert_eq!((report.written, report.failed), (0, 1));
        assert_eq!(Purchase::scan().delete_each().send(&db).await?.found, 1);
        let delete = db.client().delete_item().table_name(db.table::<Electro>());
        let delete = delete
            .key("pk", row["pk"].clone())
            .key("sk", row["sk"].clone());
        delete.send().await?;
    }
    Ok(())
}

crate::declare! {
    table Clocked(name = "clocked", pk = "pk", sk = "sk", verbatim, type_attribute = "__edb_e__", entities(Visit),
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Clocked, rename = "visit", key(pk = "$web#guest_{guest}", sk = "$visit_1#at_{at:epoch_ms}#site_{site}"))]
#[dynamo(gsi(by_site, on = gsi1, pk = "$web#site_{site}", sk = "$visit_1#seen_{seen:epoch}"))]
struct Visit {
    guest: String,
    #[dynamo(format = "epoch_ms")]
    at: DateTime<Utc>,
    site: String,
    #[dynamo(format = "epoch")]
    seen: Option<DateTime<Utc>>,
    count: u32,
}

/// Keys that hold what `Date.now()` of JavaScript gives, and its seconds.
async fn electrodb_times_in_numbers(db: Db) -> Outcome {
    let row = raw([
        ("pk", s("$web#guest_ann")),
        ("sk", s("$visit_1#at_1772366400123#site_home")),
        ("gsi1pk", s("$web#site_home")),
        ("gsi1sk", s("$visit_1#seen_1772366401")),
        ("__edb_e__", s("visit")),
        ("guest", s("ann")),
        ("at", n(1_772_366_400_123_i64)),
        ("site", s("home")),
        ("seen", n(1_772_366_401)),
        ("count", n(5)),
    ]);
    let change = |v: &mut Visit| v.count += 1;
    let update = |v: &Visit| v.update().apply(|v| v.count().add(1u32));
    stays_one_row(&db, row.clone(), change, update).await?;

    db.plant::<Visit>(row).await;
    let visit = Visit::scan().all(&db).await?.remove(0);
    let at = Millis::floor(visit.at).expect("a time");
    let since = Visit::in_partition("ann").at().ge(at);
    assert_eq!(since.all(&db).await?, std::slice::from_ref(&visit));
    let later = Visit::in_partition("ann").at().gt(at);
    assert!(!later.exists(&db).await?);
    let seen = visit.seen.and_then(Seconds::floor).expect("a time");
    let of_site = Visit::by_site("home").seen().eq(seen);
    assert_eq!(of_site.all(&db).await?, [visit]);
    Ok(())
}

crate::declare! {
    /// Key attributes that are times by themselves.
    entity Alarm(table = "alarms", key(pk = meter, sk = at), gsi(by_meter, pk = meter, sk = seen))
        { meter: String, at: EpochMillis<DateTime<Utc>>, seen: Option<JavaScriptTime<DateTime<Utc>>>, count: u32 }
}

/// Keys that are what `Date.now()` and `toISOString()` of JavaScript give.
async fn java_script_times_as_keys(db: Db) -> Outcome {
    let row = raw([
        ("meter", s("m1")),
        ("at", n(1_772_366_400_123_i64)),
        ("seen", s("2026-03-01T12:00:01.000Z")),
        ("count", n(5)),
    ]);
    let change = |a: &mut Alarm| a.count += 1;
    let update = |a: &Alarm| a.update().apply(|a| a.count().add(1u32));
    stays_one_row(&db, row.clone(), change, update).await?;

    db.plant::<Alarm>(row).await;
    let alarm = Alarm::scan().all(&db).await?.remove(0);
    let since = Alarm::in_partition("m1").at().ge(alarm.at);
    assert_eq!(since.all(&db).await?, std::slice::from_ref(&alarm));
    let later = Alarm::in_partition("m1").at().gt(alarm.at);
    assert!(!later.exists(&db).await?);
    let seen = alarm.seen.ok_or("a time")?;
    let of_meter = Alarm::by_meter("m1").seen().eq(seen);
    assert_eq!(of_meter.all(&db).await?, std::slice::from_ref(&alarm));
    let moved = alarm
        .update()
        .apply(|a| a.seen().remove())
        .send(&db)
        .await?;
    assert_eq!((moved.at, moved.seen), (alarm.at, None));
    assert!(!Alarm::by_meter("m1").exists(&db).await?);
    Ok(())
}

crate::declare! {
    table FoldedTable(name = "folded", pk = "pk", sk = "sk", verbatim, type_attribute = "__edb_e__",
        entities(Receipt), gsi(by_city, pk = "by_city_pk", sk = "by_city_sk"));
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = FoldedTable, rename = "order", key(pk = "$shop#customer_{customer:lower}", sk = "$order_1#number_{number}"))]
#[dynamo(gsi(
    by_city,
    pk = "$shop#city_{city:upper}",
    sk = "$order_1#customer_{customer:lower}"
))]
struct Receipt {
    customer: String,
    number: u32,
    total: u64,
    city: Option<String>,
    #[dynamo(rest)]
    rest: Item,
}

/// Names, and what `toLowerCase` of JavaScript makes of the keys that hold them.
const FOLDED_BY_JAVASCRIPT: [(&str, &str); 8] = [
    ("ann", "ann"),
    ("Ann", "ann"),
    ("ÅSA O'BRIEN", "åsa o'brien"),
    ("STRAẞE", "straße"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("Σ", "σ"),
    ("İZMİR", "i\u{307}zmi\u{307}r"),
    ("Ǆ", "ǆ"),
];

#[derive(DynamoTable)]
#[dynamo(
    name = "halves",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "__edb_e__",
    entities(Half)
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
struct Halves;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Halves, rename = "half", constant("__edb_v__" = "1"))]
#[dynamo(key(pk = "$shop#id_{id:lower}", sk = "$half_1"))]
#[dynamo(gsi(by_status, on = gsi1, pk = gsi1pk, sk = gsi1sk))]
struct Half {
    id: String,
    paid: bool,
    gsi1pk: Option<String>,
    gsi1sk: Option<String>,
}

/// While a later attribute is missing, ElectroDB writes an index key that ends before it. Bare fields keep this key.
async fn electrodb_half_index_keys(db: Db) -> Outcome {
    for sk in [Some("$half_1#created_"), None] {
        let mut row = raw([
            ("pk", s("$shop#id_a")),
            ("sk", s("$half_1")),
            ("id", s("A")),
            ("paid", AttributeValue::Bool(false)),
            ("__edb_e__", s("half")),
            ("__edb_v__", s("1")),
        ]);
        if let Some(sk) = sk {
            row.insert("gsi1pk".into(), s("$shop#status_open"));
            row.insert("gsi1sk".into(), s(sk));
        }
        let change = |half: &mut Half| half.paid = true;
        let update = |half: &Half| half.update().apply(|half| half.paid().set(true));
        stays_one_row(&db, row.clone(), change, update).await?;
        db.plant::<Half>(row.clone()).await;
        let half = Half::key("A").get().send(&db).await?.ok_or("no row")?;
        half.put().send(&db).await?;
        assert_eq!(db.stored(&half.key()).await, row);
        let found = Half::by_status("$shop#status_open").all(&db).await?;
        assert_eq!(found.len(), usize::from(sk.is_some()));
        half.delete().send(&db).await?;
    }
    Ok(())
}

async fn electrodb_in_lower_case(db: Db) -> Outcome {
    let change = |p: &mut Receipt| p.total += 1;
    let update = |p: &Receipt| p.update().apply(|p| p.total().add(1));
    for (customer, folded) in FOLDED_BY_JAVASCRIPT {
        stays_one_row(&db, purchase(customer, folded, "7"), change, update).await?;
    }

    // It has one row for all spellings, and so have we: no second row is made.
    db.plant::<Receipt>(purchase("Ann", "ann", "7")).await;
    let read = Receipt::key("aNN", 7).get().send(&db).await?;
    let read = read.ok_or("no row")?;
    assert_eq!(read.customer, "Ann");
    let again = Receipt {
        customer: "ANN".into(),
        ..read.clone()
    };
    let refused = again.create().send(&db).await.unwrap_err();
    assert!(refused.is_already_exists(), "{refused}");
    assert_eq!(Receipt::in_partition("ANN").all(&db).await?, [read]);

    // The key has no `Ann` to store, and no path of the customer has a `set`, so the way out is another verb.
    let upsert = Receipt::key("Bob", 8).upsert();
    let upsert = upsert.apply(|r| r.total().set(1u64)).send(&db).await;
    let refused = upsert.unwrap_err().to_string();
    assert!(
        refused.contains("the key contains `customer` only in part"),
        "{refused}"
    );
    assert!(
        refused.contains("`create` or `put`") && !refused.contains("set it"),
        "{refused}"
    );
    assert_eq!(db.count::<FoldedTable>().await, 1);

    // The keys of indexes follow what is written, in their case.
    let moved = Receipt::key("ann", 7).update();
    let moved = moved
        .apply(|r| r.city().set("Århus"))
        .when(|r| r.customer().eq("Ann"));
    let moved = moved.send(&db).await?;
    let stored = moved.to_item()?;
    let text = |name| stored.get(name).and_then(|value| value.as_text());
    assert_eq!(text("by_city_pk"), Some("$shop#city_ÅRHUS"));
    assert_eq!(text("by_city_sk"), Some("$order_1#customer_ann"));
    let found = Receipt::by_city("århus").customer().eq("ANN");
    assert_eq!(found.all(&db).await?, [moved]);
    read_again(&db).await
}

/// A key that is folded in another way, or not at all, is refused as it ever was.
async fn read_again(db: &Db) -> Outcome {
    Receipt::key("ann", 7).delete().send(db).await?;
    for (customer, key) in [("Ann", "Ann"), ("ann", "ANN"), ("ΟΔΟΣ", "οδοσ")] {
        db.plant::<Receipt>(purchase(customer, key, "7")).await;
        let refused = Receipt::scan().all(db).await.unwrap_err();
        assert!(refused.is_key_mismatch(), "{refused}");
        let delete = db
            .client()
            .delete_item()
            .table_name(db.table::<FoldedTable>());
        let row = purchase(customer, key, "7");
        let delete = delete.key("pk", row["pk"].clone());
        delete.key("sk", row["sk"].clone()).send().await?;
    }
    Ok(())
}

// --- PynamoDB: times with six digits and `+0000`, versions, NULL

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "pynamo", key(pk = id, sk = at))]
#[dynamo(gsi(by_state, pk = "S#{state}", sk = "{due}"))]
struct Pynamo {
    id: String,
    /// The key has a form that the library does not write, so it is declared as text.
    at: String,
    state: String,
    due: DateTime<Utc>,
    is_open: bool,
    note: Option<String>,
    #[dynamo(created_at)]
    created: Option<DateTime<Utc>>,
    #[dynamo(version)]
    version: Version,
}

async fn pynamodb(db: Db) -> Outcome {
    let time = "2026-03-01T12:00:00.000000+0000";
    let row = raw([
        ("id", s("a")),
        ("at", s(time)),
        ("state", s("new")),
        ("due", s(time)),
        ("is_open", AttributeValue::Bool(true)),
        ("note", null()),
        ("created", s(time)),
        ("version", n(1)),
    ]);
    let change = |p: &mut Pynamo| p.state = "done".into();
    stays_one_row(&db, row, change, |p| {
        p.update().apply(|p| p.state().set("done"))
    })
    .await
}

// --- DynamoDB-Toolbox: `_et`, `_ct`, `_md`

crate::declare! {
    table Toolbox(name = "toolbox", pk = "pk", sk = "sk", verbatim, type_attribute = "_et", entities(Pokemon));
    entity Pokemon(table = Toolbox, rename = "POKEMON", key(pk = "{trainer}", sk = "POKEMON#{name}"))
        { trainer: String, name: String, level: u32, #[dynamo(default)] moves: BTreeMap<String, Value>,
          #[dynamo(created_at, rename = "_ct", format = "rfc3339")] created: Option<DateTime<Utc>>,
          #[dynamo(updated_at, rename = "_md", format = "rfc3339")] updated: Option<DateTime<Utc>>,
          #[dynamo(version)] version: Version }
}

async fn dynamodb_toolbox(db: Db) -> Outcome {
    let moves = [("tail".to_owned(), null()), ("run".to_owned(), n(1))];
    let row = raw([
        ("pk", s("ash:1")),
        ("sk", s("POKEMON#pika#chu")),
        ("_et", s("POKEMON")),
        ("_ct", s("2026-03-01T12:00:00.120Z")),
        ("_md", s("2026-03-01T12:00:00.120Z")),
        ("trainer", s("ash:1")),
        ("name", s("pika#chu")),
        ("level", n("7.0")),
        ("moves", AttributeValue::M(moves.into())),
    ]);
    // The row has no version of the library, so the first write adds one.
    let change = |p: &mut Pokemon| p.level += 1;
    stays_one_row(&db, row, change, |p| p.update().apply(|p| p.level().add(1))).await
}

// --- the Java Enhanced client: Instant with 0, 3, 6 or 9 digits, versions from 1 or 0, lists of numbers

crate::declare! {
    entity Java(table = "java", key(pk = id), rename_all = "camelCase",
        gsi(by_account, pk = account_id, sk = placed_at), gsi(by_state, pk = "{state}", sk = "{placed_at}"))
        { id: String, account_id: Option<Uuid>, placed_at: DateTime<Utc>, state: State, amounts: Vec<u32>,
          note: Option<String>, #[dynamo(version)] version: Version,
          #[dynamo(created_at)] created_at: Option<DateTime<Utc>> }
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
enum State {
    #[dynamo(rename = "IN_WORK")]
    InWork,
    #[dynamo(rename = "DONE")]
    Done,
}

async fn java(db: Db) -> Outcome {
    for (version, time) in [
        (0, "2026-03-01T12:00:00Z"),
        (1, "2026-03-01T12:00:00.500Z"),
        (2, "2026-03-01T12:00:00.500001Z"),
        (3, "2026-03-01T12:00:00.500000001Z"),
    ] {
        let row = raw([
            ("id", s("a")),
            ("accountId", s("67E55044-10B1-426F-9247-BB680E5FE0C8")),
            ("placedAt", s(time)),
            ("state", s("IN_WORK")),
            ("amounts", AttributeValue::L(vec![n(1), n("2.0")])),
            ("note", null()),
            ("version", n(version)),
            ("createdAt", s(time)),
        ]);
        let change = |j: &mut Java| j.state = State::Done;
        let update = |j: &Java| j.update().apply(|j| j.state().set(State::Done));
        stays_one_row(&db, row, change, update).await?;
    }
    Ok(())
}

// --- Swift and .NET: UUIDs in upper case

/// A UUID that is written in upper case.
#[derive(Debug, Clone, PartialEq)]
struct Loud(Uuid);

impl KeyPart for Loud {
    const WIDTH: Width = Width::Fixed(36);

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(&self.0.to_string().to_uppercase());
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        text.raw().parse().ok().map(Loud)
    }

    fn to_part(&self) -> Self {
        self.clone()
    }
}

crate::declare! {
    table Devices(name = "devices", pk = "id", verbatim, entities(Device));
    entity Device(table = Devices, key(pk = "{id}")) { #[dynamo(skip)] id: Loud, owner: Uuid, name: String }
}

async fn swift(db: Db) -> Outcome {
    let row = |id: &str| {
        raw([
            ("id", s(id)),
            ("_type", s("Device")),
            ("owner", s("67E55044-10B1-426F-9247-BB680E5FE0C8")),
            ("name", s("phone")),
        ])
    };
    let loud = "67E55044-10B1-426F-9247-BB680E5FE0C8";
    let update = |d: &Device| d.update().apply(|d| d.name().set("x"));
    stays_one_row::<Device>(&db, row(loud), |d| d.name = "x".into(), update).await?;
    db.plant::<Device>(row(&loud.to_lowercase())).await;
    assert!(Device::scan().all(&db).await.unwrap_err().is_key_mismatch());
    Ok(())
}

// --- keys whose form cannot be declared

crate::declare! {
    entity Session(table = "sessions", key(pk = id, sk = at)) { id: Uuid, at: DateTime<Utc>, count: u32 }
}

/// The library refuses such a key. It never writes a second row for it and never deletes the row.
async fn a_key_that_others_spell_is_refused(db: Db) -> Outcome {
    let id: Uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8".parse()?;
    for time in [
        "2026-03-01T12:00:00.000Z",
        "2026-03-01T12:00:00.000000+0000",
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00+00:00",
        "2026-03-01T12:00:00.0000000Z",
    ] {
        let row = raw([("id", s(&id.to_string())), ("at", s(time)), ("count", n(1))]);
        db.plant::<Session>(row.clone()).await;
        let refused = Session::in_partition(id).all(&db).await.unwrap_err();
        assert!(refused.is_key_mismatch(), "{refused}");
        assert_eq!(refused.attribute(), Some("at"));
        assert_eq!(
            refused.item_key().map(Raw::from).ok_or("a key")?.get("at"),
            row.get("at")
        );
        let report = Session::scan()
            .update_each(|s: &Session| s.update().apply(|s| s.count().add(1)))
            .send(&db)
            .await?;
        assert_eq!((report.written, report.failed, report.vanished), (0, 1, 0));
        let at: DateTime<Utc> = "2026-03-01T12:00:00Z".parse()?;
        assert_eq!(Session::key(id, at).get().send(&db).await?, None);
        assert_eq!(db.count::<Session>().await, 1);
        let delete = db.client().delete_item().table_name(db.table::<Session>());
        delete
            .key("id", row["id"].clone())
            .key("at", row["at"].clone())
            .send()
            .await?;
    }
    Ok(())
}
