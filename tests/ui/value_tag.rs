mod content {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(tag = "value")]
    pub enum Payment {
        Card(String),
        Cash,
    }
}

mod field {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(tag = "kind")]
    pub enum Payment {
        Card { kind: String },
        Cash,
    }
}

mod on_struct {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(tag = "kind")]
    pub struct Line {
        pub sku: String,
    }
}

mod on_unit_enum {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(tag = "kind")]
    pub enum Status {
        Open,
    }
}

fn main() {}
