//! Values: how they are stored, and how they are read back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use serde::{Deserialize, Serialize};

use crate::model::{Line, Note, Order, Payment, Shop, note, order};
use crate::support::clock::moment;
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    absence_leaves_no_attribute(Bag),
    null_is_read_as_absence(Bag),
    structs_are_maps(Shop),
    enums_with_data_come_back(Shop),
    renamed_fields_are_stored_under_their_names(Camel),
    a_default_stands_for_what_is_missing(Camel),
    foreign_types_go_through_serde(Camel),
    foreign_forms_of_time_are_stored(Camel),
    unknown_attributes_are_ignored(Note),
    the_rest_is_kept(Shop),
    the_rest_never_hides_a_field(Shop),
    numbers_keep_38_digits(Any),
    numbers_beyond_dynamodb_are_refused,
    extreme_integers_come_back(Integers),
    floats_come_back(Floats),
    sets_compare_by_value(Any),
    bytes_are_binary(Bytes),
    nasty_names_are_names(NastyNames),
    nasty_texts_are_values(Note),
    thirty_two_levels_with_the_item_are_accepted(Any),
    empty_containers_stay(Any),
    no_entry_of_a_map_is_lost,
    what_would_not_read_back_is_not_written(Trap),
    a_missing_attribute_is_parsed_from_the_key(Visit),
];

#[derive(Debug, Clone, PartialEq, Default, DynamoEntity)]
#[dynamo(table = "bags", key(pk = id))]
struct Bag {
    id: String,
    text: Option<String>,
    number: Option<i64>,
    flag: Option<bool>,
    texts: HashSet<String>,
    numbers: BTreeSet<i64>,
    bytes: BTreeSet<Vec<u8>>,
    line: Option<Line>,
    list: Option<Vec<String>>,
}

crate::declare! { entity Any(table = "anys", key(pk = id)) { id: String, value: Value } }

