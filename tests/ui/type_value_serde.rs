use dynamo_entity::prelude::*;

pub struct Address;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(serde)]
    pub address: Address,
    #[dynamo(format = "epoch")]
    pub at: String,
    #[dynamo(default)]
    pub place: Place,
    #[dynamo(skip)]
    pub cache: Cache,
}

#[derive(DynamoValue)]
pub struct Place {
    pub name: String,
}

pub struct Cache;

fn main() {}
