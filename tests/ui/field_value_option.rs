use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(tag = "kind")]
pub struct Order {
    pub id: String,
    #[dynamo(pk)]
    pub at: u64,
}

fn main() {}
