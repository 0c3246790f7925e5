mod constant {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Grid<const N: usize> {
        pub cells: Vec<u8>,
    }
}

mod lifetime {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Line<'a> {
        pub sku: &'a str,
    }
}

fn main() {}
