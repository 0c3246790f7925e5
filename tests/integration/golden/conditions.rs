//! Golden tests of conditions: each is written, read back, and applied to every row by the engine and by the
//! model.

use std::ops::{Bound, Not};

use dynamo_entity::Value;
use dynamo_entity::codec::Tag;
use dynamo_entity::expr::{Condition, all, any};
use dynamo_entity::plan::Explanation;
use dynamo_entity::prelude::*;
use serde_json::Value as Json;

use super::thing::{
    Kind, Owner, Paths, Payment, Points, Spot, Thing, full, key, plant, rows, spot, tree,
};
use super::{compare, line, show};
use crate::support::clock::moment;
use crate::support::db::Db;
use crate::support::grammar::Written;
use crate::support::suite::Outcome;

struct Case {
    source: &'static str,
    condition: fn(Paths) -> Condition<Thing>,
}

macro_rules! cases {
    ($t:ident; $($condition:expr;)*) => {
        &[$(Case {
            source: stringify!($condition),
            condition: |$t: Paths| {
                let _ = $t;
                $condition
            },
        }),*]
    };
}

fn texts(count: usize) -> Vec<String> {
    (0..count)
        .map(|at| format!("t{at}"))
        .chain(["Hello".to_owned()])
        .skip(1)
        .collect()
}

fn none<T>() -> Vec<T> {
    Vec::new()
}

fn day(text: &str) -> chrono::NaiveDate {
    text.parse().expect("a day")
}

fn number(text: &str) -> dynamo_entity::Number {
    text.parse().expect("a number")
}

fn set<T: Ord, const N: usize>(elements: [T; N]) -> std::collections::BTreeSet<T> {
    elements.into()
}

fn map<const N: usize>(entries: [(&str, i64); N]) -> std::collections::BTreeMap<String, i64> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn hashed(elements: &[&str]) -> std::collections::HashSet<String> {
    elements.iter().map(|&text| text.to_owned()).collect()
}

const CASES: &[&[Case]] = &[
    TEXT,
    NUMBERS,
    OTHERS,
    OPTIONS,
    COLLECTIONS,
    NESTED,
    NAMES,
    PAIRS,
    LISTS,
    JOINED,
];

const TEXT: &[Case] = cases![t;
    t.text().eq("Hello");
    t.text().eq(String::from("hello"));
    t.text().eq(&String::from("Hello"));
    t.text().eq("");
    t.text().ne("Hello");
    t.text().lt("a");
    t.text().le("Hello");
    t.text().gt("Hello");
    t.text().ge("hello");
    t.text().between("A".."Hello");
    t.text().between("A"..="Hello");
    t.text().between((Bound::Excluded("A"), Bound::Included("Hello")));
    t.text().between((Bound::Excluded("A"), Bound::Excluded("Hello")));
    t.text().between((Bound::Included("A"), Bound::Excluded("Hello")));
    t.text().between((Bound::Excluded("Hello"), Bound::Included("Hello")));
    t.text().between((Bound::Unbounded, Bound::Excluded("Hello")));
    t.text().between((Bound::Excluded("A"), Bound::Unbounded));
    t.text().between((Bound::<&str>::Unbounded, Bound::Unbounded));
    t.text().between("Hello"..="A");
    t.text().between("Hello".."Hello");
    t.text().starts_with("He");
    t.text().starts_with("");
    t.text().contains("ell");
    t.text().contains(String::from("ELL"));
    t.text().contains('H'.to_string());
    t.text().exists();
    t.text().missing();
    t.text().is_type(Tag::S);
    t.text().is_type(Tag::N);
    t.text().size().eq(5);
    t.text().size().ne(5);
    t.text().size().lt(5);
    t.text().size().le(5);
    t.text().size().gt(5);
    t.text().size().ge(5);
    t.text().size().between(1..5);
    t.text().size().between(1..=5);
    t.text().size().between(5..5);
    t.text().eq("\"\\\u{1}ü🎈");
];

const NUMBERS: &[Case] = cases![t;
    t.count().eq(5);
    t.count().eq(&5);
    t.count().ne(-5);
    t.count().lt(0);
    t.count().le(-5);
    t.count().gt(i64::MIN);
    t.count().ge(i64::MAX);
    t.count().between(-5..5);
    t.count().between(-5..=5);
    t.count().between(5..=-5);
    t.count().is_type(Tag::N);
    t.small().eq(200);
    t.small().lt(u8::MAX);
    t.big().eq(10_u128.pow(37));
    t.big().lt(10_u128.pow(38) - 1);
    t.big().lt(u128::MAX);
    t.ratio().eq(1.5);
    t.ratio().between(1e-9..=1e9);
    t.ratio().eq(f64::NAN);
    t.exact().eq(number("0.10000000000000000000000000000000000001"));
    t.exact().gt(number("0.1"));
    t.price().eq(rust_decimal::dec!(12.5));
    t.price().ge(rust_decimal::dec!(100));
    t.price().between(rust_decimal::dec!(-1)..=rust_decimal::dec!(12.50));
    t.points().eq(Points(10));
    t.points().lt(Points(11));
    t.no().eq(1);
];