fn any(value: impl Into<Value>) -> Any {
    Any {
        id: "a1".into(),
        value: value.into(),
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Foreign {
    zip_code: String,
    geo: Option<(f64, f64)>,
}

crate::declare! {
    entity Camel(table = "camels", key(pk = user_id), rename_all = "camelCase")
        { user_id: String, first_name: String, #[dynamo(rename = "Last-Name.x")] last_name: String,
          #[dynamo(default)] visits: u32, #[dynamo(default = 7)] level: u32, #[dynamo(skip)] cache: Vec<u8>,
          #[dynamo(serde)] address: Foreign, #[dynamo(serde)] second: Option<Foreign>,
          #[dynamo(format = "epoch")] seen: DateTime<Utc>,
          #[dynamo(format = "epoch_ms")] seen_ms: Option<DateTime<Utc>>,
          #[dynamo(format = "rfc3339")] seen_text: DateTime<Utc> }
}

fn camel() -> Camel {
    Camel {
        user_id: "u1".into(),
        first_name: "Ada".into(),
        last_name: "L".into(),
        visits: 3,
        level: 4,
        cache: vec![1],
        address: Foreign {
            zip_code: "10115".into(),
            geo: Some((52.5, 13.25)),
        },
        second: None,
        seen: moment("2024-05-06T07:08:09Z"),
        seen_ms: Some(moment("2024-05-06T07:08:09.123Z")),
        seen_text: moment("2024-05-06T07:08:09.5Z"),
    }
}

async fn absence_leaves_no_attribute(db: Db) -> Outcome {
    let empty = Bag {
        id: "b1".into(),
        ..Bag::default()
    };
    assert_eq!(empty.create().send(&db).await?, empty);
    assert_eq!(db.stored(&empty.key()).await, raw([("id", s("b1"))]));
    assert_eq!(empty.key().get().consistent().send(&db).await?, Some(empty));
    let line = Line {
        sku: "a".into(),
        qty: 1,
        note: None,
        tags: HashSet::new(),
    };
    let nested = Bag {
        id: "b2".into(),
        line: Some(line),
        ..Bag::default()
    };
    nested.create().send(&db).await?;
    let map = HashMap::from([("sku".into(), s("a")), ("qty".into(), n(1))]);
    assert_eq!(
        db.stored(&nested.key()).await["line"],
        AttributeValue::M(map)
    );
    Ok(())
}

async fn null_is_read_as_absence(db: Db) -> Outcome {
    let fields = [
        "text", "number", "flag", "texts", "numbers", "bytes", "line", "list",
    ];
    let mut item = raw([("id", s("b1"))]);
    item.extend(fields.map(|name| (name.into(), AttributeValue::Null(true))));
    db.plant::<Bag>(item).await;
    let empty = Bag {
        id: "b1".into(),
        ..Bag::default()
    };
    assert_eq!(
        Bag::key("b1").get().consistent().send(&db).await?,
        Some(empty)
    );
    Ok(())
}

async fn structs_are_maps(db: Db) -> Outcome {
    let order = order("u1", 7).create().send(&db).await?;
    let stored = db.stored(&order.key()).await;
    let line = AttributeValue::M(HashMap::from([
        ("sku".into(), s("a\"b")),
        ("qty".into(), n(3)),
        ("tags".into(), AttributeValue::Ss(vec!["x".into()])),
    ]));
    assert_eq!(stored["lines"], AttributeValue::L(vec![line]));
    assert_eq!(stored["total"], n("12.5"));
    assert_eq!(stored["status"], s("Paid"));
    let odd = HashMap::from([("k".into(), n(-5))]);
    assert_eq!(stored["odd name.x"], AttributeValue::M(odd));
    Ok(())
}

async fn enums_with_data_come_back(db: Db) -> Outcome {
    let card = Payment::Card {
        number: "4".into(),
        month: 1,
    };
    let payments = [
        Payment::Cash,
        card,
        Payment::Transfer("iban".into()),
        Payment::Split(1, 2),
    ];
    for (number, payment) in (0..).zip(payments) {
        let order = Order {
            payment,
            ..order("u1", number)
        };
        let stored = order.create().send(&db).await?;
        assert_eq!(stored.payment, order.payment);
        assert_eq!(
            stored.key().get().consistent().send(&db).await?,
            Some(stored)
        );
    }
    Ok(())
}

async fn renamed_fields_are_stored_under_their_names(db: Db) -> Outcome {
    let expected = Camel {
        cache: Vec::new(),
        ..camel()
    };
    assert_eq!(camel().create().send(&db).await?, expected);
    let stored = db.stored(&Camel::key("u1")).await;
    let mut names: Vec<&str> = stored.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "Last-Name.x",
            "address",
            "firstName",
            "level",
            "seen",
            "seenMs",
            "seenText",
            "userId",
            "visits"
        ]
    );
    assert_eq!(
        Camel::key("u1").get().consistent().send(&db).await?,
        Some(expected)
    );
    Ok(())
}

async fn a_default_stands_for_what_is_missing(db: Db) -> Outcome {
    camel().create().send(&db).await?;
    let mut stored = db.stored(&Camel::key("u1")).await;
    stored.remove("visits");
    stored.insert("level".into(), AttributeValue::Null(true));
    db.plant::<Camel>(stored).await;
    let found = Camel::key("u1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    assert_eq!((found.visits, found.level), (0, 7));
    Ok(())
}

async fn foreign_types_go_through_serde(db: Db) -> Outcome {
    camel().create().send(&db).await?;
    let stored = db.stored(&Camel::key("u1")).await;
    let geo = AttributeValue::L(vec![n("52.5"), n("13.25")]);
    let address = HashMap::from([("zipCode".into(), s("10115")), ("geo".into(), geo)]);
    assert_eq!(stored["address"], AttributeValue::M(address));
    Ok(())
}

async fn foreign_forms_of_time_are_stored(db: Db) -> Outcome {
    camel().create().send(&db).await?;
    let stored = db.stored(&Camel::key("u1")).await;
    assert_eq!(stored["seen"], n(1_714_979_289));
    assert_eq!(stored["seenMs"], n(1_714_979_289_123_i64));
    let AttributeValue::S(text) = &stored["seenText"] else {
        return Err("text".into());
    };
    assert_eq!(moment(text), camel().seen_text);
    Ok(())
}

async fn unknown_attributes_are_ignored(db: Db) -> Outcome {
    let unknown = AttributeValue::L(vec![AttributeValue::M(HashMap::from([("x".into(), n(1))]))]);
    let planted = raw([("id", s("n1")), ("text", s("x")), ("later", unknown)]);
    db.plant::<Note>(planted).await;
    let found = Note::key("n1").get().consistent().send(&db).await?;
    assert_eq!(found, Some(note("n1", "x")));
    Ok(())
}

async fn the_rest_is_kept(db: Db) -> Outcome {
    let order = order("u1", 7).create().send(&db).await?;
    let mut stored = db.stored(&order.key()).await;
    stored.insert("later".into(), AttributeValue::Bs(vec![vec![1].into()]));
    db.plant::<Order>(stored).await;
    let found = order
        .key()
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    let names: Vec<&String> = found.rest.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["extra", "later"]);
    found.put().send(&db).await?;
    let stored = db.stored(&order.key()).await;
    assert_eq!(stored["later"], AttributeValue::Bs(vec![vec![1].into()]));
    assert_eq!(stored["extra"], n(5));
    Ok(())
}

/// A declared attribute in `rest` would make two attributes of one name.
async fn the_rest_never_hides_a_field(db: Db) -> Outcome {
    for name in ["status", "pk", "gsi1pk", "version", "lsi1sk"] {
        let mut order = order("u1", 7);
        order.rest.insert(name, "from the rest");
        match order.put().unchecked().send(&db).await {
            Ok(stored) => {
                let found = db.stored(&stored.key()).await;
                assert_ne!(found[name], s("from the rest"), "{name}");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidValue, "{name}: {error:?}"),
        }
    }
    Ok(())
}

async fn numbers_keep_38_digits(db: Db) -> Outcome {
    for digits in [
        "12345678901234567890123456789012345678",
        "-0.12345678901234567890123456789012345678",
        "9.9999999999999999999999999999999999999e125",
        "1e-130",
        "-1e-130",
        "-9.9999999999999999999999999999999999999e125",
        "0",
        "-0",
        "1e100",
        "100",
        "0.000001",
        "1e-7",
    ] {
        let written = any(digits.parse::<Number>()?);
        written.put().send(&db).await?;
        let found = Any::key("a1").get().consistent().send(&db).await?;
        assert_eq!(found, Some(written), "{digits}");
    }
    Ok(())
}

async fn numbers_beyond_dynamodb_are_refused(_: Db) -> Outcome {
    for digits in [
        "123456789012345678901234567890123456789",
        "1e126",
        "1e-131",
        "NaN",
        "Infinity",
        "",
        "1_000",
        "0x10",
    ] {
        assert!(digits.parse::<Number>().is_err(), "{digits}");
    }
    Ok(())
}

crate::declare! {
    entity Integers(table = "integers", key(pk = id))
        { id: String, a: i8, b: u16, c: i64, d: u64, e: i128, f: u128, g: usize }
}

async fn extreme_integers_come_back(db: Db) -> Outcome {
    let wide = 10_i128.pow(38) - 1;
    for (id, most) in [("least", false), ("most", true)] {
        let integers = Integers {
            id: id.into(),
            a: if most { i8::MAX } else { i8::MIN },
            b: if most { u16::MAX } else { 0 },
            c: if most { i64::MAX } else { i64::MIN },
            d: if most { u64::MAX } else { 0 },
            e: if most { wide } else { -wide },
            f: if most { wide.unsigned_abs() } else { 0 },
            g: if most { usize::MAX } else { 0 },
        };
        integers.create().send(&db).await?;
        assert_eq!(
            integers.key().get().consistent().send(&db).await?,
            Some(integers)
        );
    }
    let too_wide = Integers {
        id: "x".into(),
        a: 0,
        b: 0,
        c: 0,
        d: 0,
        e: wide + 2,
        f: 0,
        g: 0,
    };
    let refused = too_wide.create().send(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::InvalidValue, Some("e"))
    );
    Ok(())
}

