use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(unique(by_email, email))]
pub struct Order {
    pub id: String,
    pub email: String,
}

fn main() {}
