//! How many allocations the codec makes when it writes an entity and when it reads one.

use std::collections::BTreeMap;

use allocation_counter::measure;
use dynamo_entity::__private::{as_stored, from_json, to_json};
use dynamo_entity::prelude::*;

crate::declare! {
    entity Parcel(table = "parcels", key(pk = "DEPOT#{depot}", sk = "PARCEL#{number:08}"),
        gsi(by_state, pk = "STATE#{state}", sk = "{note}"))
        { depot: String, number: u64, state: String, note: Option<String>, cents: i64, weight: f64, paid: bool,
          address: Address, lines: Vec<Line>, labels: BTreeMap<String, String> }
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Address {
    street: String,
    zip: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Line {
    sku: String,
    quantity: u32,
}

fn parcel(lines: u32) -> Parcel {
    let line = |number| Line {
        sku: format!("SKU-{number}"),
        quantity: number,
    };
    Parcel {
        depot: "north".into(),
        number: 17,
        state: "WAITING".into(),
        note: Some("no hurry".into()),
        cents: -499,
        weight: 1.25,
        paid: true,
        address: Address {
            street: "Long Street 17".into(),
            zip: 12_345,
        },
        lines: (0..lines).map(line).collect(),
        labels: [("gift".to_owned(), "no".to_owned())].into(),
    }
}

/// A write allocates its buffer and the sorted entries of the map. Keys, numbers, names and texts cost
/// nothing more.
#[test]
fn writing_allocates_its_buffer() {
    let parcel = parcel(6);
    let seen = measure(|| drop(to_json(&parcel).expect("it fits")));
    assert!(seen.count_total <= 2, "{} allocations", seen.count_total);
}

/// A put returns a copy of its entity and does not read back what it wrote.
#[test]
fn what_is_stored_is_known_without_reading() {
    let parcel = parcel(4);
    let stored = as_stored(&parcel);
    assert_eq!(stored.as_ref(), Some(&parcel));
    let known = measure(|| drop(as_stored(&parcel)));
    let copied = measure(|| drop(parcel.clone()));
    assert_eq!(known.count_total, copied.count_total);
}

/// A read allocates exactly as often as a copy of the struct.
#[test]
fn reading_allocates_what_the_struct_owns() {
    for lines in [0, 1, 4] {
        let parcel = parcel(lines);
        let json = to_json(&parcel).expect("it fits");
        let read = measure(|| drop(from_json::<Parcel>(&json).expect("it reads")));
        let copied = measure(|| drop(parcel.clone()));
        assert_eq!(read.count_total, copied.count_total, "{lines} lines");
    }
}

crate::declare! {
    entity Reading(table = "readings", key(pk = sensor, sk = at))
        { sensor: uuid::Uuid, at: chrono::DateTime<chrono::Utc>, value: i64 }
}

/// A read compares the stored key with the fields without building the key's text.
#[test]
fn bare_keys_are_compared_without_writing_them() {
    let reading = Reading {
        sensor: uuid::Uuid::from_u128(7),
        at: chrono::DateTime::from_timestamp(1_767_225_600, 5).expect("a time"),
        value: 3,
    };
    let json = to_json(&reading).expect("it fits");
    let seen = measure(|| assert!(from_json::<Reading>(&json).is_ok_and(|read| read == reading)));
    assert_eq!(seen.count_total, 0);
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Parcel)]
struct Numbered {
    number: u64,
    cents: i64,
}

/// A projection of one key field reads each other part of the key once and builds no text for it.
#[test]
fn a_projection_reads_its_key_once() {
    let json = to_json(&parcel(2)).expect("it fits");
    let read = || <Numbered as DynamoProjection>::read(&json).expect("it reads");
    let seen = measure(|| assert_eq!(read().number, 17));
    // The one allocation is for the depot, which is text.
    assert_eq!(seen.count_total, 1);
}
