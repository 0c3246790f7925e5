use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{number:08}", sk = "{day:date}"))]
#[dynamo(lsi(by_done, sk = "{done:month}"))]
pub struct Order {
    pub number: String,
    pub day: String,
    pub done: Option<bool>,
}

fn main() {}
