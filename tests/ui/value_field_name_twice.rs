use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(rename_all = "camelCase")]
pub struct Line {
    pub line_no: u32,
    #[dynamo(rename = "lineNo")]
    pub number: u32,
}

fn main() {}
