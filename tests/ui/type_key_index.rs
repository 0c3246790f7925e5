use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Address {
    pub city: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_address, pk = "A#{address}"))]
#[dynamo(gsi(by_flag, pk = flag))]
pub struct Order {
    pub id: String,
    pub address: Address,
    pub flag: bool,
}

fn main() {}
