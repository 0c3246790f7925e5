mod after_a_value {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(rename = "order" rename_all = "camelCase")]
    pub struct Order {
        pub id: String,
    }
}

mod before_a_list {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders" key(pk = id))]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
