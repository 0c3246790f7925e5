use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(tag = "kind")]
pub enum Status {
    Open,
}

fn main() {}
