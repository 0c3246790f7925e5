//! What a careful person writes on the raw SDK: maps with the right capacity, and texts that are moved and
//! not copied.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::{self, Bool, L, M, N, S};

use crate::order::{Address, Line, Order, Total};

pub type Map = HashMap<String, AttributeValue>;

pub fn to_map(order: &Order) -> Map {
    let mut map = Map::with_capacity(12);
    map.insert("customer".into(), S(order.customer.clone()));
    map.insert("number".into(), N(order.number.to_string()));
    map.insert("status".into(), S(order.status.clone()));
    map.insert("currency".into(), S(order.currency.clone()));
    map.insert("total_cents".into(), N(order.total_cents.to_string()));
    map.insert("discount".into(), N(order.discount.to_string()));
    map.insert("paid".into(), Bool(order.paid));
    if let Some(note) = &order.note {
        map.insert("note".into(), S(note.clone()));
    }
    map.insert("address".into(), M(address(&order.address)));
    map.insert("lines".into(), L(order.lines.iter().map(line).collect()));
    let labels = order.labels.iter();
    let labels = labels.map(|(name, value)| (name.clone(), S(value.clone())));
    map.insert("labels".into(), M(labels.collect()));
    map.insert("created_at".into(), S(order.created_at.clone()));
    map
}

fn address(address: &Address) -> Map {
    let mut map = Map::with_capacity(4);
    map.insert("street".into(), S(address.street.clone()));
    map.insert("city".into(), S(address.city.clone()));
    map.insert("zip".into(), S(address.zip.clone()));
    map.insert("country".into(), S(address.country.clone()));
    map
}

fn line(line: &Line) -> AttributeValue {
    let mut map = Map::with_capacity(3);
    map.insert("sku".into(), S(line.sku.clone()));
    map.insert("quantity".into(), N(line.quantity.to_string()));
    map.insert("cents".into(), N(line.cents.to_string()));
    M(map)
}

/// Returns `None` for an item of another shape.
pub fn from_map(mut map: Map) -> Option<Order> {
    Some(Order {
        customer: text(map.remove("customer")?)?,
        number: number(map.remove("number")?)?,
        status: text(map.remove("status")?)?,
        currency: text(map.remove("currency")?)?,
        total_cents: number(map.remove("total_cents")?)?,
        discount: number(map.remove("discount")?)?,
        paid: match map.remove("paid")? {
            Bool(paid) => paid,
            _ => return None,
        },
        note: match map.remove("note") {
            Some(note) => Some(text(note)?),
            None => None,
        },
        address: to_address(entries(map.remove("address")?)?)?,
        lines: match map.remove("lines")? {
            L(lines) => lines.into_iter().map(to_line).collect::<Option<_>>()?,
            _ => return None,
        },
        labels: to_labels(entries(map.remove("labels")?)?)?,
        created_at: text(map.remove("created_at")?)?,
    })
}

pub fn to_total(mut map: Map) -> Option<Total> {
    Some(Total {
        number: number(map.remove("number")?)?,
        total_cents: number(map.remove("total_cents")?)?,
    })
}

fn to_address(mut map: Map) -> Option<Address> {
    Some(Address {
        street: text(map.remove("street")?)?,
        city: text(map.remove("city")?)?,
        zip: text(map.remove("zip")?)?,
        country: text(map.remove("country")?)?,
    })
}

fn to_line(value: AttributeValue) -> Option<Line> {
    let mut map = entries(value)?;
    Some(Line {
        sku: text(map.remove("sku")?)?,
        quantity: number(map.remove("quantity")?)?,
        cents: number(map.remove("cents")?)?,
    })
}

fn to_labels(map: Map) -> Option<BTreeMap<String, String>> {
    map.into_iter()
        .map(|(name, value)| Some((name, text(value)?)))
        .collect()
}

pub fn text(value: AttributeValue) -> Option<String> {
    match value {
        S(text) => Some(text),
        _ => None,
    }
}

pub fn number<T: std::str::FromStr>(value: AttributeValue) -> Option<T> {
    match value {
        N(digits) => digits.parse().ok(),
        _ => None,
    }
}

fn entries(value: AttributeValue) -> Option<Map> {
    match value {
        M(map) => Some(map),
        _ => None,
    }
}
