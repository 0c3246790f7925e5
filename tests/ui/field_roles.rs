mod of_one_field {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(version, ttl)]
        pub version: Version,
    }
}

mod of_two_fields {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(version)]
        pub version: Version,
        #[dynamo(version)]
        pub revision: Version,
        #[dynamo(rest)]
        pub rest: Item,
        #[dynamo(rest)]
        pub more: Item,
    }
}

fn main() {}
