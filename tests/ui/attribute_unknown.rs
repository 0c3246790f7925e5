use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(renam = "order")]
pub struct Order {
    pub id: String,
}

fn main() {}
