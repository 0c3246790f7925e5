mod rest {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(rest, rename = "others")]
        pub rest: Item,
    }
}

mod skip {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(skip, rename = "n")]
        pub note: String,
    }
}

fn main() {}
