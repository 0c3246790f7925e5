//! The item that every side stores: twelve attributes, some of them nested, about 1 KB of JSON.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize, Deserialize)]
#[dynamo(table = "orders", key(pk = customer, sk = number))]
pub struct Order {
    pub customer: String,
    pub number: u64,
    pub status: String,
    pub currency: String,
    pub total_cents: i64,
    pub discount: f64,
    pub paid: bool,
    pub note: Option<String>,
    pub address: Address,
    pub lines: Vec<Line>,
    pub labels: BTreeMap<String, String>,
    pub created_at: String,
}

/// The same item with keys made of its fields. A read compares the keys with the fields.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "filed",
    key(pk = "CUSTOMER#{customer}", sk = "{status}#{number:016}")
)]
pub struct Filed {
    pub customer: String,
    pub number: u64,
    pub status: String,
    pub currency: String,
    pub total_cents: i64,
    pub discount: f64,
    pub paid: bool,
    pub note: Option<String>,
    pub address: Address,
    pub lines: Vec<Line>,
    pub labels: BTreeMap<String, String>,
    pub created_at: String,
}

/// A projection of two fields of the item.
#[derive(Debug, Clone, PartialEq, DynamoProjection)]
#[dynamo(entity = Filed)]
pub struct Total {
    pub number: u64,
    pub total_cents: i64,
}

impl From<Order> for Filed {
    fn from(order: Order) -> Self {
        Filed {
            customer: order.customer,
            number: order.number,
            status: order.status,
            currency: order.currency,
            total_cents: order.total_cents,
            discount: order.discount,
            paid: order.paid,
            note: order.note,
            address: order.address,
            lines: order.lines,
            labels: order.labels,
            created_at: order.created_at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, DynamoValue, Serialize, Deserialize)]
pub struct Address {
    pub street: String,
    pub city: String,
    pub zip: String,
    pub country: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue, Serialize, Deserialize)]
pub struct Line {
    pub sku: String,
    pub quantity: u32,
    pub cents: i64,
}

pub const CUSTOMER: &str = "customer-000000000042";
pub const FIRST: u64 = 20_240_229_000_017;

/// The first order of the customer.
pub fn order() -> Order {
    orders(1).remove(0)
}

/// The first orders of one customer.
pub fn orders(count: u64) -> Vec<Order> {
    (FIRST..FIRST + count).map(numbered).collect()
}

fn numbered(number: u64) -> Order {
    let line = |line: u32| Line {
        sku: format!("SKU-{line:08}"),
        quantity: line % 7 + 1,
        cents: i64::from(line) * 199,
    };
    Order {
        customer: CUSTOMER.into(),
        number,
        status: "AWAITING_SHIPMENT".into(),
        currency: "EUR".into(),
        total_cents: 1_234_567,
        discount: 0.125,
        paid: true,
        note: Some("please ring twice, the bell is quiet and the dog is not".into()),
        address: Address {
            street: "Long Street 17, back yard".into(),
            city: "Some Town".into(),
            zip: "12345".into(),
            country: "DE".into(),
        },
        lines: (1..=6).map(line).collect(),
        labels: [("channel", "web"), ("campaign", "spring"), ("gift", "no")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        created_at: "2024-02-29T12:30:05.000000001Z".into(),
    }
}

/// The item as a service sends it, with its attributes in another order.
pub fn stored<E: DynamoEntity>(entity: &E) -> String {
    some_of(entity, |_| true)
}

/// Some attributes of the item, as a service sends them.
pub fn some_of<E: DynamoEntity>(entity: &E, is_wanted: impl Fn(&str) -> bool) -> String {
    let json = dynamo_entity::__private::to_json(entity).expect("it fits");
    let mut item: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&json).expect("JSON");
    item.retain(|name, _| is_wanted(name));
    let mut names: Vec<&String> = item.keys().collect();
    names.sort_by_key(|name| scramble(name));
    let members = names
        .iter()
        .map(|name| format!("\"{name}\":{}", item[*name]));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn scramble(name: &str) -> u32 {
    name.bytes().fold(17, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
    })
}

/// An order of about 100 KB, of many values.
pub fn large() -> Order {
    let label = |at: u32| (format!("label-{at:04}"), format!("{at:032}"));
    Order {
        labels: (0..1700).map(label).collect(),
        ..order()
    }
}
