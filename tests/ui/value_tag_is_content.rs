use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(tag = "value")]
pub enum Payment {
    Card(String),
    Cash,
}

fn main() {}
