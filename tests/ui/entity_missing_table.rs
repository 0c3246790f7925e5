use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(key(pk = id))]
pub struct Order {
    pub id: String,
}

fn main() {}
