use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", entities(Order))]
pub struct Shop;

fn main() {}
