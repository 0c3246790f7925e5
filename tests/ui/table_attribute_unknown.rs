use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(entitys(User), typ_attribute = "t", gsi(gsi1, pk = "a", projct = all))]
pub struct Shop;

fn main() {}
