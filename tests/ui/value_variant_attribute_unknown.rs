use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub enum Status {
    #[dynamo(renme = "open")]
    Open,
    #[dynamo(rename_all = "camelCase")]
    Closed,
}

fn main() {}
