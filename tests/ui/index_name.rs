mod string {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi("by_status", pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod on_string {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, on = "gsi1", pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod missing {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod keyword {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(type, pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
