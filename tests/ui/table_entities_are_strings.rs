use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities("Order"))]
pub struct Shop;

fn main() {}
