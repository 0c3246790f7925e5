//! Exports and imports: a file has every row as it is stored, and a table that is imported is the same table.

mod changing;
mod copy_guards;
mod copying;
mod csv;
mod files;
mod folder_rows;
mod folders;
mod hostile;
mod interrupted;
mod unique_values;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::{Number, Timestamp, Value};

use crate::support::suite::Test;

pub fn tests() -> Vec<Test> {
    let all = [
        changing::tests(),
        copy_guards::tests(),
        copying::tests(),
        csv::tests(),
        files::tests(),
        folder_rows::tests(),
        folders::tests(),
        hostile::tests(),
        interrupted::tests(),
        unique_values::tests(),
    ];
    all.into_iter().flatten().collect()
}

const FORMATS: [RowFormat; 2] = [RowFormat::Json, RowFormat::DynamoJson];

crate::declare! {
    pub(super) table Depot(name = "depot", pk = "pk", sk = "sk", entities(Part, Note),
        gsi(gsi1, pk = "g1pk", sk = "g1sk"));
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub(super) struct Measure {
    pub(super) amount: Number,
    pub(super) mark: Vec<u8>,
    pub(super) more: Option<Box<Value>>,
}

crate::declare! {
    /// An entity with a field of each kind.
    pub(super) entity Part(table = Depot, key(pk = "PART#{group}", sk = "{number:05}"),
        gsi(by_label, on = gsi1, pk = "L#{label}", sk = "{number:05}"), unique(by_serial, serial))
        { pub(super) group: String, pub(super) number: u32, pub(super) label: Option<String>,
          pub(super) serial: String, pub(super) exact: Number, pub(super) bytes: Vec<u8>,
          pub(super) tags: HashSet<String>, pub(super) sizes: BTreeSet<Number>, pub(super) is_new: bool,
          pub(super) measures: Vec<Measure>, pub(super) by_name: BTreeMap<String, u64>, pub(super) any: Option<Value>,
          #[dynamo(rest)] pub(super) rest: Item, #[dynamo(version)] pub(super) version: Version,
          #[dynamo(created_at)] pub(super) created_at: Option<Timestamp>,
          #[dynamo(ttl)] pub(super) expires_at: Option<Timestamp> }
    pub(super) entity Note(table = Depot, key(pk = "NOTE#{id}", sk = "NOTE"))
        { pub(super) id: u32, pub(super) text: String, #[dynamo(version)] pub(super) version: Version }
}

pub(super) fn note(id: u32) -> Note {
    Note {
        id,
        text: format!("text {id}"),
        version: Version::default(),
    }
}

/// A text with everything that JSON and lines treat in a special way.
fn text(random: &mut fastrand::Rng) -> String {
    const PARTS: [&str; 14] = [
        "a",
        "\n",
        "\r\n",
        "\"",
        "\\",
        "\u{feff}",
        "\u{2028}",
        "ä",
        "𝄞",
        "$",
        "{\"$B\":\"\"}",
        "#",
        "%",
        "\u{1}",
    ];
    (0..random.usize(1..6))
        .map(|_| PARTS[random.usize(..PARTS.len())])
        .collect()
}

fn number(random: &mut fastrand::Rng) -> Number {
    let digits: String = (0..random.usize(1..=38))
        .map(|_| random.digit(10))
        .collect();
    let sign = if random.bool() { "-" } else { "" };
    let exponent = random.i32(-80..80);
    format!("{sign}{digits}e{exponent}")
        .parse()
        .expect("in range")
}

fn bytes(random: &mut fastrand::Rng) -> Vec<u8> {
    (0..random.usize(1..9)).map(|_| random.u8(..)).collect()
}

/// Any value, with at most so many levels of lists and maps.
fn value(random: &mut fastrand::Rng, levels: usize) -> Value {
    let most = if levels == 0 { 8 } else { 11 };
    match random.usize(0..most) {
        0 => Value::S(text(random)),
        1 => Value::N(number(random)),
        2 => Value::B(bytes(random)),
        3 => Value::Bool(random.bool()),
        4 => Value::Null,
        5 => Value::Ss((0..2).map(|_| text(random)).collect()),
        6 => Value::Ns((0..2).map(|_| number(random)).collect()),
        7 => Value::Bs((0..2).map(|_| bytes(random)).collect()),
        8 => Value::L((0..2).map(|_| value(random, levels - 1)).collect()),
        // Maps that look like the marks of other types.
        9 => {
            let names = ["$B", "$SS", "$NS", "$M", "$", "$x"];
            let name = names[random.usize(..names.len())];
            Value::M(Item::from_iter([(name, value(random, levels - 1))]))
        }
        _ => Value::M(
            (0..2)
                .map(|_| (text(random), value(random, levels - 1)))
                .collect(),
        ),
    }
}

/// A value of an optional field, for which NULL is none.
fn present(random: &mut fastrand::Rng, levels: usize) -> Option<Value> {
    let value = random.bool().then(|| value(random, levels));
    value.filter(|value| *value != Value::Null)
}

pub(super) fn part(random: &mut fastrand::Rng, number_of_part: u32) -> Part {
    let has = |random: &mut fastrand::Rng| random.bool();
    Part {
        group: text(random),
        number: number_of_part,
        label: has(random).then(|| text(random)),
        serial: format!("{number_of_part} {}", text(random)),
        exact: number(random),
        bytes: bytes(random),
        tags: (0..random.usize(0..3)).map(|_| text(random)).collect(),
        sizes: (0..random.usize(0..3)).map(|_| number(random)).collect(),
        is_new: random.bool(),
        measures: (0..random.usize(0..3))
            .map(|_| Measure {
                amount: number(random),
                mark: bytes(random),
                more: present(random, 2).map(Box::new),
            })
            .collect(),
        by_name: (0..random.usize(0..3))
            .map(|_| (text(random), random.u64(..)))
            .collect(),
        any: present(random, 3),
        rest: match random.bool() {
            true => Item::from_iter([("unknown", value(random, 3))]),
            false => Item::new(),
        },
        version: Version::default(),
        created_at: None,
        expires_at: has(random).then(|| Timestamp::from_unix(4_000_000_000, 0).expect("a time")),
    }
}

/// Every item of the table, sorted by its key.
pub(super) async fn every_item(db: &Dynamo) -> Result<Vec<Item>> {
    let scan = Depot::schema().scan_items()?.consistent();
    let mut items = scan.all(db).await?;
    let key = |item: &Item, name: &str| item.get(name).and_then(Value::as_text).map(str::to_owned);
    items.sort_by_key(|item| (key(item, "pk"), key(item, "sk")));
    Ok(items)
}

/// Compares without printing whole tables.
pub(super) fn assert_same(found: &[Item], expected: &[Item], seed: u64) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "seed {seed}");
    }
    assert_eq!(found.len(), expected.len(), "seed {seed}");
}

pub(super) fn sorted_lines(file: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}
