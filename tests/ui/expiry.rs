//! A derived expiry names a time that is stored, and a duration.

use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(DynamoEntity)]
#[dynamo(table = "unknown", key(pk = id))]
struct Unknown {
    id: u32,
    #[dynamo(created_at)]
    created_at: Option<Timestamp>,
    #[dynamo(ttl = creatd_at + "90d")]
    expires_at: Option<Timestamp>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "durations", key(pk = id))]
struct Durations {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at + "90 days")]
    days: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "order", key(pk = id))]
struct Order {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at + "12h1d")]
    expires_at: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "long", key(pk = id))]
struct Long {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at + "9999999d")]
    expires_at: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "shapes", key(pk = id))]
struct Shapes {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at)]
    expires_at: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "minus", key(pk = id))]
struct Minus {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at - "90d")]
    expires_at: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "two", key(pk = id))]
struct Two {
    id: u32,
    at: Timestamp,
    #[dynamo(ttl = at + "90d")]
    expires_at: Option<u64>,
    #[dynamo(ttl)]
    until: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "itself", key(pk = id))]
struct Itself {
    id: u32,
    #[dynamo(ttl = expires_at + "90d")]
    expires_at: Option<Timestamp>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "versions", key(pk = id))]
struct Versions {
    id: u32,
    #[dynamo(version)]
    version: Version,
    #[dynamo(ttl = version + "90d", default)]
    expires_at: Option<Timestamp>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "skipped", key(pk = id))]
struct Skipped {
    id: u32,
    #[dynamo(skip)]
    at: Option<Timestamp>,
    #[dynamo(ttl = at + "90d")]
    expires_at: Option<Timestamp>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "values", key(pk = id))]
struct Values {
    id: u32,
    #[dynamo(version = id + "90d")]
    version: Version,
}

fn main() {}
