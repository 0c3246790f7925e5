use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub union Bits {
    a: u32,
    b: f32,
}

fn main() {}
