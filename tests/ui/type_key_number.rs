//! `number(..)` takes a field that is stored as a number, and all entities of a table give a key attribute one type.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "games-a", key(pk = id))]
#[dynamo(gsi(by_name, pk = "GAME", sk = number(name)))]
struct Text {
    id: String,
    name: Option<String>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-b", key(pk = id))]
#[dynamo(gsi(by_tags, pk = "GAME", sk = number(tags)))]
struct List {
    id: String,
    tags: Vec<String>,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Score, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "SCORE#{id}", sk = "SCORE"))]
#[dynamo(gsi(top, on = gsi1, pk = "GAME", sk = number(score)))]
struct Score {
    id: String,
    score: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "ORDER"))]
#[dynamo(gsi(by_day, on = gsi1, pk = "DAY", sk = "{day}"))]
struct Order {
    id: String,
    day: u32,
}

fn main() {}