crate::declare! { entity Floats(table = "floats", key(pk = id)) { id: String, double: f64, single: f32 } }

async fn floats_come_back(db: Db) -> Outcome {
    for double in [0.1, -0.0, 1e-130, 9.9e125, 1.0 / 3.0, 5e15, f64::EPSILON] {
        let floats = Floats {
            id: "f1".into(),
            double,
            single: 0.1,
        };
        floats.put().send(&db).await?;
        assert_eq!(
            floats.key().get().consistent().send(&db).await?,
            Some(floats)
        );
    }
    for double in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE] {
        let floats = Floats {
            id: "f1".into(),
            double,
            single: 0.1,
        };
        let refused = floats.put().send(&db).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidValue);
        assert_eq!(refused.attribute(), Some("double"));
    }
    Ok(())
}

async fn sets_compare_by_value(db: Db) -> Outcome {
    let set: BTreeSet<Number> = ["1", "10", "9", "-1.5", "1e30"]
        .into_iter()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let written = any(set);
    written.put().send(&db).await?;
    assert_eq!(
        Any::key("a1").get().consistent().send(&db).await?,
        Some(written)
    );
    Ok(())
}

crate::declare! { entity Bytes(table = "bytes", key(pk = id)) { id: String, bytes: Vec<u8>, list: Vec<u16> } }

