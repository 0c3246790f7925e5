mod control {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER#\n{id}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

mod low {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER {id}", sk = "50%"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

fn main() {}
