mod numbers {
    use dynamo_entity::prelude::*;

    const LOW: u16 = 1;

    #[derive(DynamoValue)]
    #[dynamo(order)]
    pub enum Priority {
        Low,
        Normal = 70000,
        High = -1,
        Urgent = LOW as isize,
    }
}

mod names {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(order, rename_all = "lowercase")]
    pub enum Priority {
        #[dynamo(rename = "l")]
        Low = 1,
    }
}

mod data {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(order)]
    pub enum Payment {
        Card(String),
        Cash,
    }
}

mod not_an_enum {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(order)]
    pub struct Line {
        pub sku: String,
    }
}

mod value {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(order = 10)]
    pub enum Priority {
        Low = 10,
    }
}

fn main() {}
