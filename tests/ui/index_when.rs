mod bare_key {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = "S#{status}", sk = total, when(status = "open")))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod list {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = [status, total], when(status = "open")))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod shape {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = "S#{status}", when(status)))]
    #[dynamo(gsi(by_total, pk = "T#{total}", when = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod skipped {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = "S#{status}", when(note = "open")))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
        #[dynamo(skip)]
        pub note: String,
    }
}

mod unknown {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = "S#{status}", when(statu = "open")))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
