use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{placed_a}"))]
pub struct Order {
    pub id: String,
    pub placed_at: u64,
}

fn main() {}
