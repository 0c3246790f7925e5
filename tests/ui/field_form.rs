mod managed {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(ttl, format = "epoch")]
        pub expires_at: u64,
    }
}

mod managed_serde {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(created_at, serde)]
        pub at: u64,
    }
}

mod both {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(serde, format = "epoch")]
        pub at: u64,
    }
}

fn main() {}
