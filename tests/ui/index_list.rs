mod beside_template {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = [status, total], sk = "AT#{at}"))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod empty {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = []))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod on_lsi {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(lsi(by_status, sk = [status, total]))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

mod too_long {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_all, pk = [a, b, c, d, e]))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub a: u8,
        pub b: u8,
        pub c: u8,
        pub d: u8,
        pub e: u8,
    }
}

mod with_string {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, sk = at))]
    #[dynamo(gsi(by_status, pk = [status, "T#{total}"]))]
    pub struct Order {
        pub id: String,
        pub at: u64,
        pub status: String,
        pub total: u64,
    }
}

fn main() {}
