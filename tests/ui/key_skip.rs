mod bare {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        #[dynamo(skip)]
        pub id: String,
    }
}

mod index_only {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id), gsi(by_at, pk = "AT#{at}"))]
    pub struct Order {
        pub id: String,
        #[dynamo(skip)]
        pub at: u64,
    }
}

mod lossy {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = "{at:date}"))]
    pub struct Order {
        pub id: String,
        #[dynamo(skip)]
        pub at: std::time::SystemTime,
    }
}

fn main() {}
