use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = user.id, sk = 7))]
pub struct Order {
    pub id: String,
}

fn main() {}
