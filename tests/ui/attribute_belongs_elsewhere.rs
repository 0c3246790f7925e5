use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(version)]
#[dynamo(type_attribute = "_t")]
pub struct Order {
    pub id: String,
}

fn main() {}
