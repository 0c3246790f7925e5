use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub enum Order {
    Open { id: String },
}

fn main() {}
