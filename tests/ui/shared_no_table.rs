use dynamo_entity::prelude::*;

pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}"))]
pub struct User {
    pub id: String,
}

pub struct Plain;

#[derive(DynamoTable)]
#[dynamo(name = "store", pk = "pk", entities(Plain, Mssing))]
pub struct Store;

fn main() {}
