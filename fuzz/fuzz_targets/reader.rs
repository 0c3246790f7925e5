//! Gives arbitrary bytes to the reader of DynamoDB JSON.
//!
//! Nothing may panic. An item, an entity or a key that was read is written and read again as the same. A key
//! that was read is written as exactly the text that it came from.
#![no_main]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use bigdecimal::BigDecimal;
use bytes::Bytes;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Timestamp, Value};
use dynamo_entity::codec::Reader;
use dynamo_entity::entity::KeyParts;
use libfuzzer_sys::fuzz_target;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// Holds any item as a map.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "any", key(pk = "same"))]
struct Any {
    item: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "all", key(pk = "A#{id}#{n}", sk = "{at}{day:date}#{text}"))]
struct All {
    #[dynamo(skip)]
    id: UserId,
    #[dynamo(skip)]
    n: i32,
    #[dynamo(skip)]
    at: chrono::DateTime<chrono::Utc>,
    day: chrono::DateTime<chrono::Utc>,
    #[dynamo(skip)]
    text: String,

    u8: u8,
    i64: Option<i64>,
    u128: Option<u128>,
    f32: Option<f32>,
    f64: Option<f64>,
    number: Option<Number>,
    decimal: Option<Decimal>,
    big: Option<BigDecimal>,
    truth: Option<bool>,
    char: Option<char>,
    boxed: Option<Box<str>>,
    cow: Option<Cow<'static, str>>,
    bytes: Option<Vec<u8>>,
    fixed: Option<[u8; 3]>,
    foreign_bytes: Option<Bytes>,
    uuid: Option<uuid::Uuid>,
    ulid: Option<ulid::Ulid>,
    status: Option<Status>,

    list: Option<Vec<Vec<String>>>,
    pair: Option<(u8, Box<bool>, Arc<str>)>,
    numbers: Option<[u16; 2]>,
    map: Option<BTreeMap<String, i32>>,
    by_number: Option<BTreeMap<u64, String>>,
    by_status: Option<HashMap<Status, u8>>,

    texts: BTreeSet<String>,
    integers: HashSet<i64>,
    decimals: HashSet<BigDecimal>,
    exact: BTreeSet<Number>,
    binaries: BTreeSet<Vec<u8>>,
    users: HashSet<UserId>,

    point: Option<Point>,
    shape: Option<Shape>,
    tree: Option<Tree>,

    own: Option<Timestamp>,
    system: Option<SystemTime>,
    date: Option<chrono::NaiveDate>,
    civil: Option<chrono::NaiveDateTime>,
    offset: Option<time::OffsetDateTime>,
    utc: Option<time::UtcDateTime>,
    time_date: Option<time::Date>,
    primitive: Option<time::PrimitiveDateTime>,
    jiff: Option<jiff::Timestamp>,
    jiff_date: Option<jiff::civil::Date>,
    jiff_civil: Option<jiff::civil::DateTime>,
    #[dynamo(format = "epoch")]
    epoch: Option<chrono::DateTime<chrono::Utc>>,
    #[dynamo(format = "epoch_ms")]
    epoch_ms: Option<SystemTime>,
    #[dynamo(format = "rfc3339")]
    rfc3339: Option<jiff::Timestamp>,

