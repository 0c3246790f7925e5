use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
pub struct Order {
    #[dynamo(serde)]
    pub id: String,
    #[dynamo(format = "epoch")]
    pub at: u64,
}

fn main() {}
