use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(tag = "kind")]
pub struct Line {
    pub sku: String,
}

fn main() {}
