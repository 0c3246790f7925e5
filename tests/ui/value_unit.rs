use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Nothing;

fn main() {}
