use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders")]
pub struct Order {
    pub id: String,
}

fn main() {}
