//! Golden tests of changes: each change is written as a request and applied to every row, and the differences
//! are shown.

use std::collections::BTreeMap;

use dynamo_entity::Value;
use dynamo_entity::expr::Change;
use dynamo_entity::plan::Explanation;
use dynamo_entity::prelude::*;
use dynamo_entity::write::Update;
use serde_json::Value as Json;

use super::thing::{Kind, Owner, Paths, Payment, Points, Thing, key, plant, rows, spot, tree};
use super::{compare, line, show};
use crate::support::clock::moment;
use crate::support::db::{Db, Raw};
use crate::support::suite::Outcome;

struct Case {
    source: &'static str,
    /// Adds the changes, whatever type the closure of an update returns.
    apply: fn(Update<Thing>) -> Update<Thing>,
}

macro_rules! cases {
    ($t:ident; $($changes:expr;)*) => {
        &[$(Case {
            source: stringify!($changes),
            apply: |update| {
                update.apply(|$t: Paths| {
                    let _ = $t;
                    $changes
                })
            },
        }),*]
    };
}

fn number(text: &str) -> dynamo_entity::Number {
    text.parse().expect("a number")
}

const NO_TEXT: [&str; 0] = [];

const CASES: &[&[Case]] = &[
    SET, NUMBERS, LISTS, SETS, MAPS, NESTED, NAMES, SEVERAL, REFUSED,
];

const SET: &[Case] = cases![t;
    t.text().set("new");
    t.text().set(String::from("new"));
    t.text().set(&String::from("new"));
    t.text().set("");
    t.text().set(t.other());
    t.text().set(t.maybe());
    t.text().set(t.names().at(1));
    t.maybe().set(t.text());
    t.count().set(1);
    t.big().set(10_u128.pow(38) - 1);
    t.ratio().set(0.1);
    t.exact().set(number("-99999999999999999999999999999999999999"));
    t.price().set(rust_decimal::dec!(1.10));
    t.on().set(false);
    t.kind().set(Kind::Record);
    t.owner().set(Owner("bob".into()));
    t.points().set(Points(3));
    t.at().set(moment("2025-01-01T00:00:00Z"));
    t.seen().set(moment("2025-01-01T00:00:00Z"));
    t.bytes().set(vec![9]);
    t.payment().set(Payment::Cash);
    t.maybe().set("x");
    t.maybe().set_or_remove(Some("x"));
    t.maybe().set_or_remove(None::<&str>);
    t.maybe().remove();
    t.maybe().set_if_absent("x");
    t.text().set_if_absent("x");
    t.maybe().set_if_absent(t.text());
    t.text().set_if_absent(&t.maybe());
    t.second().set_if_absent(t.home());
    t.lives().remove();
    t.lives().set(9);
    t.rest().entry("later").set(Value::from(2));
    t.rest().entry("later").remove();
    t.rest().entry("later").set(Value::Ss(Default::default()));
    t.rest().entry("new").set_if_absent(Value::Null);
];

const NUMBERS: &[Case] = cases![t;
    t.count().add(3);
    t.count().add(&3);
    t.count().sub(3);
    t.count().add(-3);
    t.count().add(0);
    t.small().add(55);
    t.small().add(56);
    t.small().sub(200);
    t.small().sub(201);
    t.big().add(1);
    t.ratio().add(0.5);
    t.exact().add(number("0.00000000000000000000000000000000000001"));
    t.price().sub(rust_decimal::dec!(12.5));
    t.points().add(Points(1));
    t.perhaps().add(1);
    t.perhaps().sub(1);
    t.rate().add(0.5);
    t.lives().add(1);
    t.lives().sub(4);
    t.size().add(1);
    t.count().add(t.perhaps());
    t.perhaps().sub(&t.count());
    t.perhaps().add(t.perhaps());
    t.small().add(t.lives());
    t.lives().sub(t.small());
    t.ratio().add(t.rate());
    t.rate().sub(t.ratio());
    t.lines().at(0).qty().add(t.lines().at(1).qty());
];

