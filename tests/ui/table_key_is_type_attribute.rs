use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "_type", entities(Order))]
pub struct Shop;

fn main() {}
