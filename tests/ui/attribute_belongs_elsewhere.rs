mod to_a_field {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(version)]
    #[dynamo(type_attribute = "_t")]
    pub struct Order {
        pub id: String,
    }
}

mod to_a_value {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(tag = "kind")]
    pub struct Order {
        pub id: String,
        #[dynamo(pk)]
        pub at: u64,
    }
}

mod to_an_entity {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Line {
        #[dynamo(version)]
        pub version: u64,
    }
}

fn main() {}
