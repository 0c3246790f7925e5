use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(rename = "total")]
    pub sum: u64,
    pub total: u64,
}

fn main() {}