const OTHERS: &[Case] = cases![t;
    t.id().eq("t");
    t.id().starts_with("t");
    t.on().eq(true);
    t.on().ne(true);
    t.on().is_type(Tag::Bool);
    t.kind().eq(Kind::Book);
    t.kind().ne(Kind::Record);
    t.kind().is_in([Kind::Book, Kind::Record]);
    t.owner().eq(Owner("ann".into()));
    t.owner().starts_with("a");
    t.owner().contains("nn");
    t.owner().size().eq(3);
    t.at().eq(moment("2024-05-06T07:08:09.5Z"));
    t.at().lt(moment("2025-01-01T00:00:00Z"));
    t.at().between(moment("2024-01-01T00:00:00Z")..moment("2025-01-01T00:00:00Z"));
    t.day().ge(day("2024-05-06"));
    t.day().between(day("2024-05-07")..=day("2024-05-01"));
    t.seen().eq(moment("2024-05-06T07:08:09Z"));
    t.seen().gt(moment("2024-05-06T07:08:08Z"));
    t.uuid().eq(uuid::Uuid::from_u128(7));
    t.uuid().lt(uuid::Uuid::from_u128(8));
    t.bytes().eq(vec![1, 2, 255]);
    t.bytes().gt(vec![1, 2]);
    t.bytes().between(vec![1]..=vec![2]);
    t.bytes().between(vec![255]..=vec![1]);
    t.bytes().starts_with([1, 2]);
    t.bytes().contains(255);
    t.bytes().contains(&[2, 255][..]);
    t.bytes().size().eq(3);
    t.bytes().len().eq(3);
    t.bytes().is_type(Tag::B);
    t.blob().eq(bytes::Bytes::from_static(b"blob"));
    t.blob().starts_with(b"bl");
    t.blob().contains(b"lo");
    t.raster().starts_with([0]);
    t.raster().size().ge(1);
    t.payment().eq(Payment::Card { number: "4111".into() });
    t.payment().eq(Payment::Cash);
    t.payment().is_type(Tag::M);
];

const OPTIONS: &[Case] = cases![t;
    t.maybe().eq("maybe");
    t.maybe().ne("maybe");
    t.maybe().lt("z");
    t.maybe().exists();
    t.maybe().missing();
    t.maybe().is_type(Tag::Null);
    t.maybe().missing() | t.maybe().is_type(Tag::Null);
    t.maybe().starts_with("m");
    t.maybe().size().gt(0);
    t.maybe().size().ne(5);
    t.maybe().is_in(["maybe", "never"]);
    !t.maybe().eq("maybe");
    !t.maybe().lt("a");
    !t.maybe().exists();
    t.perhaps().eq(7);
    t.perhaps().between(0..=10);
    t.names().contains("b");
    t.names().len().eq(2);
    t.names().len().eq(0);
    t.names().at(0).eq("a");
    t.lives().eq(3);
    t.lives().missing() | t.lives().eq(3);
    t.rest().entry("later").eq(Value::from(1));
    t.rest().entry("never").exists();
];

const COLLECTIONS: &[Case] = cases![t;
    t.list().eq(vec![10, 20, 30]);
    t.list().ne(none());
    t.list().contains(20);
    t.list().contains(&20);
    t.list().len().eq(0);
    t.list().len().ge(3);
    t.list().len().between(1..=3);
    t.list().at(0).eq(10);
    t.list().at(2).gt(29);
    t.list().at(3).exists();
    t.list().at(0).between(1..11);
    t.grid().at(0).at(1).eq(2);
    t.grid().at(1).len().eq(1);
    t.grid().contains(vec![3]);
    t.map().eq(map([("one", 1), ("t.w-o", 2)]));
    t.map().len().eq(2);
    t.map().len().eq(0);
    t.map().entry("one").eq(1);
    t.map().entry("t.w-o").gt(1);
    t.map().entry("none").missing();
    t.spots().entry("hq").city().eq("Oslo");
    t.spots().entry("hq").exists();
    t.tags().eq(hashed(&["blue", "red"]));
    t.tags().ne(hashed(&["blue", "red"]));
    t.tags().eq(hashed(&[]));
    t.tags().ne(hashed(&[]));
    t.tags().contains("red");
    t.tags().exists();
    t.tags().missing();
    t.tags().len().eq(0);
    t.tags().len().ne(0);
    t.tags().len().ne(2);
    t.tags().len().lt(1);
    t.tags().len().le(2);
    t.tags().len().gt(0);
    t.tags().len().ge(0);
    t.tags().len().between(0..=1);
    t.tags().len().between(0..0);
    t.tags().is_type(Tag::Ss);
    t.numbers().contains(2);
    t.numbers().eq(set([2, 1]));
    t.kinds().contains(Kind::Record);
    t.kinds().eq(set([Kind::Record]));
    t.blobs().contains(bytes::Bytes::from_static(b"ab"));
    t.tags().is_in([hashed(&["x"]), hashed(&[])]);
];

