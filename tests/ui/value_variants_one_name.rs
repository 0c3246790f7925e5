use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub enum Status {
    Open,
    #[dynamo(rename = "Open")]
    Opened,
}

fn main() {}
