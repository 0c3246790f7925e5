use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, sk = "a"))]
pub struct Shop;

fn main() {}
