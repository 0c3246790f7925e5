use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = page))]
#[dynamo(lsi(by_limit, sk = "{limit}"))]
pub struct Order {
    pub id: String,
    pub page: u32,
    pub limit: u32,
}

fn main() {}
