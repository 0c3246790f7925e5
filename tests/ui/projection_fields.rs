use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub note: Option<String>,
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Order)]
struct Misspelt {
    totl: u32,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Order)]
struct OtherType {
    total: u64,
    note: String,
}

#[derive(DynamoProjection)]
#[dynamo(entity = String)]
struct NoEntity {
    total: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id, sk = name))]
pub struct User {
    pub id: String,
    pub name: String,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Order)]
struct Total {
    total: u32,
}

fn main() {
    let _ = User::in_partition("ann").select::<Total>();
    let _ = User::in_partition("ann").select::<String>();
}
