use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "at"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}"))]
#[dynamo(gsi(by_at, on = gsi1, pk = at))]
pub struct User {
    pub id: String,
    pub at: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}"))]
#[dynamo(gsi(by_at, on = gsi1, pk = at))]
pub struct Order {
    pub id: String,
    pub at: String,
}

fn main() {}
