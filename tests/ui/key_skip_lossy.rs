use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "{at:date}"))]
pub struct Order {
    pub id: String,
    #[dynamo(skip)]
    pub at: std::time::SystemTime,
}

fn main() {}
