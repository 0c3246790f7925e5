//! An entity with a field of every kind, and the rows that conditions and changes are applied to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::support::clock::moment;
use crate::support::db::{Db, Raw, n, raw, s};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
pub struct Owner(pub String);

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub struct Points(pub u32);

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Raster(pub Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DynamoValue)]
pub enum Kind {
    Book,
    #[dynamo(rename = "lp record")]
    Record,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub enum Payment {
    Cash,
    Card { number: String },
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Spot {
    pub city: String,
    pub zip: Option<String>,
    #[dynamo(rename = "floor-no.")]
    pub floor: i32,
    pub labels: BTreeSet<String>,
    #[dynamo(default)]
    pub visits: u8,
}

pub fn spot(city: &str) -> Spot {
    Spot {
        city: city.into(),
        zip: None,
        floor: -1,
        labels: BTreeSet::new(),
        visits: 0,
    }
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Line {
    pub sku: String,
    pub qty: u32,
    pub spots: Vec<Spot>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Tree {
    pub leaf: i64,
    pub left: Option<Box<Tree>>,
    pub more: Vec<Tree>,
}

pub fn tree(leaf: i64, left: Option<Tree>) -> Tree {
    Tree {
        leaf,
        left: left.map(Box::new),
        more: Vec::new(),
    }
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Loose {
    pub known: String,
    #[dynamo(rest)]
    pub extra: Item,
}

crate::declare! {
    pub entity Thing(table = "things", key(pk = id, sk = no))
        { pub id: String, pub no: u32, pub text: String, pub other: String, pub count: i64, pub small: u8,
          pub big: u128, pub ratio: f64, pub exact: Number, pub price: Decimal, pub on: bool, pub kind: Kind,
          pub owner: Owner, pub points: Points, pub at: DateTime<Utc>, pub day: NaiveDate,
          #[dynamo(format = "epoch")] pub seen: DateTime<Utc>, pub uuid: Uuid, pub bytes: Vec<u8>, pub blob: Bytes,
          pub raster: Raster, pub payment: Payment, pub maybe: Option<String>, pub perhaps: Option<i64>,
          pub rate: Option<f64>, pub names: Option<Vec<String>>, #[dynamo(default = 3)] pub lives: u8,
          pub list: Vec<i64>, pub grid: Vec<Vec<i64>>, pub lines: Vec<Line>, pub map: BTreeMap<String, i64>,
          pub spots: BTreeMap<String, Spot>, pub tags: HashSet<String>, pub numbers: BTreeSet<u32>,
          pub kinds: BTreeSet<Kind>, pub blobs: BTreeSet<Bytes>, pub home: Spot, pub second: Option<Spot>,
          pub tree: Tree, pub loose: Loose, #[dynamo(rename = "a.b")] pub dotted: Option<String>,
          #[dynamo(rename = "a-b")] pub dashed: Option<String>, #[dynamo(rename = "a b")] pub spaced: Option<String>,
          #[dynamo(rename = "größe 🎈")] pub unicode: Option<String>,
          #[dynamo(rename = "a[0]")] pub indexed: Option<String>,
          #[dynamo(rename = "#n0")] pub hashed: Option<String>, #[dynamo(rename = ":v0")] pub colon: Option<String>,
          pub size: Option<i64>, pub r#where: Option<String>, #[dynamo(rename = "SELECT")] pub select: Option<String>,
          #[dynamo(rest)] pub rest: Item }
}

pub type Paths = <Thing as DynamoEntity>::Paths;

/// An entity with all its fields set.
pub fn full() -> Thing {
    let some = |text: &str| Some(text.to_owned());
    Thing {
        text: "Hello".into(),
        count: 5,
        maybe: some("maybe"),
        perhaps: Some(7),
        rate: Some(0.25),
        names: Some(vec!["a".into(), "b".into()]),
        lives: 4,
        list: vec![10, 20, 30],
        grid: vec![vec![1, 2], vec![3]],
        lines: vec![
            Line {
                sku: "x".into(),
                qty: 2,
                spots: vec![spot("Bern"), spot("Rome")],
            },
            Line {
                sku: "y".into(),
                qty: 9,
                spots: Vec::new(),
            },
        ],
        map: [("one".to_owned(), 1), ("t.w-o".to_owned(), 2)].into(),
        spots: [("hq".to_owned(), spot("Oslo"))].into(),
        tags: ["red".to_owned(), "blue".to_owned()].into(),
        numbers: [1, 2].into(),
        kinds: [Kind::Record].into(),
        blobs: [Bytes::from_static(b"ab")].into(),
        second: Some(Spot {
            zip: some("8000"),
            labels: ["top".to_owned()].into(),
            ..spot("Kobe")
        }),
        tree: Tree {
            more: vec![tree(3, None)],
            ..tree(1, Some(tree(2, None)))
        },
        dotted: some("d"),
        dashed: some("e"),
        spaced: some("f"),
        unicode: some("g"),
        indexed: some("h"),
        hashed: some("i"),
        colon: some("j"),
        size: Some(44),
        r#where: some("here"),
        select: some("this"),
        rest: [("later", Value::from(1))].into_iter().collect(),
        ..bare()
    }
}

/// An entity without its optional fields.
pub fn bare() -> Thing {
    Thing {
        id: "t".into(),
        no: 1,
        text: "hello".into(),
        other: "Hello".into(),
        count: -5,
        small: 200,
        big: 10_u128.pow(37),
        ratio: 1.5,
        exact: "0.10000000000000000000000000000000000001"
            .parse()
            .expect("a number"),
        price: "12.50".parse().expect("a number"),
        on: true,
        kind: Kind::Book,
        owner: Owner("ann".into()),
        points: Points(10),
        at: moment("2024-05-06T07:08:09.5Z"),
        day: NaiveDate::from_ymd_opt(2024, 5, 6).expect("a day"),
        seen: moment("2024-05-06T07:08:09Z"),
        uuid: Uuid::from_u128(7),
        bytes: vec![1, 2, 255],
        blob: Bytes::from_static(b"blob"),
        raster: Raster(vec![0]),
        payment: Payment::Card {
            number: "4111".into(),
        },
        maybe: None,
        perhaps: None,
        rate: None,
        names: None,
        lives: 3,
        list: Vec::new(),
        grid: Vec::new(),
        lines: Vec::new(),
        map: BTreeMap::new(),
        spots: BTreeMap::new(),
        tags: HashSet::new(),
        numbers: BTreeSet::new(),
        kinds: BTreeSet::new(),
        blobs: BTreeSet::new(),
        home: spot("Kobe"),
        second: None,
        tree: tree(0, None),
        loose: Loose {
            known: "k".into(),
            extra: [("more", Value::from("m"))].into_iter().collect(),
        },
        dotted: None,
        dashed: None,
        spaced: None,
        unicode: None,
        indexed: None,
        hashed: None,
        colon: None,
        size: None,
        r#where: None,
        select: None,
        rest: Item::new(),
    }
}

/// `bare` as another program writes it: NULL for absent values, and no attribute where a default exists.
fn foreign() -> Raw {
    let mut row = Raw::from(bare().to_item().expect("an item"));
    for name in [
        "maybe", "perhaps", "rate", "names", "tags", "numbers", "second", "a.b", "lives",
    ] {
        row.insert(name.to_owned(), AttributeValue::Null(true));
    }
    row.remove("lives");
    row
}

/// A minimal row of another program under the same key, with other types.
fn alien() -> Raw {
    raw([
        ("id", s("t")),
        ("no", n(1)),
        ("text", n(5)),
        ("count", s("5")),
    ])
}

/// The four rows, with their names.
pub fn rows() -> [(&'static str, Raw); 4] {
    let of = |thing: Thing| Raw::from(thing.to_item().expect("an item"));
    [
        ("full", of(full())),
        ("bare", of(bare())),
        ("foreign", foreign()),
        ("alien", alien()),
    ]
}

pub fn key() -> Key<Thing> {
    Thing::key("t", 1)
}

/// Stores the row.
pub async fn plant(db: &Db, row: &Raw) {
    db.plant::<Thing>(row.clone()).await;
}
