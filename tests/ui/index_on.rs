mod other_keys {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, on = gsi1, pk = status))]
    #[dynamo(gsi(by_total, on = gsi1, pk = total))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod of_a_shared_table {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, on = gsi1, pk = "S#{status}"))]
    #[dynamo(gsi(by_total, on = gsi1, pk = "T#{total}"))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod projections {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, on = gsi1, pk = status, project = keys))]
    #[dynamo(gsi(of_status, on = gsi1, pk = status, project = [total], rename = "other"))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
