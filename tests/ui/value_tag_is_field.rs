use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(tag = "kind")]
pub enum Payment {
    Card { kind: String },
    Cash,
}

fn main() {}
