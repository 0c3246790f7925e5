use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(User, Order))]
pub struct Shop;

#[derive(DynamoTable)]
#[dynamo(name = "store", pk = "pk", entities(Order))]
pub struct Store;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}"))]
pub struct User {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Store, key(pk = "ORDER#{id}"))]
pub struct Order {
    pub id: String,
}

fn main() {}
