use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(sk = id))]
pub struct Order {
    pub id: String,
}

fn main() {}
