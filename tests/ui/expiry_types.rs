//! The source of a derived expiry is a time, and no update leaves the expiry behind.

use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(DynamoEntity)]
#[dynamo(table = "numbers", key(pk = id))]
struct Numbers {
    id: u32,
    days: u32,
    #[dynamo(ttl = days + "90d")]
    expires_at: Option<u64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "required", key(pk = id))]
struct Required {
    id: u32,
    at: Option<Timestamp>,
    #[dynamo(ttl = at + "90d")]
    expires_at: Timestamp,
}

#[derive(DynamoEntity)]
#[dynamo(table = "good", key(pk = id))]
struct Good {
    id: u32,
    at: Option<Timestamp>,
    #[dynamo(ttl = at + "90d")]
    expires_at: Option<Timestamp>,
}

fn main() {
    let now = Timestamp::EPOCH;
    let _ = Good::key(1).update().apply(|it| it.expires_at().set(now));
    let _ = Good::key(1).update().apply(|it| it.at().set_if_absent(now));
}
