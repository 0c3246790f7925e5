mod empty {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub enum Status {}
}

mod unit {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Nothing;
}

mod tuple {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Point(pub i32, pub i32);
}

mod of_bits {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub union Bits {
        a: u32,
        b: f32,
    }
}

mod empty_variant {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub enum Payment {
        Card(String),
        Cash(),
    }
}

fn main() {}
