use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Cart))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}"))]
pub struct User {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "CART#{id}", sk = "INFO"))]
pub struct Cart {
    pub id: String,
}

#[derive(DynamoTable)]
#[dynamo(name = "store", pk = "pk", entities(Order))]
pub struct Store;

#[derive(DynamoEntity)]
#[dynamo(table = Store, key(pk = "ORDER#{id}", sk = "INFO"))]
pub struct Order {
    pub id: String,
}

fn main() {}
