use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(version)]
    pub version: Version,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id))]
pub struct User {
    pub id: String,
}

fn guards(order: Order, user: User) {
    let _ = order.put().if_exists();
    let _ = order.delete().if_exists();
    let _ = user.put().unchecked();
    let _ = user.delete().unchecked();
}

fn main() {}
