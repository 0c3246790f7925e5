use dynamo_entity::prelude::*;

type Id = Option<String>;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}"))]
pub struct Order {
    pub id: Id,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id))]
pub struct User {
    pub id: Id,
}

fn main() {}
