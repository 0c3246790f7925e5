use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{at:month}", sk = "{at:date}"))]
pub struct Order {
    pub at: std::time::SystemTime,
}

fn main() {}
