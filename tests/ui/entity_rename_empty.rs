use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(rename = "")]
pub struct Order {
    pub id: String,
}

fn main() {}
