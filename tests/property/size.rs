//! The size of an item follows DynamoDB's documented rules and is the same wherever it is counted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;

use bytes::Bytes;
use dynamo_entity::__private::written_size;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use proptest::collection::{btree_map, btree_set, hash_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::test_runner::Config;
use rust_decimal::Decimal;
use tokio::runtime::Runtime;

use crate::{config, config_of_half, given};

/// "1 byte per two significant digits, plus 1 byte", counted on both sides of the decimal point, and one byte
/// for a minus sign. Leading and trailing zeros cost nothing.
fn number_size(number: &Number) -> usize {
    let value: bigdecimal::BigDecimal = number.as_str().parse().unwrap();
    let (digits, scale) = value.normalized().into_bigint_and_exponent();
    let digits = digits.to_string();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => (1, digits),
        None => (0, &*digits),
    };
    if digits == "0" {
        return 1;
    }
    let count = digits.len() as i64;
    let fraction = scale.clamp(0, count);
    let pairs = |digits: i64| (digits as usize).div_ceil(2);
    1 + pairs(count - fraction) + pairs(fraction) + sign
}

/// "An attribute of type List or Map requires 3 bytes of overhead; each element or key-value pair
/// requires 1 byte." Names and texts are their UTF-8 bytes, binaries their raw bytes.
fn value_size(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::N(number) => number_size(number),
        Value::B(bytes) => bytes.len(),
        Value::Bool(_) | Value::Null => 1,
        Value::Ss(set) => set.iter().map(String::len).sum(),
        Value::Ns(set) => set.iter().map(number_size).sum(),
        Value::Bs(set) => set.iter().map(Vec::len).sum(),
        Value::L(list) => {
            3 + list
                .iter()
                .map(|value| 1 + value_size(value))
                .sum::<usize>()
        }
        Value::M(map) => {
            3 + map
                .iter()
                .map(|(name, value)| 1 + name.len() + value_size(value))
                .sum::<usize>()
        }
        _ => unreachable!("all types of DynamoDB"),
    }
}

fn item_size(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "sized", key(pk = "ID#{id}"))]
struct Padded {
    #[dynamo(skip)]
    id: String,
    whole: i64,
    ratio: f64,
    exact: Decimal,
    maybe: Option<u128>,
    truth: bool,
    names: HashSet<String>,
    numbers: BTreeSet<i32>,
    lines: Vec<Line>,
    map: BTreeMap<u8, [u8; 2]>,
    at: chrono::DateTime<chrono::Utc>,
    #[dynamo(rest)]
    rest: Item,
    /// Fills the item up to the size limit.
    pad: Bytes,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Line {
    sku: String,
    qty: Option<u32>,
    more: Vec<Line>,
}

fn entity() -> impl Strategy<Value = Padded> {
    (
        (
            given::text(),
            given::i64(),
            -1000i32..1000,
            0i32..5,
            given::decimal(),
        ),
        (of(0u128..1 << 100), any::<bool>()),
        (
            hash_set(given::any_text(), 0..3),
            btree_set(given::i32(), 0..3),
        ),
        (
            vec((given::any_text(), of(given::u32())), 0..3),
            btree_map(any::<u8>(), any::<[u8; 2]>(), 0..2),
        ),
        (
            given::chrono_utc(),
            vec(
                (
                    given::text().prop_map(|name| format!("other {name}")),
                    given::value(),
                ),
                0..3,
            ),
        ),
    )
        .prop_map(
            |(
                (id, whole, n, scale, exact),
                (maybe, truth),
                (names, numbers),
                (lines, map),
                (at, rest),
            )| Padded {
                id,
                whole,
                ratio: f64::from(n) / 10f64.powi(scale),
                exact,
                maybe,
                truth,
                names,
                numbers,
                lines: lines
                    .into_iter()
                    .map(|(sku, qty)| {
                        let more = vec![Line {
                            sku: sku.clone(),
                            qty: None,
                            more: vec![],
                        }];
                        Line { sku, qty, more }
                    })
                    .collect(),
                map,
                at,
                rest: rest.into_iter().collect(),
                pad: Bytes::new(),
            },
        )
}

const LIMIT: usize = 400 * 1024;

fn connection() -> &'static (Runtime, Dynamo) {
    static CONNECTION: OnceLock<(Runtime, Dynamo)> = OnceLock::new();
    CONNECTION.get_or_init(|| {
        let runtime = Runtime::new().unwrap();
        let db = runtime
            .block_on(Dynamo::connect("embedded:memory"))
            .unwrap();
        runtime
            .block_on(db.create_tables([Padded::schema()]))
            .unwrap();
        (runtime, db)
    })
}

