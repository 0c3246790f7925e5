use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id), verbatim(delimiter = "::"))]
pub struct Order {
    pub id: String,
}

fn main() {}
