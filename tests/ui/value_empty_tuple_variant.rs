use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub enum Payment {
    Card(String),
    Cash(),
}

fn main() {}
