use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
pub struct Grid<const N: usize> {
    pub cells: Vec<u8>,
}

fn main() {}
