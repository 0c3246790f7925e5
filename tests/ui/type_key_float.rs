use dynamo_entity::prelude::*;

type Price = f64;

#[derive(Clone, DynamoValue)]
pub struct Celsius(pub f64);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "P#{price}"))]
pub struct Order {
    pub id: String,
    pub price: Price,
}

#[derive(DynamoEntity)]
#[dynamo(table = "readings", key(pk = id, sk = "T#{temperature}"))]
pub struct Reading {
    pub id: String,
    pub temperature: Celsius,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sales", key(pk = id, sk = "P#{price}"))]
pub struct Sale {
    pub id: String,
    pub price: rust_decimal::Decimal,
}

fn main() {}
