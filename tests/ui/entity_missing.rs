mod key {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders")]
    pub struct Order {
        pub id: String,
    }
}

mod pk {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(sk = id))]
    pub struct Order {
        pub id: String,
    }
}

mod table {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(key(pk = id))]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
