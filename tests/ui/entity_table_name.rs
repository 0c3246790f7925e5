use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "my orders", key(pk = id))]
pub struct Order {
    pub id: String,
}

fn main() {}