const LISTS: &[Case] = cases![t;
    t.list().set(vec![1]);
    t.list().push(40);
    t.list().push_front(&0);
    t.list().extend([40, 50]);
    t.list().extend([0_i64; 0]);
    t.list().extend(t.grid().at(0));
    t.list().prepend([-1, 0]);
    t.list().prepend([0_i64; 0]);
    t.list().prepend(&t.list());
    t.names().prepend(["c", "d"]);
    t.list().at(0).set(11);
    t.list().at(2).add(1);
    t.list().at(3).set(40);
    t.list().remove_at(1);
    t.list().remove_at(3);
    [t.list().remove_at(0), t.list().remove_at(2)];
    t.names().push("c");
    t.names().extend(["c", "d"]);
    t.names().remove();
    t.grid().at(0).push(9);
    t.grid().at(0).at(1).set(7);
    t.grid().at(2).push(9);
    t.lines().at(0).qty().add(1);
    t.lines().at(0).spots().at(1).city().set("Nice");
    t.lines().at(2).qty().set(1);
    t.lines().at(1).spots().push(spot("Graz"));
];

const SETS: &[Case] = cases![t;
    t.tags().set(["x".to_owned()].into_iter().collect::<std::collections::HashSet<_>>());
    t.tags().set(std::collections::HashSet::new());
    t.tags().insert("green");
    t.tags().insert_all(["green", "red"]);
    t.tags().insert_all(NO_TEXT);
    t.tags().discard("red");
    t.tags().discard_all(["red", "blue"]);
    t.tags().discard_all(NO_TEXT);
    t.tags().remove();
    t.numbers().insert(3);
    t.numbers().discard(2);
    t.kinds().insert(Kind::Book);
    t.kinds().discard(Kind::Record);
    t.blobs().insert(bytes::Bytes::from_static(b"cd"));
    t.tags().set_if_absent(std::collections::HashSet::new());
];

const MAPS: &[Case] = cases![t;
    t.map().set(BTreeMap::new());
    t.map().entry("two").set(2);
    t.map().entry("one").add(1);
    t.map().entry("none").add(1);
    t.map().entry("t.w-o").remove();
    t.map().remove_entry("one");
    t.spots().entry("hq").city().set("Rome");
    t.spots().entry("none").city().set("Rome");
    t.spots().entry("new").set(spot("Rome"));
];

const NESTED: &[Case] = cases![t;
    t.home().set(spot("Rome"));
    t.home().city().set("Rome");
    t.home().zip().set("1");
    t.home().zip().remove();
    t.home().floor().sub(1);
    t.home().visits().add(255);
    t.home().labels().insert("x");
    t.home().set(t.second());
    t.second().set(&t.home());
    t.second().remove();
    t.second().set_or_remove(None::<super::thing::Spot>);
    t.second().city().set("Rome");
    t.second().floor().add(1);
    t.second().labels().discard("top");
    t.second().labels().insert("x");
    t.tree().left().leaf().add(1);
    t.tree().left().left().set(tree(9, None));
    t.tree().left().left().leaf().set(1);
    t.tree().more().at(0).more().push(tree(4, None));
    t.loose().extra().entry("more").set(Value::from(1));
    t.loose().extra().entry("new").set(Value::from(1));
];

const NAMES: &[Case] = cases![t;
    t.dotted().set("x");
    t.dashed().set("x");
    t.spaced().set("x");
    t.unicode().set("x");
    t.indexed().set("x");
    t.hashed().set("x");
    t.colon().set("x");
    t.r#where().set("x");
    t.select().remove();
];

const SEVERAL: &[Case] = cases![t;
    None::<Change<Thing>>;
    Some(t.count().add(1));
    (t.text().set(t.other()), t.other().set(t.text()));
    (t.count().set(1), t.maybe().remove(), t.tags().insert("x"), t.numbers().discard(1));
    (t.tags().insert("x"), t.maybe().remove(), t.count().set(1), t.select().remove());
    [t.count().add(1), t.perhaps().add(1)];
    vec![t.home().city().set("Rome"), t.home().floor().set(3), t.second().city().set("Rome")];
    (t.map().entry("a").set(1), t.map().entry("b").set(2), t.map().entry("one").remove());
    (Some(t.count().set(1)), [t.text().set("x")], vec![t.on().set(false)], (t.small().set(1),));
    (t.list().at(0).set(1), t.list().at(1).set(2));
    (t.list().extend([0_i64; 0]), t.text().set("x"));
];