async fn bytes_are_binary(db: Db) -> Outcome {
    for bytes in [vec![], vec![0], (0..=255).collect()] {
        let written = Bytes {
            id: "b1".into(),
            bytes: bytes.clone(),
            list: vec![1],
        };
        written.put().send(&db).await?;
        let stored = db.stored(&written.key()).await;
        assert_eq!(stored["bytes"], AttributeValue::B(bytes.into()));
        assert_eq!(stored["list"], AttributeValue::L(vec![n(1)]));
        assert_eq!(
            written.key().get().consistent().send(&db).await?,
            Some(written)
        );
    }
    Ok(())
}

crate::declare! {
    entity NastyNames(table = "nasty-names", key(pk = id))
        { #[dynamo(rename = "status")] id: String, #[dynamo(rename = "size")] reserved: String,
          #[dynamo(rename = "a.b[0]")] path: String, #[dynamo(rename = "with space-and:colon#hash")] spaced: String,
          #[dynamo(rename = "qu\"ote\\back'tick`")] quoted: String, #[dynamo(rename = "näme👩‍👩‍👧")] unicode: String,
          #[dynamo(rename = "tab\tnewline\n")] control: String, #[dynamo(rename = ":v0", version)] version: Version,
          #[dynamo(rename = "#n0", ttl)] ttl: Option<i64>,
          #[dynamo(rename = "created at", created_at)] created_at: DateTime<Utc>, names: BTreeMap<String, String> }
}

async fn nasty_names_are_names(db: Db) -> Outcome {
    let names = [
        "", " ", "a.b", "\u{0}", "\u{ffff}", "\"", "\\", "#n0", ":v0", "👻", "status",
    ];
    let names = names.into_iter().filter(|name| !name.is_empty());
    let nasty = NastyNames {
        id: "x".into(),
        reserved: "a".into(),
        path: "b".into(),
        spaced: "c".into(),
        quoted: "d".into(),
        unicode: "e".into(),
        control: "f".into(),
        version: Version::default(),
        ttl: Some(4_000_000_000),
        created_at: DateTime::UNIX_EPOCH,
        names: names.map(|name| (name.into(), name.into())).collect(),
    };
    let created = nasty.create().send(&db).await?;
    assert_eq!(
        created.key().get().consistent().send(&db).await?,
        Some(created.clone())
    );
    let put = created.put().send(&db).await?;
    assert!(created.delete().send(&db).await.unwrap_err().is_conflict());
    assert_eq!(put.delete().returning_old().send(&db).await?, Some(put));
    Ok(())
}

async fn nasty_texts_are_values(db: Db) -> Outcome {
    let every_low: String = (0..=0x2ff).filter_map(char::from_u32).collect();
    for text in [
        "",
        "\u{0}",
        "\u{1f}\u{7f}\u{80}",
        "\u{d7ff}\u{e000}",
        "\u{fffe}\u{ffff}",
        "\u{10ffff}",
        "\"}],{",
        "\\\\\"",
        "\\u0000",
        "\u{2028}\u{2029}",
        "</script>",
        "👩‍👩‍👧🏳️‍🌈",
        &every_low,
    ] {
        let written = note("n1", text);
        assert_eq!(written.put().send(&db).await?, written);
        assert_eq!(db.stored(&written.key()).await["text"], s(text));
        assert_eq!(
            written.key().get().consistent().send(&db).await?,
            Some(written),
            "{text:?}"
        );
    }
    Ok(())
}

fn nested(levels: usize, map: bool) -> Value {
    (0..levels).fold(Value::from("x"), |value, _| match map {
        true => Value::M([("k", value)].into_iter().collect()),
        false => Value::L(vec![value]),
    })
}

async fn thirty_two_levels_with_the_item_are_accepted(db: Db) -> Outcome {
    for map in [false, true] {
        let deep = any(nested(31, map));
        deep.put().send(&db).await?;
        assert_eq!(
            Any::key("a1").get().consistent().send(&db).await?,
            Some(deep)
        );
        let (faulty, http) = db.faulty([]);
        let refused = any(nested(32, map)).put().send(&faulty).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidValue);
        assert!(
            refused
                .attribute()
                .is_some_and(|path| path.starts_with("value"))
        );
        assert!(http.calls().is_empty());
    }
    Ok(())
}

