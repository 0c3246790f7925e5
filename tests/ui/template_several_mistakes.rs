use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{type}", sk = "{1a}#{id:D}#{id"))]
pub struct Order {
    pub id: String,
}

fn main() {}
