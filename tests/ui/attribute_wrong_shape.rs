use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(rename = order)]
pub struct Order {
    pub id: String,
    #[dynamo(version = 1)]
    pub version: Version,
}

fn main() {}
