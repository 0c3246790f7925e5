use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    #[dynamo(skip)]
    pub id: String,
}

fn main() {}
