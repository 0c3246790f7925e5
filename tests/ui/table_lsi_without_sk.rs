use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(lsi(lsi1, pk = "a"))]
pub struct Shop;

fn main() {}
