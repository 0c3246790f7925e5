use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "V#{version}"))]
pub struct Order {
    pub id: String,
    #[dynamo(version)]
    pub version: Version,
}

fn main() {}
