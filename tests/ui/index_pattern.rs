mod taken {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(scan, pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod twice {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = status))]
    #[dynamo(gsi(by_status, on = other, pk = total))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
