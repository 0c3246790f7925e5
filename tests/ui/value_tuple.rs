use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Point(pub i32, pub i32);

fn main() {}
