mod gsi {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_00, pk = status))]
    #[dynamo(gsi(by_01, pk = status))]
    #[dynamo(gsi(by_02, pk = status))]
    #[dynamo(gsi(by_03, pk = status))]
    #[dynamo(gsi(by_04, pk = status))]
    #[dynamo(gsi(by_05, pk = status))]
    #[dynamo(gsi(by_06, pk = status))]
    #[dynamo(gsi(by_07, pk = status))]
    #[dynamo(gsi(by_08, pk = status))]
    #[dynamo(gsi(by_09, pk = status))]
    #[dynamo(gsi(by_10, pk = status))]
    #[dynamo(gsi(by_11, pk = status))]
    #[dynamo(gsi(by_12, pk = status))]
    #[dynamo(gsi(by_13, pk = status))]
    #[dynamo(gsi(by_14, pk = status))]
    #[dynamo(gsi(by_15, pk = status))]
    #[dynamo(gsi(by_16, pk = status))]
    #[dynamo(gsi(by_17, pk = status))]
    #[dynamo(gsi(by_18, pk = status))]
    #[dynamo(gsi(by_19, pk = status))]
    #[dynamo(gsi(by_20, pk = status))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod lsi {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(lsi(by_00, sk = total))]
    #[dynamo(lsi(by_01, sk = total))]
    #[dynamo(lsi(by_02, sk = total))]
    #[dynamo(lsi(by_03, sk = total))]
    #[dynamo(lsi(by_04, sk = total))]
    #[dynamo(lsi(by_05, sk = total))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