async fn empty_containers_stay(db: Db) -> Outcome {
    for value in [
        Value::L(Vec::new()),
        Value::M(Item::new()),
        Value::S(String::new()),
        Value::B(Vec::new()),
        Value::Null,
        Value::Bool(false),
    ] {
        let written = any(value);
        written.put().send(&db).await?;
        assert_eq!(
            Any::key("a1").get().consistent().send(&db).await?,
            Some(written)
        );
    }
    Ok(())
}

crate::declare! { entity Tally(table = "tallies", key(pk = id)) { id: String, by_day: BTreeMap<u32, String> } }

async fn no_entry_of_a_map_is_lost(_: Db) -> Outcome {
    let read = |days: [&str; 2]| {
        let days: Item = days.into_iter().map(|day| (day, day)).collect();
        let item: Item = [("id", "t1".into()), ("by_day", Value::M(days))]
            .into_iter()
            .collect();
        Tally::from_item(item)
    };
    assert_eq!(read(["05", "6"])?.by_day.len(), 2);
    let error = read(["05", "5"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.attribute(), Some("by_day"));
    Ok(())
}

/// A foreign type whose values can be written but not read.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct OneWay(u32);

impl<'de> Deserialize<'de> for OneWay {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("never"))
    }
}

crate::declare! { entity Trap(table = "one-way", key(pk = id)) { id: String, #[dynamo(serde)] inner: OneWay } }

async fn what_would_not_read_back_is_not_written(db: Db) -> Outcome {
    let trap = Trap {
        id: "t".into(),
        inner: OneWay(1),
    };
    let refused = trap.put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert_eq!(db.raw(&Trap::key("t")).await, None);
    Ok(())
}

crate::declare! {
    entity Visit(table = "visits", key(pk = "SITE#{site}", sk = "{day}#{visitor}"))
        { site: String, day: chrono::NaiveDate, visitor: u16, pages: u32 }
}

async fn a_missing_attribute_is_parsed_from_the_key(db: Db) -> Outcome {
    let visit = Visit {
        site: "a#b".into(),
        day: chrono::NaiveDate::from_ymd_opt(2024, 2, 29).ok_or("a day")?,
        visitor: 7,
        pages: 3,
    };
    let row = raw([
        ("pk", s("SITE#a%23b")),
        ("sk", s("2024-02-29#00007")),
        ("pages", n(3)),
    ]);
    db.plant::<Visit>(row).await;
    assert_eq!(visit.key().get().send(&db).await?, Some(visit));
    Ok(())
}
