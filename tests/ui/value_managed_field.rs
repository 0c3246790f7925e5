use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Line {
    #[dynamo(version)]
    pub version: u64,
}

fn main() {}
