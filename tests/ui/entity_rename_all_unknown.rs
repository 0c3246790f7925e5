use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(rename_all = "snake-case")]
pub struct Order {
    pub id: String,
}

fn main() {}
