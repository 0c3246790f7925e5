use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = ["a", "b", "c", "d", "e"], sk = []))]
pub struct Shop;

fn main() {}
