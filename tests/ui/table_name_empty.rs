use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "", pk = "pk", entities(Order), type_attribute = "")]
pub struct Shop;

fn main() {}
