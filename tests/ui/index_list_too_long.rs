use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
#[dynamo(gsi(by_all, pk = [a, b, c, d, e]))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub d: u8,
    pub e: u8,
}

fn main() {}
