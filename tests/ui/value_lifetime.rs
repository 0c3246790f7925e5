use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Line<'a> {
    pub sku: &'a str,
}

fn main() {}
