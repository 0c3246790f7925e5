use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Id(#[dynamo(rename = "id")] pub String);

fn main() {}
