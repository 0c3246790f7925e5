//! Items: conversions from and to other representations, damaged items (V3), and the reader of DynamoDB JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base64_simd::STANDARD as BASE64;
use dynamo_entity::__private::EntityContract;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::{CodecError, Reader};
use dynamo_entity::prelude::*;
use dynamo_entity::{DynamoValue, Number, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::{Deserialize, Serialize};

use crate::{config, config_of_half, given};

// --- other representations

/// What plain JSON turns a value into: a set becomes a list, bytes become base64 text, and a number that
/// readers of JSON would round becomes text.
fn in_plain_json(value: &Value) -> Value {
    match value {
        Value::N(number) => match serde_json::to_value(number).unwrap() {
            serde_json::Value::String(text) => Value::S(text),
            _ => Value::N(number.clone()),
        },
        Value::B(bytes) => Value::S(BASE64.encode_to_string(bytes)),
        Value::L(list) => Value::L(list.iter().map(in_plain_json).collect()),
        Value::M(item) => Value::M(item_in_plain_json(item)),
        Value::Ss(set) => Value::L(set.iter().cloned().map(Value::S).collect()),
        Value::Ns(set) => Value::L(
            set.iter()
                .cloned()
                .map(Value::N)
                .map(|n| in_plain_json(&n))
                .collect(),
        ),
        Value::Bs(set) => Value::L(
            set.iter()
                .map(|bytes| Value::S(BASE64.encode_to_string(bytes)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn item_in_plain_json(item: &Item) -> Item {
    item.iter()
        .map(|(name, value)| (name.clone(), in_plain_json(value)))
        .collect()
}

/// An entity that serde and the library describe in the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DynamoEntity)]
#[dynamo(table = "both", key(pk = id, sk = at))]
struct Both {
    id: String,
    at: i64,
    truth: bool,
    one: char,
    ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    maybe: Option<u32>,
    list: Vec<Part>,
    map: BTreeMap<String, Vec<i16>>,
    tuple: (u8, String),
    status: Status,
    part: Part,
    boxed: Box<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DynamoValue)]
struct Part {
    #[serde(rename = "the name")]
    #[dynamo(rename = "the name")]
    name: String,
    wide: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, DynamoValue)]
enum Status {
    Paid,
    Sent,
}

/// Numbers as JSON writes them, near the limits of floats and of 64-bit integers.
fn json_number() -> impl Strategy<Value = String> {
    let digits = prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        any::<u128>().prop_map(|n| n.to_string()),
        (50u32..70, -3i8..=3).prop_map(|(bits, by)| (2i128.pow(bits) + i128::from(by)).to_string()),
        "[1-9][0-9]{0,41}",
    ];
    let fraction = proptest::option::of("[0-9]{1,20}");
    let exponent = proptest::option::of(-20i32..40);
    (any::<bool>(), digits, fraction, exponent).prop_map(|(minus, digits, fraction, exponent)| {
        let sign = if minus { "-" } else { "" };
        let fraction = fraction
            .map(|digits| format!(".{digits}"))
            .unwrap_or_default();
        let exponent = exponent.map(|by| format!("e{by}")).unwrap_or_default();
        format!("{sign}{digits}{fraction}{exponent}")
    })
}

fn part() -> impl Strategy<Value = Part> {
    (given::any_text(), given::u64()).prop_map(|(name, wide)| Part { name, wide })
}

fn both() -> impl Strategy<Value = Both> {
    (
        (
            given::text(),
            given::i64(),
            any::<bool>(),
            given::character(),
        ),
        (-1000i32..1000, 0i32..4, proptest::option::of(given::u32())),
        vec(part(), 0..3),
        proptest::collection::btree_map(given::any_text(), vec(given::i16(), 0..3), 0..3),
        (any::<u8>(), given::any_text()),
        (select(&[Status::Paid, Status::Sent][..]), part(), part()),
    )
        .prop_map(
            |((id, at, truth, one), (n, scale, maybe), list, map, tuple, (status, part, boxed))| {
                Both {
                    id,
                    at,
                    truth,
                    one,
                    ratio: f64::from(n) / 10f64.powi(scale),
                    maybe,
                    list,
                    map,
                    tuple,
                    status,
                    part,
                    boxed: Box::new(boxed),
                }
            },
        )
}

proptest! {
    #![proptest_config(config())]

    /// The SDK's map and serde_dynamo lose nothing. Plain JSON converts values as the documentation says.
    #[test]
    fn other_representations_hold_the_same(item in given::item()) {
        let map: HashMap<String, AttributeValue> = item.clone().into();
        prop_assert_eq!(map.len(), item.len());
        prop_assert_eq!(&Item::from(map), &item);
        let foreign: serde_dynamo::Item = item.clone().into();
        prop_assert_eq!(&Item::from(foreign), &item);

        let expected = item_in_plain_json(&item);
        let text = serde_json::to_string(&item).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Item>(&text).unwrap(), &expected, "{}", text);
        let value = serde_json::to_value(&item).unwrap();
        prop_assert_eq!(serde_json::from_value::<Item>(value).unwrap(), expected);
    }

    /// A number becomes a JSON number only if it reads back as the same number. Otherwise it becomes text
    /// with all digits.
    #[test]
    fn plain_json_keeps_numbers_exact(number in given::number()) {
        let text = serde_json::to_string(&number).unwrap();
        match serde_json::from_str::<Item>(&format!("{{\"n\":{text}}}")).unwrap().get("n") {
            Some(Value::N(read)) => prop_assert_eq!(read, &number, "{}", text),
            Some(Value::S(read)) => prop_assert_eq!(read, number.as_str()),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// A number that is read from JSON text is kept exactly if DynamoDB can store it, and refused if not. The
    /// same holds through serde, with one exception: serde hands over a float, so a fraction with many digits
    /// cannot be told from a fraction of up to 15 digits that has the same float.
    #[test]
    fn plain_json_is_read_exactly_or_not_at_all(text in json_number()) {
        let json = format!("{{\"n\":[{text}]}}");
        let exact = text.parse::<Number>().ok();
        let read = |item: Option<Item>| match item?.get("n") {
            Some(Value::L(list)) => list.first()?.as_number().cloned(),
            _ => None,
        };
        prop_assert_eq!(read(Item::from_json(&json).ok()), exact.clone(), "{}", text);
        match read(serde_json::from_str(&json).ok()) {
            Some(number) if Some(&number) != exact.as_ref() => {
                let is_whole = exact.is_some_and(|exact| !exact.as_str().contains(['.', 'E']));
                prop_assert!(!is_whole, "{} is no {}", number, text);
                let [read, given]: [f64; 2] = [number.as_str(), &text].map(|text| text.parse().unwrap());
                // With its default features, serde_json may be wrong in the last bit.
                prop_assert!((read / given - 1.0).abs() < 1e-15, "{} is no {}", number, text);
            }
            Some(_) => {}
            None => prop_assert!(text.parse::<i64>().is_err() && text.parse::<u64>().is_err(), "{}", text),
        }
    }

    /// A number that every reader of JSON keeps exact stays a number in JSON.
    #[test]
    fn plain_json_shows_usual_numbers_as_numbers(wide in any::<i64>(), n in -999_999_999_999_999i64..=999_999_999_999_999, scale in 0i64..=22, tens in 0i64..=3) {
        for text in [wide.to_string(), wide.unsigned_abs().to_string(), format!("{n}e-{scale}"), format!("{n}e{tens}")] {
            let number: Number = text.parse().unwrap();
            prop_assert!(serde_json::to_value(&number).unwrap().is_number(), "{}", number);
        }
    }

}

proptest! {
    #![proptest_config(config_of_half())]

    #[test]
    fn serde_dynamo_writes_the_same_where_both_mean_the_same(entity in both()) {
        let ours = entity.to_item()?;
        let theirs: serde_dynamo::Item = serde_dynamo::to_item(&entity).unwrap();
        prop_assert_eq!(&Item::from(theirs.clone()), &ours);
        prop_assert_eq!(&serde_dynamo::from_item::<_, Both>(serde_dynamo::Item::from(ours)).unwrap(), &entity);
        prop_assert_eq!(Both::from_item(theirs)?, entity);
    }
}

// --- damage

crate::declare! {
    entity Order(table = "orders", key(pk = "ORDER#{id}", sk = "{day}#{n}"))
        { #[dynamo(skip)] id: String, #[dynamo(skip)] day: chrono::NaiveDate, n: u16, total: Number, lines: Vec<Line>,
          by_name: BTreeMap<String, Line>, payment: Payment, tags: HashSet<String>, counts: BTreeSet<i32>,
          note: Option<String>, at: chrono::DateTime<chrono::Utc>, key: uuid::Uuid, pair: (u8, bool),
          #[dynamo(default)] extra: u8, #[dynamo(version)] version: Version, #[dynamo(rest)] rest: Item }
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Line {
    sku: String,
    qty: u32,
    sub: Vec<Line>,
    note: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind")]
enum Payment {
    Cash,
    Card { number: String, month: u8 },
    Split(u32, u32),
}

fn line() -> impl Strategy<Value = Line> {
    let leaf = (
        given::any_text(),
        given::u32(),
        proptest::option::of(-8i8..8),
    )
        .prop_map(|(sku, qty, note)| Line {
            sku,
            qty,
            sub: vec![],
            note: note.map(f64::from),
        });
    leaf.prop_recursive(2, 3, 2, |inner| {
        (given::any_text(), vec(inner, 0..2)).prop_map(|(sku, sub)| Line {
            sku,
            qty: 1,
            sub,
            note: None,
        })
    })
}

fn payment() -> impl Strategy<Value = Payment> {
    prop_oneof![
        Just(Payment::Cash),
        (given::any_text(), any::<u8>())
            .prop_map(|(number, month)| Payment::Card { number, month }),
        any::<(u32, u32)>().prop_map(|(a, b)| Payment::Split(a, b)),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    (
        (
            given::text(),
            given::chrono_date(),
            any::<u16>(),
            given::number(),
        ),
        (
            vec(line(), 0..3),
            proptest::collection::btree_map(given::any_text(), line(), 0..2),
            payment(),
        ),
        (
            proptest::collection::hash_set(given::any_text(), 0..3),
            proptest::collection::btree_set(given::i32(), 0..3),
        ),
        (
            proptest::option::of(given::any_text()),
            given::chrono_utc(),
            given::uuid(),
            any::<(u8, bool)>(),
        ),
        (any::<u8>(), 1u64..1000),
    )
        .prop_map(
            |(
                (id, day, n, total),
                (lines, by_name, payment),
                (tags, counts),
                (note, at, key, pair),
                (extra, version),
            )| Order {
                id,
                day,
                n,
                total,
                lines,
                by_name,
                payment,
                tags,
                counts,
                note,
                at,
                key,
                pair,
                extra,
                version: Version::from(version),
                rest: Item::new(),
            },
        )
}

const REQUIRED: [&str; 9] = [
    "pk", "sk", "total", "lines", "by_name", "payment", "at", "key", "pair",
];
/// `n` is also a part of the key and can be read from there.
const FREE: [&str; 6] = ["n", "tags", "counts", "note", "extra", "version"];

proptest! {
    #![proptest_config(config_of_half())]

    /// Law V3: an attribute is missing or has a wrong value. The error names it with the path to what is
    /// wrong within the value, and nothing panics.
    #[test]
    fn damaged_items_name_the_path(order in order(), at in any::<Index>(), what in 0u8..5, name in select([&REQUIRED[..], &FREE[..]].concat()), by in proptest::option::of(given::value())) {
        let whole = order.to_item()?;
        let mut item = whole.clone();
        match by.clone() {
            Some(value) => item.insert(name, value),
            None => item.remove(name),
        };
        match (Order::from_item(item), by) {
            (Ok(read), None) => {
                prop_assert!(FREE.contains(&name), "{} may be absent", name);
                prop_assert_eq!(&read.id, &order.id, "and nothing else changed");
                prop_assert_eq!(&read.lines, &order.lines);
                prop_assert_eq!(read.n, order.n);
            }
            (Ok(_), Some(_)) => {}
            (Err(error), by) => {
                prop_assert!(by.is_some() || REQUIRED.contains(&name), "{}", error);
                let is_of_key = by.is_some() && error.key_attribute().is_some();
                let kind = if is_of_key { ErrorKind::KeyMismatch } else { ErrorKind::Decode };
                prop_assert_eq!(error.kind(), kind, "{}", error);
                prop_assert_eq!(error.entity(), Some("Order"));
                let path = error.attribute().or(error.key_attribute()).unwrap_or_default();
                let start = path.split(['.', '[']).next();
                let is_key = error.key_attribute() == Some(name);
                prop_assert!(start == Some(name) || is_key, "{} instead of {}", error, name);
            }
        }

        let mut item = whole;
        let mut damage = |name: &str, change: &dyn Fn(&mut Value)| {
            let mut value = item.remove(name).unwrap();
            change(&mut value);
            item.insert(name, value);
        };
        let expected = match what {
            0 if !order.lines.is_empty() => {
                let at = at.index(order.lines.len());
                damage("lines", &|value| {
                    let Value::L(lines) = value else { return };
                    let Value::M(line) = &mut lines[at] else { return };
                    line.insert("qty", "x");
                });
                format!("lines[{at}].qty")
            }
            1 if !order.lines.is_empty() => {
                let at = at.index(order.lines.len());
                damage("lines", &|value| {
                    let Value::L(lines) = value else { return };
                    let Value::M(line) = &mut lines[at] else { return };
                    line.insert("sub", Value::L(vec![Value::M([("sku", 1)].into_iter().collect())]));
                });
                format!("lines[{at}].sub[0].sku")
            }
            2 => {
                damage("pair", &|value| {
                    let Value::L(pair) = value else { return };
                    pair[1] = Value::from(1);
                });
                "pair[1]".to_owned()
            }
            3 => {
                damage("payment", &|value| {
                    *value = Value::M([("kind", "Split"), ("value", "2")].into_iter().collect());
                });
                "payment.value".to_owned()
            }
            _ => {
                damage("payment", &|value| *value = Value::M([("kind", "Barter")].into_iter().collect()));
                "payment.kind".to_owned()
            }
        };
        let error = Order::from_item(item).unwrap_err();
        prop_assert_eq!(error.attribute(), Some(expected.as_str()), "{}", error);
    }
}

// --- the reader

/// Random choices between spellings, all derived from one seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // These are the constants of Knuth's MMIX generator.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn space(&mut self, out: &mut String) {
        if self.roll(4) == 0 {
            out.push_str([" ", "\n", "\r\n", "\t ", "  "][self.roll(5) as usize]);
        }
    }

    fn token(&mut self, token: &str, out: &mut String) {
        self.space(out);
        out.push_str(token);
        self.space(out);
    }

    fn string(&mut self, text: &str, out: &mut String) {
        self.space(out);
        out.push('"');
        for c in text.chars() {
            let must = c < ' ' || c == '"' || c == '\\';
            if !must && self.roll(5) > 0 {
                out.push(c);
                continue;
            }
            let short = match c {
                '"' => "\\\"",
                '\\' => "\\\\",
                '/' => "\\/",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                '\u{8}' => "\\b",
                '\u{c}' => "\\f",
                _ => "",
            };
            if !short.is_empty() && self.roll(2) == 0 {
                out.push_str(short);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                let upper = self.roll(2) == 0;
                out.push_str(&if upper {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                });
            }
        }
        out.push('"');
        self.space(out);
    }

    /// Writes the same number in another spelling.
    fn number(&mut self, number: &Number, out: &mut String) {
        let text = number.as_str();
        let text = match self.roll(4) {
            0 if !text.contains(['.', 'E']) => format!("{text}.0"),
            1 if !text.contains('E') => format!("{text}E+0"),
            2 if !text.starts_with('-') => format!("0{text}"),
            _ => text.to_owned(),
        };
        self.string(&text, out);
    }

    fn all<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        out: &mut String,
        each: impl Fn(&mut Self, T, &mut String),
    ) {
        let mut values: Vec<T> = values.into_iter().collect();
        let by = if values.is_empty() {
            0
        } else {
            self.roll(values.len() as u64) as usize
        };
        values.rotate_left(by);
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                self.token(",", out);
            }
            each(self, value, out);
        }
    }

    fn value(&mut self, value: &Value, out: &mut String) {
        self.token("{", out);
        self.string(value.tag().name(), out);
        self.token(":", out);
        match value {
            Value::S(text) => self.string(text, out),
            Value::N(number) => self.number(number, out),
            Value::B(bytes) => self.string(&BASE64.encode_to_string(bytes), out),
            Value::Bool(value) => self.token(&value.to_string(), out),
            Value::L(list) => {
                self.token("[", out);
                for (at, value) in list.iter().enumerate() {
                    if at > 0 {
                        self.token(",", out);
                    }
                    self.value(value, out);
                }
                self.token("]", out);
            }
            Value::M(map) => self.item(map, out),
            Value::Ss(set) => {
                self.token("[", out);
                self.all(set, out, |dice, text, out| dice.string(text, out));
                self.token("]", out);
            }
            Value::Ns(set) => {
                self.token("[", out);
                self.all(set, out, |dice, number, out| dice.number(number, out));
                self.token("]", out);
            }
            Value::Bs(set) => {
                self.token("[", out);
                self.all(set, out, |dice, bytes, out| {
                    dice.string(&BASE64.encode_to_string(bytes), out)
                });
                self.token("]", out);
            }
            _ => self.token("true", out),
        }
        self.token("}", out);
    }

    fn item(&mut self, item: &Item, out: &mut String) {
        self.token("{", out);
        self.all(item, out, |dice, (name, value), out| {
            dice.string(name, out);
            dice.token(":", out);
            dice.value(value, out);
        });
        self.token("}", out);
    }
}

/// The DynamoDB JSON of an item; the seed chooses the spelling.
fn spelt(item: &Item, seed: u64) -> String {
    let mut out = String::new();
    Dice(seed).item(item, &mut out);
    out
}

/// Reads an item through the public API, as the map of a value.
fn read_item(json: &[u8]) -> Result<Item, CodecError> {
    let json = [b"{\"M\":", json, b"}"].concat();
    Item::decode(&mut Reader::new(&json))
}

/// Runs everything that reads bytes. Nothing may panic, and what was read can be written.
fn read_all(json: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(item) = read_item(json) {
        prop_assert_eq!(&read_item(spelt(&item, 0).as_bytes()).unwrap(), &item);
    }
    if let Ok(order) = Order::decode(&mut Reader::new(json)) {
        prop_assert_eq!(Order::from_item(order.to_item()?)?, order);
    }
    let _ = Value::decode(&mut Reader::new(json));
    let _ = <Order as DynamoEntity>::KeyParts::read(&mut Reader::new(json));
    let mut reader = Reader::new(json);
    while reader.skip().is_ok() {}
    Ok(())
}

use dynamo_entity::entity::KeyParts;

fn damage(json: &mut Vec<u8>, at: &Index, kind: u8, byte: u8) {
    if json.is_empty() {
        return;
    }
    let at = at.index(json.len());
    match kind {
        0 => json.truncate(at),
        1 => json[at] = byte,
        2 => drop(json.remove(at)),
        3 => json.insert(at, byte),
        4 => json[at] = b"\"\\{}[]:,u0eE-+.tfnSNBLM"[usize::from(byte) % 23],
        _ => {
            let behind = json.split_off(at);
            json.extend_from_slice(&behind[..behind.len().min(8)]);
            json.extend(behind);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    /// White space, escapes, the spelling of numbers and the order of names make no difference. JSON that is
    /// cut short is never read as a smaller item.
    #[test]
    fn every_spelling_reads_the_same(item in given::item(), seed in any::<u64>(), at in any::<Index>()) {
        let json = spelt(&item, seed);
        prop_assert_eq!(&read_item(json.as_bytes()).unwrap(), &item, "{}", json);
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON to others, too");
        let json = json.trim_end();
        let cut = &json.as_bytes()[..at.index(json.len())];
        let cut = [b"{\"M\":", cut].concat();
        let read = Item::decode(&mut Reader::new(&cut));
        prop_assert!(read.is_err());
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in vec(any::<u8>(), 0..40), text in "[{}\\[\\]:,\"\\\\SNBLMULOtrue 01-]{0,40}") {
        read_all(&bytes)?;
        read_all(text.as_bytes())?;
    }

}

proptest! {
    #![proptest_config(config_of_half())]

    #[test]
    fn every_spelling_decodes_the_same_and_damage_does_not_panic(order in order(), seed in any::<u64>(), damages in vec((any::<Index>(), 0u8..6, any::<u8>()), 1..4)) {
        let json = spelt(&order.to_item()?, seed);
        let read = Order::decode(&mut Reader::new(json.as_bytes()));
        prop_assert_eq!(&read.unwrap(), &order, "{}", json);
        let mut json = json.into_bytes();
        for (at, kind, byte) in &damages {
            damage(&mut json, at, *kind, *byte);
        }
        read_all(&json)?;
    }
}
