use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(tabel = "orders", kye(pk = id))]
pub struct Order {
    pub id: String,
}

fn main() {}
