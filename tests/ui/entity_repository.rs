use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id), repository = "Orders")]
pub struct Order {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = nothing), repository)]
pub struct User {
    pub id: String,
}

// A mistake elsewhere: the trait is there all the same.
fn service(_: &dyn UserRepository) {}

fn main() {}
