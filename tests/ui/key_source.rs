mod list {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = [id, at]))]
    pub struct Order {
        pub id: String,
        pub at: u64,
    }
}

mod expression {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = user.id, sk = 7))]
    pub struct Order {
        pub id: String,
    }
}

mod unknown {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = idd))]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
