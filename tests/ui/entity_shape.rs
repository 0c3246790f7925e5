mod generic {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order<'a, T> {
        pub id: String,
        pub note: &'a str,
        pub body: T,
    }
}

mod variants {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub enum Order {
        Open { id: String },
    }
}

mod tuple {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order(pub String);
}

mod unit {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order;
}

fn main() {}
