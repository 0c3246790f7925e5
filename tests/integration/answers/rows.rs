//! The operations that these tests do on a table, and a text that tells their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use dynamo_entity::prelude::*;
use dynamo_entity::{Dynamo, Number, Result};
use rust_decimal::Decimal;
use serde_json::Value as Json;

use super::seen;

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Part {
    sku: String,
    #[dynamo(rename = "qu\"ote\\")]
    quantity: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind")]
pub enum Choice {
    Nothing,
    One(String),
    Some { first: i64, second: Option<bool> },
}

crate::declare! {
    /// An entity with every type of value.
    pub entity Row(table = "answered-rows", key(pk = id, sk = line))
        { pub id: String, pub line: u32, #[dynamo(version)] pub version: Version, text: String,
          #[dynamo(rename = "näme\n\"x\\👻")] odd: String, flag: bool, float: f64, small: i8, large: i128,
          number: Number, decimal: Decimal, bytes: Vec<u8>, list: Vec<i64>, map: BTreeMap<String, String>,
          texts: BTreeSet<String>, numbers: BTreeSet<u64>, blobs: BTreeSet<Vec<u8>>, part: Part, parts: Vec<Part>,
          choices: Vec<Choice>, none: Option<String>, empty: String, #[dynamo(rest)] rest: Item }
}

pub fn row(id: &str, line: u32) -> Row {
    let part = || Part {
        sku: "a\"b\\}],{".into(),
        quantity: 3,
    };
    Row {
        id: id.into(),
        line,
        version: Version::default(),
        text: "äöü👻\u{0}\u{1f}\u{2028}\"\\/\n".into(),
        odd: "}".into(),
        flag: true,
        float: -1.25e-7,
        small: -128,
        large: i128::from(i64::MIN) - 1,
        number: "1.2345678901234567890123456789012345678e-100"
            .parse()
            .expect("a number"),
        decimal: "-12.50".parse().expect("a decimal"),
        bytes: vec![0, 255, 62, 63],
        list: vec![i64::MIN, 0, i64::MAX],
        map: [
            ("k\"".to_owned(), "v".to_owned()),
            ("é".into(), String::new()),
        ]
        .into(),
        texts: ["b".to_owned(), "a".into()].into(),
        numbers: [3, u64::MAX].into(),
        blobs: [vec![], vec![1, 2]].into(),
        part: part(),
        parts: vec![part(), part()],
        choices: vec![
            Choice::Nothing,
            Choice::One("x".into()),
            Choice::Some {
                first: -1,
                second: Some(false),
            },
        ],
        none: None,
        empty: String::new(),
        rest: [("other", 5), ("zz", 6)].into_iter().collect(),
    }
}

/// A row as JSON, as the table stores it.
pub fn stored(db: &Dynamo) -> Json {
    let row = row("w", 1);
    let plan = row.put().unchecked().explain(db).expect("a plan");
    let request: Json = serde_json::from_str(&plan.requests[0]).expect("JSON");
    request["Item"].clone()
}

fn told<T: Debug>(result: Result<T>) -> String {
    match result {
        Ok(value) => format!("Ok({})", undrawn(&format!("{value:?}"))),
        Err(error) => format!("Err({})", seen(&error)),
    }
}

/// Removes random versions from the text, since they differ each time.
fn undrawn(told: &str) -> String {
    let mut pieces = told.split("Version(");
    let mut told = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.find(')').unwrap_or_default();
        let kept = if digits < 16 { 0 } else { digits };
        told.push_str("Version(");
        told.push_str(&piece[kept..]);
    }
    told
}

/// The operation, and a text that tells its result.
pub type Told = (&'static str, String);

/// The number of works.
pub const WORKS: usize = 12;

/// Does all works, one after the other.
pub async fn works(db: &Dynamo) -> Vec<Told> {
    let mut all = Vec::new();
    for at in 0..WORKS {
        all.push(work(db, at).await);
    }
    all
}

/// Does the work number `at`: one DynamoDB operation in one request.
pub async fn work(db: &Dynamo, at: usize) -> Told {
    let rows: Vec<Row> = (0..4).map(|line| row("w", line)).collect();
    let key = || Row::key("w", 1);
    match at {
        0 => {
            let batch = Batch::new().with_all(rows.iter().map(|row| row.put().unchecked()));
            let sent = batch.send(db).await.and_then(|report| report.complete());
            ("BatchWriteItem", told(sent))
        }
        1 => ("PutItem", told(rows[1].put().unchecked().send(db).await)),
        2 => ("GetItem", told(key().get().consistent().send(db).await)),
        3 => {
            let update = key().update().apply(|r| r.small().add(1));
            ("UpdateItem", told(update.send(db).await))
        }
        4 => (
            "Query",
            told(Row::in_partition("w").consistent().all(db).await),
        ),
        5 => (
            "Query",
            told(Row::in_partition("w").limit(2).page(db).await),
        ),
        6 => ("Query", told(Row::in_partition("w").count(db).await)),
        7 => (
            "Scan",
            told(Row::scan().filter(|r| r.id().eq("w")).all(db).await),
        ),
        8 => {
            let keys = (0..6).map(|line| Row::key("w", line));
            ("BatchGetItem", told(Row::get_many(keys).send(db).await))
        }
        9 => {
            let transaction = Transaction::new()
                .with(rows[2].put().unchecked())
                .with(Row::key("w", 3).update().apply(|r| r.flag().set(false)));
            ("TransactWriteItems", told(transaction.send(db).await))
        }
        10 => {
            let reads = transact_get((key().get(), Row::key("w", 9).get()));
            ("TransactGetItems", told(reads.send(db).await))
        }
        _ => (
            "DeleteItem",
            told(key().delete().returning_old().send(db).await),
        ),
    }
}

/// The number of refusals.
pub const REFUSALS: usize = 7;

/// Does all refusals, one after the other.
pub async fn refusals(db: &Dynamo) -> Vec<Told> {
    let mut all = Vec::new();
    for at in 0..REFUSALS {
        all.push(refusal(db, at).await);
    }
    all
}

/// Refusals that come with an item, with reasons, or with neither. The row `held` must exist.
pub async fn refusal(db: &Dynamo, at: usize) -> Told {
    let held = row("held", 1);
    let key = || Row::key("held", 1);
    let gone = || Row::key("gone", 1);
    match at {
        0 => ("PutItem", told(held.create().send(db).await)),
        1 => {
            let put = row("gone", 1);
            (
                "PutItem",
                told(put.put().unchecked().if_exists().send(db).await),
            )
        }
        2 => {
            let update = key().update().apply(|r| r.flag().set(false));
            (
                "UpdateItem",
                told(update.when(|r| r.small().gt(0)).send(db).await),
            )
        }
        3 => {
            let update = gone().update().apply(|r| r.small().add(1));
            ("UpdateItem", told(update.send(db).await))
        }
        4 => {
            let delete = key().delete().when(|r| r.flag().eq(false));
            ("DeleteItem", told(delete.send(db).await))
        }
        5 => {
            let new = row("new", 1);
            let transaction = Transaction::new()
                .with(new.create())
                .with(held.create())
                .with(gone().check().if_exists());
            ("TransactWriteItems", told(transaction.send(db).await))
        }
        _ => {
            let none = db.clone().with_prefix("none");
            ("GetItem", told(key().get().send(&none).await))
        }
    }
}
