use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(pk = "pk", entities(Order))]
pub struct Shop;

fn main() {}
