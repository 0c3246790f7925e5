use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(ttl, format = "epoch")]
    pub expires_at: u64,
}

fn main() {}
