//! The entities that a storm stores, and how they are read without the library.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use super::judge::Step;
use crate::support::db::{Db, Raw};

crate::declare! {
    pub entity Plain(table = "storm-plain", key(pk = worker, sk = number))
        { pub worker: u32, pub number: u32, pub count: u64, pub text: u64 }
    /// An entity with a version and a unique value.
    pub entity Member(table = "storm-members", key(pk = "W#{worker}", sk = "M#{number}"), unique(by_badge, badge))
        { pub worker: u32, pub number: u32, pub count: u64, pub text: u64, pub badge: Option<u32>,
          #[dynamo(version)] pub version: Version }
    /// A sum that all tasks add to.
    pub entity Tally(table = "storm-tally", key(pk = id)) { pub id: u32, pub count: u64 }
}

/// What the model keeps of a row of either entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub count: u64,
    pub text: u64,
    pub badge: Option<u32>,
    pub version: Option<u64>,
    /// The hash of the mark of the last `touch_each`. Entities do not have it, and a put removes it.
    pub mark: Option<u64>,
}

/// The attribute with the mark of a touch.
const MARK: &str = "_job.+touch";

impl Row {
    /// The row as an entity shows it.
    pub fn without_mark(self) -> Row {
        Row { mark: None, ..self }
    }

    pub fn read(item: &Raw) -> Row {
        let number = |name| match item.get(name) {
            Some(AttributeValue::N(number)) => number.parse().ok(),
            _ => None,
        };
        Row {
            count: number("count").unwrap_or(u64::MAX),
            text: number("text").unwrap_or(u64::MAX),
            badge: number("badge").and_then(|badge| badge.try_into().ok()),
            version: number("version"),
            mark: item.contains_key(MARK).then(|| {
                let mut hasher = DefaultHasher::new();
                text(item, MARK).hash(&mut hasher);
                hasher.finish()
            }),
        }
    }
}

impl From<&Plain> for Row {
    fn from(plain: &Plain) -> Row {
        Row {
            count: plain.count,
            text: plain.text,
            badge: None,
            version: None,
            mark: None,
        }
    }
}

impl From<&Member> for Row {
    fn from(member: &Member) -> Row {
        Row {
            count: member.count,
            text: member.text,
            badge: member.badge,
            version: member.version.number(),
            mark: None,
        }
    }
}

/// How often the sum was raised: `certain` counts known successes, `perhaps` unknown outcomes.
#[derive(Debug, Default)]
pub struct Shared {
    certain: AtomicU64,
    perhaps: AtomicU64,
}

impl Shared {
    pub fn raised(&self) {
        self.certain.fetch_add(1, Ordering::Relaxed);
    }

    pub fn perhaps_raised(&self) {
        self.perhaps.fetch_add(1, Ordering::Relaxed);
    }

    pub fn bounds(&self) -> RangeInclusive<u64> {
        let certain = self.certain.load(Ordering::Relaxed);
        certain..=certain + self.perhaps.load(Ordering::Relaxed)
    }
}

/// Rows by their key, written as text.
pub type Rows = BTreeMap<String, Row>;

/// The sentinels of the unique values in these rows: the key of each sentinel and the row that owns its value.
pub fn owners(rows: &Rows) -> BTreeMap<String, String> {
    let held = rows.iter().filter_map(|(key, row)| {
        let badge = row.badge?;
        Some((format!("$UNIQUE#badge#{badge:010}"), key.clone()))
    });
    held.collect()
}

/// Compares all items of a table with the models.
pub async fn are_stored<E: DynamoEntity>(
    db: &Db,
    rows: &Rows,
    owners: &BTreeMap<String, String>,
) -> Step {
    let scan = db.client().scan().table_name(db.table::<E::Table>());
    let items = scan.consistent_read(true).into_paginator().items().send();
    let items = items.collect::<Result<Vec<Raw>, _>>().await;
    let mut stored = Rows::new();
    let mut held = BTreeMap::new();
    for item in items.map_err(|error| format!("{error:?}"))? {
        match item.get("$unique") {
            Some(AttributeValue::M(owner)) => held.insert(text(&item, "pk"), key_text(owner)),
            _ => stored
                .insert(key_text(&item), Row::read(&item))
                .map(|_| String::new()),
        };
    }
    if stored != *rows {
        return Err(format!("stored is {stored:#?}\n instead of {rows:#?}"));
    }
    if held != *owners {
        return Err(format!(
            "values are held by {held:#?}\n instead of {owners:#?}"
        ));
    }
    Ok(())
}

/// The key of an item, written as one text.
pub fn key_text(item: &Raw) -> String {
    let (first, second) = match item.contains_key("pk") {
        true => ("pk", "sk"),
        false => ("worker", "number"),
    };
    format!("{} {}", text(item, first), text(item, second))
}

fn text(item: &Raw, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        other => format!("{other:?}"),
    }
}

pub async fn tally(db: &Db) -> Result<u64, String> {
    let item = db.raw(&Tally::key(0)).await;
    Ok(Row::read(&item.ok_or("the sum is gone")?).count)
}
