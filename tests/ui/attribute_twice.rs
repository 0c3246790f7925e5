use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(rename = "order")]
#[dynamo(rename = "Order")]
pub struct Order {
    pub id: String,
}

fn main() {}
