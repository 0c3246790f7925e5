mod escaped {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{id}:{placed_at}"))]
    pub struct Order {
        pub id: String,
        pub placed_at: u64,
    }
}

mod verbatim {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{id}x{at}"), verbatim(delimiter = ":"))]
    pub struct Order {
        pub id: String,
        pub at: u64,
    }
}

fn main() {}
