//! The messages about lists and blobs beside an item.

use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Seat {
    pub number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"))]
#[dynamo(chunked(seats), chunked("seats": Seat), chunked(list: Vec<), blob(plan: Vec<u8>), blob(type))]
#[dynamo(chunked(rows: Seat, renamed = "r"))]
pub struct Shapes {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"), gsi(by_name, pk = name))]
#[dynamo(chunked(key: Seat), blob(by_name), chunked(name: Seat))]
#[dynamo(chunked(seats: Seat), chunked(seats: Seat), blob(plan, rename = "seats"))]
pub struct Names {
    pub id: u32,
    pub name: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat), blob(plan))]
pub struct Expiring {
    pub id: u32,
    #[dynamo(ttl)]
    pub until: i64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"))]
#[dynamo(blob(plan, outside = "s3"), chunked(seats: Seat, outsides), blob(film, outside, outside), outside)]
pub struct Outside {
    pub id: u32,
    #[dynamo(outside)]
    pub image: Vec<u8>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "audit", key(pk = "ENTRY#{id}"), append_only, chunked(lines: String), blob(picture))]
pub struct Entry {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"))]
#[dynamo(blob(a), blob(b), blob(c), blob(d), blob(e), blob(f), blob(g), blob(h), blob(i), chunked(j: u8), blob(k), blob(l))]
pub struct Many {
    pub id: u32,
}

fn main() {}
