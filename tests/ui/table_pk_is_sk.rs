use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "key", sk = "key", entities(Order))]
pub struct Shop;

fn main() {}
