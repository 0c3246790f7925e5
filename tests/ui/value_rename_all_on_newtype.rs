use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(rename_all = "camelCase")]
pub struct Id(pub String);

fn main() {}
