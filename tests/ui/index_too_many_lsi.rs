use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
#[dynamo(lsi(by_00, sk = total))]
#[dynamo(lsi(by_01, sk = total))]
#[dynamo(lsi(by_02, sk = total))]
#[dynamo(lsi(by_03, sk = total))]
#[dynamo(lsi(by_04, sk = total))]
#[dynamo(lsi(by_05, sk = total))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub status: String,
    pub total: u64,
}

fn main() {}
