use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "AT#{at}"))]
pub struct Order {
    pub id: Option<String>,
    pub at: std::option::Option<u64>,
}

fn main() {}
