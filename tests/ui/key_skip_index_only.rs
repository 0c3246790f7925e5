use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id), gsi(by_at, pk = "AT#{at}"))]
pub struct Order {
    pub id: String,
    #[dynamo(skip)]
    pub at: u64,
}

fn main() {}
