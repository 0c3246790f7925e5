use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "my shop", pk = "pk", entities(Order))]
pub struct Shop;

fn main() {}
