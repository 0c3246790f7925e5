use dynamo_entity::prelude::*;

#[derive(Clone, DynamoValue)]
pub struct Address {
    pub city: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "A#{address}", sk = home))]
pub struct Order {
    pub address: Address,
    pub home: Address,
}

fn main() {}