    #[dynamo(serde)]
    serde: Option<Foreign>,
    any: Option<Item>,
    #[dynamo(default)]
    default: u8,
    #[dynamo(version)]
    version: Version,
    #[dynamo(created_at)]
    created_at: Option<chrono::DateTime<chrono::Utc>>,
    #[dynamo(ttl)]
    expires: Option<chrono::DateTime<chrono::Utc>>,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
struct UserId(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, DynamoValue)]
enum Status {
    Paid,
    #[dynamo(rename = "on its way")]
    Sent,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Point {
    x: i32,
    y: Option<f64>,
    tags: HashSet<String>,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind")]
enum Shape {
    None,
    One(String),
    Two(u32, Vec<Point>),
    Named {
        value: Option<u8>,
        tags: BTreeSet<i32>,
    },
    Inside(Box<Shape>),
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Tree {
    value: i32,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Foreign {
    name: String,
    list: Vec<u32>,
    choice: Choice,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    Nothing,
    One(String),
    Named { a: i64 },
}

/// The item as it is written: empty sets are left out, because DynamoDB does not have them. `None` if an
/// empty set is in a place where nothing can be left out.
fn as_written(item: &Item) -> Option<Item> {
    let entries = item.iter().filter(|(_, value)| !is_empty_set(value));
    let entries: Option<Vec<_>> = entries
        .map(|(name, value)| Some((name.clone(), value_as_written(value)?)))
        .collect();
    Some(entries?.into_iter().collect())
}

fn value_as_written(value: &Value) -> Option<Value> {
    Some(match value {
        Value::L(list) => Value::L(list.iter().map(value_as_written).collect::<Option<_>>()?),
        Value::M(item) => Value::M(as_written(item)?),
        set if is_empty_set(set) => return None,
        other => other.clone(),
    })
}

fn is_empty_set(value: &Value) -> bool {
    match value {
        Value::Ss(set) => set.is_empty(),
        Value::Ns(set) => set.is_empty(),
        Value::Bs(set) => set.is_empty(),
        _ => false,
    }
}

fn items(bytes: &[u8]) {
    let json = [b"{\"M\":", bytes, b"}"].concat();
    let Ok(item) = Item::decode(&mut Reader::new(&json)) else {
        return;
    };
    let held = Any { item };
    match as_written(&held.item) {
        Some(expected) => {
            let written = held.to_item().expect("what was read can be written");
            assert_eq!(Any::from_item(written).expect("and read").item, expected);
            assert_eq!(held.item.size(), expected.size());
        }
        None => drop(held.to_item().expect_err("an empty set in a list")),
    }
}

fn entities(bytes: &[u8]) {
    let Ok(entity) = All::decode(&mut Reader::new(bytes)) else {
        return;
    };
    // The bytes may hold values that DynamoDB cannot: numbers and years out of range, or empty parts of keys.
    let item = match entity.to_item() {
        Ok(item) => item,
        Err(error) => {
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::InvalidValue | ErrorKind::InvalidKey
                ),
                "{error:?}"
            );
            return;
        }
    };
    let again = All::from_item(item.clone()).expect("what was written can be read");
    assert_eq!(again.to_item().expect("and written"), item);
    // Attributes of other programs lose their empty sets, so they are compared separately.
    let rests = |entity: &All| {
        let mut entity = entity.clone();
        entity.rest = Item::new();
        entity.any = None;
        entity.point = None;
        entity.shape = None;
        entity
    };
    assert_eq!(rests(&again), rests(&entity));
    assert_eq!(Some(&again.rest), as_written(&entity.rest).as_ref());
    assert_eq!(
        All::key_from_item(item).expect("the key, too"),
        entity.key()
    );
}

fn keys(bytes: &[u8]) {
    type Parts = <All as DynamoEntity>::KeyParts;
    let Ok(parts) = Parts::read(&mut Reader::new(bytes)) else {
        return;
    };
    let Ok(item) = Key::<All>::from_parts(parts).to_item() else {
        return;
    };
    // A text is read as a key only if the key is written as this text.
    let json = [b"{\"M\":", bytes, b"}"].concat();
    if let Ok(stored) = Item::decode(&mut Reader::new(&json)) {
        assert_eq!(stored.get("pk"), item.get("pk"));
        assert_eq!(stored.get("sk"), item.get("sk"));
    }
}

fuzz_target!(|bytes: &[u8]| {
    items(bytes);
    entities(bytes);
    keys(bytes);
    let mut reader = Reader::new(bytes);
    while reader.skip().is_ok() {}
});
