mod unknown {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{placed_at:day}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

mod too_wide {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{placed_at:040}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

mod without_zero {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{placed_at:8}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

fn main() {}
