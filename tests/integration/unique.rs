//! Unique values: each has one owner, whoever races for it, and its sentinel is hidden.

mod changes;
mod expiry;
mod outcomes;
mod random;
mod reads;
mod taking;
mod transactions;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::{Outcome, Test};

pub fn tests() -> Vec<Test> {
    let all = [
        taking::tests(),
        changes::tests(),
        transactions::tests(),
        expiry::tests(),
        reads::tests(),
        outcomes::tests(),
        random::tests(),
    ];
    all.into_iter().flatten().collect()
}

crate::declare! {
    pub(super) entity Account(table = "accounts", key(pk = "ACCOUNT#{id}"), unique(by_email, email),
        unique(by_handle, org, handle))
        { pub(super) id: u32, pub(super) email: String, pub(super) org: String, pub(super) handle: Option<String>,
          #[dynamo(default)] pub(super) visits: u32 }
}

pub(super) fn account(id: u32, email: &str) -> Account {
    Account {
        id,
        email: email.into(),
        org: "o".into(),
        handle: None,
        visits: 0,
    }
}

crate::declare! {
    pub(super) table Club(name = "club", pk = "pk", sk = "sk", entities(Person, Visit), gsi(gsi1, pk = "gsi1pk"));
    /// An entity in a shared table, with a version, a TTL and an index.
    pub(super) entity Person(table = Club, key(pk = "PERSON#{id}", sk = "INFO"), unique(by_badge, badge),
        gsi(by_badge_kind, on = gsi1, pk = "KIND#{badge}"))
        { pub(super) id: String, pub(super) badge: Option<u32>, pub(super) name: String,
          #[dynamo(version)] pub(super) version: Version, #[dynamo(ttl)] pub(super) until: Option<DateTime<Utc>> }
}

pub(super) fn person(id: &str, badge: u32) -> Person {
    Person {
        id: id.into(),
        badge: Some(badge),
        name: "x".into(),
        version: Version::default(),
        until: None,
    }
}

crate::declare! {
    pub(super) entity Visit(table = Club, key(pk = "PERSON#{id}", sk = "VISIT#{day}"))
        { pub(super) id: String, pub(super) day: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club)]
pub(super) enum Everything {
    Person(Person),
    #[dynamo(other)]
    Other(Item),
}

crate::declare! {
    /// The partition key is a bare value, so the sort key tells sentinels from rooms.
    pub(super) entity Room(table = "rooms", key(pk = house, sk = "ROOM#{number}"), unique(by_phone, phone))
        { pub(super) house: String, pub(super) number: u32, pub(super) phone: Option<u64> }
}

pub(super) async fn tables(db: &Db) -> Outcome {
    db.create_tables([Account::schema(), Club::schema(), Room::schema()])
        .await?;
    Ok(())
}

/// The keys of all stored sentinels, each with the key of its owner.
pub(super) async fn sentinels<T: DynamoTable>(db: &Db) -> BTreeMap<String, String> {
    let items = db
        .client()
        .scan()
        .table_name(db.table::<T>())
        .consistent_read(true);
    let items = items
        .into_paginator()
        .items()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await;
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let items = items.expect("a scan").into_iter();
    items
        .filter_map(|item| match item.get("$unique") {
            Some(AttributeValue::M(owner)) => Some((text(&item["pk"]), text(&owner["pk"]))),
            _ => None,
        })
        .collect()
}

pub(super) fn owned<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(value, owner)| (format!("$UNIQUE#{value}"), owner.to_owned()))
        .collect()
}