/// The size that a write reports when it refuses an item that is too large.
fn size_on_the_way(entity: &Padded) -> Option<usize> {
    let (runtime, db) = connection();
    let error = runtime.block_on(entity.put().send(db)).err()?;
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
    let message = error.to_string();
    let (_, behind) = message.split_once("the item has ").unwrap();
    behind.split(' ').next()?.parse().ok()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn items_cost_what_dynamodb_says(item in given::item(), name in given::text()) {
        let size = item.size();
        prop_assert_eq!(size, item_size(&item));
        // An empty set is not written, so it costs nothing.
        let mut item = item;
        let map = Value::from(item.clone()).size();
        item.insert(format!("new {name}"), BTreeSet::<Number>::new());
        prop_assert_eq!(item.size(), size);
        prop_assert_eq!(Value::from(item).size(), map);
    }

    #[test]
    fn numbers_cost_what_dynamodb_says(number in given::number(), whole in given::i64()) {
        prop_assert_eq!(number.size(), number_size(&number), "{}", number);
        let whole = Number::from(whole);
        prop_assert_eq!(whole.size(), number_size(&whole), "{}", whole);
    }

}

proptest! {
    #![proptest_config(config_of_half())]

    /// The writer counts the size while it writes, without looking at the item that it makes.
    #[test]
    fn the_writer_counts_the_same(entity in entity()) {
        let item = entity.to_item()?;
        prop_assert_eq!(item.size(), item_size(&item));
        prop_assert_eq!(written_size(&entity).unwrap(), item.size());
    }
}

proptest! {
    // Each case writes 400 KB.
    #![proptest_config(Config { cases: 100, ..config() })]

    /// An entity a few bytes over the limit is refused, and the error tells its size.
    #[test]
    fn a_refusal_tells_the_size(entity in entity(), over in 1usize..50) {
        static ZEROS: Bytes = Bytes::from_static(&[0; LIMIT + 50]);
        let size = item_size(&entity.to_item()?);
        let entity = Padded { pad: ZEROS.slice(..LIMIT - size + over), ..entity };
        prop_assert_eq!(size_on_the_way(&entity), Some(LIMIT + over));
    }
}

/// An item of exactly 400 KB is accepted.
#[test]
fn the_limit_itself_fits() {
    let (runtime, db) = connection();
    let entity = Padded {
        id: "limit".into(),
        whole: 1,
        ratio: 0.5,
        exact: Decimal::ONE,
        maybe: None,
        truth: true,
        names: HashSet::new(),
        numbers: BTreeSet::new(),
        lines: vec![],
        map: BTreeMap::new(),
        at: chrono::DateTime::UNIX_EPOCH,
        rest: Item::new(),
        pad: Bytes::new(),
    };
    let size = item_size(&entity.to_item().unwrap());
    let filled = |bytes: usize| Padded {
        pad: vec![0; bytes].into(),
        ..entity.clone()
    };
    runtime
        .block_on(filled(LIMIT - size).put().send(db))
        .unwrap();
    let error = runtime
        .block_on(filled(LIMIT - size + 1).put().send(db))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}
