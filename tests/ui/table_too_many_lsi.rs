use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(lsi(lsi0, sk = "l0"))]
#[dynamo(lsi(lsi1, sk = "l1"))]
#[dynamo(lsi(lsi2, sk = "l2"))]
#[dynamo(lsi(lsi3, sk = "l3"))]
#[dynamo(lsi(lsi4, sk = "l4"))]
#[dynamo(lsi(lsi5, sk = "l5"))]
pub struct Shop;

fn main() {}
