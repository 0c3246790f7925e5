use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = "g", sk = "g"))]
#[dynamo(lsi(lsi1, sk = "pk"))]
pub struct Shop;

fn main() {}
