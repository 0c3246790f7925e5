use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(
    table = "orders",
    key(pk = "ORDER#{}", sk = "{ id }#{a-b}#{placed_at.day}")
)]
pub struct Order {
    pub id: String,
    pub placed_at: u64,
}

fn main() {}