const NESTED: &[Case] = cases![t;
    t.home().eq(spot("Kobe"));
    t.home().ne(&spot("Kobe"));
    t.home().city().eq("Kobe");
    t.home().zip().exists();
    t.home().floor().lt(0);
    t.home().labels().len().eq(0);
    t.home().labels().contains("top");
    t.home().visits().eq(0);
    t.second().exists();
    t.second().city().starts_with("Ko");
    t.second().zip().eq("8000");
    t.second().labels().eq(set(["top".to_owned()]));
    t.second().floor().between(-1..=1);
    t.lines().len().eq(2);
    t.lines().at(0).sku().eq("x");
    t.lines().at(1).qty().gt(5);
    t.lines().at(0).spots().at(1).city().eq("Rome");
    t.lines().at(0).spots().at(1).floor().eq(-1);
    t.tree().leaf().eq(1);
    t.tree().left().exists();
    t.tree().left().leaf().eq(2);
    t.tree().left().left().missing();
    t.tree().more().at(0).leaf().eq(3);
    t.tree().left().eq(tree(2, None));
    t.loose().known().eq("k");
    t.loose().extra().entry("more").eq(Value::from("m"));
    t.second().is_in([spot("a"), Spot { zip: Some("8000".into()), labels: set(["top".into()]), ..spot("Kobe") }]);
];

const NAMES: &[Case] = cases![t;
    t.dotted().eq("d");
    t.dashed().eq("e");
    t.spaced().eq("f");
    t.unicode().eq("g");
    t.indexed().eq("h");
    t.hashed().eq("i");
    t.colon().eq("j");
    t.size().eq(44);
    t.r#where().eq("here");
    t.select().eq("this");
    t.hashed().eq("i") & t.colon().eq("j") & t.hashed().ne("x");
    t.dotted().missing();
];

const PAIRS: &[Case] = cases![t;
    t.text().eq(t.other());
    t.text().eq(&t.other());
    t.text().ne(t.other());
    t.text().lt(t.other());
    t.text().ge(t.text());
    t.count().lt(t.list().at(0));
    t.count().eq(t.perhaps());
    t.maybe().eq(t.dotted());
    t.maybe().ne(t.dotted());
    t.home().eq(t.second());
    t.home().city().eq(t.second().city());
    t.second().city().eq(t.home().city());
    t.map().entry("one").lt(t.map().entry("t.w-o"));
    t.size().gt(t.perhaps());
];

const LISTS: &[Case] = cases![t;
    t.text().is_in(["Hello"]);
    t.text().is_in(none::<String>());
    t.text().is_in(none::<String>()).not();
    t.text().is_in(texts(2));
    t.text().is_in(texts(100));
    t.text().is_in(texts(101));
    t.text().is_in(texts(250));
    t.text().is_in(texts(101)).not();
    t.on().eq(true) & t.text().is_in(texts(101));
    t.on().eq(true) | t.text().is_in(texts(101));
    t.text().is_in(texts(600));
    t.count().is_in(-5..=5);
    t.at().is_in([moment("2024-05-06T07:08:09.5Z")]);
];

