use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo]
#[dynamo = "orders"]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
}

fn main() {}
