use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(version, ttl)]
    pub version: Version,
}

fn main() {}
