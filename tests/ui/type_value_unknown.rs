use dynamo_entity::prelude::*;

pub struct Address;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub address: Address,
    pub others: Vec<Address>,
}

#[derive(DynamoValue)]
pub struct Line {
    pub address: Address,
}

#[derive(DynamoValue)]
pub struct Home(pub Address);

#[derive(DynamoValue)]
pub enum Place {
    At(Address),
    In { address: Address },
}

fn main() {}
