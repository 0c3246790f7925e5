//! A shape and the one before: the same table, type, key, managed attributes and indexes, and a `From`.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_region, pk = "R#{region}", sk = "{id}"))]
struct OrderV1 {
    id: u32,
    region: String,
    #[dynamo(version)]
    version: Version,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id), shape = 3, was(OrderV1))]
struct Skipped {
    id: u32,
    #[dynamo(version)]
    version: Version,
}

impl From<OrderV1> for Skipped {
    fn from(old: OrderV1) -> Self {
        Skipped { id: old.id, version: old.version }
    }
}

#[derive(DynamoEntity)]
#[dynamo(table = "others", key(pk = "{number}"), shape = 2, was(OrderV1))]
#[dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{number}"))]
#[dynamo(unique(by_code, code))]
struct Elsewhere {
    number: u32,
    region: String,
    code: String,
    #[dynamo(version)]
    revision: Version,
}

impl From<OrderV1> for Elsewhere {
    fn from(old: OrderV1) -> Self {
        Elsewhere { number: old.id, region: old.region, code: String::new(), revision: old.version }
    }
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id), shape = 2, was(OrderV1), into(OrderV1), writes = 1)]
struct NoFrom {
    id: u32,
    #[dynamo(version)]
    version: Version,
}

fn main() {}
