//! Laws V1 and V2: what is written reads back the same, and absent values are never written.

#![allow(
    clippy::redundant_allocation,
    clippy::vec_box,
    clippy::enum_variant_names,
    reason = "odd types are the point"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use dynamo_entity::__private::as_stored;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Timestamp, Value};
use proptest::collection::{btree_map, btree_set, hash_map, hash_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::{config_of_shape, given};

/// Law V1, also through the SDK's map, and law V2: no NULL and no empty set is written. The copy that a put
/// returns equals what a read returns.
fn comes_back<E: DynamoEntity + Debug + PartialEq>(entity: &E) -> Result<Item, TestCaseError> {
    let item = entity.to_item()?;
    let read = E::from_item(item.clone())?;
    prop_assert_eq!(&read, entity);
    if let Some(copy) = as_stored(entity) {
        prop_assert_eq!(copy.to_item()?, item.clone());
        prop_assert_eq!(copy, read);
    }
    for (name, value) in &item {
        prop_assert!(holds_nothing_absent(value), "{}: {:?}", name, value);
    }
    Ok(item)
}

fn holds_nothing_absent(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Ss(set) => !set.is_empty(),
        Value::Ns(set) => !set.is_empty(),
        Value::Bs(set) => !set.is_empty(),
        Value::L(list) => list.iter().all(holds_nothing_absent),
        Value::M(map) => map.iter().all(|(_, value)| holds_nothing_absent(value)),
        _ => true,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
struct UserId(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
struct Cents(i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
#[dynamo(rename_all = "kebab-case")]
enum Status {
    Paid,
    #[dynamo(rename = "\"odd\"\\")]
    Odd,
    OnItsWay,
}

fn status() -> impl Strategy<Value = Status> {
    select(&[Status::Paid, Status::Odd, Status::OnItsWay][..])
}

fn user_id() -> impl Strategy<Value = UserId> {
    given::any_text().prop_map(UserId)
}

crate::declare! {
    entity Texts(table = "texts", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, owned: String, boxed: Box<str>, shared: Arc<str>, cow: Cow<'static, str>, one: char,
          truth: bool, #[dynamo(rename = "a \"quoted\"\\ näme\n")] maybe: Option<String>, maybe_one: Option<char>,
          pointer: Box<Arc<u32>>, newtype: UserId, status: Option<Status> }
}

fn texts() -> impl Strategy<Value = Texts> {
    (
        vec(given::any_text(), 5),
        (given::character(), any::<bool>(), of(given::any_text())),
        (of(given::character()), user_id(), of(status())),
    )
        .prop_map(
            |(text, (one, truth, maybe), (maybe_one, newtype, status))| Texts {
                id: 1,
                owned: text[0].clone(),
                boxed: text[1].as_str().into(),
                shared: text[2].as_str().into(),
                cow: Cow::Owned(text[3].clone()),
                one,
                truth,
                maybe,
                maybe_one,
                pointer: Box::new(Arc::new(text[4].len() as u32)),
                newtype,
                status,
            },
        )
}

crate::declare! {
    entity Binaries(table = "binaries", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, owned: Vec<u8>, fixed: [u8; 4], none: [u8; 0], bytes: Bytes, boxed: Box<[u8]>,
          shared: Arc<[u8]>, cow: Cow<'static, [u8]>, maybe: Option<Vec<u8>>, list: Vec<Vec<u8>>,
          pair: (Vec<u8>, [u8; 2]) }
}

fn binaries() -> impl Strategy<Value = Binaries> {
    (
        vec(given::bytes(), 6),
        any::<[u8; 4]>(),
        of(given::bytes()),
        vec(given::bytes(), 0..3),
        any::<[u8; 2]>(),
    )
        .prop_map(|(bytes, fixed, maybe, list, two)| Binaries {
            id: 1,
            owned: bytes[0].clone(),
            fixed,
            none: [],
            bytes: bytes[1].clone().into(),
            boxed: bytes[2].clone().into(),
            shared: bytes[3].clone().into(),
            cow: Cow::Owned(bytes[4].clone()),
            maybe,
            list,
            pair: (bytes[5].clone(), two),
        })
}

crate::declare! {
    entity Lists(table = "lists", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, numbers: Vec<i32>, nested: Vec<Vec<String>>, fixed: [u16; 3],
          fixed_nested: [[bool; 2]; 2], single: (String,), tuple: (i8, String, bool, Vec<u64>),
          many: (u8, i16, char, String, bool, Option2), boxed: Box<[i64]>, shared: Arc<[String]>,
          cow: Cow<'static, [i32]>, maybe: Option<Vec<Arc<i32>>> }
}

/// A tuple with a tuple inside.
type Option2 = (u8, (u8, Vec<(u8, String)>));

fn lists() -> impl Strategy<Value = Lists> {
    (
        (
            vec(given::i32(), 0..4),
            vec(vec(given::any_text(), 0..3), 0..3),
            any::<[u16; 3]>(),
        ),
        any::<[[bool; 2]; 2]>(),
        (
            given::any_text(),
            any::<i8>(),
            any::<bool>(),
            vec(given::u64(), 0..3),
        ),
        (
            any::<(u8, i16, bool)>(),
            given::character(),
            vec((any::<u8>(), given::any_text()), 0..3),
        ),
        (
            vec(given::i64(), 0..3),
            vec(given::any_text(), 0..3),
            of(vec(given::i32(), 0..3)),
        ),
    )
        .prop_map(
            |(
                (numbers, nested, fixed),
                fixed_nested,
                (text, small, truth, wide),
                (three, one, pairs),
                (boxed, shared, maybe),
            )| Lists {
                id: 1,
                cow: Cow::Owned(numbers.clone()),
                numbers,
                nested,
                fixed,
                fixed_nested,
                single: (text.clone(),),
                tuple: (small, text.clone(), truth, wide),
                many: (three.0, three.1, one, text, three.2, (1, (2, pairs))),
                boxed: boxed.into(),
                shared: shared.into(),
                maybe: maybe.map(|list| list.into_iter().map(Arc::new).collect()),
            },
        )
}

crate::declare! {
    entity Maps(table = "maps", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, by_text: HashMap<String, i32>, by_number: BTreeMap<u64, String>,
          by_wide: HashMap<i128, bool>, by_uuid: HashMap<uuid::Uuid, Vec<u8>>,
          by_ulid: BTreeMap<ulid::Ulid, (u8, u8)>, by_status: BTreeMap<Status, Vec<String>>,
          by_user: BTreeMap<UserId, BTreeMap<Cents, String>>, by_box: HashMap<Box<str>, HashMap<Arc<str>, u8>>,
          maybe: Option<BTreeMap<Cow<'static, str>, bool>> }
}

fn maps() -> impl Strategy<Value = Maps> {
    let name = given::any_text;
    (
        (
            hash_map(name(), given::i32(), 0..4),
            btree_map(given::u64(), name(), 0..3),
        ),
        hash_map(given::i128(), any::<bool>(), 0..3),
        (
            hash_map(given::uuid(), given::bytes(), 0..3),
            btree_map(given::ulid(), any::<(u8, u8)>(), 0..3),
        ),
        btree_map(status(), vec(name(), 0..3), 0..3),
        btree_map(
            user_id(),
            btree_map(given::i64().prop_map(Cents), name(), 0..2),
            0..3,
        ),
        hash_map(
            name().prop_map(Box::from),
            hash_map(name().prop_map(Arc::from), any::<u8>(), 0..2),
            0..2,
        ),
        of(btree_map(name().prop_map(Cow::Owned), any::<bool>(), 0..2)),
    )
        .prop_map(
            |(
                (by_text, by_number),
                by_wide,
                (by_uuid, by_ulid),
                by_status,
                by_user,
                by_box,
                maybe,
            )| Maps {
                id: 1,
                by_text,
                by_number,
                by_wide,
                by_uuid,
                by_ulid,
                by_status,
                by_user,
                by_box,
                maybe,
            },
        )
}

crate::declare! {
    entity Sets(table = "sets", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, texts: HashSet<String>, shared: BTreeSet<Arc<str>>, numbers: HashSet<i64>,
          wide: BTreeSet<u64>, exact: BTreeSet<Number>, decimals: HashSet<Decimal>, binaries: BTreeSet<Vec<u8>>,
          bytes: HashSet<Bytes>, statuses: HashSet<Status>, users: BTreeSet<UserId>, cents: HashSet<Cents>,
          ids: HashSet<uuid::Uuid>, ulids: BTreeSet<ulid::Ulid> }
}

fn sets() -> impl Strategy<Value = Sets> {
    let name = given::any_text;
    (
        (
            hash_set(name(), 0..4),
            btree_set(name().prop_map(Arc::from), 0..3),
        ),
        (
            hash_set(given::i64(), 0..3),
            btree_set(given::u64(), 0..3),
            btree_set(given::number(), 0..3),
        ),
        (
            hash_set(given::decimal(), 0..3),
            btree_set(given::bytes(), 0..3),
            hash_set(given::bytes().prop_map(Bytes::from), 0..3),
        ),
        (
            hash_set(status(), 0..3),
            btree_set(user_id(), 0..3),
            hash_set(given::i64().prop_map(Cents), 0..3),
        ),
        (
            hash_set(given::uuid(), 0..2),
            btree_set(given::ulid(), 0..2),
        ),
    )
        .prop_map(
            |(
                (texts, shared),
                (numbers, wide, exact),
                (decimals, binaries, bytes),
                (statuses, users, cents),
                (ids, ulids),
            )| Sets {
                id: 1,
                texts,
                shared,
                numbers,
                wide,
                exact,
                decimals,
                binaries,
                bytes,
                statuses,
                users,
                cents,
                ids,
                ulids,
            },
        )
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Point {
    x: f64,
    y: Option<f32>,
    #[dynamo(rename = "the label")]
    label: Arc<str>,
    tags: HashSet<String>,
    #[dynamo(default)]
    count: u32,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Nothing,
    OneText(String),
    OneList(Vec<u8>),
    TwoThings(i32, Vec<Point>),
    WithNames {
        value: String,
        count: Option<u8>,
        tags: BTreeSet<i32>,
    },
    #[dynamo(rename = "inside out")]
    Inside(Box<Shape>),
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Tree {
    value: i32,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Pair<A, B> {
    first: A,
    second: Option<B>,
}

crate::declare! {
    entity Structs(table = "structs", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, point: Point, maybe: Option<Point>, shapes: Vec<Shape>,
          by_name: BTreeMap<String, Shape>, tree: Tree, pair: Pair<String, Pair<i32, bool>>, shared: Arc<Shape>,
          #[dynamo(rest)] rest: Item }
}

fn float() -> impl Strategy<Value = f64> {
    (-1_000_000i32..1_000_000, 0i32..9).prop_map(|(n, scale)| f64::from(n) / 10f64.powi(scale))
}

/// Attributes that no field holds. They are never empty sets and never have the name of a field.
fn rest() -> impl Strategy<Value = Item> {
    vec(
        (
            given::text().prop_map(|name| format!("other {name}")),
            given::leaf(),
        ),
        0..2,
    )
    .prop_map(|entries| {
        entries
            .into_iter()
            .filter(|(_, value)| *value != Value::Null)
            .collect()
    })
}

fn point() -> impl Strategy<Value = Point> {
    (
        float(),
        of(-1000i16..1000),
        given::any_text(),
        hash_set(given::any_text(), 0..2),
        any::<u32>(),
        rest(),
    )
        .prop_map(|(x, y, label, tags, count, rest)| Point {
            x,
            y: y.map(|y| f32::from(y) / 8.0),
            label: label.into(),
            tags,
            count,
            rest,
        })
}

fn shape() -> impl Strategy<Value = Shape> {
    let flat = prop_oneof![
        Just(Shape::Nothing),
        given::any_text().prop_map(Shape::OneText),
        given::bytes().prop_map(Shape::OneList),
        (given::i32(), vec(point(), 0..2)).prop_map(|(n, points)| Shape::TwoThings(n, points)),
        (
            given::any_text(),
            of(any::<u8>()),
            btree_set(given::i32(), 0..3)
        )
            .prop_map(|(value, count, tags)| Shape::WithNames { value, count, tags }),
    ];
    flat.prop_recursive(3, 3, 1, |inner| {
        inner.prop_map(|shape| Shape::Inside(Box::new(shape)))
    })
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = given::i32().prop_map(|value| Tree {
        value,
        children: vec![],
        next: None,
    });
    leaf.prop_recursive(5, 10, 3, |inner| {
        (given::i32(), vec(inner.clone(), 0..3), of(inner)).prop_map(|(value, children, next)| {
            Tree {
                value,
                children,
                next: next.map(Box::new),
            }
        })
    })
}

fn structs() -> impl Strategy<Value = Structs> {
    (
        (point(), of(point())),
        vec(shape(), 0..3),
        btree_map(given::any_text(), shape(), 0..2),
        tree(),
        (given::any_text(), of((given::i32(), of(any::<bool>())))),
        (shape(), rest()),
    )
        .prop_map(
            |((point, maybe), shapes, by_name, tree, (first, second), (shared, rest))| Structs {
                id: 1,
                point,
                maybe,
                shapes,
                by_name,
                tree,
                pair: Pair {
                    first,
                    second: second.map(|(first, second)| Pair { first, second }),
                },
                shared: Arc::new(shared),
                rest,
            },
        )
}

crate::declare! {
    entity Times(table = "times", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, own: Timestamp, system: SystemTime, chrono: Option<DateTime<Utc>>,
          chrono_civil: NaiveDateTime, chrono_date: NaiveDate, offset: time::OffsetDateTime, utc: time::UtcDateTime,
          primitive: time::PrimitiveDateTime, date: time::Date, jiff: jiff::Timestamp,
          jiff_civil: jiff::civil::DateTime, jiff_dates: Vec<jiff::civil::Date> }
}

fn times() -> impl Strategy<Value = Times> {
    (
        (given::timestamp(), given::system_time()),
        (
            of(given::chrono_utc()),
            given::chrono_civil(),
            given::chrono_date(),
        ),
        (
            given::time_offset(),
            given::time_utc(),
            given::time_civil(),
            given::time_date(),
        ),
        (
            given::jiff_timestamp(),
            given::jiff_civil(),
            vec(given::jiff_date(), 0..3),
        ),
    )
        .prop_map(
            |(
                (own, system),
                (chrono, chrono_civil, chrono_date),
                (offset, utc, primitive, date),
                (jiff, jiff_civil, jiff_dates),
            )| Times {
                id: 1,
                own,
                system,
                chrono,
                chrono_civil,
                chrono_date,
                offset,
                utc,
                primitive,
                date,
                jiff,
                jiff_civil,
                jiff_dates,
            },
        )
}

crate::declare! {
    /// Times as JavaScript's `toISOString` writes them, in every type.
    entity Script(table = "script", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, #[dynamo(format = "rfc3339_ms")] own: Timestamp,
          #[dynamo(format = "rfc3339_ms")] chrono: Option<DateTime<Utc>>,
          #[dynamo(format = "rfc3339_ms")] time: time::UtcDateTime,
          #[dynamo(format = "rfc3339_ms")] jiff: jiff::Timestamp }
    /// Times in the forms of other programs. The first two forms are less precise than the type of their field.
    entity Forms(table = "forms", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, #[dynamo(format = "epoch")] epoch: DateTime<Utc>,
          #[dynamo(format = "epoch_ms")] epoch_ms: Option<SystemTime>,
          #[dynamo(format = "rfc3339")] rfc3339: jiff::Timestamp,
          #[dynamo(format = "rfc3339")] own: Option<Timestamp> }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Foreign {
    the_name: String,
    list: Vec<u32>,
    maybe: Option<i64>,
    choice: ForeignChoice,
    map: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum ForeignChoice {
    Nothing,
    One(String),
    Two(u8, bool),
    Named { a: i32 },
}

crate::declare! {
    entity Foreigners(table = "foreign", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, #[dynamo(serde)] one: Foreign, #[dynamo(serde)] maybe: Option<ForeignChoice>,
          #[dynamo(serde)] list: Vec<Foreign> }
}

fn foreign_choice() -> impl Strategy<Value = ForeignChoice> {
    prop_oneof![
        Just(ForeignChoice::Nothing),
        given::any_text().prop_map(ForeignChoice::One),
        any::<(u8, bool)>().prop_map(|(n, truth)| ForeignChoice::Two(n, truth)),
        given::i32().prop_map(|a| ForeignChoice::Named { a }),
    ]
}

fn foreign() -> impl Strategy<Value = Foreign> {
    (
        given::any_text(),
        vec(given::u32(), 0..3),
        of(given::i64()),
        foreign_choice(),
        btree_map(given::any_text(), float(), 0..3),
    )
        .prop_map(|(the_name, list, maybe, choice, map)| Foreign {
            the_name,
            list,
            maybe,
            choice,
            map,
        })
}

crate::declare! {
    entity Dynamic(table = "dynamic", key(pk = "{id}"))
        { #[dynamo(skip)] id: u8, any: Value, list: Vec<Value>, map: BTreeMap<String, Value>, item: Item,
          maybe: Option<Item> }
}

proptest! {
    #![proptest_config(config_of_shape())]

    #[test]
    fn texts_come_back(entity in texts()) {
        comes_back(&entity)?;
    }

    #[test]
    fn binaries_come_back(entity in binaries()) {
        let item = comes_back(&entity)?;
        for name in ["owned", "fixed", "none", "bytes", "boxed", "shared", "cow"] {
            prop_assert!(matches!(item.get(name), Some(Value::B(_))), "{} is B", name);
        }
    }

    #[test]
    fn lists_come_back(entity in lists()) {
        comes_back(&entity)?;
    }

    #[test]
    fn maps_come_back(entity in maps()) {
        comes_back(&entity)?;
    }

    #[test]
    fn sets_come_back(entity in sets()) {
        let item = comes_back(&entity)?;
        prop_assert_eq!(item.contains("texts"), !entity.texts.is_empty(), "an empty set is absent");
        prop_assert_eq!(item.contains("numbers"), !entity.numbers.is_empty());
        prop_assert_eq!(item.contains("bytes"), !entity.bytes.is_empty());
    }

    #[test]
    fn structs_and_enums_come_back(entity in structs()) {
        let item = entity.to_item()?;
        prop_assert_eq!(&Structs::from_item(item.clone())?, &entity);
        prop_assert_eq!(item.contains("maybe"), entity.maybe.is_some(), "None is absent");
        let Some(Value::M(point)) = item.get("point") else { panic!("a map") };
        prop_assert_eq!(point.contains("y"), entity.point.y.is_some(), "None is absent in a map");
        prop_assert_eq!(point.contains("tags"), !entity.point.tags.is_empty());
    }

    #[test]
    fn times_come_back(entity in times()) {
        comes_back(&entity)?;
    }

    #[test]
    fn stored_forms_come_back(epoch in given::seconds(), epoch_ms in of(given::system_time()), rfc3339 in given::jiff_timestamp(), own in of(given::timestamp()), nanos in given::nanos()) {
        let at = |nanos| DateTime::from_timestamp(epoch, nanos).unwrap();
        let millis = |time: SystemTime| {
            let nanos = Timestamp::from(time).nanos() % 1_000_000;
            time - std::time::Duration::from_nanos(nanos.into())
        };
        let entity = Forms { id: 1, epoch: at(0), epoch_ms: epoch_ms.map(millis), rfc3339, own };
        comes_back(&entity)?;
        // A value that the form cannot hold exactly is refused and never cut.
        let entity = Forms { epoch: at(nanos), ..entity };
        prop_assert_eq!(entity.to_item().is_ok(), nanos == 0);
        let whole = |time: &SystemTime| Timestamp::from(*time).nanos() % 1_000_000 == 0;
        let entity = Forms { epoch: at(0), epoch_ms, ..entity };
        prop_assert_eq!(entity.to_item().is_ok(), entity.epoch_ms.as_ref().is_none_or(whole));
    }

    #[test]
    fn times_of_javascript_come_back(seconds in given::seconds_to(253_402_207_199), other in given::seconds_to(253_402_207_199), millis in 0u32..1_000, rest in 0u32..1_000_000) {
        let of = |seconds: i64, nanos: u32| Script {
            id: 1,
            own: Timestamp::from_unix(seconds, nanos).unwrap(),
            chrono: DateTime::from_timestamp(seconds, nanos),
            time: time::UtcDateTime::from_unix_timestamp(seconds).unwrap() + time::Duration::nanoseconds(nanos.into()),
            jiff: jiff::Timestamp::new(seconds, 0).unwrap() + jiff::SignedDuration::from_nanos(nanos.into()),
        };
        let entity = of(seconds, millis * 1_000_000);
        comes_back(&entity)?;
        let texts = |item: &Item| {
            ["own", "chrono", "time", "jiff"].map(|name| item.get(name).and_then(|value| value.as_text()).unwrap().to_owned())
        };
        let text = DateTime::from_timestamp(seconds, millis * 1_000_000).unwrap().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        prop_assert_eq!(texts(&entity.to_item()?), [&*text; 4]);
        let later = texts(&of(other, 7_000_000).to_item()?);
        prop_assert_eq!(text.cmp(&later[0]), (seconds, millis).cmp(&(other, 7)), "texts sort as times do");
        // A value that the form cannot hold exactly is refused and never cut.
        prop_assert_eq!(of(seconds, millis * 1_000_000 + rest).to_item().is_ok(), rest == 0);
    }

    #[test]
    fn foreign_types_come_back(one in foreign(), maybe in of(foreign_choice()), list in vec(foreign(), 0..2)) {
        let entity = Foreigners { id: 1, one, maybe, list };
        let item = entity.to_item()?;
        prop_assert_eq!(&Foreigners::from_item(item.clone())?, &entity);
        prop_assert_eq!(item.contains("maybe"), entity.maybe.is_some(), "None is absent");
    }

    #[test]
    fn dynamic_values_come_back(any in given::value(), list in vec(given::value(), 0..2), item in given::item(), maybe in of(given::item())) {
        let map = item.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let entity = Dynamic { id: 1, any, list, map, item, maybe };
        prop_assert_eq!(&Dynamic::from_item(entity.to_item()?)?, &entity);
    }

    /// Lists and maps nest up to 32 levels, as in DynamoDB. One level more is refused on writing and on
    /// reading, for any type.
    #[test]
    fn thirty_two_levels_and_no_more(leaf in given::leaf(), levels in vec(any::<bool>(), 28..36), trees in 0usize..36) {
        let entity = Dynamic {
            id: 1,
            any: given::nested(leaf, &levels),
            list: vec![],
            map: BTreeMap::new(),
            item: Item::new(),
            maybe: None,
        };
        match entity.to_item() {
            Ok(item) => {
                prop_assert!(levels.len() <= 32);
                prop_assert_eq!(Dynamic::from_item(item)?, entity);
            }
            Err(error) => {
                prop_assert!(levels.len() > 32, "{}", error);
                prop_assert_eq!(error.kind(), ErrorKind::InvalidValue);
                prop_assert!(error.attribute().unwrap().starts_with("any"));
            }
        }
        // Each tree is a map, and the innermost one holds a list.
        let leaf = Tree { value: 1, children: vec![], next: None };
        let tree = (0..trees).fold(leaf, |tree, value| Tree { value: value as i32, children: vec![], next: Some(Box::new(tree)) });
        let held = Deep { id: 1, tree };
        match held.to_item() {
            Ok(item) => {
                prop_assert!(trees + 2 <= 32);
                prop_assert_eq!(Deep::from_item(item)?, held);
            }
            Err(error) => prop_assert!(trees + 2 > 32, "{}", error),
        }
    }

    /// Other programs write NULL for None and for the empty set. It reads as absent where the type allows that.
    #[test]
    fn null_is_read_as_absence(entity in sets(), texts in texts(), names in hash_set(select(vec!["texts", "shared", "numbers", "exact", "decimals", "binaries", "statuses", "ids"]), 1..4)) {
        let mut item = entity.to_item()?;
        for name in &names {
            item.insert(*name, Value::Null);
        }
        let read = Sets::from_item(item)?;
        prop_assert_eq!(read.texts.is_empty(), entity.texts.is_empty() || names.contains("texts"));
        prop_assert_eq!(read.exact.is_empty(), entity.exact.is_empty() || names.contains("exact"));
        prop_assert_eq!(read.statuses.is_empty(), entity.statuses.is_empty() || names.contains("statuses"));
        let again = read.to_item()?;
        prop_assert!(names.iter().all(|name| !again.contains(name)), "and never written");

        let mut item = texts.to_item()?;
        for name in ["a \"quoted\"\\ näme\n", "maybe_one", "status"] {
            item.insert(name, Value::Null);
        }
        let read = Texts::from_item(item)?;
        prop_assert_eq!((read.maybe, read.maybe_one, read.status), (None, None, None));
        let mut item = texts.to_item()?;
        item.insert("owned", Value::Null);
        let error = Texts::from_item(item).unwrap_err();
        prop_assert_eq!(error.attribute(), Some("owned"), "no absence here");
    }
}

crate::declare! { entity Deep(table = "deep", key(pk = "{id}")) { #[dynamo(skip)] id: u8, tree: Tree } }
