mod doubled {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER#{{id}}", sk = "{id"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

mod stray {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER#id}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

fn main() {}
