//! `was` gives a field a former name; what DynamoDB cannot rename is refused with the way out.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_region, pk = region, sk = id))]
#[dynamo(gsi(by_state, pk = "STATE#{state}", sk = "{id}", project = [total]))]
#[dynamo(unique(by_code, code))]
struct Order {
    #[dynamo(was = "number")]
    id: u32,
    #[dynamo(was = "area")]
    region: String,
    #[dynamo(was = "sum")]
    total: u32,
    #[dynamo(was = "expires", ttl)]
    expires_at: Option<u64>,
    #[dynamo(was = "v", version)]
    version: Version,
    #[dynamo(was = "state")]
    state: String,
    #[dynamo(was = "text")]
    note: String,
    text: String,
    #[dynamo(was = "by_state_pk")]
    origin: String,
    #[dynamo(was = "_shape")]
    shape: String,
    #[dynamo(was = "coupon")]
    code: String,
    #[dynamo(was("old", keep))]
    kept: String,
    #[dynamo(was)]
    bare: String,
    #[dynamo(was = "x", skip)]
    skipped: String,
}

#[derive(DynamoValue)]
struct Line {
    #[dynamo(was = "count")]
    quantity: u32,
}

fn main() {}