const JOINED: &[Case] = cases![t;
    t.on().eq(true) & t.count().gt(0);
    t.on().eq(true) | t.count().gt(0);
    !t.on().eq(true);
    !!t.on().eq(true);
    !(t.on().eq(true) & t.count().gt(0));
    !(t.on().eq(true) | t.count().gt(0));
    !t.on().eq(true) & t.count().gt(0);
    !t.on().eq(true) | t.count().gt(0);
    t.on().eq(true) & !t.count().gt(0);
    t.on().eq(true) & t.count().gt(0) | t.small().lt(9);
    t.on().eq(true) & (t.count().gt(0) | t.small().lt(9));
    (t.on().eq(true) | t.count().gt(0)) & t.small().lt(9);
    t.on().eq(true) | t.count().gt(0) & t.small().lt(9);
    (t.on().eq(true) & t.count().gt(0)) & t.small().lt(9);
    t.on().eq(true) & (t.count().gt(0) & t.small().lt(9));
    t.on().eq(true) | (t.count().gt(0) | t.small().lt(9));
    (t.on().eq(true) | t.count().gt(0)) & (t.small().lt(9) | t.text().exists());
    t.on().eq(true) & t.count().gt(0) | t.small().lt(9) & t.text().exists();
    !(t.on().eq(true) & (t.count().gt(0) | !t.small().lt(9)));
    !(t.count().between(-9..=9)) & t.count().between(-9..=9);
    !(!t.on().eq(true) | t.count().gt(0));
    all([t.on().eq(true), t.count().gt(0), t.small().lt(9)]);
    any([t.on().eq(true), t.count().gt(0), t.small().lt(9)]);
    all([t.on().eq(true)]);
    any([t.on().eq(true)]);
    all(none());
    any(none());
    !all::<Thing>(none());
    !any::<Thing>(none());
    all([any(none()), t.on().eq(true)]);
    any([all(none()), t.on().eq(true)]);
    any([any(none()), t.on().eq(true)]);
    all([all(none()), t.on().eq(true)]);
    any([all([t.on().eq(true), t.count().gt(0)]), all([t.small().lt(9), t.text().exists()])]);
    all([any([t.on().eq(true), t.count().gt(0)]), any([t.small().lt(9), t.text().exists()])]);
    any([t.ratio().eq(f64::NAN), all(none())]);
    all([any(none()), t.ratio().eq(f64::NAN)]);
    !t.ratio().eq(f64::NAN);
    any([t.on().eq(true), t.ratio().eq(f64::NAN)]);
    !t.text().exists() | !t.text().missing();
    t.text().eq("Hello") & t.text().eq("Hello");
];

pub(super) async fn every_condition_is_as_it_was(db: Db) -> Outcome {
    db.create_tables([Thing::schema()]).await?;
    let mut found: Vec<(&Case, String, Vec<&str>)> = Vec::new();
    for case in CASES.iter().copied().flatten() {
        found.push((case, written(&db, case)?, Vec::new()));
    }
    let mut wrong = Vec::new();
    for (name, row) in rows() {
        plant(&db, &row).await;
        for (case, text, holds) in &mut found {
            let ask = key().update().when(case.condition).returning_nothing();
            let answer = match ask.send(&db).await {
                Ok(()) => true,
                Err(lost) if lost.is_conflict() => false,
                Err(refused)
                    if text.contains("refused") && refused.kind() == ErrorKind::InvalidValue =>
                {
                    continue;
                }
                Err(other) => {
                    wrong.push(format!("{}: {other:?}", case.source));
                    continue;
                }
            };
            if let Some(written) = explained(&db, case).ok().as_ref().and_then(condition_of) {
                let cond = written
                    .read()
                    .ok_or_else(|| format!("{}: cannot be read", written.text))?;
                if cond.holds(&row) != answer {
                    wrong.push(format!(
                        "{} of {name}: the engine says {answer}",
                        case.source
                    ));
                }
                if !written.is_minimal() {
                    wrong.push(format!("needless parentheses: {}", written.text));
                }
            }
            holds.extend(answer.then_some(name));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let shown = found.iter().map(|(_, text, holds)| {
        let mut text = text.clone();
        if !text.contains("refused") {
            line(&mut text, "holds of", &holds.join(", "));
        }
        text
    });
    compare("conditions.txt", &shown.collect::<Vec<_>>().join("\n"))
}

fn explained(db: &Db, case: &Case) -> Result<Explanation> {
    full().put().when(case.condition).explain(db)
}

fn condition_of(explanation: &Explanation) -> Option<Written> {
    let request: Json = serde_json::from_str(&explanation.requests[0]).expect("JSON");
    Written::of(&request, "ConditionExpression")
}

/// The source of the case and the expressions of its request.
fn written(db: &Db, case: &Case) -> std::result::Result<String, serde_json::Error> {
    let source = case.source.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("{source}\n");
    match explained(db, case) {
        Ok(explanation) => show(&serde_json::from_str(&explanation.requests[0])?, &mut text),
        Err(error) => line(
            &mut text,
            "refused",
            &format!("{:?}: {error}", error.kind()),
        ),
    }
    Ok(text)
}