const REFUSED: &[Case] = cases![t;
    (t.text().set("a"), t.text().set("b"));
    (t.home().set(spot("a")), t.home().city().set("b"));
    (t.list().push(1), t.list().at(0).set(1));
    (t.list().at(0).set(1), t.list().remove_at(0));
    (t.map().entry("a").set(1), t.map().entry("a").remove());
    (t.tags().insert("a"), t.tags().discard("b"));
    (t.lines().at(0).qty().set(1), t.lines().remove_at(0));
    t.ratio().set(f64::NAN);
    t.ratio().add(f64::INFINITY);
    t.big().set(u128::MAX);
    t.big().add(u128::MAX);
    t.exact().set(number("1e125"));
    t.bytes().push(1);
    t.bytes().remove_at(0);
    t.bytes().extend(t.bytes());
    t.price().sub(t.price());
    t.seen().set_if_absent(t.at());
    t.rest().entry("id").set(Value::from("x"));
    t.rest().entry("count").set(Value::from("x"));
    t.rest().entry("count").remove();
];

pub(super) async fn every_change_is_as_it_was(db: Db) -> Outcome {
    db.create_tables([Thing::schema()]).await?;
    let mut found = Vec::new();
    for case in CASES.iter().copied().flatten() {
        let source = case.source.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("{source}\n");
        match explained(&db, case) {
            Ok(explanation) => {
                no_row_is_made(&db, case).await?;
                show(&serde_json::from_str(&explanation.requests[0])?, &mut text);
                for (name, row) in rows() {
                    let became = made(&db, case, &row).await?;
                    line(&mut text, name, &became);
                }
            }
            Err(error) => line(
                &mut text,
                "refused",
                &format!("{:?}: {error}", error.kind()),
            ),
        }
        found.push(text);
    }
    compare("changes.txt", &found.join("\n"))
}

fn explained(db: &Db, case: &Case) -> Result<Explanation> {
    (case.apply)(key().update()).explain(db)
}

/// No change creates a row (law W1).
async fn no_row_is_made(db: &Db, case: &Case) -> Outcome {
    let nobody = Thing::key("nobody", 1);
    let lost = (case.apply)(nobody.clone().update()).send(db).await;
    match lost {
        Err(lost) if lost.is_not_found() && db.raw(&nobody).await.is_none() => Ok(()),
        other => Err(format!("{} without a row: {other:?}", case.source).into()),
    }
}

/// Applies the changes to the row, and tells how it differs afterwards.
async fn made(
    db: &Db,
    case: &Case,
    row: &Raw,
) -> std::result::Result<String, Box<dyn std::error::Error>> {
    plant(db, row).await;
    let answer = (case.apply)(key().update())
        .returning_nothing()
        .send(db)
        .await;
    let stored = db.stored(&key()).await;
    let different = differences(row, &stored);
    match answer {
        Ok(()) => Ok(different),
        Err(error) if different.is_empty() => {
            let brought = if error.current_item()?.is_some() {
                ", with the item"
            } else {
                ""
            };
            Ok(format!("{:?}{brought}", error.kind()))
        }
        Err(error) => Err(format!("{}: {error:?}, but {different}", case.source).into()),
    }
}

/// Shows each attribute that has changed.
fn differences(before: &Raw, after: &Raw) -> String {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let shown = names.into_iter().filter_map(|name| {
        let (before, after) = (value(before, name), value(after, name));
        (before != after).then(|| format!("{name}: {}", after.map_or("gone".to_owned(), shown)))
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The value as the library compares it: equal sets and numbers are one value.
fn value(row: &Raw, name: &str) -> Option<Value> {
    let item = Item::from(row.clone());
    item.get(name).cloned()
}

fn shown(value: Value) -> String {
    let json: Json = serde_json::to_value(value).expect("JSON");
    json.to_string()
}
