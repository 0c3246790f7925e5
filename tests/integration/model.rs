//! The entities that most tests use.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;
use rust_decimal::Decimal;

use crate::support::clock::moment;

/// A minimal entity: a table of its own, one key, no managed field.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
pub struct Note {
    pub id: String,
    pub text: String,
}

pub fn note(id: &str, text: &str) -> Note {
    Note {
        id: id.into(),
        text: text.into(),
    }
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "request-count", key(pk = request_name, sk = day))]
pub struct RequestCount {
    pub request_name: String,
    pub day: NaiveDate,
    pub count: u64,
}

/// An entity with a version and both timestamps.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "drafts", key(pk = id))]
pub struct Draft {
    pub id: String,
    pub text: String,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
}

pub fn draft(id: &str, text: &str) -> Draft {
    Draft {
        id: id.into(),
        text: text.into(),
        version: Version::default(),
        created_at: None,
        updated_at: None,
    }
}

/// An entity with a version as its only managed field.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "pages", key(pk = id))]
pub struct Page {
    pub id: String,
    pub text: String,
    #[dynamo(version, rename = "v")]
    pub version: Version,
}

/// An entity that expires.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "sessions", key(pk = id))]
pub struct Session {
    pub id: String,
    pub user: String,
    #[dynamo(ttl)]
    pub expires_at: Option<DateTime<Utc>>,
}

pub fn session(id: &str, expires_at: Option<&str>) -> Session {
    Session {
        id: id.into(),
        user: "u1".into(),
        expires_at: expires_at.map(moment),
    }
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), lsi(lsi1, sk = "lsi1sk"))]
#[dynamo(stream = new_and_old_images)]
pub struct Shop;

#[derive(Debug, Clone, PartialEq, Eq, Hash, DynamoValue)]
pub struct UserId(pub String);

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Paid,
    Pending,
    #[dynamo(rename = "sent")]
    Shipped,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Line {
    pub sku: String,
    pub qty: u32,
    pub note: Option<String>,
    pub tags: HashSet<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind")]
pub enum Payment {
    Cash,
    Card { number: String, month: u8 },
    Transfer(String),
    Split(u32, u32),
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "INFO"))]
pub struct User {
    #[dynamo(skip)]
    pub user_id: UserId,
    pub name: String,
}

pub fn user(id: &str) -> User {
    User {
        user_id: UserId(id.into()),
        name: "Ada".into(),
    }
}

/// An entity with every kind of field.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "ORDER#{placed_at}#{order_no:08}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{placed_at}"))]
#[dynamo(lsi(by_note, on = lsi1, sk = "NOTE#{note}", when(status = Status::Paid)))]
pub struct Order {
    pub user_id: UserId,
    pub placed_at: DateTime<Utc>,
    #[dynamo(skip)]
    pub order_no: u32,
    pub status: Status,
    pub total: Decimal,
    pub lines: Vec<Line>,
    pub payment: Payment,
    pub tags: HashSet<String>,
    pub note: Option<String>,
    #[dynamo(rename = "odd name.x")]
    pub odd: BTreeMap<String, i64>,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
    #[dynamo(ttl)]
    pub expires_at: Option<DateTime<Utc>>,
    #[dynamo(rest)]
    pub rest: Item,
}

pub fn order(user: &str, order_no: u32) -> Order {
    let line = Line {
        sku: "a\"b".into(),
        qty: 3,
        note: None,
        tags: ["x".to_owned()].into(),
    };
    Order {
        user_id: UserId(user.into()),
        placed_at: moment("2024-05-06T07:08:09.5Z"),
        order_no,
        status: Status::Paid,
        total: "12.5".parse().expect("a number"),
        lines: vec![line],
        payment: Payment::Card {
            number: "4111".into(),
            month: 12,
        },
        tags: HashSet::new(),
        note: Some("gift".into()),
        odd: [("k".to_owned(), -5)].into(),
        version: Version::default(),
        created_at: None,
        updated_at: None,
        expires_at: None,
        rest: [("extra", 5)].into_iter().collect(),
    }
}
