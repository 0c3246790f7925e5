use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = "a"))]
#[dynamo(gsi(gsi1, pk = "b"))]
#[dynamo(gsi(gsi2, pk = "c", rename = "gsi1"))]
pub struct Shop;

fn main() {}
