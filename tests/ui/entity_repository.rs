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

// The entity has another mistake, and its trait exists all the same.
fn service(_: &dyn UserRepository) {}

fn main() {}
