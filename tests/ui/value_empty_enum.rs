use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub enum Status {}

fn main() {}
