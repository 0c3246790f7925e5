use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(Order))]
#[dynamo(lsi(lsi1, sk = "a"))]
pub struct Shop;

fn main() {}
