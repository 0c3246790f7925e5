use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(stream = new_images)]
pub struct Order {
    pub id: String,
}

fn main() {}
