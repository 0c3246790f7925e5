use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = [id, at]))]
pub struct Order {
    pub id: String,
    pub at: u64,
}

fn main() {}
