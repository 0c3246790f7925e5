use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = idd))]
pub struct Order {
    pub id: String,
}

fn main() {}
